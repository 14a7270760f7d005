-- Two buckets fill with water, each on a rope that breaks above 100 N.
local impel = require "impel"

local scene = {
  title = "Breaking rope",
  about = "A joint with break_force breaks after the step in which its reaction exceeded that force. An event reports "
    .. "the force. From then on the bucket falls freely.",
  duration = 2, -- [s]
  view = { x = 0, y = -2, height = 5 },
}

scene.params = {
  strength = { 100.0, min = 20, max = 1000, help = "break force of the ropes [N]" },
  low = { 99.0, min = 20, max = 200, help = "final weight on the left rope, which should hold [N]" },
  high = { 101.0, min = 20, max = 200, help = "final weight on the right rope, which should break [N]" },
}

local G, FILLING = 9.81, 1 -- gravity [m/s^2], time until a bucket is full [s]
local EMPTY, LENGTH = 1, 2 -- mass of an empty bucket [kg], length of a rope [m]

local function hang(world, p, name, x, load)
  local bucket = world:body { name = name .. " bucket", position = { x, -LENGTH - 0.2 }, mass = EMPTY }
  bucket:box { 0.4, 0.4 }
  local rope = world:rope(world.ground, bucket, { name = name .. " rope", break_force = p.strength, data = name,
    anchor_a = { x, 0 }, anchor_b = { x, -LENGTH }, length = LENGTH })
  return { name = name, bucket = bucket, rope = rope, load = load }
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local s = { world = world, strength = p.strength, rate = (p.high - EMPTY * G) / FILLING }
  s.left, s.right = hang(world, p, "left", -1, p.low), hang(world, p, "right", 1, p.high)
  world:on("joint_break", function(event)
    s[event.joint.data].broke = { force = event.force, time = world.time }
  end)
  return s
end

-- Before every step: pour water into each bucket whose rope has not broken.
function scene.update(s, dt)
  local part = math.min((s.world.time + dt) / FILLING, 1)
  for _, side in ipairs { s.left, s.right } do
    if not side.broke then side.bucket.mass = EMPTY + part * (side.load / G - EMPTY) end
  end
end

function scene.measure(s)
  local row = {}
  for _, side in ipairs { s.left, s.right } do
    local _, vy = side.bucket:velocity()
    row[side.name .. "_weight"], row[side.name .. "_vy"] = side.bucket.mass * G, vy
    -- 0, because `force` of a broken joint is still its last force
    row[side.name .. "_force"] = side.rope.broken and 0 or -side.rope.force
  end
  return row
end

function scene.check(s)
  if s.world.time < 1.5 * FILLING then return false, "cannot be checked while the buckets fill" end
  local left, broke = s.left, s.right.broke
  if left.broke then return false, ("the left rope should hold, but broke at %.2f N"):format(left.broke.force) end
  local weight = s.right.bucket.mass * G
  if not broke then return false, ("the right rope should break, but holds %.2f N"):format(weight) end
  local held = -left.rope.force -- the tension acts against the growth of the distance, so the force is negative
  local most = s.strength + s.rate * s.world.dt -- limit of the rope plus the weight added in one step
  local _, vy = s.right.bucket:velocity()
  local fallen = -G * (s.world.time - broke.time)
  return math.abs(held - left.load) < 1e-3 * left.load,
    ("the left rope carries %.3f N, %.3f expected"):format(held, left.load),
    broke.force > s.strength and broke.force < most,
    ("the right rope broke at %.3f N, %g to %.3f expected"):format(broke.force, s.strength, most),
    math.abs(vy - fallen) < 1e-3 * -fallen, ("the bucket falls at %.4f m/s, %.4f expected"):format(vy, fallen)
end

return scene
