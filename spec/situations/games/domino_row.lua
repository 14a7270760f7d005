-- A row of dominoes falls to its end at a steady speed if the first domino is pushed. The row stands without a push.
-- Source: debug-shrine pull requests 152 and 204 (the row stops after three dominoes), Box2D sample "Double Domino".
local impel = require "impel"

local scene = {
  title = "Domino row", about = "A row of dominoes falls at a steady speed.", duration = 9,
  units = { fallen = "1", second = "m/s", third = "m/s" },
}
-- spacing: distance of neighbouring centres [m]; push: initial spin of the first domino [rad/s]
scene.params = { spacing = 0.4, push = 1.0, count = 28 }

local HEIGHT, THICK = 1, 0.1

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 60, 1, center = { 10, -0.5 } }
  local dominoes = {}
  for i = 1, p.count do
    local first = i == 1 and p.push or 0
    dominoes[i] = world:body { position = { i * p.spacing, HEIGHT / 2 }, angular_velocity = -first,
      velocity = { first * HEIGHT / 2, first * THICK / 2 } }
    dominoes[i]:box { THICK, HEIGHT }
  end
  return { world = world, dominoes = dominoes, p = p, times = {}, before = {}, most = 0 }
end

function scene.update(s)
  local time, dt = s.world.time, s.world.dt
  for i, domino in ipairs(s.dominoes) do
    local lean = -domino.angle
    s.most = math.max(s.most, math.abs(lean))
    if lean > 0.1 and not s.times[i] then s.times[i] = time - dt * (lean - 0.1) / (lean - s.before[i]) end
    s.before[i] = lean
  end
end

function scene.measure(s)
  local n, times, fallen = s.p.count, s.times, 0
  for i = 1, n do fallen = fallen + (times[i] and 1 or 0) end
  local function speed(i, j) return times[j] and (j - i) * s.p.spacing / (times[j] - times[i]) or 0 end
  return { fallen = fallen, second = speed(n // 4, n // 2), third = speed(n // 2, 3 * n // 4) }
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.count
  if s.p.push == 0 then
    -- A lean of 0.01 rad is 1 cm at the top.
    return s.most < 0.01, ("a domino leans by %.3f rad without a push"):format(s.most)
  end
  -- The wave soon has a constant speed. The bound of 10 % allows for the transient, and for impacts between two steps.
  return now.fallen == n, ("%d of %d dominoes fall"):format(now.fallen, n),
    now.second > 0 and math.abs(now.third / now.second - 1) < 0.1,
    ("the wave runs at %.3f m/s in the second quarter and %.3f in the third"):format(now.second, now.third)
end

return scene, {
  vary = { spacing = { 0.35, 0.5, 0.7 }, push = { 0, 1, 4 } }, solvers = { "si" }, peers = true,
}
