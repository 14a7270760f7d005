-- A stack of bricks overhangs by w/2, w/4, w/6, ... from the top, times a factor. With a factor below 1 the stack
-- stands. With a factor above 1 the stack falls.
-- Source: textbook, the harmonic overhang; a Blender question on Stack Exchange (six such bricks topple).
local impel = require "impel"

local WIDTH, HEIGHT, SLOP = 2, 0.5, 0.005 -- size of a brick [m]; SLOP: overlap at rest [m]

local scene = {
  title = "Harmonic stack", about = "A stack with a harmonic overhang stands up to its limit.", duration = 10,
  units = { sunk = "m", creep = "m" },
}
scene.params = { bricks = 8, part = 0.8 } -- part: offsets divided by the harmonic offsets

function scene.setup(p)
  local world = impel.world { sleep = false } -- sleep would hide creep
  world:body { type = "static" }:box { 20, 1, center = { -10, -0.5 } } -- a table with its edge at x = 0
  local s, reach = { world = world, p = p }, 0
  for k = p.bricks, 1, -1 do -- bricks from the table upwards; reach: x of the right end of brick k
    reach = reach + p.part * WIDTH / (2 * k)
    s.top = world:body { position = { reach - WIDTH / 2, (p.bricks - k + 0.5) * HEIGHT } }
    s.top:box { WIDTH, HEIGHT }
  end
  s.start, s.reach, s.early = { s.top:position() }, reach, { 0, 0 }
  return s
end

function scene.update(s)
  if s.world.time < 5 then s.early = { s.top:position() } end
end

function scene.measure(s)
  local x, y = s.top:position()
  return { sunk = s.start[2] - y, creep = math.sqrt((x - s.early[1]) ^ 2 + (y - s.early[2]) ^ 2) }
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.bricks
  if s.p.part > 1 then
    -- On every brick, the centre of mass of the bricks above starts w/20 beyond the brick's edge. The top brick falls
    -- by 1 m in less than 3 s.
    return now.sunk > 1, ("the top brick has sunk by only %.3f m"):format(now.sunk)
  end
  -- Each brick sinks in by the slop plus 1 mm. If a brick sinks in by the slop at one end only, the bricks above turn
  -- by SLOP / (WIDTH / 2).
  local bound = n * (SLOP + 0.001) + n * SLOP / (WIDTH / 2) * s.reach
  return now.sunk < bound, ("the top brick has sunk by %.3f m, at most %.3f expected"):format(now.sunk, bound),
    now.creep < 1e-3, ("the top brick crept by %.4f m in 5 s"):format(now.creep) -- at rest
end

return scene, {
  vary = { bricks = { 4, 8, 16 }, part = { 0.5, 0.8, 1.1 } }, solvers = { "si" }, peers = true,
}
