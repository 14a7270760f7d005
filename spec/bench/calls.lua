-- Nanoseconds of CPU time per call from Lua: lua5.4 spec/bench/calls.lua BUILD, or build/bench/lua_floor in its place
-- (called by spec/bench.lua). Prints a line `name nanoseconds` for each.
--
-- All cases run the same loop, in turn, and the least of many short runs counts; the empty loop is taken off.
local build = ...
package.cpath = build .. "/lua/?.so;" .. build .. "/bench/?.so"
local core = require "impel.core"
local floor = require "lua_floor"

local CALLS, ROUNDS = 100000, 30
local EVENTS, EVENT_ROUNDS = 1000, 60

-- A loop around a statement that sees `object`.
local function loop(statement, object)
  return assert(load("local object = ... return function(n) for i = 1, n do " .. statement .. " end end"))(object)
end

local function seconds(f, ...)
  local start = os.clock()
  f(...)
  return os.clock() - start
end

-- cases: list of { name, function(n) }; the first is the empty loop. Returns name -> ns.
local function least(cases, calls)
  local best = {}
  for _ = 1, ROUNDS do
    for _, case in ipairs(cases) do
      best[case[1]] = math.min(best[case[1]] or math.huge, seconds(case[2], calls))
    end
  end
  for name, time in pairs(best) do best[name] = 1e9 * time / calls end
  return best
end

local function measure_calls()
  local world = core.world { gravity = { 0, 0 } }
  local body = world:body { position = { 1, 2 } }
  body:circle { radius = 1 }
  local empty = core.world {}
  local count = 0
  local function counts() count = count + 1 end
  local cases = {
    { "loop", loop("", body) },
    { "floor_position_table", loop("local x, y = object:position()", floor.by_table) },
    { "floor_position", loop("local x, y = object:position()", floor.by_function) },
    { "position", loop("local x, y = object:position()", body) },
    { "velocity", loop("local x, y = object:velocity()", body) },
    { "floor_property", loop("local a = object.angle", floor.by_function) },
    { "angle", loop("local a = object.angle", body) },
    { "set_angular_velocity", loop("object.angular_velocity = 0.5", body) },
    { "floor_push", loop("object:push(1.0, 2.0)", floor.by_function) },
    { "apply_force", loop("object:apply_force(1.0, 2.0)", body) },
    { "empty_step", loop("object:step()", empty) },
    { "floor_event", function(n) floor.dispatch(counts, floor.by_table, n) end },
  }
  local best = least(cases, CALLS)
  for i = 2, #cases do
    local name = cases[i][1]
    print(name, ("%.2f"):format(best[name] - (name ~= "floor_event" and best.loop or 0)))
  end
end

-- Circles that are put into contact with a fixed one and taken away again, so that every second step begins them all.
local function event_world()
  local world = core.world { gravity = { 0, 0 }, sleep = false }
  local bodies = {}
  for i = 1, EVENTS do
    world:body { type = "static", position = { 3 * i, 0 } }:circle { radius = 0.5 }
    bodies[i] = world:body { position = { 3 * i, 5 } }
    bodies[i]:circle { radius = 0.5 }
  end
  return world, function(y)
    for i, body in ipairs(bodies) do
      body:set_position(3 * i, y)
      body:set_velocity(0, 0)
    end
  end
end

-- Seconds of a step that begins all contacts, with a handler or without.
local function begin_step(world, put, handler)
  local subscription = handler and world:on("begin_contact", handler)
  put(0.9995)
  local time = seconds(world.step, world)
  if subscription then subscription:destroy() end
  return time
end

local function measure_events()
  local world, put = event_world()
  local count, sum = 0, 0
  local function reads(event) sum = sum + event.speed end
  local function counts() count = count + 1 end
  local best = { none = math.huge, count = math.huge, read = math.huge, iterate = math.huge }
  local function keep(name, time) best[name] = math.min(best[name], time) end
  for _ = 1, EVENT_ROUNDS do
    keep("none", begin_step(world, put))
    keep("iterate", seconds(function() for event in world:events "begin_contact" do reads(event) end end))
    put(5)
    world:step()
    keep("count", begin_step(world, put, counts))
    put(5)
    world:step()
    keep("read", begin_step(world, put, reads))
    put(5)
    world:step()
  end
  assert(count == EVENTS * EVENT_ROUNDS, "each contact begins once a round")
  local function each(time) return ("%.1f"):format(1e9 * time / EVENTS) end
  print("event", each(best.count - best.none))
  print("event_read", each(best.read - best.none))
  print("event_iterate", each(best.iterate))
end

measure_calls()
measure_events()
