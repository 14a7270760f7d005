-- A tower of boxes: the oldest test of a physics engine.
local impel = require "impel"

local scene = {
  title = "Stack",
  about = "Ten 1 m boxes, placed exactly. They may sink a little, must not creep sideways, and must fall asleep.",
  duration = 10, -- [s]
  view = { x = 0, y = 5, height = 12 },
}

scene.params = {
  count = { 10, integer = true, min = 1, max = 14, help = "number of boxes" },
  offset = { 0.0, min = 0, max = 0.9,
    help = "shift of every second box to the right [m]; a shifted tower sags more, and falls if the shift is above "
      .. "0.5" },
  iterations = { 2, integer = true, min = 1, max = 50, help = "number of sweeps over the rows in every substep" },
  sleep = { true, help = "let bodies at rest fall asleep" },
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = p.sleep, iterations = p.iterations }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 40, 1, center = { 0, -0.5 } }
  local boxes = {}
  for i = 1, p.count do
    boxes[i] = world:body { position = { (i - 1) % 2 * p.offset, i - 0.5 }, name = "box " .. i }
    boxes[i]:box { 1, 1 }
  end
  return { world = world, ground = ground, boxes = boxes, sleep = p.sleep, early = {}, given = 0, awake = 0 }
end

function scene.update(s, dt)
  if not s.early[1] and s.world.time >= 1 then
    for i, box in ipairs(s.boxes) do s.early[i] = box:position() end
  end
  if s.world.tick > 0 and s.boxes[1].awake then
    local _, force = s.ground:contact_force()
    s.given, s.awake = s.given - force * dt, s.awake + dt
  end
end

-- Return how far the top box sank, and the largest sideways displacement of a box since time 1 s.
local function survey(s)
  local _, y = s.boxes[#s.boxes]:position()
  local creep = 0
  for i, box in ipairs(s.boxes) do
    creep = math.max(creep, math.abs(box:position() - (s.early[i] or box:position())))
  end
  return #s.boxes - 0.5 - y, creep
end

function scene.measure(s)
  local sag, creep = survey(s)
  local _, carried = s.ground:contact_force()
  return { sag = sag, creep = creep, carried = -carried, awake = s.world:counts().awake }
end

function scene.check(s)
  if s.awake == 0 then return false, "cannot be checked before the second step" end
  local sag, creep = survey(s)
  local n = #s.boxes
  -- Sag of the top ~ 1 + 2 + ... + n, at most 5 mm for n = 10 boxes.
  local allowed = 0.005 * n * (n + 1) / 110
  -- The ground's impulse equals weight * time.
  local weight = 0
  for _, box in ipairs(s.boxes) do weight = weight + 9.81 * box.mass end
  local carried = s.given / s.awake
  return sag < allowed, ("the top sank %.2f mm, less than %.2f expected"):format(1e3 * sag, 1e3 * allowed),
    creep < 1e-3, ("a box crept %.3f mm, less than 1 expected"):format(1e3 * creep),
    math.abs(carried - weight) < 0.005 * weight, ("the mean force on the ground is %.2f N, %.2f N "
      .. "expected"):format(carried, weight),
    not s.sleep or s.awake < 5, ("asleep after %.2f s, less than 5 expected"):format(s.awake)
end

return scene
