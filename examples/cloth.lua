-- A cloth of 20 x 20 particles hangs from two corners: 760 threads, each a distance joint.
local impel = require "impel"

local scene = {
  title = "Cloth",
  about = "Particles do not rotate, so the Jacobian row of a thread has only four numbers. The two pins carry the "
    .. "whole cloth. With enough substeps all threads except those at the pins keep their lengths. With --set "
    .. "substeps=1 the cloth stretches.",
  duration = 10, -- [s]
  view = { x = 0.95, y = -0.95, height = 2.8 },
}

scene.params = {
  size = { 20, integer = true, min = 3, max = 20, help = "particles along each side" },
  substeps = { 8, integer = true, min = 1, max = 32, help = "substeps per step" },
}

local G, MASS, EDGE = 9.81, 0.01, 0.1 -- [m/s^2], [kg] of a particle, [m] of a thread
local DAMPING = 1 -- [1/s] linear damping by the air

-- Join two bodies by a thread. A static body becomes body_a of the thread.
local function tie(s, a, b)
  if b.type == "static" then a, b = b, a end
  local thread = s.world:distance(a, b, {})
  s.threads[#s.threads + 1] = thread
  if a.type == "static" then s.pinned[#s.pinned + 1] = thread end
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, substeps = p.substeps, sleep = false }
  local s = { world = world, threads = {}, pinned = {}, free = p.size ^ 2 - 2 }
  local above = {}
  for row = 1, p.size do
    local left
    for column = 1, p.size do
      local pin = row == 1 and (column == 1 or column == p.size)
      local body = world:body { type = pin and "static" or "particle", mass = not pin and MASS or nil,
        position = { (column - 1) * EDGE, -(row - 1) * EDGE }, linear_damping = DAMPING }
      if left then tie(s, left, body) end
      if above[column] then tie(s, above[column], body) end
      above[column], left = body, body
    end
  end
  return s
end

-- Return mean and largest strain, force of the pins [N] and speed of the cloth [m/s].
local function survey(s)
  local sum, worst, force = 0, 0, 0
  for _, thread in ipairs(s.threads) do
    local strain = math.abs(thread.value / EDGE - 1)
    sum, worst = sum + strain, math.max(worst, strain)
  end
  for _, thread in ipairs(s.pinned) do
    local _, fy = thread:reaction()
    force = force + fy
  end
  local kinetic = s.world:energy()
  return sum / #s.threads, worst, force, math.sqrt(2 * kinetic / (s.free * MASS))
end

function scene.measure(s)
  local mean, worst, force, speed = survey(s)
  return { mean_strain = mean, worst_strain = worst, pins = force, speed = speed }
end

function scene.check(s)
  local mean, _, force, speed = survey(s)
  local weight = s.free * MASS * G
  return mean < 0.02, ("the threads are strained by %.2f %% on average, less than 2 %% expected"):format(100 * mean),
    math.abs(force - weight) < 0.01 * weight, ("the pins carry %.3f N, %.3f expected"):format(force, weight),
    speed < 0.01, ("the cloth moves at %.4f m/s, less than 0.01 expected"):format(speed)
end

return scene
