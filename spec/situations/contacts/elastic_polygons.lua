-- Elastic, frictionless boxes, triangles and capsules in a closed box without gravity keep their energy and stay in the
-- box.
-- Source: matter-js issues 13 and 928 (the bounce of elastic bodies depends on their shape, and their speed decreases).
local impel = require "impel"

local CELL = 1.2 -- side of the square cell in which a body of about 0.6 m starts [m]

local scene = {
  title = "Gas of polygons", about = "Elastic bodies of any shape keep their energy.", duration = 8,
  units = { least = "of the initial value", most = "of the initial value", outside = "bodies" },
}
scene.params = { shape = { 1, help = "1 boxes, 2 triangles, 3 capsules, 4 all" }, bodies = 12, gas_seed = 1, rate = 60 }

local SHAPES = {
  function(body, surface)
    surface[1], surface[2] = 0.6, 0.3
    body:box(surface)
  end,
  function(body, surface)
    surface.points = { { -0.3, -0.2 }, { 0.3, -0.2 }, { 0, 0.4 } }
    body:polygon(surface)
  end,
  function(body, surface)
    surface.from, surface.to, surface.radius = { -0.25, 0 }, { 0.25, 0 }, 0.1
    body:capsule(surface)
  end,
}

function scene.setup(p)
  local world, random = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }, impel.rng.new(p.gas_seed)
  local columns = math.ceil(math.sqrt(p.bodies))
  local half = CELL * columns / 2
  local function surface() return { friction = 0, restitution = 1, restitution_threshold = 0 } end
  local walls = world:body { type = "static" }
  for side = -1, 1, 2 do
    local wall = surface()
    wall[1], wall[2], wall.center = 1, 2 * half + 2, { side * (half + 0.5), 0 }
    walls:box(wall)
    wall[1], wall[2], wall.center = 2 * half + 2, 1, { 0, side * (half + 0.5) }
    walls:box(wall)
  end
  local s = { world = world, bodies = {}, half = half, least = 1, most = 1 }
  for i = 0, p.bodies - 1 do
    local x, y = CELL * (i % columns + 0.5) - half, CELL * (i // columns + 0.5) - half
    local body = world:body { position = { x, y }, angle = 6 * random:random() }
    SHAPES[p.shape < 4 and p.shape or i % 3 + 1](body, surface())
    body:set_velocity(random:normal(0, 2), random:normal(0, 2))
    body.angular_velocity = random:normal(0, 4)
    s.bodies[i + 1] = body
  end
  s.start = world:energy()
  return s
end

function scene.update(s)
  local energy = s.world:energy() / s.start
  s.least, s.most = math.min(s.least, energy), math.max(s.most, energy)
end

function scene.measure(s)
  local outside = 0
  for _, body in ipairs(s.bodies) do
    local x, y = body:position()
    if math.abs(x) > s.half or math.abs(y) > s.half then outside = outside + 1 end
  end
  return { least = s.least, most = s.most, outside = outside }
end

function scene.check(s)
  local outside = scene.measure(s).outside
  -- An elastic impact conserves energy up to rounding. The bound of 1 % allows for impacts of three bodies in one step.
  return s.least > 0.99, ("%.4f of the energy is left"):format(s.least),
    s.most < 1.01, ("the energy grew to %.4f of its initial value"):format(s.most),
    outside == 0, ("%d bodies are outside"):format(outside)
end

return scene, {
  vary = { shape = { 1, 2, 3, 4 }, bodies = { 1, 12 }, rate = { 60, 240 } }, solvers = { "si" }, peers = true,
}
