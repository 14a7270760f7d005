-- A pyramid of hundreds of boxes must stand still.
local impel = require "impel"

local scene = {
  title = "Pyramid",
  about = "Each box of 1 m stands on two boxes of the row below, and the ground carries them all. Sleep is off, so "
    .. "only contacts hold the pyramid up. A tall pyramid needs at least two sweeps per substep: with one sweep "
    .. "(--set iterations=1) boxes shift, and the force on the ground does not settle.",
  duration = 10, -- [s]
  view = { x = 0, y = 15, height = 36 },
}

scene.params = {
  base = { 30, integer = true, min = 1, max = 100,
    help = "number of boxes in the lowest row; with more than 30 the load is not yet distributed after 10 s" },
  gap = { 0.1, min = 0.02, max = 0.4, help = "gap between the boxes of a row [m]" },
  iterations = { 2, integer = true, min = 1, max = 50, help = "number of sweeps over the rows in every substep" },
}

local MOVING = 0.005 -- [m/s] root mean square speed below which the pyramid counts as standing
local SIDEWAYS = 0.01 -- limit of a box's sideways motion [m]; boxes move until the load is distributed

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false, iterations = p.iterations }
  local pitch = 1 + p.gap
  local ground = world:body { type = "static", name = "ground" }
  ground:box { pitch * p.base + 20, 1, center = { 0, -0.5 } } -- the top of the ground is at y = 0
  local boxes = {}
  for row = 0, p.base - 1 do
    local count = p.base - row
    for i = 1, count do
      local x, y = (i - (count + 1) / 2) * pitch, row + 0.5
      local body = world:body { position = { x, y } }
      body:box { 1, 1 }
      boxes[#boxes + 1] = { body = body, x = x, y = y }
    end
  end
  local _, potential = world:energy()
  return { world = world, ground = ground, boxes = boxes, rows = p.base, potential = potential }
end

-- Return how far the boxes moved, and the weight on the ground.
local function survey(s)
  local sideways, sag, weight = 0, 0, 0
  for _, box in ipairs(s.boxes) do
    local x, y = box.body:position()
    sideways = math.max(sideways, math.abs(x - box.x))
    sag = math.max(sag, box.y - y)
    weight = weight + 9.81 * box.body.mass
  end
  local _, force = s.ground:contact_force()
  return sideways, sag, -force / weight
end

function scene.measure(s)
  local sideways, sag, carried = survey(s)
  local kinetic, potential = s.world:energy()
  return { sideways = sideways, sag = sag, carried = carried, kinetic = kinetic, gained = potential - s.potential }
end

function scene.check(s)
  local sideways, sag, carried = survey(s)
  -- Sag of the top ~ 1 + 2 + ... + n, at most 5 mm for n = 10 rows.
  local allowed = 0.005 * s.rows * (s.rows + 1) / 110
  local kinetic, potential = s.world:energy()
  local mass = 0
  for _, box in ipairs(s.boxes) do mass = mass + box.body.mass end
  local speed = math.sqrt(2 * kinetic / mass) -- root mean square, including rotation
  return sideways < SIDEWAYS,
    ("a box moved %.2f mm sideways, less than %.2f expected"):format(1e3 * sideways, 1e3 * SIDEWAYS),
    sag < allowed, ("a box sank %.2f mm, less than %.2f expected"):format(1e3 * sag, 1e3 * allowed),
    math.abs(carried - 1) < 0.005, ("the ground carries %.4f of the weight, 1 expected"):format(carried),
    speed < MOVING,
    ("the mean speed of the boxes is %.2f mm/s, less than %.2f expected"):format(1e3 * speed, 1e3 * MOVING),
    potential < s.potential, ("the potential energy grew by %.2g J; the boxes should only "
      .. "sink"):format(potential - s.potential)
end

return scene
