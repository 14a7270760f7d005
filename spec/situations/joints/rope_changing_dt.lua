-- A rope that hangs at rest stays at rest when the length of the step or the number of substeps changes.
-- Source: Jolt pull request 234 (erratic motion when the number of steps changes in a running game).
local impel = require "impel"

local scene = {
  title = "Rope, changing dt", about = "A hanging rope does not move when dt or substeps change.", duration = 10,
  units = { moved = "m", fastest = "m/s" },
}
scene.params = {
  links = 10, link = 0.5,
  mode = { 1, help = "from 5 s on: 1: dt / 2, 2: dt / 10, 3: 60 and 144 Hz by turns, 4: five dt in a cycle, "
    .. "5: 8 substeps, 6: 2 substeps" },
}

local CYCLE = { 1 / 60, 1 / 50, 1 / 75, 1 / 40, 1 / 100 }
local CHANGES = {
  function(world) world.dt = 1 / 120 end,
  function(world) world.dt = 1 / 600 end,
  function(world) world.dt = world.tick % 2 == 0 and 1 / 60 or 1 / 144 end,
  function(world) world.dt = CYCLE[world.tick % 5 + 1] end,
  function(world) world.substeps = 8 end,
  function(world) world.substeps = 2 end,
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, p = p, links = {}, rest = {}, moved = 0, fastest = 0 }
  for i = 1, p.links do
    local link = world:body { position = { 0, (0.5 - i) * p.link } }
    link:box { 0.1, p.link }
    world:revolute(s.links[i - 1] or world.ground, link, { anchor = { 0, (1 - i) * p.link } })
    s.links[i] = link
  end
  return s
end

function scene.update(s)
  local world = s.world
  for i, link in ipairs(s.links) do
    local x, y = link:position()
    local vx, vy = link:velocity()
    if world.tick == 300 then s.rest[i] = { x, y } end
    if s.rest[i] then
      s.moved = math.max(s.moved, math.abs(x - s.rest[i][1]), math.abs(y - s.rest[i][2]))
      s.fastest = math.max(s.fastest, math.abs(vx), math.abs(vy))
    end
  end
  if world.tick >= 300 then CHANGES[s.p.mode](world) end
end

function scene.measure(s) return { moved = s.moved, fastest = s.fastest } end

function scene.check(s)
  -- A rope of rigid links does not move. 0.1 % of its length is not visible. In one step, a load that is out of balance
  -- by 10 % gets the speed g dt / 10.
  local far, fast = 0.001 * s.p.links * s.p.link, 0.1 * 9.81 / 60
  return s.moved < far, ("a link moved by %.2f mm, %.1f allowed"):format(1e3 * s.moved, 1e3 * far),
    s.fastest < fast, ("a link moved at %.3f m/s, %.3f allowed"):format(s.fastest, fast)
end

return scene, { vary = { links = { 5, 10, 20 }, mode = { 1, 2, 3, 4, 5, 6 } }, solvers = { "direct" }, peers = true }
