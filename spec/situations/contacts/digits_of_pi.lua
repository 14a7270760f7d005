-- A heavy body pushes a light body against a wall. The number of elastic impacts has the digits of pi.
-- Source: Galperin's billiard, "Playing pool with pi" (2003); rapier issue 97 (elastic collisions do not conserve
-- energy).
local impel = require "impel"

local SIZE = 0.4 -- size of both bodies [m]

local scene = {
  title = "Digits of pi", about = "The number of impacts has the digits of pi.", duration = 7,
  units = { heavy = "m/s", light = "m/s", energy = "of the initial value", turn = "rad" },
}
-- ratio: mass of the heavy body divided by the mass of the light body
scene.params = { ratio = 100.0, box = false, rate = 60 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local surface = { restitution = 1, friction = 0, restitution_threshold = 0 }
  surface[1], surface[2], surface.center = 1, 4, { -0.5, 0 }
  world:body { type = "static" }:box(surface)
  local function body(gap, mass)
    local new = world:body { position = { gap + SIZE / 2, 0 }, mass = mass, bullet = true }
    surface[1], surface[2], surface.center, surface.radius = SIZE, SIZE, nil, nil
    if p.box then
      new:box(surface)
    else
      surface[1], surface[2], surface.radius = nil, nil, SIZE / 2
      new:circle(surface)
    end
    return new
  end
  local light, heavy = body(1, 1), body(2 + SIZE, p.ratio)
  heavy:set_velocity(-1, 0)
  return { world = world, light = light, heavy = heavy, p = p }
end

function scene.measure(s)
  return {
    light = (s.light:velocity()), heavy = (s.heavy:velocity()), energy = s.world:energy() / (s.p.ratio / 2),
    turn = math.max(math.abs(s.light.angle), math.abs(s.heavy.angle)),
  }
end

function scene.check(s)
  local m, v, w, now = s.p.ratio, -1, 0, scene.measure(s)
  local count = 0
  while v < w or w < 0 do
    if v < w then
      v, w = ((m - 1) * v + 2 * w) / (m + 1), ((1 - m) * w + 2 * m * v) / (m + 1)
    else
      w = -w
    end
    count = count + 1
  end
  -- The bound of 2 % allows for soft contacts in all impacts.
  return math.abs(now.heavy - v) < 0.02, ("the heavy body leaves at %.3f m/s, not %.3f"):format(now.heavy, v),
    math.abs(now.light - w) < 0.02 * math.sqrt(m), -- 2 % of the largest speed of the light body
    ("the light body leaves at %.3f m/s, not %.3f, after %d impacts"):format(now.light, w, count),
    math.abs(now.energy - 1) < 0.02, ("%.3f of the energy is left"):format(now.energy),
    -- All impulses act along the line of centres.
    now.turn < 1e-3, ("the bodies turn by %.4f rad"):format(now.turn)
end

return scene, {
  vary = { ratio = { 1, 4, 16, 100 }, box = { false, true }, rate = { 60, 240 } }, solvers = { "si", "direct" },
  peers = true,
}
