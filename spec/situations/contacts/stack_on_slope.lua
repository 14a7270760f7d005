-- A stack of boxes on a slope below the angle of friction stands still if its centre is above its base.
-- Source: matter-js issues 612 and 613 (boxes on a slope creep for minutes), p2.js issue 317.
local impel = require "impel"

local HEIGHT, SLOP = 0.4, 0.005 -- HEIGHT: height of a box 1 m wide [m]; SLOP: overlap at rest [m]

local scene = {
  title = "Stack on a slope", about = "A stack on a slope does not creep.", duration = 16,
  units = { slid = "m", creep = "m", turned = "rad", fastest = "m/s" },
}
scene.params = { boxes = 4, slope = 15.0, rate = 60.0, substeps = 4 } -- slope [degrees], rate [Hz]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate, substeps = p.substeps }
  local a = math.rad(p.slope)
  local c, n = impel.math.cos(a), impel.math.sin(a)
  world:body { type = "static", angle = -a }:box { 40, 4, center = { 0, -2 }, friction = 0.6 }
  local s = { world = world, boxes = {}, p = p, c = c, n = n, a = a }
  for i = 1, p.boxes do
    local high = (i - 0.5) * HEIGHT
    local box = world:body { position = { high * n, high * c }, angle = -a }
    box:box { 1, HEIGHT, friction = 0.6 }
    s.boxes[i] = { body = box }
  end
  return s
end

-- Return the distance of a box down the slope from the normal through (0, 0), on which all centres start.
local function down(s, box)
  local x, y = box.body:position()
  return x * s.c - y * s.n
end

function scene.update(s)
  if s.world.time < 8 then
    for _, box in ipairs(s.boxes) do box.early = down(s, box) end
  end
end

function scene.measure(s)
  local now = { slid = 0, creep = 0, turned = 0, fastest = 0 }
  for _, box in ipairs(s.boxes) do
    local vx, vy = box.body:velocity()
    local way = down(s, box)
    now.slid, now.creep = math.max(now.slid, math.abs(way)), math.max(now.creep, math.abs(way - box.early))
    now.turned = math.max(now.turned, math.abs(box.body.angle + s.a))
    now.fastest = math.max(now.fastest, math.sqrt(vx * vx + vy * vy))
  end
  return now
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.boxes
  -- An overlap of SLOP at one end of a base turns the box and all boxes above by SLOP radians. The bound is the sum
  -- over n boxes.
  local turn = n * SLOP
  return now.turned < turn, ("a box has turned by %.4f rad"):format(now.turned),
    -- A rotation of the stack by `turn` shifts the top box by turn * n * HEIGHT. The bound adds 1 mm per box.
    now.slid < turn * n * HEIGHT + 1e-3 * n, ("a box has slid by %.4f m"):format(now.slid),
    now.creep < 1e-3, ("a box crept by %.4f m in 8 s"):format(now.creep), -- at rest
    now.fastest < 1e-3, ("a box moves at %.4f m/s"):format(now.fastest)
end

return scene, {
  vary = { boxes = { 1, 3, 5 }, slope = { 5, 15, 20 }, rate = { 60, 120 }, substeps = { 2, 8 } },
}
