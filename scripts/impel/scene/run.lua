-- The run of a scene without a window, from setup to result.
--
--   local run, failure = runner.new(scene, { steps = 600, seed = 1, set = { count = "5" } })
--   while not run:done() do run:step() end
--   local result = run:result()
--   run:close()
--
-- Failures: kind ("usage", "scene", "diverged" or "damaged"), message, traceback.

local arguments = require "impel.base.arguments"
local input_state = require "impel.scene.input_state"
local nearest = require "impel.base.nearest"
local printable = require "impel.base.printable"
local progress = require "impel.scene.progress"
local recorder = require "impel.recorder"
local scenes = require "impel.scene"
local system = require "impel.system"

local runner = {}
local Run = {}
Run.__index = Run

local DEFAULT_DURATION = 10 -- [s], duration of a run if the scene has none
local OUTSIDE = { outside = true } -- option of handlers that world:restore does not remove
-- [s], interval at which buffered rows of the trace are written
local FLUSH = 0.1
-- largest number of consecutive steps that do not increase `count`, because the scene restores older states
local STANDING = 1000
-- largest number of steps without a new largest `count`, divided by the number of steps of the run
local BEHIND = 100
local LOOSE = { strict = false }   -- option of world:state: data other than plain data is ignored
local UNHELD = "a lock is not held" -- part of the warning about a lock that is not held

local function failure(kind, message, traceback)
  return nil, { kind = kind, message = message, traceback = traceback }
end

-- Close a run that cannot start, and return the failure.
local function give_up(self, problem)
  self:close()
  return nil, problem
end

-- Return an error's message without its position. For errors that the command line causes.
local function plain(message)
  return (tostring(message):gsub("^[^\n]-:%d+: ", "", 1))
end

-- Apply the world settings of the command line after setup.
local function configure(world, options)
  for _, name in ipairs { "dt", "solver", "threads", "lanes" } do
    local value = options[name]
    if value ~= nil then
      local ok, message = pcall(function() world[name] = value end)
      if not ok then return ("--%s %s: %s"):format(name, tostring(value), plain(message)) end
    end
  end
  return nil
end

-- Record the first fault of each step as text.
local function watch_faults(self)
  self.world:on("fault", function(event)
    if self.fault then return end
    self.fault = ("%s in stage '%s'"):format(tostring(event.body), tostring(event.stage))
    self.diverged = { body = tostring(event.body), stage = event.stage, step = self.count + 1, time = self.world.time }
  end, OUTSIDE)
end

-- Record the first warning of each joint whose bodies separate (`opened`), and of each with a lock that is not held
-- (`dropped`).
local function watch_joints(self)
  self.opened, self.dropped, self.dropped_joints = {}, {}, {}
  local known = { [self.opened] = {}, [self.dropped] = {} }
  self.world:on("warning", function(event)
    local joint = event.joint
    local list = joint and event.text:find(UNHELD, 1, true) and self.dropped or self.opened
    if not joint or known[list][joint.id] then return end
    known[list][joint.id] = true
    list[#list + 1] = { joint = tostring(joint), length = event.length, time = self.world.time, step = self.count + 1 }
    if list == self.dropped then self.dropped_joints[#list] = joint end
  end, OUTSIDE)
end


-- Return the scene's function as a handler. While it runs, and after it raises, self.inside is its name.
local function callback(self, name)
  local f, state = self.scene.definition[name], self.state
  return function(seconds)
    local outer = self.inside
    self.inside = outer or name
    f(state, seconds)
    if state.world ~= self.world then scenes.need_world(self.world, state) end
    self.inside = outer
  end
end

-- Register the scene's callbacks. Handlers of its setup run before the callbacks.
local function subscribe(self)
  local definition, world = self.scene.definition, self.world
  if definition.update then world:on("step", callback(self, "update"), OUTSIDE) end
  if definition.substep then world:on("substep", callback(self, "substep"), OUTSIDE) end
  watch_faults(self)
  watch_joints(self)
end

-- Call f. Errors are reported as errors of the scene's function `name`.
local function guard(self, name, f, ...)
  return scenes.guard(("%s: %s"):format(self.scene.file, name), f, ...)
end

-- Check that the result of measure() is a table of numbers and booleans by name.
local function check_measures(self, values)
  if type(values) ~= "table" then error(("table expected, got %s"):format(type(values)), 0) end
  for _, name in ipairs(arguments.keys(values)) do
    if type(name) ~= "string" then
      error(("the name of a measure must be a string, got %s"):format(arguments.got(name)), 0)
    end
    local value, shown = values[name], printable(name)
    if name:find "%c" or shown ~= name then
      local flaw = utf8.len(name) and "has control characters" or "is not UTF-8"
      error(("a measure's name %s: '%s'"):format(flaw, shown), 0)
    end
    if type(value) ~= "number" and type(value) ~= "boolean" then
      error(("column '%s': number or boolean expected, got %s"):format(name, type(value)), 0)
    end
  end
  scenes.need_world(self.world)
end

local function check_score(self, value)
  if type(value) ~= "number" then error(("number expected, got %s"):format(type(value)), 0) end
  scenes.need_world(self.world)
end

local function write_row(self)
  local values, problem = self:measure()
  if not values then return nil, problem end
  if self.row then self.row(self.world.time, values) end
  if not self.trace then return true end
  local ok, done, message = pcall(self.trace.row, self.trace, self.world.time, values)
  if not ok then return failure("scene", ("%s: measure: %s"):format(self.scene.file, plain(done))) end
  if not done then return failure("damaged", message) end
  return true
end

--- Build a scene up to its first step.
---@param scene table    from impel.scene
---@param options table
---  set: parameters by name
---  seed
---  dt [s], solver, threads, lanes: instead of the scene's
---  steps, or time [s], default the scene's duration
---  trace: name of a file
---  row: function(time, measures)
---  every: steps between two rows of `trace`, and between two calls of `row`; default 1
---  clock: function that returns seconds
---  watch: whether to record the largest penetration of all steps
---  load: file of Run:save to continue from
---  input: state of impel.input, whose advance(step) is called before each step and returns the changes
---@return table|nil run
---@return table|nil failure
function runner.new(scene, options)
  local values, message = scene:values(options.set)
  if not values then return failure("usage", message) end
  local state, world, traceback = scene:setup(values, options.seed)
  if not state then return failure("scene", world, traceback) end
  local self = setmetatable({
    scene = scene, state = state, world = world, values = values, seed = options.seed or 0,
    input = options.input, every = options.every or 1, row = options.row, clock = options.clock or system.clock,
    watch = options.watch,
    count = 0, made = 0, seconds = 0, penetration = 0, flushed = 0,
    furthest = 0, standing = 0, behind = 0,
  }, Run)
  self.place = function() return ("%s: %s"):format(scene.file, self.inside or "step") end
  world:state(state, LOOSE)
  world:state(progress.of(self), LOOSE)
  local problem = options.load and self:load(options.load)
  if problem then return give_up(self, problem) end
  if options.load and options.dt and options.dt ~= world.dt then -- raise if the saved run had another dt
    return give_up(self, { kind = "usage", message = ("%s has steps of %.9g s, this run has %.9g s (--dt)"):format(
      options.load, world.dt, options.dt) })
  end
  local refused = configure(world, options)
  if refused then return failure("usage", refused) end
  local time = options.time or scene.definition.duration or DEFAULT_DURATION
  self.steps = options.steps or math.tointeger(math.floor(time / world.dt + 0.5))
  if not self.steps then return failure("usage", ("%g s are too many steps of %g s"):format(time, world.dt)) end
  if self.count > self.steps then
    local late = ("%s is at %.6g s, step %d, after the end of this run at %.6g s, step %d: give a larger --time or "
      .. "--steps"):format(
      options.load, world.time, self.count, self.steps * world.dt, self.steps)
    return give_up(self, { kind = "usage", message = late })
  end
  if options.trace then
    self.trace, message = recorder.open(options.trace)
    if not self.trace then return failure("usage", message) end
  end
  if options.trace or options.row then
    local ok, why = write_row(self)
    if not ok then return give_up(self, why) end
  end
  subscribe(self)
  return self
end

--- Return whether all steps are done. After this call, a step fails if set_back finds that the run will never end.
function Run:done()
  if self.input and self.input.steps == self.steps then return self.made >= self.steps end
  self.awaited = true
  return self.count >= self.steps
end

--- Update the run's time after a step, and with the option `watch` the largest penetration.
function Run:look()
  if self.watch then
    local overlap = self.world:residual().penetration
    if overlap > self.penetration then self.penetration = overlap end
  end
  self.time = self.world.time
end

-- Count steps without progress. before: the count before this step. Return a message if the run will never end, or nil.
local function set_back(self, before)
  self.standing = self.count > before and 0 or self.standing + 1
  self.behind = self.count > self.furthest and 0 or self.behind + 1
  self.furthest = math.max(self.count, self.furthest)
  if not self.awaited then return nil end
  if self.standing >= STANDING then
    return ("the run does not advance: step %d was computed %d times (the scene restores an older state)")
      :format(self.count, self.standing + 1)
  end
  if self.behind >= BEHIND * math.max(self.steps, 100) then
    return ("the run does not advance: none of the last %d steps got beyond step %d of %d (the scene restores an "
      .. "older state)"):format(self.behind, self.furthest, self.steps)
  end
end

-- Finish a step: count the step and return its failure. `before`: the count before the step.
local function settle(self, before, ok, problem)
  self.count, self.made = self.count + 1, self.made + 1
  if self.fault then
    return failure("diverged", ("%s: diverged at step %d: %s, t = %.6g s"):format(self.scene.file, self.count,
      self.fault, self.diverged.time))
  end
  if not ok then return failure("scene", problem.message, problem.traceback) end
  local endless = set_back(self, before)
  if endless then return failure("scene", ("%s: %s"):format(self.scene.file, endless)) end
  return true
end

--- Make one step with the scene's callbacks only: no trace, no measures, no allocation. begin() and stop() are called
--- right before and after the step. Return true, or nil and a failure.
function Run:bare_step(begin, stop)
  self.inside = nil
  local world, before = self.world, self.count
  local step = world.step
  begin()
  local ok, e = pcall(step, world, 1)
  stop()
  return settle(self, before, ok, not ok and scenes.raised(self.place, e))
end

-- Write the buffered rows of the trace.
local function flush(self, now)
  self.flushed = now
  local ok, message = self.trace:flush()
  if ok then return true end
  return failure("damaged", message)
end

-- Apply new inputs, and make impel.input read this run's input state. Return the state that impel.input read before.
local function begin_input(self)
  local changes = self.input and self.input:advance(self.made + 1)
  if self.inputs then self.inputs:step(self.made + 1, changes) end
  return input_state.show(self.input)
end

--- Make one step with callbacks and trace. Return true, or nil and a failure.
function Run:step()
  local start, before = self.clock(), self.count
  if self.trace and start - self.flushed > FLUSH then
    local ok, problem = flush(self, start)
    if not ok then return nil, problem end
  end
  self.inside = nil
  local shown = begin_input(self)
  local ok, problem = scenes.guard(self.place, self.world.step, self.world, 1)
  input_state.show(shown)
  self.seconds = self.seconds + (self.clock() - start)
  local good, why = settle(self, before, ok, problem)
  if self.sent then self.sent:flush() end -- errors of the recording are reported by its close()
  if not good then return nil, why end
  self:look()
  if (self.trace or self.row) and self.count % self.every == 0 then return write_row(self) end
  return true
end

-- Return the messages of the checks that failed.
local function judge(self, ...)
  scenes.need_world(self.world)
  local failed = {}
  for i = 1, math.max(select("#", ...), 1), 2 do
    local holds, message = select(i, ...)
    if type(holds) ~= "boolean" then
      error(("true or false expected, got %s"):format(holds == nil and "nothing" or type(holds)), 0)
    end
    if not holds then failed[#failed + 1] = tostring(message or "check failed") end
  end
  return failed
end

-- Run one check. Return { name, failed = messages } or { name, problem = failure }.
local function ask(self, name, place, f)
  local results = table.pack(guard(self, place, f, self.state))
  if not results[1] then
    return { name = name, problem = { kind = "scene", message = results[2].message, traceback = results[2].traceback } }
  end
  local judged, failed = guard(self, place, judge, self, table.unpack(results, 2, results.n))
  if not judged then return { name = name, problem = { kind = "scene", message = failed.message } } end
  return { name = name, failed = failed }
end

--- Run the checks of the scene: check(), then those of `checks`, sorted by name.
---@param wanted nil|fun(name: string|nil): boolean  selects checks by name, nil for check(); default: all
---@return table[] verdicts  { name: nil for check(), failed: messages of failed checks; or problem: failure }
function Run:verdicts(wanted)
  local definition, list = self.scene.definition, {}
  if definition.check and (not wanted or wanted(nil)) then list[1] = ask(self, nil, "check", definition.check) end
  for _, name in ipairs(nearest.keys(definition.checks or {})) do
    if not wanted or wanted(name) then
      list[#list + 1] = ask(self, name, "checks." .. name, definition.checks[name])
    end
  end
  return list
end

--- Run all checks of the scene.
---@return string[]|nil failed  a message for each failed check, empty if all passed; nil if a check raised
---@return table|nil failure
function Run:check()
  local messages = {}
  for _, verdict in ipairs(self:verdicts()) do
    if verdict.problem then return nil, verdict.problem end
    for _, message in ipairs(verdict.failed) do
      messages[#messages + 1] = verdict.name and ("%s: %s"):format(verdict.name, message) or message
    end
  end
  return messages
end

--- Return the scene's present measures by name, empty if the scene has no measure(); or nil and a failure.
function Run:measure()
  local measure = self.scene.definition.measure
  if not measure then return {} end
  local ok, values = guard(self, "measure", measure, self.state)
  if not ok then return failure("scene", values.message, values.traceback) end
  local checked, problem = guard(self, "measure", check_measures, self, values)
  if not checked then return failure("scene", problem.message) end
  return values
end

--- Return the scene's present score; nil if the scene has no score().
---@return number|nil score
---@return table|nil failure
function Run:score()
  local score = self.scene.definition.score
  if not score then return nil end
  local ok, value = guard(self, "score", score, self.state)
  if not ok then return failure("scene", value.message, value.traceback) end
  local checked, problem = guard(self, "score", check_score, self, value)
  if not checked then return failure("scene", problem.message) end
  return value
end

--- Return a table of the values of the scene's parameters.
function Run:parameters()
  local params = {}
  for name in pairs(self.scene.params) do params[name] = self.values[name] end
  return params
end

--- Write the state of the world and of the run to a file, for Run:load. Return nil, or a failure.
function Run:save(path)
  local ok, bytes = scenes.guard(self.place, self.world.snapshot, self.world)
  if not ok then return { kind = "scene", message = bytes.message, traceback = bytes.traceback } end
  local written, message = system.replace(path, bytes)
  if not written then return { kind = "damaged", message = message } end
end

--- Load a saved state. A sandbox replaces this function.
function runner.load_state(world, path) return world:load(path) end

--- Return the bytes of a saved state.
---@return string|nil
function runner.read_state(path) return (system.read_file(path)) end

--- Record a world into a file. A sandbox replaces this function.
---@return table|nil recording  with close(), and optionally flush(), which the run calls after each step
---@return string|nil message
function runner.open_recording(world, path, options) return world:record(path, options) end

--- Start to record the run. Return true, or nil, message.
function Run:record(path, options)
  local recording, message = runner.open_recording(self.world, path, options)
  if not recording then return nil, message end
  self.recording = recording
  self.sent = type(recording) == "table" and recording or nil
  return true
end

-- Return the failure for a saved state that does not fit the world. If another run saved it, the message says so.
local function misfit(self, path, message)
  if system.kind(path) ~= "file" then return { kind = "usage", message = message } end
  local saved = progress.read(runner.read_state(path) or "")
  local other = saved and progress.difference(self, saved)
  if other then return { kind = "usage", message = ("%s %s"):format(path, other) } end
  return { kind = "damaged", message = message }
end

--- Continue from a file of Run:save, or return a failure. Sets two fields: `began`, the number of steps before the
--- save; `changed`, whether the scene's file has changed since the save.
function Run:load(path)
  local ok, loaded, message = scenes.guard(self.place, runner.load_state, self.world, path)
  if not ok then return { kind = "scene", message = loaded.message, traceback = loaded.traceback } end
  if not loaded then return misfit(self, path, message) end
  local other = progress.difference(self, self.loaded)
  if other then return { kind = "usage", message = ("%s %s"):format(path, other) } end
  self.began, self.changed = self.count, self.loaded.text ~= self.scene.checksum
  self.time = self.world.time
end

--- Return the joints with a lock that was not held, in the order of their first warning.
---@return table[] list  { joint: name; length [m], time [s] and step of the first warning; gap: present gap [m], nil
---  for a destroyed joint }
function Run:unheld()
  for i, joint in ipairs(self.dropped_joints) do self.dropped[i].gap = joint:is_valid() and joint.gap or nil end
  return self.dropped
end

--- Return the results, reproducible except `seconds` and `steps_per_second`.
function Run:result()
  local world = self.world
  local kinetic, potential = world:energy()
  local residual = world:residual()
  local counts, unheld = world:counts(), self:unheld()
  return {
    scene = self.scene.name, title = self.scene.definition.title, params = self:parameters(), seed = self.seed,
    steps = self.count, time = world.time, dt = world.dt, solver = world.solver,
    bodies = counts.bodies, awake = counts.awake, contacts = counts.contacts,
    kinetic = kinetic, potential = potential,
    penetration = math.max(self.penetration, residual.penetration), residual = residual.velocity,
    residual_error = residual.error, converged = residual.converged, reason = residual.reason,
    open = residual.open, opened = #self.opened > 0 and self.opened or nil, unheld = #unheld > 0 and unheld or nil,
    hash = world.hash, seconds = self.seconds, diverged = self.fault and self.diverged,
    steps_per_second = self.seconds > 0 and self.count / self.seconds or 0,
  }
end

--- Close the trace and destroy the world. Return true, or nil, message.
function Run:close()
  pcall(self.world.destroy, self.world)
  local trace = self.trace
  self.trace = nil
  if trace then return trace:close() end
  return true
end

return runner
