-- A toggle press: two links are hinged together at the knee, which carries a load F. The foot of one link is fixed, the
-- foot of the other is a locked ram. The ram is pushed outwards with F / (2 tan a), where a is the angle between a link
-- and the line through the feet.
-- Source: textbook, toggle mechanism; near the dead centre the force is large and its sign must be correct.
local impel = require "impel"

local scene = {
  title = "Toggle", duration = 1,
  about = "A toggle press whose links have the angle a multiplies its load by 1 / (2 tan a).",
  units = { force = "N", exact = "N", sank = "of the height" },
}
scene.params = { degrees = 1.0, load = 10.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, gravity = { 0, 0 } }
  local angle = p.degrees * math.pi / 180
  local c, s = impel.math.cos(angle), impel.math.sin(angle)
  local function link(x, turn)
    return world:body { position = { x, s / 2 }, angle = turn, mass = 0.1, inertia = 0.01 }
  end
  local left, right = link(c / 2, angle), link(1.5 * c, -angle)
  local ram = world:body { position = { 2 * c, 0 }, mass = 0.1, inertia = 0.01 }
  world:revolute(world.ground, left, { anchor = { 0, 0 } })
  world:revolute(left, right, { anchor = { c, s } })
  world:revolute(right, ram, { anchor = { 2 * c, 0 } })
  local guide = world:prismatic(world.ground, ram, { axis = { 1, 0 } }):coordinate "x"
  guide:set_lock()
  return { world = world, left = left, right = right, guide = guide, p = p, height = s, exact = -p.load * c / (2 * s) }
end

function scene.update(s) s.right:apply_force(0, -s.p.load, s.right:world_point(-0.5, 0)) end

local function knee(s) return select(2, s.left:world_point(0.5, 0)) end

function scene.measure(s)
  return { force = s.guide.force, exact = s.exact, sank = 1 - knee(s) / s.height }
end

function scene.check(s)
  -- The bound is 2 %, because compliant joints let the angle change.
  return math.abs(s.guide.force / s.exact - 1) < 0.02,
    ("the force on the ram's lock is %.4g N, %.4g expected"):format(s.guide.force, s.exact),
    math.abs(1 - knee(s) / s.height) < 0.02, -- tan a is proportional to the knee's height and may change by 2 %
    ("the knee has %.2f of its initial height"):format(knee(s) / s.height)
end

return scene, {
  vary = { degrees = { 0.01, 0.1, 1, 5, 10 }, load = { 1, 10 } },
  solvers = { "si", "direct", "acceleration", "reduced" },
}
