-- A drive that a substep handler sets or removes takes effect in the same substep.
-- Source: a PD law in a substep handler, like MuJoCo's control callback, which acts in the step that calls it.
local impel = require "impel"

local scene = {
  title = "First drive in a substep", about = "A drive set in a substep takes effect in that substep.", duration = 1,
  units = { speed = "m/s", expected = "m/s" },
}
scene.params = {
  what = { 1, help = "1 a force, 2 release of a force, 3 a motor, 4 a spring" }, at = 0.05, substeps = 10,
  there = { false, help = "an idle drive of the kind `what` exists from the start" },
}

local IDLE = {
  function(x) x:set_force(0) end,
  function() end,
  function(x) x:set_motor { speed = 0, max_force = 0 } end,
  function(x) x:set_spring { stiffness = 0, damping = 0 } end,
}

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 0.1, substeps = p.substeps }
  local slider = world:prismatic(world.ground, world:body { mass = 1, inertia = 1 }, { axis = { 1, 0 } })
  local x = slider:coordinate "x"
  if p.what == 2 then x:set_force(10) end
  if p.there then IDLE[p.what](x) end
  return { world = world, slider = slider, x = x, p = p }
end

local SET = {
  function(x) x:set_force(10) end,
  function(x) x:release() end,
  -- The target speed is never reached, so the force is always 10 N.
  function(x) x:set_motor { speed = 100, max_force = 10 } end,
  -- The spring's force is 10 N and decreases by 1 % in 10 m.
  function(x) x:set_spring { stiffness = 10 / 1000, target = 1000 } end,
}

function scene.substep(s)
  if s.set or s.world.time < s.p.at - 1e-9 then return end
  s.set = true
  SET[s.p.what](s.x)
end

local function expected(s) return s.p.what == 2 and 10 * s.p.at or 10 * (1 - s.p.at) end -- F t / m for 1 kg

function scene.measure(s) return { speed = s.slider.speed, expected = expected(s) } end

function scene.check(s)
  local right = expected(s)
  -- The bound is 1 % for the decrease of the spring's force, plus 0.01 m/s for rounding.
  return math.abs(s.slider.speed - right) < 0.01 * right + 0.01,
    ("the body's speed is %.3f m/s, %.3f expected"):format(s.slider.speed, right)
end

return scene, {
  vary = { what = { 1, 2, 3, 4 }, at = { 0, 0.52 }, there = { false, true } }, solvers = { "direct", "reduced" },
}
