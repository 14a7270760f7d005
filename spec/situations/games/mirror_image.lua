-- A scene and its mirror image stay symmetric.
-- Source: dart issue 870 (four equal boxes move asymmetrically), dyn4j issue 62 (motion to the left and to the right
-- differ).
local impel = require "impel"

local scene = {
  title = "Mirror image", about = "A scene and its mirror image move symmetrically.", duration = 5,
  units = { off = "m", turned = "rad" },
}
scene.params = {
  kind = { 1, integer = true, min = 1, max = 5,
    help = "1: box that tumbles, 2: disc on a slope, 3: bullet at a wall, 4: arm at its limit, 5: disc on two boxes" },
}

local CENTER = 20 -- distance of each scene from the mirror [m]

local kinds = {}

kinds[1] = function(world, side) -- the box lands on a corner, then on a side, and slides
  local body = world:body { position = { side * CENTER, 2 }, angle = side * 0.3, velocity = { side * 3, 0 } }
  body:box { 1, 1 }
  return { body }
end

kinds[2] = function(world, side)
  local slope = world:body { type = "static", position = { side * CENTER, 1 }, angle = side * 0.3 }
  slope:box { 8, 0.2 }
  local body = world:body { position = { side * (CENTER + 2), 3 } }
  body:circle { radius = 0.3, restitution = 0.3 }
  return { body }
end

kinds[3] = function(world, side)
  world:body { type = "static", position = { side * CENTER, 2 } }:box { 0.1, 4 }
  local body = world:body { position = { side * (CENTER + 5), 2 }, velocity = { side * -150, 0 }, bullet = true }
  body:circle { radius = 0.1, restitution = 0.2 }
  return { body }
end

kinds[4] = function(world, side)
  local body = world:body { position = { side * (CENTER + 1), 5 } }
  body:box { 2, 0.2 }
  world:revolute(world.ground, body, { anchor = { side * CENTER, 5 },
    limit = side > 0 and { lower = -2, upper = 0.3 } or { lower = -0.3, upper = 2 } })
  return { body }
end

kinds[5] = function(world, side)
  local bodies = {}
  for i, at in ipairs { { -0.6, 0.5 }, { 0.6, 0.5 }, { 0.1, 3 } } do
    local body = world:body { position = { side * (CENTER + at[1]), at[2] } }
    if i == 3 then body:circle { radius = 0.5 } else body:box { 1, 1 } end
    bodies[i] = body
  end
  return bodies
end

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 100, 1, center = { 0, -0.5 } }
  return { world = world, right = kinds[p.kind](world, 1), left = kinds[p.kind](world, -1), off = 0, turned = 0 }
end

function scene.update(s)
  for i, right in ipairs(s.right) do
    local x, y = right:position()
    local mx, my = s.left[i]:position()
    s.off = math.max(s.off, math.abs(x + mx), math.abs(y - my))
    s.turned = math.max(s.turned, math.abs(right.angle + s.left[i].angle))
  end
end

function scene.measure(s) return { off = s.off, turned = s.turned } end

function scene.check(s)
  -- Rounding (1e-6 m at this distance) and the order of corners in a solver's sweep are not symmetric. Each impact
  -- multiplies a difference by up to ten.
  return s.off < 1e-3, ("a body is %.5f m off its mirror image"):format(s.off),
    s.turned < 1e-3, ("a body is turned %.5f rad off its mirror image"):format(s.turned)
end

return scene, { vary = { kind = { 1, 2, 3, 4, 5 } }, solvers = { "si", "xpbd", "direct" }, peers = true }
