-- Atwood's machine: two loads on one rope over two wheels, and the tension of the rope.
local impel = require "impel"

local scene = {
  title = "Pulley",
  about = "Load a, on the left, falls if mass_a > mass_b / ratio. The ratio models a block and tackle above load b, on "
    .. "the right: length_a + ratio length_b is constant (lengths of rope above the loads). Load b therefore moves "
    .. "1 / ratio as far as load a, and is held by ratio times the tension. With --set strength=20 the rope breaks.",
  duration = 1, -- [s]
  view = { x = 0, y = -4, height = 10 },
}

scene.params = {
  mass_a = { 3.0, min = 0.5, max = 5, help = "mass of the load on the left [kg]" },
  mass_b = { 4.0, min = 0.5, max = 5, help = "mass of the load on the right [kg]" },
  ratio = { 2.0, min = 0.5, max = 2, help = "length of rope that passes the pulley while the right load moves by 1 m "
    .. "[m/m]" },
  strength = { 1000.0, min = 0, max = 1000, help = "the rope breaks if it pulls load b with more force than this [N]" },
}

local G, START = 9.81, 6 -- gravity [m/s^2], initial length of rope above each load [m]

local function hang(world, name, x, mass)
  local body = world:body { name = name, position = { x, -START }, mass = mass }
  body:box { 0.5, 0.5 }
  return body
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local a, b = hang(world, "a", -1, p.mass_a), hang(world, "b", 1, p.mass_b)
  local rope = world:pulley(a, b, { name = "rope", ground_a = { -1, 0 }, ground_b = { 1, 0 }, ratio = p.ratio,
    break_force = p.strength })
  local s = { world = world, p = p, a = a, b = b, rope = rope, length = rope.value, stretch = 0 }
  world:on("joint_break", function(e) s.broke = e.force end)
  return s
end

function scene.update(s) s.stretch = math.max(s.stretch, math.abs(s.rope.value - s.length)) end

function scene.measure(s)
  local _, va = s.a:velocity()
  local _, vb = s.b:velocity()
  return { va = va, vb = vb, tension = -s.rope.force, stretch = s.rope.value - s.length }
end

function scene.check(s)
  local t = s.world.time
  if t == 0 then return false, "cannot be checked before the first step" end
  if s.rope.broken then return false, ("the rope broke at %.4g N; it should break only above %g "
    .. "N"):format(s.broke, s.p.strength) end
  scene.update(s)
  local ma, mb, ratio = s.p.mass_a, s.p.mass_b, s.p.ratio
  -- Load a: ma a = ma g - T
  -- Load b: mb (-a / ratio) = mb g - ratio T
  local a = G * (ma - mb / ratio) / (ma + mb / ratio ^ 2)
  local tension = ma * (G - a)
  local _, va = s.a:velocity()
  local _, vb = s.b:velocity()
  local _, held = s.rope:reaction()
  return math.abs(-va / t - a) < 1e-3 * G, ("load a falls with %.5f m/s^2, %.5f expected"):format(-va / t, a),
    math.abs(vb * ratio + va) < 1e-3 * G * t,
    ("load b rises with %.5f m/s, %.5f expected"):format(vb, -va / ratio),
    math.abs(-s.rope.force - tension) < 1e-3 * tension,
    ("the rope pulls with %.4f N, %.4f expected"):format(-s.rope.force, tension),
    math.abs(held - ratio * tension) < 1e-3 * ratio * tension,
    ("load b is held with %.4f N, %.4f expected"):format(held, ratio * tension),
    s.stretch < 1e-3, ("the rope stretched by %.3f mm, less than 1 expected"):format(1e3 * s.stretch)
end

return scene
