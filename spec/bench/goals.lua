-- Decides which of the six goals of the benchmark the measurements meet. A goal without measurements is reported as not
-- measured. Two peers on the command line are Box2D v3: one title has "v3" and "AVX2", the other "v3" and "SSE2".

local goals = {}

-- Largest allowed ratio of impel's time to the time of Box2D v3's default build, by scene.
local FASTER = { large_pyramid = 0.5, tumbler = 0.5, joint_grid = 0.3 }
local LINEAR, BYTES, SCALING = 1.3, 1536, 1.8
local MANY = 5000       -- number of bodies above which two threads must be faster than one
local SMALL = { { "small", 0.030 }, { "soup", 1 } } -- scene, and largest allowed time of a step [ms]
-- Largest ratio of the times of a call and its floor in lua_floor.c. Largest time of an event [ns].
local CALL, EVENT = 1.15, 50
local CALLS = { -- call, its floor (the corresponding call in lua_floor.c), title
  { "position", "floor_position", "body:position()" }, { "velocity", "floor_position", "body:velocity()" },
  { "angle", "floor_property", "body.angle" }, { "apply_force", "floor_push", "body:apply_force()" },
}

-- Measures of quality; smaller is better. Differences below 5 % or 0.1 mm are ignored. stack: only in scenes whose
-- bodies should stand still.
local QUALITY = {
  { "sink", "sinks", stack = true }, { "crowd", "overlaps" }, { "gap", "gaps of pins" },
}
local ALIKE, ALIKE_LENGTH = 0.05, 1e-4

-- Return the result of the scene's first entry that has a result and whose run `accept` allows.
local function find(scene, accept)
  for _, entry in ipairs(scene and scene.entries or {}) do
    if entry.result and not entry.failed and accept(entry.run) then return entry.result end
  end
end

-- Return the result of impel with its default, widest lanes.
local function ours(scene, threads)
  threads = threads or 1
  return find(scene, function(run) return run.program == "impel" and run.lanes == 0 and run.threads == threads end)
end

local function version_3(scene, build, threads)
  threads = threads or 1
  return find(scene, function(run)
    return run.peer and run.threads == threads and run.peer:find "v3" and run.peer:upper():find(build, 1, true)
  end)
end

-- Describe what is worse in `mine` than in `other`, or return nil.
local function worse(scene, mine, other)
  local words = {}
  if (mine.lost or 0) > (other.lost or 0) then words[1] = ("%d bodies left the scene"):format(mine.lost) end
  for _, measure in ipairs(QUALITY) do
    local a, b = mine[measure[1]], other[measure[1]]
    local told = a and b and (scene.stack or not measure.stack)
    if told and a > b + math.max(ALIKE * math.abs(b), ALIKE_LENGTH) then
      words[#words + 1] = ("%s %.1f mm, the peer's %.1f"):format(measure[2], 1e3 * a, 1e3 * b)
    end
  end
  return words[1] and table.concat(words, ", ")
end

-- Return the line of a goal. parts: list of { holds, words }; `holds` is nil for a part that was not measured.
local function judge(number, title, parts)
  local state, words = "met", {}
  for _, part in ipairs(parts) do
    if part[1] == nil and state == "met" then state = "not measured" end
    if part[1] == false then state = "not met" end
    words[#words + 1] = part[2]
  end
  return { number = number, title = title, state = state, text = table.concat(words, "; ") }
end

-- Append the comparison of impel and Box2D v3 (AVX2) in the scene to `parts`. Return false if one of them was not
-- measured with `threads` threads.
local function add_faster(parts, scene, threads)
  local mine, other = ours(scene, threads), version_3(scene, "AVX2", threads)
  local by = threads == 1 and "ms" or "wall"
  if not (mine and other and mine[by] and other[by]) then return false end
  local faster, bad = other[by] / mine[by], worse(scene, mine, other)
  parts[#parts + 1] = { faster >= 1 and not bad, ("%s %s%.2f x%s"):format(scene.name,
    threads == 1 and "" or ("with %d threads "):format(threads), faster, bad and ", but " .. bad or "") }
  return true
end

local function against_avx2(report)
  local parts, missing, count = {}, {}, 0
  for _, scene in ipairs(report.scenes) do
    if scene.compared and add_faster(parts, scene, 1) then
      count = count + 1
      add_faster(parts, scene, 2)
    elseif scene.compared then
      missing[#missing + 1] = scene.name
    end
  end
  if report.compared > count then
    parts[#parts + 1] = { nil, count == 0 and "no results of the peer 'Box2D v3 AVX2'"
      or missing[1] and "without " .. table.concat(missing, ", ") or "not all scenes were run" }
  end
  return judge(1, "faster than Box2D v3 with AVX2 in every scene, with equal or better quality", parts)
end

local function against_sse2(report)
  local parts = {}
  for _, name in ipairs { "large_pyramid", "tumbler", "joint_grid" } do
    local scene = report.by_name[name]
    local mine, other = ours(scene), version_3(scene, "SSE2")
    if mine and other then
      local share = mine.ms / other.ms
      parts[#parts + 1] = { share <= FASTER[name], ("%s %.2f, at most %g"):format(name, share, FASTER[name]) }
    else
      parts[#parts + 1] = { nil, name .. " -" }
    end
  end
  return judge(2, "time / time of Box2D v3's default build (peer 'Box2D v3 SSE2')", parts)
end

local function linear(report)
  local few, many = ours(report.by_name.pile_1000), ours(report.by_name.pile_20000)
  local pyramid = ours(report.by_name.large_pyramid)
  local parts = { { nil, "cost per body - (pile_1000, pile_20000)" }, { nil, "memory - (large_pyramid)" } }
  if few and many then
    local small, large = 1e6 * few.ms / few.bodies, 1e6 * many.ms / many.bodies
    parts[1] = { large <= LINEAR * small,
      ("%.0f ns per body and step with %d bodies, %.0f with %d: ratio %.2f, at most %g")
        :format(small, few.bodies, large, many.bodies, large / small, LINEAR) }
  end
  if pyramid and pyramid.held then
    local bytes = pyramid.held / pyramid.bodies
    parts[2] = { bytes <= BYTES, ("%.0f bytes per body of the pyramid, at most %d"):format(bytes, BYTES) }
  end
  return judge(3, "linear cost, small memory", parts)
end

local function scaling(report)
  local parts = {}
  for _, scene in ipairs(report.scenes) do
    local one, two = ours(scene), ours(scene, 2)
    if one and two and one.wall and two.wall and one.bodies > MANY then
      local gain = one.wall / two.wall
      local same = one.hash ~= nil and one.hash == two.hash
      parts[#parts + 1] = { gain >= SCALING and same,
        ("%s %.2f x%s"):format(scene.name, gain, same and "" or ", DIFFERENT HASH") }
    end
  end
  if #parts == 0 then parts[1] = { nil, "no scene with more than 5000 bodies was run with --threads 1,2" } end
  return judge(4, "two threads at least 1.8 x as fast in wall-clock time, same hash", parts)
end

local function small_scenes(report)
  local parts = {}
  for _, item in ipairs(SMALL) do
    local mine = ours(report.by_name[item[1]])
    parts[#parts + 1] = mine and { mine.ms < item[2], ("%s %.4f ms, limit %g"):format(item[1], mine.ms, item[2]) }
      or { nil, item[1] .. " -" }
  end
  return judge(5, "small scenes", parts)
end

local function calls(report)
  local parts, measured = {}, report.parts.calls
  for _, kind in ipairs(measured and { "built_in", "module" } or {}) do
    local ns = measured[kind]
    for _, call in ipairs(CALLS) do
      local name, floor, title = table.unpack(call)
      local ratio = ns[name] / ns[floor]
      parts[#parts + 1] = { ratio <= CALL, ("%s: %s %.2f x the floor, at most %g"):format(
        kind:gsub("_", " "), title, ratio, CALL) }
    end
    parts[#parts + 1] = { ns.event <= EVENT, ("an event %.0f ns, at most %d"):format(ns.event, EVENT) }
  end
  if #parts == 0 then parts[1] = { nil, "calls -" } end
  return judge(6, "calls from Lua", parts)
end

--- Judge all goals.
---@param report table  scenes: list of scenes, each with `entries` from turns.run; by_name: the same scenes by name;
---  parts: results of the functions of costs by name; compared: number of scenes in scenes.lua with `compared`
---@return table[] judged  each { number, title, state: "met", "not met" or "not measured", text }
function goals.judge(report)
  return { against_avx2(report), against_sse2(report), linear(report), scaling(report), small_scenes(report),
    calls(report) }
end

return goals
