-- Two rows of dominoes, one four times as large as the other: large things fall slowly.
local impel = require "impel"

local scene = {
  title = "Dominoes",
  about = "Two rows of dominoes are alike, but the second is larger by the factor `scale`. Gravity sets the speed of a "
    .. "fall, so all times grow with the square root of the size.",
  duration = 9, -- [s]
  view = { x = 12, y = 3.5, height = 16 },
}

scene.params = {
  count = { 12, integer = true, min = 3, max = 16, help = "dominoes in a row" },
  scale = { 4.0, min = 1, max = 6, help = "size of the second row relative to the first" },
  push = { 1.5, min = 0, max = 3, help = "initial speed of the first domino [rad/s]; below 0.57 it only rocks" },
}

local HEIGHT, THICKNESS, PITCH = 1, 0.15, 0.5 -- height, thickness and distance of the small dominoes [m]

-- Build a row of dominoes from x. The first domino turns at a rate ~ 1 / sqrt(size).
local function build_row(world, p, x, size)
  local half_width, half_height = size * THICKNESS / 2, size * HEIGHT / 2
  local row = { fell_at = {}, size = size }
  for i = 1, p.count do
    local body = world:body { position = { x + (i - 1) * size * PITCH, half_height } }
    body:box { 2 * half_width, 2 * half_height, friction = 0.5 }
    row[i] = body
  end
  local rate = p.push / math.sqrt(size)
  row[1].angular_velocity = -rate
  row[1]:set_velocity(rate * half_height, rate * half_width)
  return row
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 240 }
  world:body { type = "static" }:box { 400, 1, center = { 0, -0.5 }, friction = 0.5 }
  local small = build_row(world, p, 0, 1)
  local large = build_row(world, p, p.count * PITCH + 3, p.scale)
  return { world = world, rows = { small, large }, scale = p.scale }
end

-- Record when each domino has tilted by 30 degrees.
function scene.update(s)
  for _, row in ipairs(s.rows) do
    for i, domino in ipairs(row) do
      if not row.fell_at[i] and domino.angle < -math.pi / 6 then row.fell_at[i] = s.world.time end
    end
  end
end

function scene.measure(s)
  return { small = #s.rows[1].fell_at, large = #s.rows[2].fell_at, kinetic = (s.world:energy()) }
end

function scene.check(s)
  local took = {}
  for k, row in ipairs(s.rows) do
    for i = 1, #row do
      local at, before = row.fell_at[i], row.fell_at[i - 1] or 0
      if not at then return false, ("domino %d of row %d did not fall"):format(i, k) end
      if at <= before then return false, ("domino %d of row %d fell no later than the previous "
        .. "domino"):format(i, k) end
    end
    took[k] = row.fell_at[#row] - row.fell_at[2]
  end
  -- By dimensional analysis the speed of the wave is near sqrt(g h).
  local speed = (#s.rows[1] - 2) * PITCH / took[1] / math.sqrt(9.81 * HEIGHT)
  local ratio, expected = took[2] / took[1], math.sqrt(s.scale)
  return speed > 0.5 and speed < 2, ("the fall spreads along the row at %.2f sqrt(g h), 0.5 to 2 sqrt(g h) "
    .. "expected"):format(speed),
    math.abs(ratio / expected - 1) < 0.03,
    ("the second row takes %.3f times as long as the first, %.3f expected"):format(ratio, expected)
end

return scene
