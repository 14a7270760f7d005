-- A motor holds or moves a carriage whose load is far to the side of its rail. The carriage does not tilt.
-- Source: PhysX issue 304 (a locked slide with a motor at 0 slips under an off-axis load), box2d issue 69 (an inclined
-- slide drifts).
local impel = require "impel"

local scene = {
  title = "Carriage beside its rail", about = "A carriage holds a load far beside its rail without tilting.",
  duration = 10,
  units = { along = "m", across = "m", tilt = "rad", creep = "m/s" },
}
-- slope of the rail [degrees]; offset: distance of the load from the rail [m]; speed: speed of the motor [m/s]
scene.params = { slope = 90.0, offset = 1.0, speed = 0.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local c, n = impel.math.cos(math.rad(p.slope)), impel.math.sin(math.rad(p.slope))
  local carriage = world:body { mass = 100 }
  carriage:box { 1, 0.2, center = { p.offset, 0 } }
  world:prismatic(world.ground, carriage, {
    anchor = { 0, 0 }, axis = { c, n }, motor = { speed = p.speed, max_force = 1e6 },
  })
  return { world = world, carriage = carriage, p = p, c = c, n = n, along = 0, across = 0, tilt = 0 }
end

function scene.update(s)
  local x, y = s.carriage:position()
  local along = x * s.c + y * s.n
  s.along = math.max(s.along, math.abs(along - s.p.speed * s.world.time))
  s.across, s.tilt = math.max(s.across, math.abs(y * s.c - x * s.n)), math.max(s.tilt, math.abs(s.carriage.angle))
  if not s.middle and s.world.time > 5 then s.middle, s.since = along, s.world.time end
  if s.middle then s.creep = (along - s.middle) / (s.world.time - s.since + 1e-9) - s.p.speed end
end

function scene.measure(s) return { along = s.along, across = s.across, tilt = s.tilt, creep = s.creep } end

function scene.check(s)
  -- The bound of 5 mm is the usual slop of contacts. A tilt of 2 mrad moves a load at 3 m by 6 mm.
  return s.along < 5e-3, ("along the rail, the carriage is %.4f m from its expected place"):format(s.along),
    s.across < 5e-3, ("the carriage is %.4f m from the rail"):format(s.across),
    s.tilt < 2e-3, ("the carriage tilts by %.4f rad"):format(s.tilt),
    -- 0.5 mm in 5 s.
    math.abs(s.creep) < 1e-4, ("the carriage creeps at %.5f m/s"):format(s.creep)
end

return scene, {
  vary = { slope = { 45, 90 }, offset = { 0, 1, 3 }, speed = { 0, 0.5 } }, solvers = { "si", "xpbd", "direct" },
}
