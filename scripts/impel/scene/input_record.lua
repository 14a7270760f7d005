-- Recordings of a player's inputs.
--
-- Lines of JSON:
--   { "impel_input": 1, "scene": "slingshot", "seed": 0, "parameters": { ... }, "dt": 0.0166, "solver": "soft" }
--   { "step": 12, "changes": [["key", "space", "space", 1]] }
--   { "end": 600, "hash": "52ab..." }

require "impel.core" -- registers impel.system
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local states = require "impel.scene.input_state"
local system = require "impel.system"

local record = {}

local VERSION = 1
local MOST_CHANGES = 10000 -- largest number of changes in a step

local function line_of(value) return json.encode(value) .. "\n" end


-- Writing ------------------------------------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

-- Write a text. If this fails, store the first error.
local function write(self, text)
  if self.problem then return end
  local ok, message = self.file:write(text)
  if not ok then self.problem = ("%s: %s"):format(self.path, message) end
end

--- Start a recording of a run before its first step; an existing file is replaced. Return a writer, or nil and a
--- message.
function record.open(path, run)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  file:setvbuf "line" -- write each line at once, because the program may be killed
  local self = setmetatable({ path = path, file = file, count = 0 }, Writer)
  local parameters = {}
  for name in pairs(run.scene.params) do parameters[name] = run.values[name] end
  write(self, line_of { impel_input = VERSION, scene = run.scene.name, seed = run.seed, parameters = parameters,
    dt = run.world.dt, solver = run.world.solver })
  return self
end

--- Record the changes of a step.
---@param step integer  1 for the first step
function Writer:step(step, changes)
  self.count = step
  if #changes > 0 then write(self, line_of { step = step, changes = changes }) end
end

--- Record the end of the run with the hash of the world, and close the file. Return true, or nil and a message.
function Writer:close(hash)
  write(self, line_of { ["end"] = self.count, hash = hash })
  local ok, message = self.file:close()
  if self.problem or not ok then return nil, self.problem or ("%s: %s"):format(self.path, message) end
  return true
end


-- Reading ------------------------------------------------------------------------------------------------------------

local FITS = {
  s = function(value) return type(value) == "string" end,
  n = function(value) return type(value) == "number" and value == value and math.abs(value) < 1e300 end,
  b = function(value) return value == false or type(value) == "string" end,
}

-- Return a message about the error in a change, or nil.
local function flaw_of(change)
  if type(change) ~= "table" then return "a change must be a list" end
  local kinds = states.CHANGES[change[1]]
  if not kinds then return ("unknown change '%s'"):format(tostring(change[1])) end
  if #change ~= #kinds + 1 then return ("'%s' has %d values, not %d"):format(change[1], #kinds, #change - 1) end
  for i = 1, #kinds do
    if not FITS[kinds:sub(i, i)](change[i + 1]) then return ("value %d of '%s' is wrong"):format(i, change[1]) end
  end
end

local function check_header(header)
  if not json.is_object(header) or not header.impel_input then
    return "not a recording of inputs (impel play --record)"
  end
  if header.impel_input ~= VERSION then
    return ("inputs have version %s, this impel reads version %d"):format(tostring(header.impel_input), VERSION)
  end
  if header.parameters ~= nil and not json.is_object(header.parameters) then return "'parameters' must be an object" end
  local kinds = { number = true, boolean = true, string = true }
  for name, value in nearest.pairs(header.parameters or {}) do
    if not kinds[type(value)] then return ("parameter '%s' is a %s"):format(tostring(name), type(value)) end
  end
  local seed, dt, solver = header.seed, header.dt, header.solver
  if seed ~= nil and math.type(seed) ~= "integer" then return "'seed' must be an integer" end
  local is_time = type(dt) == "number" and dt > 0 and dt < math.huge
  if dt ~= nil and not is_time then return "'dt' must be a number of seconds > 0" end
  if solver ~= nil and type(solver) ~= "string" then return "'solver' must be a name" end
end

local Recording = {}
Recording.__index = Recording

-- Read a line after the header. Return a message about an error in the line, or nil.
local function take(self, value, number)
  if not json.is_object(value) then return ("line %d: an object expected"):format(number) end
  if value["end"] ~= nil then
    self.steps, self.hash = math.tointeger(value["end"]), value.hash
    if self.steps and self.steps >= self.last then return nil end
    return ("line %d: 'end' must be a number of steps >= %d"):format(number, self.last)
  end
  local step = math.tointeger(value.step)
  if not step or step <= self.last then return ("line %d: 'step' must be a number > %d"):format(number, self.last) end
  if type(value.changes) ~= "table" or json.is_object(value.changes) then
    return ("line %d: 'changes' must be a list"):format(number)
  end
  if #value.changes > MOST_CHANGES then
    return ("line %d: more than %d changes in a step"):format(number, MOST_CHANGES)
  end
  for _, change in ipairs(value.changes) do
    local flaw = flaw_of(change)
    if flaw then return ("line %d: %s"):format(number, flaw) end
  end
  self.changes[step], self.last = value.changes, step
end

--- Read a recording, or return nil and a message. Fields: header: scene, seed, parameters, dt, solver; steps; hash;
--- was_cut: whether the last line, with the hash, is missing.
function record.read(path)
  local text, message = system.read_file(path)
  if not text then return nil, message end
  local self = setmetatable({ path = path, changes = {}, last = 0 }, Recording)
  local number = 0
  for line in text:gmatch "([^\n]*)\n" do -- ignore a last line without a line end, because it is incomplete
    number = number + 1
    local value, why = json.decode(line, number)
    if why then return nil, ("%s: %s"):format(path, why) end
    local flaw
    if number == 1 then
      self.header, flaw = value, check_header(value)
    elseif self.steps then
      flaw = ("line %d: nothing expected after 'end'"):format(number)
    else
      flaw = take(self, value, number)
    end
    if flaw then return nil, ("%s: %s"):format(path, flaw) end
  end
  if not self.header then return nil, ("%s: not a recording of inputs (impel play --record)"):format(path) end
  self.was_cut = not self.steps
  self.steps = self.steps or self.last
  return self
end

--- Return an input state that replays the recording: advance(step); steps: number of recorded steps.
function Recording:player()
  local player, changes = states.new(), self.changes
  player.steps = self.steps
  player.advance = function(_, step) player:apply(changes[step] or {}) end
  return player
end

return record
