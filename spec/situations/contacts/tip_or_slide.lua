-- A tall box on a slope tips over if its centre is beyond the downhill edge of its base and friction holds the base. If
-- the friction is less than width / height and less than the tangent of the slope, the box slides upright. Otherwise it
-- stands.
-- Source: textbook statics; Jolt issue 983 (a sliding box rotates, because friction acts more on one of its ends).
local impel = require "impel"

local G, WIDTH = 9.81, 0.5 -- WIDTH: width of the box [m]

local scene = {
  title = "Tip or slide", about = "A tall box on a slope tips, slides or stands as calculated.", duration = 4,
  units = { path = "m", right = "m", turn = "rad" },
}
-- slender: height / width; slope: tangent of the slope, divided by width / height; grip: friction, divided by width /
-- height
scene.params = { slender = 3.0, slope = 0.9, grip = 1.5 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false }
  local tangent, friction, height = p.slope / p.slender, p.grip / p.slender, WIDTH * p.slender
  local c = 1 / math.sqrt(1 + tangent * tangent)
  local n = c * tangent
  local angle = -impel.math.atan(tangent, 1)
  world:body { type = "static", angle = angle }:box { 200, 4, center = { 95, -2 }, friction = friction }
  local box = world:body { position = { height / 2 * n, height / 2 * c }, angle = angle }
  box:box { WIDTH, height, friction = friction }
  local s = { world = world, box = box, p = p, c = c, n = n, angle = angle, friction = friction, turn = 0 }
  s.x, s.y = box:position()
  return s
end

function scene.update(s) s.turn = math.max(s.turn, math.abs(s.box.angle - s.angle)) end

function scene.measure(s)
  local x, y = s.box:position()
  local pull = math.max(0, G * (s.n - s.friction * s.c)) -- [m/s^2]
  return {
    path = (x - s.x) * s.c - (y - s.y) * s.n, right = pull * s.world.time ^ 2 / 2,
    turn = math.max(s.turn, math.abs(s.box.angle - s.angle)),
  }
end

function scene.check(s)
  local now, p = scene.measure(s), s.p
  if p.slope > 1 and p.grip > 1 then
    -- If `slope` is 1.15, the centre is beyond the edge by 15 % of half the width. The box tips over within 2 s.
    return now.turn > 1, ("the box leans by %.3f rad and does not tip over"):format(now.turn)
  end
  -- An overlap of 6 mm (slop plus 1 mm) at one end of the base turns the box by 6 mm / width.
  return now.turn < 0.006 / WIDTH, ("the box turned by %.4f rad"):format(now.turn),
    -- The bound is the distance of one step, plus 0.2 %, plus 5 mm times height / width for an overlap of 5 mm at one
    -- end of the base.
    math.abs(now.path - now.right) < 2 * now.right / (s.world.time * 60) + 2e-3 * now.right + 0.005 * p.slender,
    ("the box went %.4f m, not %.4f"):format(now.path, now.right)
end

return scene, {
  vary = { slender = { 1, 2, 5 }, slope = { 0.8, 1.15 }, grip = { 0.5, 1.5 } }, solvers = { "si", "direct" },
  peers = true,
}
