-- Five hundred bodies of all shapes, a quarter of them in joined pairs, fall onto a heap and are stirred.
local impel = require "impel"

local scene = { title = "Heap", duration = 20 }

local function add_shape(body, kind, r)
  local options = { friction = 0.2 + 0.6 * r(), restitution = kind == 3 and 0.4 or 0 }
  if kind == 0 then
    options.radius = 0.1 + 0.2 * r()
    return body:circle(options)
  elseif kind == 1 then
    options[1], options[2], options.radius = 0.2 + 0.4 * r(), 0.2 + 0.4 * r(), 0.03
    return body:box(options)
  elseif kind == 2 then
    options.from, options.to, options.radius = { -0.2, 0 }, { 0.2 * r(), 0.1 }, 0.1
    return body:capsule(options)
  end
  options.points = { { 0, 0 }, { 0.4, 0.1 * r() }, { 0.3, 0.4 }, { -0.1, 0.3 } }
  return body:polygon(options)
end

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  local room = world:body { type = "static" }
  room:chain { points = { { 9, 40 }, { 9, 2 }, { 4, 0 }, { -4, 0 }, { -9, 2 }, { -9, 40 } } }
  local mill = world:body { type = "kinematic", position = { 0, 2.5 }, angular_velocity = 0.8 }
  mill:box { 6, 0.3 }
  local function r() return world:random() end
  local last
  for i = 0, 499 do
    local body = world:body { position = { -8 + i % 25 * 0.65, 4 + i // 25 * 0.7 }, angle = 6 * r(),
      angular_damping = 0.1 * r() }
    add_shape(body, i % 4, r)
    if i % 25 > 0 and i % 8 == 1 then
      local x, y = last:position()
      world:revolute(last, body, { anchor = { x + 0.3, y }, limit = { -2, 2 } })
    elseif i % 25 > 0 and i % 8 == 5 then
      world:distance(last, body, { spring = { hertz = 4, damping_ratio = 0.5 } })
    end
    last = body
  end
  return { world = world }
end

return scene
