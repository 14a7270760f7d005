-- A lift: the cabin moves across the axis of its joint, held by a spring, and does not turn.
-- api: world:lift
-- data: "lift"
local impel = require "impel"

local scene = { title = "Lift", duration = 1, view = { y = 1, height = 5 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  local cabin = world:body { position = { 0, 1 }, mass = 10, inertia = 1 }
  cabin:box { 1, 1.5, center = { 0.2, 0 } }
  local joint = world:lift(world.ground, cabin, { anchor = { 0, 1 }, spring = { hertz = 1, damping_ratio = 1 } })
  return { world = world, cabin = cabin, joint = joint }
end

function scene.measure(s)
  return { y = s.joint.value, speed = s.joint.speed }
end

function scene.check(s)
  local x = s.cabin:position()
  return s.joint.kind == "lift", "the joint is a " .. s.joint.kind,
    math.abs(x) < 1e-3 and math.abs(s.cabin.angle) < 1e-3, "the cabin moves at most 1 mm in x and turns at most 1 mrad",
    s.joint.value < -0.1,
      ("the spring should yield to the weight by more than 0.1 m; its value is %.3f m"):format(s.joint.value)
end

return scene
