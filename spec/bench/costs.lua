-- Costs that Lua programs measure. Each function prints a table and returns the numbers by name.

local programs = require "bench.programs"

local costs = {}

local INTERPRETER = os.getenv "LUA" or "lua5.4"

local function met(yes) return yes and "met" or "not met" end

-- Return the least number of each name over all rounds. The command prints lines "name number".
local function least(command, rounds)
  local best = {}
  for _ = 1, rounds do
    local lines, message = programs.lines(command)
    if not lines then return nil, message end
    for _, line in ipairs(lines) do
      local name, number = line:match "^(%S+)%s+(%S+)$"
      number = tonumber(number)
      if number then best[name] = math.min(best[name] or math.huge, number) end
    end
  end
  return best
end

local function script(name, options)
  return ("%s spec/bench/%s.lua '%s'"):format(INTERPRETER, name, options.build)
end


-- Calls from Lua ------------------------------------------------------------------------------------------------------

local calls = { -- { name, title, floor: name of the case in lua_floor.c that measures the least possible cost }
  { "floor_position_table", "floor: method, plain __index table" },
  { "floor_position", "floor: method, __index function" },
  { "position", "body:position()", "floor_position" },
  { "velocity", "body:velocity()", "floor_position" },
  { "floor_property", "floor: property, __index function" },
  { "angle", "body.angle", "floor_property" },
  { "set_angular_velocity", "body.angular_velocity = w" },
  { "floor_push", "floor: method with two numbers" },
  { "apply_force", "body:apply_force(fx, fy)", "floor_push" },
  { "floor_event", "floor: protected call of a handler" },
  { "event", "an event to a handler", "floor_event" },
  { "event_read", "an event to a handler that reads a field" },
  { "event_iterate", "world:events(), reading a field" },
  { "empty_step", "world:step() of an empty world" },
  { "bodies", "world:bodies(), per body" },
  { "read_each", "position and angle, per body" },
  { "read", "the same by world:read, per body" },
  { "push_each", "body:apply_force, per body" },
  { "write", "the same by world:write, per body" },
}

-- Format one cell of the table: nanoseconds, and their ratio to the floor.
local function call_cell(best, name, floor)
  if not best[name] then return ("%8s %10s"):format("-", "") end
  return ("%8.1f %10s"):format(best[name], best[floor] and ("%.2f x"):format(best[name] / best[floor]) or "")
end

--- Measure the cost of calls in a program that contains impel, and in lua5.4 with impel loaded as a module.
function costs.calls(options)
  local static, message = least(("'%s/bench/lua_floor' spec/bench/calls.lua '%s'"):format(options.build,
    options.build), options.rounds)
  if not static then return nil, message end
  local shared
  shared, message = least(script("calls", options), options.rounds)
  if not shared then return nil, message end
  print "\ncalls from Lua, ns each         built in (as build/impel)   module in lua5.4"
  for _, call in ipairs(calls) do
    local name, title, floor = table.unpack(call)
    print(("  %-38s %s   %s"):format(title, call_cell(static, name, floor), call_cell(shared, name, floor)))
  end
  return { built_in = static, module = shared }
end


-- Other parts ---------------------------------------------------------------------------------------------------------

--- Measure constraints that are Lua functions, and the equivalent built-in joints.
function costs.tapes(options)
  local time, message = least(script("tapes", options), 1)
  if not time then return nil, message end
  print "\n1000 constraints, ms per step: built in, written in Lua as C(q)"
  for _, name in ipairs { "rods", "pins" } do
    local ratio = time[name .. "_by_C"] / time[name]
    print(("  %-6s %.3f   %.3f   %.2f times, at most 3 required: %s")
      :format(name, time[name], time[name .. "_by_C"], ratio, met(ratio <= 3)))
  end
  return time
end

--- Measure controllers in Lua, per joint and step.
function costs.controllers(options)
  local time, message = least(script("controllers", options), 1)
  if not time then return nil, message end
  print "\ncontrollers, ns per joint and step of 4 substeps"
  for _, name in ipairs(require("impel.base.nearest").keys(time)) do
    print(("  %-28s %8.1f   at most 1000 required: %s"):format(name, time[name], met(time[name] <= 1000)))
  end
  return time
end

--- Measure the time that force fields add to a world.
function costs.fields(options)
  local best, message = least(script("fields", options), options.rounds)
  if not best then return nil, message end
  print "\nfields, ns per body and substep     free   with joints (SIMD lanes)"
  for _, name in ipairs { "uniform", "attractor", "spring", "drag", "vortex", "law", "law_sine", "law_called" } do
    local most = name:find "^law" and 60 or 10
    local ns = best["free." .. name]
    print(("  %-28s %8.1f  %8.1f   %s"):format(name, ns, best["jointed." .. name],
      name == "law_called" and "" or ("at most %d required: %s"):format(most, met(ns <= most))))
  end
  for _, name in ipairs { "wind", "under_water", "afloat", "explosion" } do
    print(("  %-28s %8.1f"):format(name .. ", boxes", best["boxes." .. name]))
  end
  return best
end

local RAYS = { { "rays_impel", "impel" }, { "rays_chipmunk", "Chipmunk" }, { "rays_box2d", "Box2D 2.4" } }

-- Run a ray program `rounds` times. It prints lines "name ns hits". Keep the least time of each name in `best` [ns].
local function run_rays(path, rounds, best)
  for _ = 1, rounds do
    local lines, message = programs.lines(("'%s'"):format(path))
    if not lines then return message end
    for _, line in ipairs(lines) do
      local name, ns, hits = line:match "^(%S+) (%S+) (%S+)$" -- skip Chipmunk's greeting
      if name and (not best[name] or tonumber(ns) < best[name].ns) then
        best[name] = { ns = tonumber(ns), hits = tonumber(hits) }
      end
    end
  end
end

local function print_rays(best)
  print "\nrays through 5000 bodies, ns each (hits of 10000)"
  for _, name in ipairs { "near", "far" } do
    local words = {}
    for _, engine in ipairs(RAYS) do
      local one = best[engine[1]] and best[engine[1]][name]
      if one then words[#words + 1] = ("%s %.0f (%d)"):format(engine[2], one.ns, one.hits) end
    end
    print(("  %-22s %s"):format(name == "near" and "of 10 m" or "from side to side", table.concat(words, "   ")))
  end
end

--- Measure rays through 5000 bodies in every engine, and the cost of queries from Lua.
function costs.queries(options)
  local best = {}
  for _, engine in ipairs(RAYS) do
    local path = options.build .. "/bench/" .. engine[1]
    local file = io.open(path)
    if file then
      file:close()
      best[engine[1]] = {}
      local message = run_rays(path, options.rounds, best[engine[1]])
      if message then return nil, message end
    end
  end
  print_rays(best)
  local time, message = least(script("queries", options), 1)
  if not time then return nil, message end
  print "queries from Lua among 5000 bodies, ns each (rays of 10 m, boxes of 2 m, circles of 1 m)"
  local names = require("impel.base.nearest").keys(time)
  for _, name in ipairs(names) do print(("  %-22s %6.0f"):format(name, time[name])) end
  best.from_lua = time
  return best
end

--- Measure snapshots of 1000 bodies, and seeking in a recording.
function costs.states(options)
  local best, message = least(script("states", options), options.rounds)
  if not best then return nil, message end
  print "\nsnapshots of 1000 bodies, 4 substeps    save, ms   restore, ms   B/body"
  for _, row in ipairs { { "apart", "apart" }, { "columns", "in columns of 10, with contacts" },
    { "with_state", "the same, with 1000 numbers of Lua" } } do
    local name, title = table.unpack(row)
    local save, restore = best[name .. ".save"], best[name .. ".restore"]
    print(("  %-34s %8.3f %12.3f %12.0f   at most 0.3 ms required: %s"):format(title, save, restore,
      best[name .. ".bytes"], met(math.max(save, restore) <= 0.3)))
  end
  print(("  seek in 10^4 ticks of 500 bodies: mean %.1f ms, worst %.1f; %.1f KB per tick   at most 50 ms required: %s")
    :format(best["seek.mean"], best["seek.most"], best["record.bytes"] / 1e3, met(best["seek.most"] <= 50)))
  return best
end

--- Measure frames of a window of 1280 x 720 with 2000 bodies, rendered in software.
function costs.pictures(options)
  local best, message = least("SDL_VIDEODRIVER=dummy " .. script("pictures", options), options.rounds)
  if not best then return nil, message end
  local ratio = best.images / best.plain
  print "\nframes of 2000 bodies at 1280 x 720, ms"
  print(("  bodies                       %8.1f"):format(best.plain))
  print(("  with an image on each        %8.1f   %.2f times, at most 1.5 required: %s"):format(best.images, ratio,
    met(ratio <= 1.5)))
  print(("  with images, bodies hidden   %8.1f"):format(best.images_alone))
  print(("  with 2000 texts              %8.1f"):format(best.texts))
  return best
end

--- The parts in the order of execution.
costs.names = { "calls", "tapes", "controllers", "fields", "pictures", "queries", "states" }

return costs
