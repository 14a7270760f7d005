-- A column of cubes welded to each other and to the ground carries a heavy cube on its top, and stays upright.
-- Source: Jolt issues 1390 and 1392 (towers of bodies with all axes locked sway and fold).
local impel = require "impel"

local scene = {
  title = "Welded column", about = "A welded column carries a heavy top.", duration = 10,
  units = { lean = "m", sink = "m" },
}
-- top: mass of the top cube [kg]; the mass of all other cubes is 1 kg; aside: sideways offset of the top cube [m]
scene.params = { cubes = 6, top = 10.0, aside = 0.3 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local before = world:body { type = "static" }
  before:box { 10, 1, center = { 0, -0.5 } }
  for i = 1, p.cubes + 1 do
    local top = i > p.cubes
    local cube = world:body { position = { top and p.aside or 0, i - 0.5 }, mass = top and p.top or 1 }
    cube:box { 1, 1 }
    world:weld(before, cube, { anchor = { 0, i - 1 } })
    before = cube
  end
  return { world = world, top = before, p = p, lean = 0, sink = 0 }
end

function scene.update(s)
  local x, y = s.top:position()
  s.lean, s.sink = math.max(s.lean, math.abs(x - s.p.aside)), math.max(s.sink, s.p.cubes + 0.5 - y)
end

function scene.measure(s) return { lean = s.lean, sink = s.sink } end

function scene.check(s)
  local height = s.p.cubes
  -- Welds leave no degree of freedom. The bound is the slop of a contact, 5 mm, for each weld.
  return s.lean < 5e-3 * height, ("the column's top leans by %.4f m"):format(s.lean),
    s.sink < 5e-3 * height, ("the column's top sinks by %.4f m"):format(s.sink)
end

return scene, {
  vary = { cubes = { 3, 6, 12 }, top = { 1, 10, 100 } }, solvers = { "xpbd", "si", "direct" }, peers = true,
}
