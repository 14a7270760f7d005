-- make soak: runs one long simulation. Bodies of all shapes are created, pushed and destroyed at random, and settings
-- change. Two worlds get the same calls and must agree to the bit.
--
--   lua5.4 spec/tools/soak.lua [steps]      default 200000 steps, a few minutes
local impel = require "impel"

local STEPS = tonumber(arg and arg[1]) or 200000
local MOST = 150 -- largest number of bodies

local function shape(world, body)
  local r = world.random
  local kind = r(world, 5)
  local options = { friction = r(world), restitution = r(world) < 0.2 and 0.5 or 0 }
  if kind == 1 then
    options.radius = 0.1 + 0.4 * r(world)
    return body:circle(options)
  elseif kind == 2 then
    options[1], options[2], options.radius = 0.2 + 0.6 * r(world), 0.2 + 0.6 * r(world), 0.05 * r(world)
    return body:box(options)
  elseif kind == 3 then
    options.from, options.to, options.radius = { -0.3, 0 }, { 0.3 * r(world), 0 }, 0.1 + 0.1 * r(world)
    return body:capsule(options)
  elseif kind == 4 then
    options.points = { { 0, 0 }, { 0.5, 0.1 * r(world) }, { 0.3, 0.4 }, { 0, 0.5 } }
    return body:polygon(options)
  end
  options.density = 2
  return body:box { 0.3, 0.3, density = 1 }, body:circle { radius = 0.2, center = { 0.3, 0 } }
end

local function life()
  local world = impel.world { seed = 7 }
  local room = world:body { type = "static" }
  room:chain { points = { { 10, 40 }, { 10, 0 }, { -10, 0 }, { -10, 40 } } }
  local mill = world:body { type = "kinematic", position = { 0, 3 }, angular_velocity = 0.7 }
  mill:box { 8, 0.3 }
  local alive = {}
  world:on("begin_contact", function(event)
    if world:random() < 0.001 and event.body_a.type == "dynamic" then event.body_a:destroy() end
  end)
  world:on("substep", function()
    local body = alive[world:random(math.max(#alive, 1))]
    if body and body:is_valid() then body:apply_force(world:random() - 0.5, 5) end
  end)
  return {
    world = world,
    step = function(tick)
      for i = #alive, 1, -1 do
        if not alive[i]:is_valid() then table.remove(alive, i) end
      end
      if #alive < MOST and world:random() < 0.3 then
        local x, y = 16 * world:random() - 8, 8 + 10 * world:random()
        local body = world:body { position = { x, y }, angle = world:random() }
        shape(world, body)
        alive[#alive + 1] = body
      elseif #alive > 0 and world:random() < 0.1 then
        table.remove(alive, world:random(#alive)):destroy()
      end
      if tick % 5000 == 0 then world.solver = world.solver == "soft" and "si" or "soft" end
      world:step()
    end,
  }
end

local a, b = life(), life()
local bytes
for tick = 1, STEPS do
  a.step(tick)
  b.step(tick)
  for fault in a.world:events("fault") do
    error(("tick %d: fault in %s at %s"):format(tick, fault.body, fault.stage))
  end
  if tick % 1000 == 0 then
    assert(a.world.hash == b.world.hash, ("tick %d: two equal worlds differ"):format(tick))
    assert(a.world:counts().bodies <= MOST + 2, "destroyed bodies remain in the world")
  end
  if tick == STEPS // 2 then bytes = a.world:counts().bytes end
end
local counts = a.world:counts()
assert(counts.bytes <= 1.2 * bytes, ("memory grew from %d to %d bytes"):format(bytes, counts.bytes))
print(("%d steps, hash %s, %d bodies, %d bytes"):format(STEPS, a.world.hash, counts.bodies, counts.bytes))
