-- Springs pull a body in opposite directions. The body comes to rest where the forces balance, for any order of the
-- springs.
-- Source: matter-js issue 93 (opposing constraints do not balance, so that their order matters).
local impel = require "impel"

local scene = {
  title = "Opposing springs", about = "Opposing springs hold a body where their forces balance.", duration = 10,
  units = { off = "m", force = "of the force" },
}
scene.params = {
  strong = { 3.0, help = "stiffness of the right side / left side" },
  each = { 1, help = "number of springs on each side" },
  stiffness = 100.0, rate = 60.0, right_first = false,
}

local SPAN, REST = 10, 2 -- distance between the walls, rest length of each spring [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  -- Balance of the forces at the distance x from the first wall: k (x - REST) = strong k (SPAN - x - REST)
  local balance = (p.strong * (SPAN - REST) + REST) / (1 + p.strong)
  local body = world:body { position = { balance - 0.2, 0 }, mass = 1 }
  body:circle { radius = 0.2, mask = 0 }
  local s = { world = world, p = p, body = body, x = balance }
  local function add(x, stiffness)
    for _ = 1, p.each do
      s.last = world:distance(world.ground, body, { anchor_a = { x, 0 }, distance = {
        spring = { stiffness = stiffness / p.each, damping = 4 / p.each, target = REST } } })
    end
  end
  if p.right_first then add(SPAN, p.strong * p.stiffness) end
  add(0, p.stiffness)
  if not p.right_first then add(SPAN, p.strong * p.stiffness) end
  s.force = p.stiffness * (balance - REST) / p.each
  return s
end

function scene.measure(s)
  return { off = (s.body:position()) - s.x, force = math.abs(s.last.force) / s.force }
end

function scene.check(s)
  local now = scene.measure(s)
  -- e^-40 of the oscillation remains after 10 s. The bound of 1e-3 is for rounding.
  return math.abs(now.off) < 1e-3, ("the body rests %.4f m beside the balance"):format(now.off),
    math.abs(now.force - 1) < 1e-3, ("a spring pulls with %.4f of the force at balance"):format(now.force)
end

return scene, {
  vary = {
    strong = { 1, 100 }, each = { 1, 5 }, stiffness = { 10, 1e4 }, rate = { 30, 240 },
    right_first = { false, true } },
  solvers = { "si" },
}
