-- A beam of boxes, which are welded to each other and to a wall, does not move.
-- Source: Box2D sample "Cantilever"; Jolt issues 1390 and 1392 (bodies with all axes locked sway and fold).
local impel = require "impel"

local scene = {
  title = "Welded cantilever", about = "Boxes welded into a cantilever do not move.", duration = 10,
  units = { sag = "m", speed = "m/s" },
}
-- load: mass at the tip [kg]; hung: the beam is vertical
scene.params = { pieces = 8, load = 0.0, hung = false }

local LENGTH = 4 -- length of the beam [m]; thickness 0.2 m, mass 0.8 kg

function scene.setup(p)
  local world = impel.world { sleep = false }
  local wall = world:body { type = "static" }
  wall:box { 0.2, 2, center = { -0.1, 0 }, mask = 0 }
  local size, before = LENGTH / p.pieces, wall
  for i = 1, p.pieces do
    local at = (i - 0.5) * size
    local piece = world:body { position = p.hung and { 0, -at } or { at, 0 }, angle = p.hung and -math.pi / 2 or 0 }
    piece:box { size, 0.2, mask = 0 }
    world:weld(before, piece, { anchor = p.hung and { 0, -(i - 1) * size } or { (i - 1) * size, 0 } })
    before = piece
  end
  if p.load > 0 then
    local tip = p.hung and { 0, -LENGTH } or { LENGTH, 0 }
    local load = world:body { position = tip, mass = p.load }
    load:box { 0.4, 0.4, mask = 0 }
    world:weld(before, load, { anchor = tip })
  end
  return { world = world, piece = before, size = size, p = p, sag = 0 }
end

local function sag(s)
  local x, y = s.piece:world_point(s.size / 2, 0)
  if s.p.hung then x, y = -y, x end
  return math.sqrt((x - LENGTH) ^ 2 + y ^ 2)
end

function scene.update(s) s.sag = math.max(s.sag, sag(s)) end

function scene.measure(s)
  local vx, vy = s.piece:velocity()
  return { sag = s.sag, speed = math.sqrt(vx ^ 2 + vy ^ 2) }
end

function scene.check(s)
  local speed = scene.measure(s).speed
  -- Welds lock all coordinates. 1 % of the length is about the sag of a wooden beam.
  return s.sag < 0.01 * LENGTH, ("the tip is up to %.4f m from its place"):format(s.sag),
    speed < 1e-2, ("the tip still moves at %.3f m/s"):format(speed) -- at rest; 1 cm/s is visible
end

return scene, {
  vary = { pieces = { 2, 4, 8, 16 }, load = { 0, 1 }, hung = { false, true } },
  solvers = { "xpbd", "si", "direct", "reduced" }, peers = true,
}
