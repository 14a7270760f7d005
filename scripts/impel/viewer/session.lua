-- The run that the viewer shows. After a failure the world keeps its last state, and v.failure describes the failure.

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

local SOURCE_MOST = 200 -- largest displayed length of a source line [B]

-- The scene to display if the scene file is broken or the world no longer exists.
local EMPTY = [[
local impel = require "impel"
return { title = "nothing", setup = function() return { world = impel.world {} } end }
]]

-- Return a line of a file, formatted for a message.
local function source_line(path, number)
  local file <close> = io.open(path, "rb")
  local line
  for _ = 1, file and number or 0 do line = file:read "l" end
  return line and (line:sub(1, SOURCE_MOST):gsub("%s+$", ""))
end

--- Show a failure: the world stays, stepping stops.
---@param failure table  kind, message, traceback
function session:fail(failure)
  local file, line = failure.message:match("^([^\n]-):(%d+): ")
  line = math.tointeger(tonumber(line))
  self.failure = {
    kind = failure.kind, message = failure.message, traceback = failure.traceback, file = file, line = line,
    source = file and source_line(file, line), foreign = failure.foreign,
  }
  self.failures = self.failures + 1
  if failure.kind == "damaged" then self.problem = failure end -- self.problem sets the exit code
  return nil, self.failure
end

--- Clear a failure and continue.
function session:forgive()
  self.failure = nil
  if self.run then self.run.fault = nil end
end

-- Return the overridden parameters that the scene accepts. Report and drop parameters that the scene rejects.
local function fitting(self, scene, set)
  local taken = {}
  for _, name in ipairs(nearest.keys(set)) do
    local value, message = params.value(scene.params, name, set[name], scene.name)
    if value == nil then self:say(message) else taken[name] = value end
  end
  return taken
end

-- End the trace, because a trace covers one run only.
local function end_trace(self)
  local trace = self.run and self.run.trace
  if not trace then return end
  self.run.trace = nil
  local ok, message = trace:close()
  if not ok then self.problem = { kind = "damaged", message = message } end
  self:say(ok and ("%s ends here, at %.3f s"):format(trace.path, self.run.time or 0) or message)
end

-- Replace the old run by a new run.
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

-- Load and set up a scene; if it fails, keep the run. `strict`: unknown parameters are errors.
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

-- Find and begin a scene, and watch its files, even if the scene is broken.
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

-- Show an empty scene instead of a failed scene. Parameters and trace are kept until the scene can be set up.
local function stand_in(self, failure)
  local set, trace = self.set_values or self.options.set or {}, self.trace_due
  self.trace_due = nil
  assert(begin(self, function() return scenes.parse(EMPTY, "=empty") end, {}, true))
  self.set_values, self.trace_due = set, trace
  self:fail(failure)
end

--- Return whether an empty scene replaces a failed scene.
---@return boolean
function session:is_waiting() return self.run.scene.file == "empty" end

--- Show the first scene; or, if it is broken, its failure. Return nil and a failure if the file cannot be read or an
--- option is invalid.
function session:begin(name)
  local ok, failure = load(self, name, self.options.set or {}, true)
  if ok then return true end
  if failure.kind == "usage" then return nil, failure end
  stand_in(self, failure)
  return true
end

--- Replace the run by an empty scene if a scene or the console destroyed its world.
function session:bury()
  if self.run.world:is_valid() then return end
  stand_in(self, { kind = "scene", message = "the world was destroyed" })
end

--- Show another scene. If this fails, keep the current scene, and return nil and a failure. name: path or example.
function session:open(name)
  local ok, failure = load(self, name, {})
  if ok then return true end
  return self:fail(failure)
end

--- Set the scene up again from the present contents of its file. If this fails, keep the world, and return nil and a
--- failure.
---@param set table|nil     parameters to change, by name
---@param seed integer|nil  seed from now on; nil: the same
function session:restart(set, seed)
  self.options.seed = seed or self.options.seed
  local ok, failure = load(self, self.name, merged(self.set_values, set))
  if ok then return true end
  return self:fail(failure)
end

--- Reload the scene after one of its files was saved.
function session:reload()
  if self:restart() then self:say("reloaded", "reload") end
end

--- Change a parameter; or return nil and a message. If the scene does not read the parameter while it runs, the scene
--- is set up again in this frame.
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

--- Make steps. Before each step, store the state unless snapshots take too much time; with `single`, store it always.
--- Return the number of steps made.
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

--- Return whether the run may go to another state. While a trace or inputs are recorded, return false and show why.
function session:may_leave()
  local run = self.run
  if not (run.trace or run.inputs) then return true end
  self:say(("cannot go back while %s written"):format(run.trace and "a trace is" or "inputs are"), "back")
  return false
end

-- Pause and call a method of the history. Return 0 if the method fails or is not allowed.
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

--- Go back by a number of steps, and pause. Return the number of steps gone back.
function session:back(count)
  local steps = travel(self, "back", count)
  if steps == 0 and not self.failure then self:say("no earlier step is stored", "back") end
  if steps > 0 then self:went_back(steps) end
  return steps
end

--- Go to a stored step, and pause. Return the number of steps gone forward (negative: back).
function session:seek(step)
  local steps = travel(self, "seek", step)
  if steps ~= 0 then self:went_back(-steps, true) end
  return steps
end

--- Restore a snapshot of a run of the same scene with the same seed and parameters, begin a new history, and return
--- true. If the restore fails, leave the world unchanged, and return false and a message. bytes: from world:snapshot.
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

--- Write the rows recorded so far to the disk.
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
