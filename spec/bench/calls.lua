-- Nanoseconds of CPU time per call from Lua: lua5.4 spec/bench/calls.lua BUILD
--
-- Prints a line `name nanoseconds` for each case, minus the time of the empty loop.
local build = ...
package.cpath = build .. "/lua/?.so;" .. build .. "/bench/?.so"
local core = require "impel.core"
local floor = require "lua_floor"

local CALLS, ROUNDS = 100000, 30
local EVENTS, EVENT_ROUNDS = 1000, 60
local BODIES, PASSES = 500, 40

-- Return a function that repeats a statement n times; the statement can use `object`.
local function loop(statement, object)
  return assert(load("local object = ... return function(n) for i = 1, n do " .. statement .. " end end"))(object)
end

local function seconds(f, ...)
  local start = os.clock()
  f(...)
  return os.clock() - start
end

-- Return the least time of each case { name, function(n) } [ns].
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

-- Return a world of circles; a function that moves them into contact or away, so that every second step begins all
-- contacts; and a function that returns the time just before the last step delivered its events.
local function event_world()
  local world = core.world { gravity = { 0, 0 }, sleep = false }
  local bodies = {}
  for i = 1, EVENTS do
    world:body { type = "static", position = { 3 * i, 0 } }:circle { radius = 0.5 }
    bodies[i] = world:body { position = { 3 * i, 5 } }
    bodies[i]:circle { radius = 0.5 }
  end
  local done = 0
  local function note()
    done = os.clock()
    return false
  end
  world:distance(world:body { position = { 0, 9 } }, world:body { position = { 1, 9 } }, { break_if = note })
  return world, function(y)
    for i, body in ipairs(bodies) do
      body:set_position(3 * i, y)
      body:set_velocity(0, 0)
    end
  end, function() return done end
end

local function measure_events()
  local world, put, done = event_world()
  local count, sum = 0, 0
  local function reads(event) sum = sum + event.speed end
  local function counts() count = count + 1 end
  local best = {}
  local function keep(name, time) best[name] = math.min(best[name] or math.huge, 1e9 * time / EVENTS) end
  -- Measure the delivery of all contacts' begin events to a handler.
  local function deliver(name, handler)
    local subscription = world:on("begin_contact", handler)
    put(0.9995)
    world:step()
    keep(name, os.clock() - done())
    subscription:destroy()
  end
  for _ = 1, EVENT_ROUNDS do
    deliver("event", counts)
    put(5)
    world:step()
    deliver("event_read", reads)
    keep("event_iterate", seconds(function() for event in world:events "begin_contact" do reads(event) end end))
    put(5)
    world:step()
  end
  assert(count == EVENTS * EVENT_ROUNDS, "each contact begins once a round")
  for name, ns in pairs(best) do print(name, ("%.1f"):format(ns)) end
end

-- Measure reading poses and applying forces, body by body and in one call [ns per body].
local function measure_many()
  local world, list = core.world {}, {}
  for i = 1, BODIES do
    list[i] = world:body { position = { 2 * i, 0 } }
    list[i]:circle { radius = 0.5 }
  end
  local poses, forces = world:read(list, nil, "position angle"), {}
  for i = 1, 2 * BODIES do forces[i] = 0.5 end
  local function passes(pass) return function(n) for _ = 1, n do pass() end end end
  local cases = {
    { "read_each", passes(function()
      for i, body in ipairs(list) do
        poses[3 * i - 2], poses[3 * i - 1] = body:position()
        poses[3 * i] = body.angle
      end
    end) },
    { "read", passes(function() world:read(list, poses, "position angle") end) },
    { "push_each", passes(function()
      for i, body in ipairs(list) do body:apply_force(forces[2 * i - 1], forces[2 * i]) end
    end) },
    { "write", passes(function() world:write(list, forces, "force") end) },
    { "bodies", passes(function() for _ in world:bodies() do end end) },
  }
  for name, ns in pairs(least(cases, PASSES)) do print(name, ("%.2f"):format(ns / BODIES)) end
end

measure_calls()
measure_events()
measure_many()
