-- Slow motion, fast motion and hitches do not change amplitude and period of a pendulum or a load on a spring.
-- Source: matter-js issues 303 and 952 (bodies lose their speed or fly up when the time scale changes) and 1211 (a
-- different outcome at 1.2 times the speed).
local impel = require "impel"

local scene = {
  title = "Swing in slow motion", about = "Changes of dt do not change a pendulum's swing.", duration = 14,
  units = { period = "of the closed form", most = "of the first swing" },
}
scene.params = {
  kind = { 1, help = "1: pendulum, 2: load on a sprung slide, 3: load on a sprung rod" },
  mode = { 1, help = "1: steady, 2: a tenth as fast between 2 and 2.5 s, 3: 60 and 144 Hz by turns, 4: five dt in a "
    .. "cycle, 5: twice as fast from 2 s on, 6: a hitch of 1 / 10 s in each second" },
}

local CYCLE = { 1 / 60, 1 / 50, 1 / 75, 1 / 40, 1 / 100 }
local MODES = {
  function() return 1 / 60 end,
  function(world) return world.time > 2 and world.time < 2.5 and 1 / 600 or 1 / 60 end,
  function(world) return world.tick % 2 == 0 and 1 / 60 or 1 / 144 end,
  function(world) return CYCLE[world.tick % 5 + 1] end,
  function(world) return world.time > 2 and 1 / 30 or 1 / 60 end,
  function(world) return world.tick % 60 == 59 and 1 / 10 or 1 / 60 end,
}

local PERIOD, SWING, INERTIA = 2, 0.2, 0.1 -- period [s], amplitude [m or rad], inertia [kg m^2]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s, w = { world = world, p = p, ups = {}, most = 0, period = PERIOD }, 2 * math.pi / PERIOD
  -- Static stretch of the spring, and length of a point pendulum of the same frequency [m].
  local length = 9.81 / w ^ 2
  if p.kind == 1 then
    length = (length + math.sqrt(length ^ 2 - 4 * INERTIA)) / 2 -- from w^2 = g l / (I + l^2)
    -- Period of a pendulum, by the first two terms of the series in the amplitude.
    s.period = PERIOD * (1 + SWING ^ 2 / 16)
    s.body = world:body { position = { length * impel.math.sin(SWING), -length * impel.math.cos(SWING) }, mass = 1 }
    s.joint = world:revolute(world.ground, s.body, { anchor = { 0, 0 } })
    s.rest = -SWING -- the joint's angle is 0 where the joint is created, at the end of the swing
  else
    s.body = world:body { position = { 0, -2 - length - SWING }, mass = 1 }
    local spring = { stiffness = w ^ 2, damping = 0 }
    if p.kind == 2 then
      spring.target = -length - SWING
      s.joint = world:prismatic(world.ground, s.body, { axis = { 0, -1 }, spring = spring })
      s.rest = -SWING
    else
      spring.target = 2
      s.joint = world:distance(world.ground, s.body, { anchor_a = { 0, 0 }, distance = { spring = spring } })
      s.rest = 2 + length
    end
  end
  s.body.inertia = INERTIA
  return s
end

function scene.update(s)
  local world = s.world
  local off = s.joint.value - s.rest
  s.most = math.max(s.most, math.abs(off) / SWING)
  if s.before and s.before < 0 and off >= 0 then -- the body crosses its rest position upwards; the time is interpolated
    s.ups[#s.ups + 1] = s.time + (world.time - s.time) * -s.before / (off - s.before)
  end
  s.before, s.time = off, world.time
  world.dt = MODES[s.p.mode](world)
end

function scene.measure(s)
  local count = #s.ups - 1
  return { period = count > 0 and (s.ups[#s.ups] - s.ups[1]) / count / s.period or 0, most = s.most, count = count }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.count >= 2, ("the body swung only %d times"):format(now.count),
    -- In the longest substep, 1/40 s, the phase advances by w h = 0.08 rad. The error of the period is (w h)^2 / 24 in
    -- a symmetric scheme, and of first order for an implicit spring. The bound of 2 % is 0.2 s in 10 s.
    math.abs(now.period - 1) < 0.02, ("the body's period is %.4f of the closed form"):format(now.period),
    -- The amplitude may only decrease.
    now.most < 1.01, ("the body swings %.4f times as far as at first"):format(now.most)
end

return scene, {
  vary = { kind = { 1, 2, 3 }, mode = { 1, 2, 3, 4, 5, 6 } }, solvers = { "si", "direct" },
}
