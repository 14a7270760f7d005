-- Two boxes asleep on a ledge start to fall in the step in which their support is removed.
-- Source: Chipmunk issues 18 and 92, p2.js issue 231, bevy_rapier issue 570, godot issue 55047, bullet3 issue 4807,
-- box2d issue 227, habitat-sim pull request 801 (sleeping bodies hang in the air); Box2D samples "Recreate Static",
-- "Wake Touching".
local impel = require "impel"

local scene = {
  title = "Support taken away", about = "Sleeping boxes fall in the step that removes their support.", duration = 2.4,
  units = { lower = "m/s", upper = "m/s" },
}

local function no_mask(body)
  for shape in body:shapes() do shape.mask = 0 end
end

local ways = { -- ways to remove the support; ways 10 and 11 reverse gravity
  function(s) s.ledge:destroy() end,
  function(s) s.shape:destroy() end,
  function(s) s.ledge:set_position(100, 0) end,
  function(s) s.ledge.enabled = false end,
  function(s)
    s.ledge.type = "kinematic"
    s.ledge:set_velocity(0, -100)
  end,
  function(s) s.ledge.type = "dynamic" end,
  function(s) no_mask(s.ledge) end,
  function(s) no_mask(s.boxes[1]) end, -- the lower box no longer collides with the ledge or the upper box
  function(s) s.shape.sensor = true end,
  function(s) s.world:set_gravity(0, 9.81) end,
  function(s)
    for _, box in ipairs(s.boxes) do box.gravity_scale = -1 end
  end,
}

scene.params = { way = { 1, integer = true, min = 1, max = #ways, help = "removal of the support: index in `ways`" } }

function scene.setup(p)
  local world = impel.world {}
  local ledge, boxes = world:body { type = "static", position = { 0, -0.1 } }, {}
  local shape = ledge:box { 4, 0.2 }
  for i = 1, 2 do
    boxes[i] = world:body { position = { 0, i - 0.5 } }
    boxes[i]:box { 1, 1 }
  end
  return { world = world, ledge = ledge, shape = shape, boxes = boxes, p = p, slept = false }
end

function scene.update(s)
  if s.world.tick == 120 then
    s.slept = not s.boxes[1].awake and not s.boxes[2].awake
    ways[s.p.way](s)
  end
end

function scene.measure(s)
  local _, lower = s.boxes[1]:velocity()
  local _, upper = s.boxes[2]:velocity()
  return { lower = lower, upper = upper }
end

function scene.check(s)
  local now, right = scene.measure(s), (s.p.way > 9 and 9.81 or -9.81) * (s.world.time - 2)
  -- The expected speed is g t = 3.9 m/s. The removal of an overlap of some millimetres adds at most 0.3 %.
  return s.slept, "the boxes do not sleep after 2 s", -- boxes at rest from the start are asleep after 2 s
    math.abs(now.lower - right) < 0.01, ("the lower box moves at %.3f m/s, not %.3f"):format(now.lower, right),
    math.abs(now.upper - right) < 0.01, ("the upper box moves at %.3f m/s, not %.3f"):format(now.upper, right)
end

return scene, { vary = { way = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } }, solvers = { "si", "xpbd", "direct" } }
