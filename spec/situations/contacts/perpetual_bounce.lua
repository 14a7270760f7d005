-- An elastic body that falls on an elastic floor returns to its initial height every time.
-- Source: Jolt issue 1286, rapier issue 97, planck.js issue 223 (each bounce is higher), bullet3 issue 1530 and avian
-- issue 594 (each bounce is lower).
local impel = require "impel"

local scene = {
  title = "Perpetual bounce", about = "An elastic body returns to its initial height.", duration = 24,
  units = { highest = "m", lowest = "m", bounces = "1" },
}
scene.params = { height = 1.0, shape = { 1, help = "1 disc, 2 upright capsule, 3 box" }, rate = 60, substeps = 4 }

local REACH = 0.3 -- distance of each shape's centre from its lowest point [m]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate, substeps = p.substeps }
  local surface = { restitution = 1, restitution_threshold = 0, friction = 0 }
  surface[1], surface[2], surface.center = 20, 1, { 0, -0.5 }
  world:body { type = "static" }:box(surface)
  -- Without fixed rotation a capsule would fall over.
  local body = world:body { position = { 0, p.height + REACH }, fixed_rotation = p.shape == 2 }
  surface[1], surface[2], surface.center = 2 * REACH, 2 * REACH, nil
  if p.shape == 3 then
    body:box(surface)
  else
    surface[1], surface[2] = nil, nil
    surface.radius = p.shape == 1 and REACH or 0.1
    surface.from, surface.to = p.shape == 2 and { 0, -0.2 } or nil, p.shape == 2 and { 0, 0.2 } or nil
    body[p.shape == 1 and "circle" or "capsule"](body, surface)
  end
  return { world = world, body = body, p = p, highest = 0, lowest = math.huge, bounces = 0 }
end

function scene.update(s)
  local _, y = s.body:position()
  local _, vy = s.body:velocity()
  if s.before and s.before < 0 and vy > 0 then s.bounces = s.bounces + 1 end
  if s.before and s.before > 0 and vy <= 0 then
    s.highest, s.lowest = math.max(s.highest, y - REACH), math.min(s.lowest, y - REACH)
  end
  s.before = vy
end

function scene.measure(s) return { highest = s.highest, lowest = s.lowest, bounces = s.bounces } end

function scene.check(s)
  local h, v = s.p.height, math.sqrt(2 * 9.81 * s.p.height)
  local right = s.world.time * 9.81 / (2 * v) -- the first bounce is after half a period
  -- An error of g dt in the impact speed changes the height by v dt. The errors of several bounces do not add up.
  local bound = v / s.p.rate + 0.01 * h
  return s.highest < h + bound, ("the body rises to %.3f m, not %.3f"):format(s.highest, h),
    s.lowest > h - bound, ("the body rises to only %.3f m, not %.3f"):format(s.lowest, h),
    -- The relative error of the period is half that of the height. Each period may differ by a step, and one bounce may
    -- be missing.
    math.abs(s.bounces / right - 1) < bound / h / 2 + 9.81 / (2 * v * s.p.rate) + 1 / right,
    ("%d bounces, not %.1f"):format(s.bounces, right)
end

return scene, {
  vary = { height = { 0.3, 3 }, shape = { 1, 2, 3 }, rate = { 60, 240 }, substeps = { 2, 8 } }, solvers = { "si" },
}
