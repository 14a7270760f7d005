-- Ground that set_position raises under a resting stack lifts the stack by the same distance.
-- Source: p2.js issue 231 (walls moved by position under a block), defold issue 8101 (moved platforms throw the bodies
-- on them), Box2D sample "Overlap Recovery".
local impel = require "impel"

local scene = {
  title = "Rising ground", about = "Ground that is moved up lifts its stack without a throw.", duration = 4,
  units = { over = "m", under = "m", fastest = "m/s", last = "m/s" },
}
scene.params = { lift = 0.1, boxes = 2, rate = 60 } -- lift [m]; number of boxes of 1 m; rate [Hz]

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate }
  local ledge, bodies = world:body { type = "static" }, {}
  ledge:box { 4, 0.2, center = { 0, -0.1 } }
  for i = 1, p.boxes do
    local body = world:body { position = { 0, i - 0.5 } }
    body:box { 1, 1 }
    bodies[i] = body
  end
  return { world = world, ledge = ledge, bodies = bodies, p = p, over = 0, fastest = 0 }
end

function scene.update(s)
  -- After 1 s the boxes are asleep.
  if s.world.tick == s.p.rate then s.ledge:set_position(0, s.p.lift) end
  for i, body in ipairs(s.bodies) do
    local _, y = body:position()
    local _, vy = body:velocity()
    s.over, s.fastest = math.max(s.over, y - (i - 0.5) - s.p.lift), math.max(s.fastest, vy)
  end
end

function scene.measure(s)
  local under, last = 0, 0
  for i, body in ipairs(s.bodies) do
    local _, y = body:position()
    local _, vy = body:velocity()
    under, last = math.max(under, s.p.lift + i - 0.5 - y), math.max(last, math.abs(vy))
  end
  return { over = s.over, under = under, fastest = s.fastest, last = last }
end

function scene.check(s)
  local ends = scene.measure(s)
  -- set_position gives the ground no speed. The bound is 6 mm per contact: slop of 5 mm plus 1 mm for rounding.
  return s.over < 6e-3 * s.p.boxes, ("a body goes %.3f m too high"):format(s.over),
    -- world.push_speed limits the speed that removes overlaps.
    s.fastest < s.world.push_speed + 0.01, ("a body is pushed at %.2f m/s"):format(s.fastest),
    -- 6 mm per contact.
    ends.under < 6e-3 * s.p.boxes, ("a body ends %.3f m too low"):format(ends.under),
    ends.last < 1e-3, ("a body still moves at %.4f m/s"):format(ends.last) -- the boxes are asleep
end

return scene, {
  vary = { lift = { 0.02, 0.05, 0.2, 0.4 }, boxes = { 1, 2, 5 }, rate = { 60, 240 } },
  solvers = { "si", "xpbd", "direct" },
}
