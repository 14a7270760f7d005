-- Measures the cost of force fields: lua5.4 spec/bench/fields.lua BUILD
--
-- Prints a line `name ns` for each field: CPU time per body and substep in a world with the field, minus the CPU time
-- in the same world without the field; the minimum of several rounds is used.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
local impel = require "impel"
local m = impel.math

local COUNT, STEPS, ROUNDS, SUBSTEPS = 1000, 40, 12, 4

local function law(b, _, p)
  local r2 = b.x ^ 2 + b.y ^ 2 + 0.01
  local s = -p.k * b.mass / (r2 * m.sqrt(r2))
  return s * b.x, s * b.y
end

local fields = {
  { "none" },
  { "uniform", { kind = "uniform", acceleration = { 0, 1e-3 } } },
  { "attractor", { kind = "attractor", strength = 1e-3, center = { 50, 50 } } },
  { "spring", { kind = "spring", stiffness = 1e-3 } },
  { "drag", { kind = "drag", linear = 0.1, quadratic = 0.1 } },
  { "vortex", { kind = "vortex", circulation = 1, linear = 0.1, center = { 50, 50 } } },
  { "law", { kind = "custom", law = law, param = { k = 1e-3 } } },
  { "law_sine", { kind = "custom", law = function(b, t) return 1e-3 * m.sin(b.x - t), 1e-3 * m.cos(b.y) end } },
  { "law_called", { kind = "custom", law = law, param = { k = 1e-3 }, dynamic = true } },
}

local on_boxes = {
  { "none" },
  { "wind", { kind = "wind", velocity = { 1, 0.2 } } },
  { "under_water", { kind = "buoyancy", density = 1, level = 1e5, linear = 0.1 } },
  { "afloat", { kind = "buoyancy", density = 1, level = 0, linear = 0.1 } },
  { "explosion", { kind = "explosion", impulse = 1e-3, center = { 5e3, 50 }, duration = 1e6 } },
}

local function make(field, ways, box)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = SUBSTEPS }
  for i = 1, COUNT do
    local place = box and { 3 * i, 0.1 * (i % 7 - 3) } or { 3 * (i % 100), 3 * (i // 100) }
    local body = world:body { mass = 1, inertia = 0.1, position = place, angle = box and i or 0 }
    if box then body:box { 1, 1 } end
    if ways == "jointed" and i % 2 == 0 then world:distance(body, world:body { mass = 1, position = place }, {}) end
  end
  if field then world:field(field) end
  world:step(5)
  return world
end

local function measure(list, ways, box)
  local worlds, best = {}, {}
  for i, entry in ipairs(list) do worlds[i] = make(entry[2], ways, box) end
  for _ = 1, ROUNDS do
    for i, world in ipairs(worlds) do
      local start = os.clock()
      world:step(STEPS)
      best[i] = math.min(best[i] or math.huge, os.clock() - start)
    end
  end
  for i, entry in ipairs(list) do
    local bodies = worlds[i]:counts().bodies * STEPS * SUBSTEPS
    if i > 1 then print(("%s.%s %.2f"):format(ways, entry[1], 1e9 * (best[i] - best[1]) / bodies)) end
    worlds[i]:destroy()
  end
end

measure(fields, "free")
measure(fields, "jointed")
measure(on_boxes, "boxes", true)
