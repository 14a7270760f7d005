-- How fast it is, beside Chipmunk and Box2D: lua5.4 spec/bench.lua BUILD [ROUNDS [PART...]]   (called by make bench)
--
-- Every figure is CPU time on one core, the least of some rounds; within a round the engines take turns, so that what
-- the machine does meanwhile meets them all. Ratios within one run count, times alone move with the machine. Parts:
-- the names of `scenes`, calls, tapes, controllers, fields and queries. Speed is reported, never tested: the exit code
-- is 0 unless a program fails.
local build, rounds = arg[1] or "build", tonumber(arg[2]) or 3
local wanted = {}
for i = 3, #arg do wanted[arg[i]] = true end

local runs = { -- { title, program, option }
  impel = { title = "impel", program = "impel", option = 0 },
  narrow = { title = "impel, 4 lanes", program = "impel", option = 4 },
  chipmunk = { title = "Chipmunk", program = "chipmunk" },
  box2d = { title = "Box2D 2.4", program = "box2d" },
}
local ALL = { "impel", "narrow", "chipmunk", "box2d" }

-- asked: how many times impel's time a peer's is to be, at least; limit: what impel may take [ms]; lowest: how low the
-- moving pieces of a net may hang, mean y [m]; shorter: steps of a run that does not last for all.

local scenes = {
  { name = "large_pyramid", about = "5050 boxes, 500 steps", scene = "large_pyramid", size = 100, steps = 500,
    runs = ALL, asked = { chipmunk = 2, box2d = 3 }, profile = true },
  { name = "pile", about = "5000 boxes and circles, 400 steps", scene = "pile", size = 5000, steps = 400, runs = ALL,
    asked = { chipmunk = 2, box2d = 3 }, profile = true },
  { name = "pile_1000", about = "the same, 1000 bodies", scene = "pile", size = 1000, steps = 400, runs = ALL },
  { name = "pile_20000", about = "the same, 20000 bodies", scene = "pile", size = 20000, steps = 400,
    runs = { "impel" } },
  { name = "small", about = "100 bodies, awake, 1000 steps", scene = "pile", size = 100, steps = 1000, runs = ALL,
    limit = 0.030 },
  { name = "soup", about = "500 circles and boxes among segments, 1000 steps", scene = "soup", size = 500,
    steps = 1000, runs = ALL, limit = 1 },
  -- Chipmunk's net blows up: from step 150 on its energy doubles every 6 steps, and soon a step costs a second.
  { name = "joint_grid", about = "a net of 9993 circles and 19794 revolutes, 500 steps", scene = "joint_grid",
    size = 100, steps = 500, runs = ALL, asked = { box2d = 1 }, lowest = -54.5, shorter = { chipmunk = 100 },
    profile = true },
  { name = "asleep", about = "1000 boxes at rest, asleep, 1000 steps", scene = "stacks", size = 1000, steps = 1000,
    runs = ALL, limit = 0.05 },
}


-- Programs ------------------------------------------------------------------------------------------------------------

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  if not pipe:close() then error("failed: " .. command, 0) end
  return lines
end

local function first_match(path, pattern)
  local file = io.open(path)
  if not file then return nil end
  local found = file:read("a"):match(pattern)
  file:close()
  return found
end

local function met(yes) return yes and "met" or "not met" end

local function machine()
  local model = first_match("/proc/cpuinfo", "model name%s*:%s*([^\n]+)")
  return model or lines_of("uname -ms")[1]
end

-- The values of a run's "key=value ..." line.
local function run_engine(run, scene, steps)
  local command = ("%s/bench/%s %s %d %d %d 2>&1"):format(build, run.program, scene.scene, scene.size, steps,
    run.option or 0)
  local lines = lines_of(command)
  local line = lines[#lines] or ""
  local result = { compiler = line:match "compiler=(.*)$" }
  for key, value in line:gmatch "([%w_]+)=(%S+)" do result[key] = tonumber(value) or result[key] end
  if not result.ms then error("no result: " .. command, 0) end
  return result
end


-- Scenes --------------------------------------------------------------------------------------------------------------

-- The least time and stage times over the rounds; the rest is the same every time.
local function merge(best, result)
  if not best then return result end
  for key, value in pairs(result) do
    if key == "ms" or key:match "^stage_" then best[key] = math.min(best[key], value) end
  end
  return best
end

local function run_scene(scene)
  local best, shorter = {}, scene.shorter or {}
  for _ = 1, rounds do
    for _, key in ipairs(scene.runs) do
      best[key] = merge(best[key], run_engine(runs[key], scene, shorter[key] or scene.steps))
    end
  end
  return best
end

-- Quality is the sink and the overlap of what lies on each other; of a net how low it hangs and how far its pins gape.
local function print_scene(scene, best)
  local net = best.impel.pins > 0
  print(("\n%s: %s"):format(scene.name, scene.about))
  print("                   ms/step   peer/impel   bytes/body" .. (net
    and "   mean y m   kinetic J       gap mm (mean)  awake"
    or "     sink m   kinetic J   overlap mm (mean)  awake"))
  for _, key in ipairs(scene.runs) do
    local run, r = runs[key], best[key]
    local ratio = key == "impel" and "" or ("%.2f"):format(r.ms / best.impel.ms)
    local low, worst, mean = r.sink, r.overlap, r.crowd
    if net then low, worst, mean = r.height, r.gap_max, r.gap end
    local steps = scene.shorter and scene.shorter[key]
    print(("  %-16s %8.4f   %10s   %10.0f   %8.3f  %10.2e   %10.2f %6.2f  %5d%s"):format(run.title, r.ms, ratio,
      r.bytes / r.bodies, low, r.kinetic, 1e3 * worst, 1e3 * mean, r.awake, steps
      and (" after %d steps"):format(steps) or ""))
  end
  for _, key in ipairs(scene.asked and scene.runs or {}) do
    local asked = scene.asked[key]
    if asked then
      local ratio = best[key].ms / best.impel.ms
      print(("  %s / impel %.2f, asked at least %g: %s"):format(runs[key].title, ratio, asked, met(ratio >= asked)))
    end
  end
  if scene.lowest then
    local height = best.impel.height
    print(("  impel hangs to mean y %.2f m, asked no lower than %g m: %s"):format(height, scene.lowest,
      met(height >= scene.lowest)))
  end
  if scene.limit then
    print(("  impel %.4f ms, asked below %g ms: %s"):format(best.impel.ms, scene.limit,
      met(best.impel.ms < scene.limit)))
  end
end

local STAGES = { "broadphase", "narrowphase", "islands", "prepare", "solve", "restitution", "store", "finalize",
  "sleep" }

-- Wall clock, not CPU time: the step's own profile.
local function print_profile(scene, r)
  local parts = {}
  for _, stage in ipairs(STAGES) do
    local ms = r["stage_" .. stage]
    if ms then parts[#parts + 1] = ("%s %.3f"):format(stage, ms) end
  end
  print(("  impel's %d contacts, %d rows, %d colours; stages, ms: %s"):format(r.contacts, r.rows, r.colours,
    table.concat(parts, ", ")))
  if scene.name == "large_pyramid" then
    local bytes = r.held / r.bodies
    print(("  impel holds %.0f bytes a body, asked at most 1536: %s"):format(bytes, met(bytes <= 1536)))
  end
end

local function bench_scenes()
  local time = {} -- name -> ms of impel
  for _, scene in ipairs(scenes) do
    if not next(wanted) or wanted[scene.name] then
      local best = run_scene(scene)
      print_scene(scene, best)
      if scene.profile then print_profile(scene, best.impel) end
      time[scene.name] = best.impel.ms
      io.stdout:flush()
    end
  end
  if time.pile_1000 and time.pile_20000 then
    local small, large = 1e6 * time.pile_1000 / 1000, 1e6 * time.pile_20000 / 20000
    print(("\ncost of a body and step: %.0f ns among 1000, %.0f ns among 20000, ratio %.2f, asked at most 1.3: %s")
      :format(small, large, large / small, met(large <= 1.3 * small)))
  end
end


-- Calls from Lua ------------------------------------------------------------------------------------------------------

local calls = { -- { name, title, floor, asked ratio }
  { "floor_position_table", "floor: method, plain __index table" },
  { "floor_position", "floor: method, __index function" },
  { "position", "body:position()", "floor_position", 1.15 },
  { "velocity", "body:velocity()", "floor_position", 1.15 },
  { "floor_property", "floor: property, __index function" },
  { "angle", "body.angle", "floor_property", 1.15 },
  { "set_angular_velocity", "body.angular_velocity = w" },
  { "floor_push", "floor: method with two numbers" },
  { "apply_force", "body:apply_force(fx, fy)", "floor_push", 1.15 },
  { "floor_event", "floor: protected call of a handler" },
  { "event", "an event to a handler", "floor_event" },
  { "event_read", "the same, a field read" },
  { "event_iterate", "world:events(), a field read" },
  { "empty_step", "world:step() of an empty world" },
  { "bodies", "world:bodies(), a body" },
  { "read_each", "position and angle of 500, each by itself" },
  { "read", "the same by world:read, a body" },
  { "push_each", "a force on 500, each by itself" },
  { "write", "the same by world:write, a body" },
}

local function run_calls(interpreter)
  local best = {}
  for _ = 1, rounds do
    for _, line in ipairs(lines_of(("%s spec/bench/calls.lua %s"):format(interpreter, build))) do
      local name, ns = line:match "^(%S+)%s+(%S+)$"
      best[name] = math.min(best[name] or math.huge, tonumber(ns))
    end
  end
  return best
end

local function print_verdict(title, best)
  local ratio, table_ratio = best.position / best.floor_position, best.position / best.floor_position_table
  print(("  %s: body:position() %.2f x the floor, asked at most 1.15: %s (%.2f x a method of a plain table)")
    :format(title, ratio, met(ratio <= 1.15), table_ratio))
end

local function bench_calls()
  local static = run_calls(build .. "/bench/lua_floor")
  local shared = run_calls(os.getenv "LUA" or "lua5.4")
  print "\ncalls from Lua, ns each      built in (like build/impel)   module in lua5.4"
  for _, call in ipairs(calls) do
    local name, title, floor = table.unpack(call)
    local function column(best)
      return ("%8.1f %10s"):format(best[name], floor and ("%.2f x"):format(best[name] / best[floor]) or "")
    end
    print(("  %-36s %s   %s"):format(title, column(static), column(shared)))
  end
  print_verdict("built in", static)
  print_verdict("module", shared)
end


-- All -----------------------------------------------------------------------------------------------------------------

local probe = run_engine(runs.impel, { scene = "empty", size = 0 }, 1)
print(("%s; %s; least of %d rounds"):format(machine(), probe.compiler, rounds))
bench_scenes()
-- Constraints as functions beside the same built-in joints.
local function bench_tapes()
  local time = {}
  for _, line in ipairs(lines_of(("%s spec/bench/tapes.lua %s"):format(os.getenv "LUA" or "lua5.4", build))) do
    local name, ms = line:match "^(%S+) (%S+)$"
    time[name] = tonumber(ms)
  end
  print "\n1000 constraints, ms a step: built in, written in Lua as C(q)"
  for _, name in ipairs { "rods", "pins" } do
    local ratio = time[name .. "_by_C"] / time[name]
    print(("  %-6s %.3f   %.3f   %.2f times, asked at most 3: %s")
      :format(name, time[name], time[name .. "_by_C"], ratio, met(ratio <= 3)))
  end
end

-- Controllers in Lua, by joint and step.
local function bench_controllers()
  local list = lines_of(("%s spec/bench/controllers.lua %s"):format(os.getenv "LUA" or "lua5.4", build))
  print "\ncontrollers, ns a joint and step of 4 substeps"
  for _, line in ipairs(list) do
    local name, ns = line:match "^(%S+) (%S+)$"
    print(("  %-28s %8.1f   asked at most 1000: %s"):format(name, ns, met(tonumber(ns) <= 1000)))
  end
end

-- Force fields, beside the same worlds without.
local function bench_fields()
  local best = {}
  for _ = 1, rounds do
    for _, line in ipairs(lines_of(("%s spec/bench/fields.lua %s"):format(os.getenv "LUA" or "lua5.4", build))) do
      local name, ns = line:match "^(%S+) (%S+)$"
      best[name] = math.min(best[name] or math.huge, tonumber(ns))
    end
  end
  print "\nfields, ns a body and substep      free   jointed (in lanes)"
  for _, name in ipairs { "uniform", "attractor", "spring", "drag", "vortex", "law", "law_sine", "law_called" } do
    local asked = name == "law_called" and "" or ("asked at most %d: "):format(name:find "^law" and 60 or 10)
    local ns = best["free." .. name]
    print(("  %-28s %8.1f  %8.1f   %s%s"):format(name, ns, best["jointed." .. name], asked,
      asked ~= "" and met(ns <= (name:find "^law" and 60 or 10)) or ""))
  end
  for _, name in ipairs { "wind", "under_water", "afloat", "explosion" } do
    print(("  %-28s %8.1f"):format(name .. ", boxes", best["boxes." .. name]))
  end
end

-- Rays through 5000 bodies beside the other engines, and what queries cost from Lua.
local function bench_queries()
  local best = {}
  for _ = 1, rounds do
    for _, engine in ipairs { "impel", "chipmunk", "box2d" } do
      for _, line in ipairs(lines_of(("%s/bench/rays_%s"):format(build, engine))) do
        local name, ns, hits = line:match "^(%S+) (%S+) (%S+)$"
        local key = engine .. "." .. (name or "") -- Chipmunk greets first
        if name and (not best[key] or tonumber(ns) < best[key].ns) then
          best[key] = { ns = tonumber(ns), hits = hits }
        end
      end
    end
  end
  print "\nrays through 5000 bodies, ns each (hits of 10000)"
  for _, name in ipairs { "near", "far" } do
    local words = {}
    for _, engine in ipairs { "impel", "chipmunk", "box2d" } do
      local one = best[engine .. "." .. name]
      words[#words + 1] = ("%s %.0f (%s)"):format(runs[engine].title, one.ns, one.hits)
    end
    print(("  %-22s %s"):format(name == "near" and "of 10 m" or "from side to side", table.concat(words, "   ")))
  end
  print "queries from Lua among 5000 bodies, ns each (rays of 10 m, boxes of 2 m, circles of 1 m)"
  for _, line in ipairs(lines_of(("%s spec/bench/queries.lua %s"):format(os.getenv "LUA" or "lua5.4", build))) do
    local name, ns = line:match "^(%S+)%s+(%S+)$"
    print(("  %-22s %6d"):format(name, tonumber(ns)))
  end
end

if not next(wanted) or wanted.calls then bench_calls() end
if not next(wanted) or wanted.tapes then bench_tapes() end
if not next(wanted) or wanted.controllers then bench_controllers() end
if not next(wanted) or wanted.fields then bench_fields() end
if not next(wanted) or wanted.queries then bench_queries() end
