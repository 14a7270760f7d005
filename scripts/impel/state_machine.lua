-- impel.state_machine: switch between states on an event, a force, a pose or a time.
--
--   local machine = impel.state_machine(world, { initial = "stand", data = doll, states = {
--     stand  = { { to = "limp", event = "hit", when = function(doll, hit) return hit.impulse > 50 end } },
--     limp   = { enter = function(doll) doll.posture.enabled = false end,
--                { to = "rise", after = 0.4 } },
--     rise   = { enter = function(doll) doll.posture.enabled = true end,
--                { to = "stand", when = function(doll) return doll.posture:error() < 0.05 end } } } })
--
-- A state is a list of transitions, with the optional functions enter(data, machine), exit(data, machine), and
-- update(data, machine, dt [s]), called before every step. A transition has `to`, and conditions that must all hold:
--   when    function(data, event or nil) -> boolean
--   after   seconds since the state was entered
--   event   name of an event of the world, tested after the step
-- Transitions without an event are tested before every step. The first transition whose conditions hold is taken.

local arguments = require "impel.base.arguments"
local memory = require "impel.world.memory"
local nearest = require "impel.base.nearest"

local state_machine = {}
local Machine = {}
Machine.__index = Machine
memory.of(Machine)

local FIELDS = {
  initial = { "string" },
  states = { "table" },
  data = { "any", optional = true },
}
local STATE = { enter = { "function", optional = true }, exit = { "function", optional = true },
  update = { "function", optional = true } }
local TRANSITION = { to = { "string" }, when = { "function", optional = true },
  after = { "number", min = 0, unit = "s", optional = true }, event = { "string", optional = true } }

-- Read a state: its functions, the transitions tested before steps, and the transitions of each event.
local function read_state(name, given, states)
  local what = ("impel.state_machine: state '%s'"):format(name)
  if type(given) ~= "table" then arguments.fail("%s must be a table, got %s", what, arguments.got(given)) end
  local functions, state = {}, { name = name, polled = {}, events = {} }
  for key, value in next, given do
    if math.type(key) ~= "integer" then functions[key] = value end
  end
  for key, f in next, arguments.read(what, functions, STATE) do state[key] = f end
  for i, transition in ipairs(given) do
    local t = arguments.read(("%s, transition %d"):format(what, i), transition, TRANSITION)
    if not states[t.to] then
      arguments.fail("%s, transition %d: no state '%s'%s", what, i, t.to, nearest.hint(t.to, nearest.keys(states)))
    end
    if not (t.when or t.after or t.event) then
      arguments.fail("%s, transition %d needs when, after or event", what, i)
    end
    local list = state.polled
    if t.event then
      state.events[t.event] = state.events[t.event] or {}
      list = state.events[t.event]
    end
    list[#list + 1] = t
  end
  return state
end

local function first_that_holds(self, list, event)
  for _, transition in ipairs(list) do
    -- tolerance for the rounding errors of sums of dt
    local due = not transition.after or self.time >= transition.after - 1e-9
    if due and (not transition.when or transition.when(self.data, event)) then return transition end
  end
end

-- Subscribe to all events, or to no event if the name of any event is unknown.
local function subscribe(self, world, events)
  for _, event in ipairs(events) do
    local ok, handler = pcall(world.on, world, event, function(e) self:notice(event, e) end)
    if not ok then
      for _, each in ipairs(self.handlers) do each:destroy() end
      arguments.fail("impel.state_machine: %s", (handler:gsub("^.-:%d+: ", "")))
    end
    self.handlers[#self.handlers + 1] = handler
  end
  self.handlers[#self.handlers + 1] = world:on("step", function(dt) self:update(dt) end)
end

--- Make a machine, which enters its initial state at once.
---@param world impel.world
---@param options table  initial: name of the first state; states: name -> state; data: passed to the functions
---@return table machine
---  state: name of the active state
---  time: since the active state was entered [s]
---  previous: name of the previous state
---  changes: number of changes
function state_machine.new(world, options)
  arguments.check("impel.state_machine: argument 'world'", world, { "world" })
  local o = arguments.read("impel.state_machine", options, FIELDS)
  if not o.states[o.initial] then
    arguments.fail("impel.state_machine: no state '%s'%s", o.initial, nearest.hint(o.initial, nearest.keys(o.states)))
  end
  local self = setmetatable({ world = world, data = o.data, states = {}, handlers = {}, time = 0, changes = 0,
    enabled = true }, Machine)
  local events = {}
  for _, name in ipairs(nearest.keys(o.states)) do
    self.states[name] = read_state(name, o.states[name], o.states)
    for event in next, self.states[name].events do events[event] = true end
  end
  subscribe(self, world, nearest.keys(events)) -- subscribe first, because an unknown event name raises
  local ok, problem = pcall(self.go, self, o.initial)
  if not ok then
    self:destroy()
    error(problem, 0)
  end
  self.changes = 0
  return self
end

--- Change the state unconditionally. A state may be entered from itself.
---@param name string
---@param ... any  passed to `enter` after data and machine
function Machine:go(name, ...)
  if self.destroyed then arguments.fail("machine:go: attempt to use destroyed state machine") end
  local state = self.states[name]
  if not state then
    arguments.fail("machine:go: no state '%s'%s", tostring(name), nearest.hint(name, nearest.keys(self.states)))
  end
  local before = self.current
  if before and before.exit then before.exit(self.data, self) end
  self.previous, self.state, self.current = before and before.name, name, state
  self.time, self.changes = 0, self.changes + 1
  if state.enter then state.enter(self.data, self, ...) end
end

--- Test the transitions of the active state for an event.
function Machine:notice(event, e)
  local list = self.current and self.current.events[event]
  if not self.enabled or not list then return end
  local transition = first_that_holds(self, list, e)
  if transition then self:go(transition.to, e) end
end

--- Test transitions and update the state. Called before every step.
function Machine:update(dt)
  arguments.number("machine:update: dt", dt)
  if not self.enabled or not self.current then return end
  local transition = first_that_holds(self, self.current.polled)
  if transition then self:go(transition.to) end
  local update = self.current.update
  if update then update(self.data, self, dt) end
  self.time = self.time + dt
end

--- Return the machine as plain data.
---@return table saved
function Machine:save()
  return { state = self.state, previous = self.previous, time = self.time, changes = self.changes,
    enabled = self.enabled, destroyed = self.destroyed }
end

--- Restore the state returned by `save`, without calling enter or exit.
---@param saved table
function Machine:load(saved)
  arguments.saved("machine:load: saved", saved, { time = "number", changes = "number" })
  if saved.state ~= nil and self.states[saved.state] == nil then
    arguments.fail("machine:load: there is no state %s", arguments.got(saved.state))
  end
  self.current, self.state, self.previous = self.states[saved.state], saved.state, saved.previous
  self.time, self.changes = saved.time, saved.changes
  if saved.enabled ~= nil then self.enabled, self.destroyed = saved.enabled, saved.destroyed end
end

--- Destroy the machine. No function of a state is called afterwards, not even `exit`.
function Machine:destroy()
  self.enabled, self.destroyed = false, true
  for _, handler in ipairs(self.handlers) do handler:destroy() end
  memory.forget(self.world, self)
end

return setmetatable(state_machine, {
  __call = function(_, world, options) return state_machine.new(world, options) end,
})
