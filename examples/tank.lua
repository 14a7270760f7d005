-- A tracked vehicle climbs over blocks that are higher than its wheels' axles.
local impel = require "impel"

local scene = {
  title = "Tank",
  about = "The rear sprocket drives the belt by friction. A spring pushes the front idler forward and so tightens the "
    .. "belt; a slack belt slips (--set tension=50). Each link is a body with a hinge to the next link.",
  duration = 10, -- [s]
  view = { x = 6, y = 2, height = 9 },
  units = { x = "m", v = "m/s", belt = "m/s", torque = "N m", lean = "rad" },
}

scene.params = {
  speed = { 2.0, min = 1.5, max = 2.3, help = "speed of the belt [m/s]" },
  tension = { 4000.0, min = 0, max = 8000, help = "force of the idler's spring [N]" },
  step = { 0.5, min = 0, max = 0.6, help = "height of the blocks [m]" },
  grip = { 1.0, min = 0, max = 2, help = "coefficient of friction of ground and blocks" },
}

local GOAL = 12 -- x that the tank must reach, behind the blocks [m]
local LATE = 3 -- duration of the last part of the run, in which the tank moves on level ground [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, substeps = 8, sleep = false }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 80, 1, center = { 10, -0.5 }, friction = p.grip }
  if p.step > 0 then
    for i, x in ipairs { 3.5, 7.5 } do
      local half = i * 0.5
      ground:polygon { points = { { x - half - p.step, 0 }, { x + half + p.step, 0 }, { x + half, p.step },
        { x - half, p.step } }, friction = p.grip }
    end
  end
  local tank = impel.rig.tracked(world, { tension = p.tension })
  tank:drive(p.speed)
  return { world = world, p = p, ground = ground, tank = tank, open = 0, lean = 0, high = 0 }
end

function scene.update(s)
  local x, y = s.tank.hull:position()
  if s.world.tick == 0 then s.rest = y end
  s.high, s.lean = math.max(s.high, y - s.rest), math.max(s.lean, math.abs(s.tank.hull.angle))
  for _, joint in ipairs(s.tank.joints) do s.open = math.max(s.open, joint.separation) end
  if not s.x and s.world.time >= scene.duration - LATE then
    s.x, s.turned, s.from = x, s.tank.sprocket.value, s.world.time
  end
end

function scene.measure(s)
  return { x = (s.tank.hull:position()), v = s.tank:speed(), belt = -s.tank.sprocket.speed * s.tank.pitch_radius,
    torque = -s.tank.sprocket.force, lean = s.tank.hull.angle }
end

function scene.check(s)
  if not s.x then return false, "cannot be checked earlier than 3 s before the end" end
  local x = s.tank.hull:position()
  local v, belt = (x - s.x), -(s.tank.sprocket.value - s.turned) * s.tank.pitch_radius
  return x > GOAL, ("the tank came to x = %.2f m; it should pass the blocks and reach x > %g"):format(x, GOAL),
    math.abs(v / belt - 1) < 0.06, ("the tank moved %.3f m while its belt moved %.3f m; a difference of less than 6 %% "
      .. "is expected"):format(v, belt),
    s.high >= 0.9 * s.p.step, ("the hull rose by %.2f m, at least 90 %% of the height of the blocks, %g m, "
      .. "expected"):format(s.high, s.p.step),
    s.open < 0.04, ("the anchors of a hinge came %.1f mm apart, less than 40 expected"):format(1e3 * s.open),
    s.lean < 0.8, ("the tank leaned by %.2f rad, less than 0.8 expected"):format(s.lean)
end

return scene
