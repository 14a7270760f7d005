-- A ball climbs a ladder of one-way platforms by jumping through them, and drops through them again.
local impel = require "impel"
local m = impel.math -- functions of math with the same bits on every machine

local scene = {
  title = "One way",
  about = "A one-way shape is solid only for bodies that move against its direction: the ball jumps through it from "
    .. "below without losing speed, and lands on it. To drop the ball, a pre_solve handler disables the contact "
    .. "between the ball and the platform.",
  duration = 9, -- [s]
  view = { x = 0, y = 2.9, height = 7.4 },
  units = { height = "m", floors = "1" },
}

scene.params = {
  jump = { 5.5, min = 1, max = 9, help = "speed of the ball when it jumps [m/s]" },
  floors = { 4, min = 1, max = 4, integer = true, help = "number of platforms above the ground" },
}

local G, RISE, RADIUS = 9.81, 1.25, 0.2 -- gravity [m/s^2]; height of a floor, radius of the ball [m]
local KINDS = { "box", "segment", "capsule", "chain" }
local FORMS = {
  box = { width = 4, height = 0.1, center = { 0, -0.05 } }, segment = { from = { -2, 0 }, to = { 2, 0 } },
  capsule = { from = { -2, -0.05 }, to = { 2, -0.05 }, radius = 0.05 },
  chain = { points = { { 2, 0 }, { -2, 0 } } }, -- from right to left: solid on the left side, here below
}
local REST, OPEN = 0.25, 0.2 -- time between two jumps [s], time for which a floor stays open for the ball [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 8, 0.4, center = { 0, -0.2 } }
  for i = 1, p.floors do -- floors of all kinds; one moves to and fro with the ball on it
    local name, type = "floor " .. i, i == 3 and "kinematic" or "static"
    local body = world:body { type = type, name = name, position = { 0, i * RISE } }
    local kind, options = KINDS[(i - 1) % 4 + 1], { one_way = { 0, 1 }, pre_solve = true }
    for key, value in next, FORMS[kind] do options[key] = value end
    body[kind](body, options)
  end
  local ball = world:body { name = "ball", position = { 0, RADIUS }, fixed_rotation = true, allow_sleep = false }
  ball:circle { radius = RADIUS, friction = 1 }
  local crate = world:body { name = "crate", position = { 1.4, RISE + 0.25 } } -- the floors stay solid for the crate
  crate:box { 0.5, 0.5 }
  local s = { world = world, p = p, ball = ball, crate = crate, floor = 0, top = 0, path = "0", way = 1, next = REST,
    open = -1, worst = 0 }
  world:on("pre_solve", function(contact)
    local mine = contact.body_a == ball or contact.body_b == ball
    if mine and world.time < s.open then contact.enabled = false end
  end)
  return s
end

local function floor_below(ball)
  local _, y = ball:position()
  return m.floor((y - RADIUS + 0.1) / RISE)
end

local function stands(ball)
  for contact in ball:contacts() do
    local _, ny = contact:normal()
    if contact.body_a == ball then ny = -ny end
    if contact.enabled and ny > 0.7 then return true end
  end
  return false
end

function scene.update(s)
  local world, ball = s.world, s.ball
  local swing = world:find "floor 3"
  if swing then swing:set_velocity(0.5 * m.cos(world.time), 0) end
  local _, vy = ball:velocity()
  if s.leap then -- while the ball rises, even through a floor, only gravity acts on it
    s.worst = m.max(s.worst, m.abs(vy - (s.p.jump - G * (world.time - s.leap))))
    if vy < 0.5 then s.leap = nil end
  end
  if not stands(ball) or vy > 0.1 or world.time < s.next then return end
  local floor = floor_below(ball)
  if floor ~= s.floor then s.floor, s.path = floor, s.path .. floor end
  s.top = m.max(s.top, floor)
  if floor == s.p.floors then s.way = -1 end
  s.next = world.time + REST
  if s.way > 0 then
    local vx = ball:velocity()
    ball:set_velocity(vx, s.p.jump)
    s.leap = world.time
  elseif floor > 0 then
    s.open, s.next = world.time + OPEN, world.time + OPEN + REST
  end
end

function scene.measure(s) return { height = select(2, s.ball:position()), floors = s.top } end

function scene.check(s)
  local up, down = "0", ""
  for i = 1, s.p.floors do up, down = up .. i, (i - 1) .. down end
  local _, y = s.crate:position()
  return s.path == up .. down, ("the ball was on the floors %s, %s expected"):format(s.path, up .. down),
    s.worst < 1e-3, ("the ball's speed while it rose differed by %.2g m/s from free flight"):format(s.worst),
    m.abs(y - RISE - 0.25) < 0.01, ("the crate should stay on the first floor, but is at %.3f m"):format(y)
end

function scene.draw(s, view)
  for i = 1, s.p.floors do -- two arrows on each floor; the floor is solid for motion against the arrows
    local x, y = s.world:find("floor " .. i):position()
    local color = s.world.time < s.open and "green" or "grey"
    for k = -1, 1, 2 do view:arrow(x + 1.7 * k, y, x + 1.7 * k, y + 0.25, color) end
  end
  local x, y = s.ball:position()
  view:trail("ball", x, y) -- "ball" is a key of the trail, not the name of the body
end

return scene
