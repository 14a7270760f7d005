-- A floor of a thousand tiles behaves like one floor.
local impel = require "impel"

local scene = {
  title = "Tiles",
  about = "A crate without friction crosses 1000 tiles, each a separate box, and keeps its speed: tiles that touch "
    .. "have no internal edges. A wall of tiles at the end stops the crate.",
  duration = 10, -- [s]
  view = { x = 245, y = 1, height = 7 },
  units = { way = "m", speed = "m/s", climb = "m/s", turn = "rad" },
}

scene.params = {
  smooth = { true, help = "world.smooth_internal_edges: tiles that touch are one surface" },
  speed = { 30.0, min = 1, max = 50, help = "speed of the crate [m/s]" },
}

local TILE = 0.25 -- [m]
local COUNT = 1000
local LENGTH = COUNT * TILE
local SETTLED = 0.5 -- time until which the crate stands still and settles [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, smooth_internal_edges = p.smooth }
  local level = world:body { type = "static", name = "level" }
  for i = 1, COUNT do
    level:box { TILE, TILE, center = { (i - 0.5) * TILE, -0.5 * TILE }, friction = 0 }
  end
  for row = 0, 7 do
    local shift = row % 2 * 0.5 * TILE
    for i = 0, 2 do
      level:box { TILE, TILE, center = { LENGTH - (i + 0.5) * TILE - shift, (row + 0.5) * TILE }, friction = 0 }
    end
    if shift == 0 then level:box { 0.5 * TILE, TILE, center = { LENGTH - 3.25 * TILE, (row + 0.5) * TILE } } end
  end
  local crate = world:body { position = { 1, 0.5 }, name = "crate" }
  crate:box { 1, 1, friction = 0 }
  return { world = world, crate = crate, speed = p.speed, climb = 0, slowest = p.speed, wall = LENGTH - 3.5 * TILE }
end

function scene.update(s)
  local x = s.crate:position()
  local vx, vy = s.crate:velocity()
  if s.world.time < SETTLED then
    s.crate:set_velocity(0, vy)
  elseif not s.started then
    s.started = true
    s.crate:set_velocity(s.speed, vy)
  elseif x < s.wall - 2 then -- moving
    s.climb = math.max(s.climb, math.abs(vy))
    s.slowest = math.min(s.slowest, vx)
  end
end

function scene.measure(s)
  local vx, vy = s.crate:velocity()
  return { way = (s.crate:position()), speed = vx, climb = vy, turn = s.crate.angle }
end

function scene.check(s)
  local x, y = s.crate:position()
  local reached = s.started and (s.world.time - SETTLED) * s.speed > LENGTH
  -- The crate may overlap the wall by 0.05 m, because a step may end during the impact.
  return 1 - s.slowest / s.speed < 1e-6, ("the crate slowed down to %.4g m/s from %g m/s"):format(s.slowest, s.speed),
    s.climb < 1e-3, ("the crate moved up or down at %.3g m/s, less than 1e-3 expected"):format(s.climb),
    not reached or x < s.wall - 0.45, ("the crate is inside the wall: x = %.3f m"):format(x),
    y > 0.49, ("the crate is inside the floor: y = %.4f m"):format(y)
end

return scene
