-- A level is destroyed and rebuilt many times under a ball at rest. Rays find only the new shapes, and the ball stays
-- at rest.
-- Source: Godot issue 107951 (rays become slower as geometry is rebuilt), Construct issue 7730 (sprites created and
-- destroyed).
local impel = require "impel"

local scene = { title = "Rebuilt level", about = "A ball stays at rest while its floor is rebuilt.", duration = 2 }
scene.params = { tiles = 100, every = 5 }

local function build(s)
  for i = 1, s.p.tiles do s.level[i] = s.floor:box { 1, 1, center = { i - s.p.tiles / 2, -0.5 } } end
end

function scene.setup(p)
  local world = impel.world {}
  local s = { world = world, p = p, level = {}, floor = world:body { type = "static" }, missed = 0, most = 0 }
  build(s)
  s.ball = world:body { position = { 0.2, 0.5 } }
  s.ball:circle { radius = 0.5, friction = 1 }
  return s
end

function scene.update(s)
  if s.world.tick % s.p.every == 0 then
    for _, tile in ipairs(s.level) do tile:destroy() end
    build(s)
  end
  for i = 1, s.p.tiles, 7 do
    local hit = s.world:raycast(i - s.p.tiles / 2 + 0.1, 5, i - s.p.tiles / 2 + 0.1, -5)
    if not hit then s.missed = s.missed + 1 end
  end
  s.most = math.max(s.most, s.world:counts().shapes)
end

function scene.check(s)
  local x, y = s.ball:position()
  return s.missed == 0, ("%d rays miss the floor"):format(s.missed),
    s.most == s.p.tiles + 1, ("the world has up to %d shapes, %d expected"):format(s.most, s.p.tiles + 1),
    math.abs(x - 0.2) < 1e-3 and math.abs(y - 0.5) < 5e-3, ("the ball is at %g, %g"):format(x, y)
end

return scene, {
  vary = { tiles = { 10, 100, 1000 }, every = { 1, 5 } },
  solvers = { "si", "direct", "rattle" },
}
