-- The run that the viewer shows: opening, restarting, reloading, stepping there and back, and what happens when a scene
-- fails. Methods of the viewer that know nothing of windows.
--
-- When something fails the world stays as it last was and v.failure says what it was; going on, restarting or a
-- correct file clears it.

local histories = require "impel.viewer.history"
local frames = require "impel.picture.frame"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"
local params = require "impel.scene.params"
local played = require "impel.viewer.played"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local sounds = require "impel.sound"
local values = require "impel.viewer.values"

local session = {}

local SOURCE_MOST = 200 -- bytes of a source line that are shown

-- What is shown where there is no scene, because its file is broken, or no world any more.
local EMPTY = [[
local impel = require "impel"
return { title = "nothing", setup = function() return { world = impel.world {} } end }
]]

-- The line of a file, for people.
local function source_line(path, number)
  local file <close> = io.open(path, "rb")
  local line
  for _ = 1, file and number or 0 do line = file:read "l" end
  return line and (line:sub(1, SOURCE_MOST):gsub("%s+$", ""))
end

--- Show a failure: the world stays, the steps stop.
---@param failure table  kind, message, traceback
function session:fail(failure)
  local file, line = failure.message:match("^([^\n]-):(%d+): ")
  line = math.tointeger(tonumber(line))
  self.failure = {
    kind = failure.kind, message = failure.message, traceback = failure.traceback, file = file, line = line,
    source = file and source_line(file, line), foreign = failure.foreign,
  }
  self.failures = self.failures + 1
  if failure.kind == "damaged" then self.problem = failure end -- of a file: the exit code tells too
  return nil, self.failure
end

--- What failed was read: go on without it.
function session:forgive()
  self.failure = nil
  if self.run then self.run.fault = nil end
end

-- The overrides that the scene has and takes; what it does not is told and left out.
local function fitting(self, scene, set)
  local taken = {}
  for _, name in ipairs(nearest.keys(set)) do
    local value, message = params.value(scene.params, name, set[name], scene.name)
    if value == nil then self:say(message) else taken[name] = value end
  end
  return taken
end

-- The trace is of one run: what comes after it is not recorded.
local function end_trace(self)
  local trace = self.run and self.run.trace
  if not trace then return end
  self.run.trace = nil
  local ok, message = trace:close()
  if not ok then self.problem = { kind = "damaged", message = message } end
  self:say(ok and ("%s ends here, at %.3f s"):format(trace.path, self.run.time or 0) or message)
end

-- The new run takes the place of the old one.
local function install(self, run, set)
  self:end_inputs()
  local old, same_scene = self.run, self.run and self.run.scene.file == run.scene.file
  local read = same_scene and self.live.read or {}
  end_trace(self)
  if old then old:close() end
  self.run, self.set_values, self.failure, self.restart_due = run, set, nil, false
  self.live = values.follow(run.values)
  self.live.read = read
  self.history = played.take(run, function()
    self.paused = true
    self:say("the recording ends here", "played")
  end) or histories.new(run, { clock = self.clock })
  self.frame_of_run = frames.new(run, nil, self.frame_of_run and self.frame_of_run.arrows)
  self.frame_of_run.palette = self.palette
  self.selection = nil
  self:began(same_scene)
  self:begin_inputs()
end

-- Load and set up; what is there stays where that fails. `strict`: parameters come from the command line.
local function begin(self, open, set, strict)
  sounds.reset()
  local scene, failure = open()
  if not scene then return nil, failure end
  local options = self.options
  if not strict then set = fitting(self, scene, set) end
  local run, why = runner.new(scene, { set = set, seed = options.seed, dt = options.dt, solver = options.solver,
    threads = options.threads, clock = self.clock, trace = self.trace_due, every = options.every,
    input = self:new_input() })
  if not run then return nil, why end
  self.trace_due = nil
  install(self, run, set)
  return true
end

-- Find the scene and take its files under watch, broken ones too.
local function load(self, name, set, strict)
  local files, known = {}, {}
  local open, failure = self.options.find(name, function(path)
    if not known[path] then files[#files + 1] = path end
    known[path] = true
  end)
  if not open then return nil, failure end
  local ok, why = begin(self, open, set, strict)
  self.name = name
  self.watch:set(files)
  if ok then return true end
  return nil, why
end

-- An empty scene in the place of the one that failed, whose parameters and trace wait until it is set up.
local function stand_in(self, failure)
  local set, trace = self.set_values or self.options.set or {}, self.trace_due
  self.trace_due = nil
  assert(begin(self, function() return scenes.parse(EMPTY, "=empty") end, {}, true))
  self.set_values, self.trace_due = set, trace
  self:fail(failure)
end

--- Whether no scene is there: an empty one stands in for one that failed.
---@return boolean
function session:is_waiting() return self.run.scene.file == "empty" end

--- Show the first scene. One that is broken is shown as its failure, and waited for.
---@param name string
---@return boolean|nil ok
---@return table|nil failure  the file cannot be read, or an option is wrong
function session:begin(name)
  local ok, failure = load(self, name, self.options.set or {}, true)
  if ok then return true end
  if failure.kind == "usage" then return nil, failure end
  stand_in(self, failure)
  return true
end

--- A scene or the console may destroy the world: then there is nothing that panels and mouse could ask.
function session:bury()
  if self.run.world:is_valid() then return end
  stand_in(self, { kind = "scene", message = "the world was destroyed" })
end

--- Show another scene, with its own parameters.
---@param name string  a path or an example
---@return boolean|nil ok
---@return table|nil failure  the scene that was there stays
function session:open(name)
  local ok, failure = load(self, name, {})
  if ok then return true end
  return self:fail(failure)
end

--- Set the scene up again under the same seed, from its file as it is now.
---@param set table|nil    parameters by name that change
---@param seed integer|nil  another seed, from now on
---@return boolean|nil ok
---@return table|nil failure  the world that was there stays
function session:restart(set, seed)
  self.options.seed = seed or self.options.seed
  local ok, failure = load(self, self.name, merged(self.set_values, set))
  if ok then return true end
  return self:fail(failure)
end

--- A file of the scene was saved.
function session:reload()
  if self:restart() then self:say("reloaded", "reload") end
end

--- Change a parameter. A scene that reads it while it runs goes on with it; another is set up again, in this frame.
---@param name string
---@param value number|boolean|string
---@return boolean|nil ok
---@return string|nil message
function session:set(name, value)
  local scene = self.run.scene
  local taken, message = params.value(scene.params, name, value, scene.name)
  if taken == nil then
    self:say(message)
    return nil, message
  end
  self.set_values[name] = taken
  self.live.set(name, taken)
  if not self.live.read[name] then self.restart_due = true end
  return true
end

--- Make steps, each with a way back.
---@param count integer
---@param single boolean|nil  somebody asked for just these: all are kept
---@return integer made
function session:step(count, single)
  local run = self.run
  for i = 1, count do
    if not run.world:is_valid() then
      self:fail { kind = "scene", message = "the world was destroyed" }
      return i - 1
    end
    self.history:keep(run, single)
    self.frame_of_run:note()
    self.live.watching = true
    local ok, failure = run:step()
    self.live.watching = false
    if ok or failure.kind == "diverged" then self:stepped() end
    if not ok then
      self:fail(failure)
      return i - 1
    end
  end
  return count
end

--- Whether the run may be brought to another state. While a trace or inputs are written it may not; a message says so.
---@return boolean
function session:may_leave()
  local run = self.run
  if not (run.trace or run.inputs) then return true end
  self:say(("no way back while %s written"):format(run.trace and "a trace is" or "inputs are"), "back")
  return false
end

-- Pause and call a method of the history; 0 where it fails or is not allowed.
local function travel(self, method, to)
  self.paused = true
  self:forgive()
  if not self:may_leave() then return 0 end
  self.mouse:release()
  local ok, steps = pcall(self.history[method], self.history, self.run, to)
  if ok then return steps end
  self:fail { kind = "scene", message = tostring(steps), traceback = tostring(steps) }
  return 0
end

--- Go back, and pause. The steps that come after stay on the timeline until the next one is made.
---@param count integer
---@return integer steps  how many it were
function session:back(count)
  local steps = travel(self, "back", count)
  if steps == 0 and not self.failure then self:say("no step to go back to is kept", "back") end
  if steps > 0 then self:went_back(steps) end
  return steps
end

--- Go to a kept step, back or forth, and pause.
---@param step integer
---@return integer steps  how many forth; less than 0: back
function session:seek(step)
  local steps = travel(self, "seek", step)
  if steps ~= 0 then self:went_back(-steps, true) end
  return steps
end

--- Bring the world to a state that was saved, of this scene, seed and parameters. The way back begins there.
---@param bytes string  of world:snapshot
---@return boolean ok
---@return string|nil message  why the state does not fit; the world stays
function session:restore(bytes)
  local run, before = self.run, self.run.count
  local ok, message = pcall(run.world.restore, run.world, bytes)
  if not ok then return false, tostring(message) end
  self:forgive()
  run.time = run.world.time
  self.history = histories.new(run, { clock = self.clock })
  self:went_back(before - run.count, true)
  return true
end

--- Write what is recorded so far to the disk.
function session:flush_trace()
  local trace = self.run.trace
  if not trace then return end
  local ok, message = trace:flush()
  if ok then return end
  self.run.trace = nil
  trace:close()
  self:fail { kind = "damaged", message = message }
end

return session
