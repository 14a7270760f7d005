-- Overlays: symbols of joints beside their bodies, lengths of arrows, friction cones, ids, islands, the legend.

local impel = require "impel"
local arrow_scale = require "impel.picture.arrow_scale"
local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local island_colors = require "impel.picture.island_colors"
local legend = require "impel.picture.legend"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"

local function items(drawing, style, kind)
  local list = {}
  for _, item in drawing:items() do
    if (not style or item.style == style) and (not kind or item.kind == kind) then
      local copy = {}
      for name, value in pairs(item) do copy[name] = value end
      list[#list + 1] = copy
    end
  end
  return list
end

local function draw(world, options)
  local d = drawings.new()
  d:world(world, options)
  return d
end

describe("the symbol of a joint", function()
  local joints = {
    revolute = { anchor = { 0, 0 }, limit = { -1, 0.5 }, armature = 1 },
    prismatic = { anchor = { 0, 0 }, axis = { 1, 0 } },
    weld = { anchor = { 0, 0 } },
    wheel = { anchor = { 1, 0 }, axis = { 0, 1 }, spring = { hertz = 2, damping_ratio = 0.7 } },
    pin_slot = { anchor = { 0, 0 }, axis = { 1, 0 } },
    distance = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 }, spring = { hertz = 1 } },
    rope = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 } },
    pose = { target = { 1, 0 } },
    pulley = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 }, ground_a = { -1, 3 }, ground_b = { 1, 3 } },
    ratchet = { anchor = { 0, 0 }, pitch = 0.1, direction = -1 },
    friction = { anchor = { 0, 0 }, max_force = 1, max_torque = 1 },
  }

  -- Join two boxes at x = -1 and x = 1; the length unit is `unit` metres.
  local function joined(kind, unit)
    local world, options = impel.world { gravity = { 0, 0 } }, {}
    local a = world:body { position = { -unit, 0 } }
    local b = world:body { position = { unit, 0 } }
    a:box { unit, unit }
    b:box { 2 * unit, 2 * unit }
    for name, value in pairs(joints[kind]) do
      if type(value) == "table" and value[1] and name ~= "limit" and name ~= "axis" then
        value = { value[1] * unit, value[2] * unit }
      end
      options[name] = value
    end
    if options.length then options.length = options.length * unit end
    world[kind](world, a, b, options)
    return world
  end

  for kind in pairs(joints) do
    it("of the kind " .. kind .. " is no larger than the smaller body, if that is 1 cm, 1 m or 100 m wide", function()
      for _, unit in ipairs { 0.01, 1, 100 } do
        -- The symbol extends at most to the corners of the smaller box; 1e-9 is for rounding.
        local world, reach = joined(kind, unit), math.sqrt(0.5) * unit + 1e-9 * unit
        for _, size in ipairs { 0.01, 0.5, 1, 4, 1000 } do
          local x1, y1, x2, y2 = draw(world, { shapes = false, size = size * unit }):bounds()
          local top = kind == "pulley" and 3 * unit or 0
          local inside = not x1 and size > 1
            or x1 >= -unit - reach and x2 <= unit + reach and y1 >= -reach and y2 <= top + reach
          assert.is_true(inside, ("unit %g, size %g: %s %s %s %s"):format(unit, size, x1, y1, x2, y2))
        end
      end
    end)
  end

  it("has its full size on larger bodies, and is left out if it would be too small", function()
    local world = joined("revolute", 1)
    assert.near(0.1, items(draw(world, { shapes = false, size = 0.1 }), "joint", "outline")[1].radius, 1e-12)
    local bounded = items(draw(world, { shapes = false, size = 1 }), "joint", "outline")[1].radius
    assert.near(0.25 * math.sqrt(0.5), bounded, 1e-12)
    assert.equal(0, #draw(world, { shapes = false, size = 2 }))
    assert.equal(1, #draw(joined("rope", 1), { shapes = false, size = 2 }), "the line of a rope is drawn at any size")
  end)
end)

describe("a truncated arrow", function()
  it("has two strokes across it, and a full one has none", function()
    local world = impel.world {}
    local bob = world:body { position = { 0, -1 } }
    bob:circle { radius = 0.1, density = 1 / (math.pi * 0.01) } -- 1 kg: 9.81 N
    world:revolute(world.ground, bob, { anchor = { 0, 0 } })
    world:step(10)
    local function strokes(longest)
      local d = draw(world, { shapes = false, joints = false, forces = true, force_scale = 0.1, longest = longest })
      return #items(d, "force", "polyline")
    end
    assert.equal(2, strokes(0.98))
    assert.equal(0, strokes(0.99))
  end)

  it("has two strokes also across the arc of a torque", function()
    local world = impel.world { gravity = { 0, 0 } }
    local wheel = world:body {}
    wheel:circle { radius = 1 }
    world:revolute(world.ground, wheel, { anchor = { 0, 0 }, motor = { speed = 1000, max_force = 7 } })
    world:step()
    local function lines(scale)
      return #items(draw(world, { shapes = false, joints = false, forces = true, size = 1, torque_scale = scale }),
        "torque", "polyline")
    end
    -- The arc of a torque ends at 5.5 rad. A larger torque gets two strokes across the end of the arc.
    assert.equal(1, lines(5.4 * 1.5 / 7))
    assert.equal(3, lines(5.6 * 1.5 / 7))
  end)
end)

describe("the percentile of arrows", function()
  local function bobs(count)
    local world = impel.world { gravity = { 0, -10 } }
    for i = 1, count do
      local bob = world:body { position = { 3 * i, -1 } }
      bob:circle { radius = 0.1, density = i / (math.pi * 0.01) } -- i kg
      world:distance(world.ground, bob, { anchor_a = { 3 * i, 0 }, anchor_b = { 3 * i, -1 } })
    end
    world:step()
    return draw(world, { forces = true, size = 0 })
  end

  it("is the value at rank ceil(share * n) of the n arrows in the box, sorted by value", function()
    local d = bobs(20)
    for _, case in ipairs { { 0.95, 190 }, { 0.5, 100 }, { 1, 200 }, { 0, 10 }, { 0.951, 200 } } do
      local value, count = d:percentile("force", case[1], -1e3, -1e3, 1e3, 1e3)
      assert.near(case[2], value, 1e-3 * case[2]) -- the default solver computes forces in single precision
      assert.equal(20, count)
    end
    assert.near(50, (d:percentile("force", 1, 0, -2, 16, 2)), 0.05)
    assert.is_nil((d:percentile("force", 1, 0, 5, 16, 6)))
    assert.is_nil((d:percentile("velocity", 1, -1e3, -1e3, 1e3, 1e3)))
    assert.has_error(function() d:percentile("force", 1.5, 0, 0, 1, 1) end)
  end)
end)

describe("the length of arrows", function()
  it("is stable under forces that vary by half", function()
    local arrows = arrow_scale.new()
    arrows:follow("force", 100)
    local length = arrows:length("force", 10, 1)
    assert.near(10 * arrow_scale.TYPICAL / 100, length, 1e-15)
    for i = 1, 200 do
      arrows:follow("force", i % 2 == 0 and 65 or 155)
      assert.equal(length, arrows:length("force", 10, 1))
    end
  end)

  it("is stable under an impact of one frame", function()
    local arrows = arrow_scale.new()
    arrows:follow("force", 100)
    arrows:follow("force", 900)
    for _ = 1, 20 do arrows:follow("force", 100) end
    assert.equal(100, arrows.references.force)
  end)

  it("adapts to larger forces in small steps, and then keeps its scale", function()
    local arrows = arrow_scale.new()
    arrows:follow("force", 1)
    local before = arrows.references.force
    for _ = 1, 90 do
      arrows:follow("force", 1000)
      local ratio = arrows.references.force / before
      assert.is_true(ratio >= 1 and ratio <= 1.16, "the reference changes by a factor outside [1, 1.16]")
      before = arrows.references.force
    end
    assert.is_true(before > 1000 / 1.11 and before <= 1000, "the reference is outside (1000 / 1.11, 1000]")
    arrows:follow("force", 1000 * 1.4)
    assert.equal(before, arrows.references.force)
  end)

  it("is multiplied by the user's factor, at most MOST; a fixed scale survives a reset", function()
    local arrows = arrow_scale.new()
    arrows:follow("force", 10)
    local length = arrows:length("force", 1, 1)
    arrows:multiply(2)
    assert.near(2 * length, arrows:length("force", 1, 1), 1e-15)
    for _ = 1, 20 do arrows:multiply(4) end
    assert.equal(arrow_scale.MOST, arrows.factor)
    arrows.automatic = false
    for _ = 1, 20 do arrows:follow("force", 1e6) end
    arrows:reset()
    assert.equal(10, arrows.references.force)
    arrows.automatic = true
    arrows:reset()
    assert.is_nil(arrows.references.force)
  end)

  it("is smaller for dense arrows; non-finite and non-positive values do not change it", function()
    local arrows = arrow_scale.new()
    for _, value in ipairs { 0 / 0, math.huge, 0, -1 } do arrows:follow("force", value) end
    arrows:follow("force", nil)
    assert.is_nil(arrows.references.force)
    arrows:follow("force", 10, 10000, 1) -- the arrows are a hundredth of the picture's height apart
    assert.near(0.016, 10 * arrows:length("force", 1, 1), 1e-12)
  end)
end)

describe("the panel of overlays", function()
  it("has a slider for the length of arrows and a switch that fixes their scale, while forces are shown", function()
    local shared = require "scripts.viewer.panels"
    local v = shared.viewer_of { "overlays" }
    v.frame_of_run = { arrows = arrow_scale.new() }
    v:frame()
    assert.is_nil(shared.find_text(v, "arrow length"))
    v.overlays.forces = true
    v:frame()
    v:frame() -- panels have the layout of the previous frame
    local at = assert(shared.find_text(v, "arrow length"))
    shared.send(v, shared.down(at.x + 188, at.y + 16), shared.up(at.x + 188, at.y + 16))
    v:frame()
    assert.equal(arrow_scale.MOST, v.frame_of_run.arrows.factor) -- the value at the right end of the slider
    shared.click(v, "automatic scale")
    assert.is_false(v.frame_of_run.arrows.automatic)
  end)
end)

describe("the legend", function()
  it("rounds down to 1, 2 or 5 times a power of ten", function()
    for x, round in pairs { [199.9] = 100, [200] = 200, [0.3] = 0.2, [7e-5] = 5e-5, [1] = 1, [9.99e8] = 5e8 } do
      assert.equal(round, legend.round(x))
    end
    for text, case in pairs { ["200 N"] = { 200, "N" }, ["5 kN"] = { 5000, "N" }, ["20 mN s"] = { 0.02, "N s" },
      ["1 µN"] = { 1e-6, "N" } } do
      assert.equal(text, legend.quantity(table.unpack(case)))
    end
  end)
end)

local STACK = [[
local impel = require "impel"
local scene = { view = { x = 0, y = 2, height = 6 } }
function scene.setup()
  local world = impel.world {}
  world:body { type = "static" }:box { 200, 1, center = { 0, -0.5 } }
  for i = 1, 4 do
    local crate = world:body { position = { 0, i - 0.5 }, allow_sleep = false }
    crate:box { 1, 1, density = 10 }
  end
  return { world = world }
end
return scene
]]

describe("a picture", function()
  local run, frame, camera, drawing

  before_each(function()
    run = assert(runner.new(assert(scenes.parse(STACK, "=stack")), { steps = 1000 }))
    frame, drawing = frames.new(run), drawings.new()
    camera = frame:camera(cameras, 960, 540)
  end)

  local function fill(...)
    local set = frames.defaults()
    for _, name in ipairs { ... } do set[name] = true end
    drawing:clear()
    assert(frame:fill(drawing, camera, set))
  end

  local function texts()
    local list = {}
    for _, item in ipairs(items(drawing, nil, "text")) do list[#list + 1] = item.text end
    return table.concat(list, "\n")
  end

  it("of forces has a legend with an arrow of a round force, at the scale of the other arrows", function()
    for _ = 1, 60 do run:step() end
    fill "forces"
    local number = tonumber(texts():match "^(%d+) N$")
    local shown, scale = nil, nil
    for _, item in ipairs(items(drawing, "force", "arrow")) do
      if item.screen then shown = item[3] - item[1] else scale = (item[4] - item[2]) / item.value end
    end
    assert.near(number * scale * camera.ppm, shown, 1e-3 * shown) -- rounding in the friction tilts the arrows
    fill()
    assert.equal("", texts())
  end)

  it("of forces of 150 N to 1800 N truncates none of them and keeps their ratios", function()
    run = assert(runner.new(assert(scenes.parse([[
      local impel = require "impel"
      return { view = { x = 0, y = 2, height = 6 }, setup = function()
        local world = impel.world { gravity = { 0, -10 } }
        for i, mass in ipairs { 15, 60, 180 } do
          local bob = world:body { position = { 2 * i - 4, 2 }, fixed_rotation = true }
          bob:circle { radius = 0.2, density = mass / (math.pi * 0.04) }
          world:weld(world.ground, bob, { anchor = { 2 * i - 4, 2 } })
        end
        return { world = world }
      end }
    ]], "=bobs")), { steps = 10 }))
    frame = frames.new(run)
    camera = frame:camera(cameras, 960, 540)
    for _ = 1, 5 do run:step() end
    fill "forces"
    local list = {}
    for _, item in ipairs(items(drawing, "force", "arrow")) do
      if not item.screen then list[#list + 1] = math.sqrt((item[3] - item[1]) ^ 2 + (item[4] - item[2]) ^ 2) end
    end
    assert.equal(3, #list)
    assert.equal(0, #items(drawing, "force", "polyline"), "no strokes")
    assert.near(arrow_scale.TYPICAL * 6, list[3], 0.01)
    assert.near(12, list[3] / list[1], 0.1) -- the forces of the default solver are exact to 1 %
    assert.near(3, list[3] / list[2], 0.03)
  end)

  it("keeps its scale while a stack is at rest", function()
    for _ = 1, 60 do run:step() end
    fill "forces"
    local reference = frame.arrows.references.force
    for _ = 1, 30 do
      run:step()
      fill "forces"
      assert.equal(reference, frame.arrows.references.force)
    end
  end)

  it("shows the used percentage of the friction bound, and the touching vertices, unless texts overlap", function()
    for _ = 1, 60 do run:step() end
    fill("friction", "ids")
    -- "shape.vertex" of both shapes: shape 1 is the floor, vertex 3 its top left corner; shape 2 is the lowest crate,
    -- vertex 0 its bottom left corner.
    assert.truthy(texts():find("1.3 2.0", 1, true))
    assert.truthy(texts():find("µ 0.6  0 %", 1, true))
    local cones = items(drawing, "sticking", "fill")
    -- A cone and a wedge at each of eight contact points, and a cone and a wedge in the legend.
    assert.equal(2 * 8 + 2, #cones)
    camera:zoom(0.05, 480, 270)
    fill "friction"
    assert.truthy(texts():find "µ")
    assert.truthy(texts():find "zoom in") -- eight texts overlap, so a hint replaces them
    for i = 1, 75 do run.world:body { position = { 1 + 1.2 * i, 0.5 } }:box { 1, 1 } end
    run:step()
    fill "friction"
    assert.falsy(texts():find "µ")
    assert.truthy(texts():find "zoom in")
  end)

  it("has a legend of the colours and symbols of its overlays", function()
    run:step()
    fill("islands", "centers", "friction", "ids", "velocities")
    for _, text in ipairs { "1 island; pale: asleep", "centre of mass", "slides", "sticks", "ids: shape.vertex" } do
      assert.truthy(texts():find(text, 1, true), text)
    end
  end)

  it("does not change the world, with all overlays", function()
    local other = assert(runner.new(assert(scenes.parse(STACK, "=stack")), { steps = 1000 }))
    for _ = 1, 20 do
      run:step()
      fill("islands", "centers", "friction", "ids", "forces", "rows", "contacts")
      other:step()
    end
    assert.equal(other.world.hash, run.world.hash)
  end)
end)

describe("the cone of a contact", function()
  -- Put a particle on a floor. `tangent`: tangent of the angle between gravity and the floor's normal.
  local function slide(tangent, friction)
    local world = impel.world { gravity = { 10 * tangent, -10 } }
    world:body { type = "static" }:box { 1000, 1, center = { 0, -0.5 }, friction = friction }
    world:body { type = "particle", position = { 0, 0.5 } }:circle { radius = 0.5, friction = friction }
    world:step(60)
    local d = draw(world, { shapes = false, friction = true })
    local list = items(d, nil, "polyline")
    local force = list[#list]
    return force and force.style, force and (force[1] - force[3]) / (force[4] - force[2]), force and force.value, d
  end

  it("has a force of style 'sticking' below the friction bound, at the slope's angle from the normal", function()
    local style, slope, used = slide(0.3, 0.5)
    assert.equal("sticking", style)
    assert.near(0.3, slope, 1e-3) -- the default solver computes forces in single precision
    assert.near(0.6, used, 2e-3)
  end)

  it("has a force of style 'sliding' at the friction bound, on the cone's edge", function()
    local style, slope, used = slide(0.8, 0.5)
    assert.equal("sliding", style)
    assert.near(0.5, slope, 1e-6)
    assert.near(1, used, 1e-3)
  end)

  it("is no larger than the smaller body, beside a body a thousand times as large", function()
    local world = impel.world {}
    world:body { type = "static" }:box { 100, 10, center = { 0, -5 } }
    world:body { position = { 0, 0.005 } }:box { 0.01, 0.01 }
    world:step(30)
    local x1, _, x2, y2 = draw(world, { shapes = false, friction = true, size = 2 }):bounds()
    local reach = 1.5 * 0.01 * math.sqrt(0.5)
    assert.is_true(x2 - x1 <= 0.01 + 2 * reach and y2 <= reach + 0.001 and y2 > 0)
  end)

  it("is not drawn without friction, and is a half plane for infinite friction", function()
    assert.is_nil((slide(0.3, 0)))
    local style, slope = slide(0.3, 1e6)
    assert.equal("sticking", style)
    assert.near(0.3, slope, 1e-3)
  end)
end)

describe("islands", function()
  local function ids(world)
    local list = {}
    for i, bodies in ipairs(world:islands()) do
      list[i] = {}
      for k, body in ipairs(bodies) do list[i][k] = body.name end
      list[i] = table.concat(list[i], " ")
    end
    return list
  end

  local function scene()
    local world = impel.world {}
    world:body { type = "static" }:box { 100, 1, center = { 0, -0.5 } }
    local function box(name, x, y) world:body { name = name, position = { x, y } }:box { 1, 1 } end
    box("a", 0, 0.5)
    box("b", 5, 0.5)
    box("c", 0, 1.5)
    box("d", 10, 0.5)
    box("e", 15, 0.5)
    world:rope(world:find "d", world:find "e", { anchor_a = { 10, 0.5 }, anchor_b = { 15, 0.5 } })
    return world
  end

  it("are the touching or joined bodies, awake and asleep", function()
    local world = scene()
    assert.same({ "a", "b", "c", "d e" }, ids(world), "no contacts before the first step")
    world:step()
    local expected = { "a c", "b", "d e" }
    assert.same(expected, ids(world))
    world:step(120)
    assert.is_false(world:find("a").awake)
    assert.same(expected, ids(world))
    world:find("c"):destroy()
    assert.same({ "a", "b", "d e" }, ids(world))
    world:body { name = "f", position = { 20, 0.5 } }:box { 1, 1 } -- the new body reuses the slot of the destroyed body
    assert.same({ "a", "b", "d e", "f" }, ids(world))
  end)

  it("cannot be listed inside a step; a world without moving bodies has an empty list", function()
    local world = impel.world {}
    world:body { type = "static" }
    assert.same({}, world:islands())
    local message
    world:on("substep", function() message = select(2, pcall(world.islands, world)) end)
    world:step()
    assert.truthy(message:find "inside a step")
  end)

  it("keep their colours when other islands appear, end or merge", function()
    local world, colors = scene(), island_colors.new()
    world:step()
    local function of(name) return colors:of(world)[world:find(name).id] end
    local a, b, d = of "a", of "b", of "d"
    assert.is_true(a ~= b and b ~= d and a ~= d)
    assert.equal(a, of "c")
    world:find("c"):set_position(5, 1.5)
    world:step()
    assert.same({ a, b, b, d }, { of "a", of "b", of "c", of "d" })
    world:find("b"):destroy()
    world:step(2)
    assert.same({ a, d }, { of "a", of "d" })
    world:step(200)
    assert.is_true(of "a" ~= a and of "a" ~= of "d", "pale when asleep")
    world:find("a").awake = true
    assert.equal(a, of "a")
  end)

  it("tint the fills of bodies, and no other items of the drawing", function()
    local world = scene()
    local d, id = draw(world, { centers = true }), world:find("b").id
    d:tint { [id] = 0x11223344 }
    local tinted = 0
    for _, item in ipairs(items(d)) do
      if item.color == 0x11223344 then
        tinted = tinted + 1
        assert.same({ "fill", "dynamic", id }, { item.kind, item.style, item.owner })
      end
    end
    assert.equal(1, tinted)
  end)
end)

describe("a contact's features", function()
  it("are the vertices that face each other, constant during the contact", function()
    local world = impel.world {}
    world:body { type = "static" }:box { 10, 1, center = { 0, -0.5 } }
    local crate = world:body { position = { 0, 0.5 } }
    crate:box { 1, 1 }
    world:step()
    local function features()
      local contact
      for each in crate:contacts() do contact = each end
      return { contact:feature(1) }, { contact:feature(2) }
    end
    -- A box's vertices are numbered counter-clockwise from the bottom left. Contact points are sorted along the edge of
    -- shape_a.
    local one, two = features()
    assert.same({ { 2, 1, false }, { 3, 0, false } }, { one, two })
    world:step()
    one, two = features()
    assert.same({ { 2, 1, true }, { 3, 0, true } }, { one, two })
    for contact in crate:contacts() do
      assert.has_error(function() contact:feature(3) end,
        "contact:feature: argument 'i' must be an integer in [1, 2], got 3")
    end
  end)
end)
