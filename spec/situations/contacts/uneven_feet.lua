-- A body that lands flat on feet at unequal distances from its centre bounces up without rotation, at e times its
-- impact speed.
-- Source: matter-js issues 330 and 305 (flat landings bounce askew or not at all); textbook: Newton's rule holds at
-- both feet at once if the centre is between the feet.
local impel = require "impel"

local SPEED = 4 -- impact speed [sizes/s]

local scene = {
  title = "Uneven feet", about = "A body that lands flat on uneven feet does not rotate.", duration = 1,
  units = { up = "sizes/s", aside = "sizes/s", turning = "sizes/s" },
}
scene.params = {
  shape = { 1, help = "1 right triangle, 2 trapezium, 3 table with two legs, 4 heavy end, 5 capsule" },
  restitution = 1.0, size = 1.0,
}

-- Each shape stands on y = 0, with its feet at x1 < x2. The centre of mass is between the feet.
local SHAPES = {
  function(body, size, surface)
    surface.points = { { 0, 0 }, { 3 * size, 0 }, { 0, 2 * size } }
    body:polygon(surface)
  end,
  function(body, size, surface)
    surface.points = { { 0, 0 }, { 2 * size, 0 }, { 1.8 * size, size }, { 1.2 * size, size } }
    body:polygon(surface)
  end,
  function(body, size, surface)
    for _, box in ipairs { { 0.3, 1, 0.15, 0.5 }, { 0.3, 1, 1.35, 0.5 }, { 4, 0.3, 1.6, 1.15 } } do
      surface[1], surface[2] = box[1] * size, box[2] * size
      surface.center = { box[3] * size, box[4] * size }
      body:box(surface)
    end
  end,
  function(body, size, surface)
    surface[1], surface[2], surface.center = 3 * size, size, { 1.5 * size, size / 2 }
    body:box(surface)
    surface[1], surface.center, surface.density = size, { 0.5 * size, size / 2 }, 10
    body:box(surface)
  end,
  function(body, size, surface)
    surface.from, surface.to, surface.radius = { 0, size / 4 }, { 2 * size, size / 4 }, size / 4
    body:capsule(surface)
  end,
}

function scene.setup(p)
  -- The slop is 5 mm if the size is 1 m.
  local world = impel.world { gravity = { 0, 0 }, sleep = false, slop = p.size / 200 }
  local floor = world:body { type = "static" }
  local surface = { restitution = p.restitution, restitution_threshold = 0, friction = 0 }
  surface[1], surface[2], surface.center = 60 * p.size, p.size, { 0, -p.size / 2 }
  floor:box(surface)
  -- At this height the impact is after 0.51 s, between two steps.
  local body = world:body { position = { 0, 0.51 * SPEED * p.size } }
  SHAPES[p.shape](body, p.size, { restitution = p.restitution, restitution_threshold = 0, friction = 0 })
  body:set_velocity(0, -SPEED * p.size)
  return { world = world, body = body, p = p }
end

function scene.measure(s)
  local vx, vy = s.body:velocity()
  -- turning: rotational speed at the distance `size` from the centre; in sizes/s it equals the angular velocity
  return { up = vy / s.p.size, aside = vx / s.p.size, turning = s.body.angular_velocity }
end

function scene.check(s)
  local now, right = scene.measure(s), s.p.restitution * SPEED
  local bound = 0.005 * SPEED -- 0.5 % for soft contacts
  return math.abs(now.up - right) < bound, ("the body rises at %.3f sizes/s, not %.3f"):format(now.up, right),
    math.abs(now.turning) < bound, ("the body turns at %.3f rad/s"):format(now.turning),
    math.abs(now.aside) < bound, ("the body moves sideways at %.3f sizes/s"):format(now.aside)
end

return scene, {
  vary = { shape = { 1, 2, 3, 4, 5 }, restitution = { 0.4, 1 }, size = { 0.05, 1, 20 } }, solvers = { "si", "direct" },
  peers = true,
}
