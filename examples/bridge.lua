-- A hanging bridge of planks with a load below the middle.
local impel = require "impel"

local scene = {
  title = "Bridge",
  about = "Each bank carries a part of the weight, and pulls horizontally. The sag determines this pull: pull times "
    .. "sag equals the bending moment that planks and load would cause in the middle of a straight beam. Weak pins "
    .. "break (--set strength=5000).",
  duration = 10, -- [s]
  view = { x = 0, y = -1.2, height = 6 },
}

scene.params = {
  half = { 10, integer = true, min = 2, max = 12, help = "planks in each half" },
  slack = { 0.05, min = 0.02, max = 0.3, help = "extra length of the bridge, as a fraction of the gap" },
  load = { 200.0, min = 1, max = 400, help = "mass of the load [kg]" },
  strength = { 1e5, min = 0, max = 1e5, help = "break force of a pin [N]" },
}

-- gravity [m/s^2], width of the gap [m]; thickness [m] and density [kg/m^2] of a plank
local G, GAP, THICK, DENSITY = 9.81, 10, 0.1, 500
local DAMPING = 300 -- damping in the pins [N m s/rad], so that the bridge comes to rest

-- Return half the angle of an arc of length (1 + slack) * gap: angle / sin(angle) = 1 + slack.
local function half_angle(slack)
  local low, high = 0, math.pi / 2
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if middle < (1 + slack) * math.sin(middle) then low = middle else high = middle end
  end
  return low
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 120, sleep = false }
  local pins, bodies, mass = {}, {}, p.load
  local angle = half_angle(p.slack)
  local radius = GAP / 2 / math.sin(angle)
  -- Initial position of pin i: equally spaced on the arc, which hangs below the gap.
  local function place(i)
    local a = angle * (i / p.half - 1)
    return radius * math.sin(a), radius * (math.cos(angle) - math.cos(a))
  end
  local last, x, y = world.ground, place(0)
  for i = 0, 2 * p.half do
    local body, nx, ny = world.ground, place(i + 1)
    if i < 2 * p.half then
      body = world:body { position = { (x + nx) / 2, (y + ny) / 2 }, angle = math.atan(ny - y, nx - x) }
      body:box { math.sqrt((nx - x) ^ 2 + (ny - y) ^ 2), THICK, density = DENSITY }
      mass = mass + body.mass
      bodies[#bodies + 1] = body
    end
    pins[i] = world:revolute(last, body, { name = "pin " .. i, anchor = { x, y }, break_force = p.strength,
      spring = { stiffness = 0, damping = DAMPING } })
    last, x, y = body, nx, ny
  end
  local _, middle = place(p.half)
  local load = world:body { name = "load", position = { 0, middle - 1 }, mass = p.load }
  load:box { 0.6, 0.6 }
  local rope = world:rope(bodies[p.half], load, { name = "rope", anchor_a = { 0, middle } })
  local s = { world = world, p = p, pins = pins, bodies = bodies, weight = mass * G, rope = rope }
  world:on("joint_break", function(e) s.torn = s.torn or ("%s broke at %.0f N"):format(e.joint.name, e.force) end)
  return s
end

local function survey(s)
  local lx, ly = s.pins[0]:reaction() -- force on body b, the first plank
  local rx, ry = s.pins[2 * s.p.half]:reaction() -- force on body b, the ground
  local x, y = s.pins[s.p.half]:anchors()
  local open = 0
  for i = 0, #s.pins do open = math.max(open, s.pins[i].separation) end
  return lx, ly, -rx, -ry, x, -y, open
end

function scene.measure(s)
  local lx, ly, rx, ry, _, sag, open = survey(s)
  return { left = -lx, left_up = ly, right = rx, right_up = ry, sag = sag, open = open, rope = -s.rope.force }
end

function scene.check(s)
  if s.torn then return false, ("%s; pins break above %g N"):format(s.torn, s.p.strength) end
  if s.world.time < 8 then return false, "cannot be checked before 8 s, when the bridge is at rest" end
  local lx, ly, rx, ry, x, sag, open = survey(s)
  local moment = ly * (x + GAP / 2) -- moment of the vertical forces on the left half, about the middle pin
  for i = 1, s.p.half do moment = moment - s.bodies[i].mass * G * (x - s.bodies[i]:position()) end
  return math.abs(ly + ry - s.weight) < 0.005 * s.weight,
    ("the banks carry %.1f N together, but the weight is %.1f N"):format(ly + ry, s.weight),
    math.abs(rx + lx) < 0.005 * rx, ("the banks pull with %.1f and %.1f N, equal forces expected"):format(-lx, rx),
    math.abs(rx * sag - moment) < 0.005 * moment,
    ("pull times sag is %.1f N m, %.1f N m expected, the bending moment of a beam"):format(rx * sag, moment),
    math.abs(-s.rope.force - s.p.load * G) < 0.005 * s.p.load * G,
    ("the rope pulls with %.2f N, but the load weighs %.2f N"):format(-s.rope.force, s.p.load * G),
    open < 0.002, ("a pin is %.2f mm open, less than 2 expected"):format(1e3 * open)
end

return scene
