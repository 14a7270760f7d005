-- The draw list: what a world looks like, as text against golden files, and against what the world itself says.

local impel = require "impel"
local drawings = require "impel.drawing"
local golden = dofile "spec/lua/golden.lua"

-- The items of a drawing in a list, those of a kind or style alone where they are named.
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

-- Every entry of the class world that makes a joint.
local function joint_kinds()
  local names = {}
  for _, entry in ipairs(impel.api().world) do
    if entry.coordinates then names[#names + 1] = entry.name end
  end
  return names
end

local shapes = {
  circle = function(b) b:circle { radius = 0.5, center = { 1, 0 } } end,
  box = function(b) b:box { width = 2, height = 1 } end,
  polygon = function(b) b:polygon { points = { { 0, 0 }, { 2, 0 }, { 1, 1 } }, radius = 0.1 } end,
  capsule = function(b) b:capsule { from = { -1, 0 }, to = { 1, 0 }, radius = 0.25 } end,
  segment = function(b) b:segment { from = { -1, 0 }, to = { 1, 0.5 } } end,
  chain = function(b) b:chain { points = { { 2, 0 }, { 1, 0 }, { 0, 1 }, { -1, 1 } } } end,
}

-- A world with two bodies for each kind of joint; `extra` are fields of its constructor.
local joints = {
  revolute = { anchor = { 0, 0 }, limit = { -1, 0.5 } },
  prismatic = { anchor = { 0, 0 }, axis = { 1, 1 }, limit = { -1, 2 } },
  weld = { anchor = { 0, 0 } },
  wheel = { anchor = { 1, 0 }, axis = { 0, 1 }, spring = { hertz = 2, damping_ratio = 0.7 } },
  pin_slot = { anchor = { 0, 0 }, axis = { 1, 0 } },
  distance = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 }, spring = { hertz = 1 } },
  rope = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 }, length = 3 },
  pose = { target = { 1, 1 } },
  drag = { target = { 1, 2 } },
  pulley = { anchor_a = { -1, 0 }, anchor_b = { 1, 0 }, ground_a = { -1, 3 }, ground_b = { 1, 3 } },
  ratchet = { anchor = { 0, 0 }, pitch = 0.1, direction = -1 },
  friction = { anchor = { 0, 0 }, max_force = 1, max_torque = 1 },
  linear = { anchor = { 0, 0 } },
}

local function pair_of_bodies()
  local world = impel.world { gravity = { 0, 0 } }
  local a = world:body { position = { -1, 0 } }
  local b = world:body { position = { 1, 0 } }
  a:box { width = 1, height = 1 }
  b:box { width = 1, height = 1 }
  return world, a, b
end

local function joined(kind)
  local world, a, b = pair_of_bodies()
  local options = {}
  for name, value in pairs(joints[kind] or {}) do options[name] = value end
  if kind == "gear" or kind == "rack" then
    local first = world:revolute(world.ground, a, { anchor = { -1, 0 } })
    local second = kind == "gear" and world:revolute(world.ground, b, { anchor = { 1, 0 } })
      or world:prismatic(world.ground, b, { anchor = { 1, 0 } })
    world[kind](world, { joint1 = first, joint2 = second, ratio = 2 })
  elseif kind == "constraint" then
    world:constraint(a, b, { C = function(p, q) return p.x + q.x end })
  elseif kind == "drag" then
    world:drag(b, options)
  else
    world[kind](world, a, b, options)
  end
  return world
end

describe("the draw list", function()
  for _, name in ipairs { "box", "capsule", "chain", "circle", "polygon", "segment" } do
    it("shows a " .. name, function()
      local world = impel.world {}
      shapes[name](world:body { type = "static", position = { 10, 20 }, angle = math.pi / 2 })
      golden.check(("draw/shape_%s.txt"):format(name), draw(world):dump())
    end)
  end

  it("has a golden file for every kind of joint there is", function()
    local known = { gear = true, rack = true, constraint = true }
    for name in pairs(joints) do known[name] = true end
    for _, name in ipairs(joint_kinds()) do assert.truthy(known[name], name) end
  end)

  local every = joint_kinds()
  every[#every + 1] = "constraint"
  for _, name in ipairs(every) do
    it("shows a joint of the kind " .. name, function()
      golden.check(("draw/joint_%s.txt"):format(name), draw(joined(name), { shapes = false }):dump())
    end)
  end

  it("tells what a body is doing by the style of its shapes", function()
    local world = impel.world { gravity = { 0, 0 } }
    local styles = {}
    for _, type in ipairs { "static", "kinematic", "dynamic", "particle" } do
      world:body { type = type, position = { 10 * world:counts().bodies, 0 } }:circle { radius = 1 }
    end
    world:body { position = { 40, 0 }, awake = false }:circle { radius = 1 }
    world:body { position = { 50, 0 } }:circle { radius = 1, sensor = true }
    world:body { position = { 60, 0 }, enabled = false }:circle { radius = 1 }
    for i, item in ipairs(items(draw(world), nil, "fill")) do styles[i] = item.style end
    assert.same({ "static", "kinematic", "dynamic", "dynamic", "asleep", "sensor", "disabled" }, styles)
  end)

  it("puts the points where the body's own frame has them", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { position = { 3, -2 }, angle = 0.7, velocity = { 1, 2 }, angular_velocity = 3 }
    body:box { width = 2, height = 1, center = { 0.5, 0.25 } }
    world:step(30)
    local corners = items(draw(world), "dynamic", "fill")[1]
    local at = 0
    for _, local_corner in ipairs { { -0.5, -0.25 }, { 1.5, -0.25 }, { 1.5, 0.75 }, { -0.5, 0.75 } } do
      local x, y = body:world_point(local_corner[1], local_corner[2])
      assert.near(x, corners[at + 1], 1e-12) -- the same rotation twice
      assert.near(y, corners[at + 2], 1e-12)
      at = at + 2
    end
  end)

  it("shows at rest a force of the weight, up, on the body that is carried", function()
    local world = impel.world {}
    world:body { type = "static" }:box { width = 10, height = 1, center = { 0, -0.5 } }
    local crate = world:body { position = { 0, 0.5 } }
    crate:box { width = 1, height = 1, density = 3 }
    world:step(120)
    local up, scale = 0, 0.01
    for _, item in ipairs(items(draw(world, { forces = true, force_scale = scale }), "force", "arrow")) do
      up = up + item[4] - item[2]
      assert.near(item.value * scale, item[4] - item[2], 1e-6) -- straight up but for friction's rounding
    end
    assert.near(3 * 9.81, up / scale, 3 * 9.81 * 1e-3) -- soft contacts settle to a thousandth
  end)

  it("shows the reaction of a joint that carries a body", function()
    local world = impel.world {}
    local bob = world:body { position = { 0, -1 } }
    bob:circle { radius = 0.1, density = 1 / (math.pi * 0.01) } -- 1 kg
    world:revolute(world.ground, bob, { anchor = { 0, 0 } })
    world:step(10)
    local arrow = items(draw(world, { forces = true, force_scale = 0.1 }), "force", "arrow")[1]
    assert.near(0.981, arrow[4] - arrow[2], 1e-6)
    assert.near(9.81, arrow.value, 1e-5)
    local cut = items(draw(world, { forces = true, force_scale = 0.1, longest = 0.5 }), "force", "arrow")[1]
    assert.near(0.5, cut[4] - cut[2], 1e-12)
    assert.near(9.81, cut.value, 1e-5) -- what it stands for is not cut
  end)

  it("shows row impulses that add up to what the rows say", function()
    local world = impel.world {}
    local bob = world:body { position = { 1, 0 } }
    bob:circle { radius = 0.1 }
    local joint = world:revolute(world.ground, bob, { anchor = { 0, 0 } })
    world:step(20)
    local sum = {}
    for row in joint:rows() do sum[#sum + 1] = row.impulse end
    local shown = items(draw(world, { rows = true, impulse_scale = 1e6 }), "row", "arrow")
    assert.equal(#sum, #shown)
    for i, item in ipairs(shown) do assert.near(sum[i], item.value, 1e-12) end
  end)

  it("shows velocities, centres, boxes and names where they are asked for", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { name = "crate", position = { 1, 2 }, velocity = { 3, 4 } }
    body:box { width = 2, height = 1 }
    local d = draw(world, { velocities = true, velocity_scale = 0.5, centers = true, boxes = true, names = true,
      shapes = false })
    local arrow = items(d, "velocity")[1]
    assert.same({ 1, 2, 2.5, 4 }, { arrow[1], arrow[2], arrow[3], arrow[4] })
    assert.equal(5, arrow.value)
    assert.equal("crate", items(d, "name")[1].text)
    assert.same({ 0, 1.5, 2, 1.5, 2, 2.5, 0, 2.5 }, { table.unpack(items(d, "box")[1], 1, 8) })
    assert.equal(3, #items(d, "center"))
    assert.equal(0, #d - 3 - 3)
  end)

  it("does not change the world", function()
    local scene = assert(require("impel.scene").load "examples/ragdoll_drop.lua")
    local all = { contacts = true, normals = true, forces = true, rows = true, boxes = true, centers = true,
      velocities = true, names = true }
    local hashes = {}
    for round = 1, 2 do
      local run = assert(require("impel.run").new(scene, { steps = 90 }))
      while not run:done() do
        run:step()
        if round == 2 then draw(run.world, all) end
      end
      hashes[round] = run.world.hash
      run:close()
    end
    assert.equal(hashes[1], hashes[2])
  end)
end)

describe("a drawing", function()
  it("keeps what it is given and clears it", function()
    local d = drawings.new()
    d:fill("scene", 0xff0000ff, 0.5, { 1, 2 })
    d:polyline("trail", nil, { 0, 0, 1, 1, 2, 0 })
    d:arrow("force", 0, 0, 0, 1, 0, 7)
    d:text("panel", 0x112233ff, 12, 0.5, 3, 4, "ein Wört")
    d:clip(0, 0, 1, 1)
    d:clip()
    golden.check("draw/items.txt", d:dump())
    assert.equal(6, #d)
    assert.same({ 0, 0, 2, 2.5 }, { d:bounds() })
    d:clear()
    assert.equal(0, #d)
    assert.equal(nil, (d:bounds()))
  end)

  it("is bounded by all that it shows, radii too, on every side", function()
    local d = drawings.new()
    d:fill("scene", 0xff0000ff, 0.5, { 3, -4 })
    assert.same({ 2.5, -4.5, 3.5, -3.5 }, { d:bounds() })
    d:fill("scene", 0xff0000ff, 2, { -1, 5 })
    assert.same({ -3, -4.5, 3.5, 7 }, { d:bounds() })
    d:text("panel", 0x112233ff, 12, 0.5, 100, 100, "no part of it")
    assert.same({ -3, -4.5, 3.5, 7 }, { d:bounds() })
  end)

  it("refuses what cannot be drawn, at the caller's line", function()
    local d = drawings.new()
    local function refused(pattern, name, ...)
      local ok, message = pcall(d[name], d, ...)
      assert.falsy(ok)
      assert.truthy(message:find(pattern, 1, true), message)
    end
    refused("one of", "fill", "nothing", 0, 0, { 0, 0 })
    refused("'color' must be an integer 0xRRGGBBAA, got -1", "fill", "scene", -1, 0, { 0, 0 })
    refused("radius must be finite and >= 0", "fill", "scene", 0, -1, { 0, 0 })
    refused("not convex", "fill", "scene", 0, 0, { 0, 0, 2, 0, 1, 0.2, 1, 2 })
    refused("not convex", "outline", "scene", 0, 0, { 0, 0, 2, 2, 2, 0, 0, 2 })          -- crosses itself
    local star = {}
    for i = 0, 4 do -- turns left throughout, but twice around
      star[2 * i + 1], star[2 * i + 2] = math.cos(i * 0.8 * math.pi), math.sin(i * 0.8 * math.pi)
    end
    refused("not convex", "fill", "scene", 0, 0, star)
    refused("two numbers a point", "polyline", "scene", 0, { 1, 2, 3 })
    refused("points[2] must be a number", "polyline", "scene", 0, { 1, "x", 3, 4 })
    refused("cannot have 1 points", "polyline", "scene", 0, { 1, 2 })
    refused("not finite", "dot", "scene", 0, 0 / 0, 1)
    refused("align must be from 0 to 1", "text", "scene", 0, 0, 2, 0, 0, "x")
    refused("must be a string", "text", "scene", 0, 0, 0, 0, 0, 5)
    refused("must be a world", "world", 5)
    refused("bad field 'shape'", "world", impel.world {}, { shape = true })
    assert.equal(0, #d)
    local world = impel.world {}
    world:destroy()
    refused("destroyed", "world", world)
    local other = impel.world {}
    other:on("substep", function() d:world(other) end)
    other:body {}
    assert.error_matches(function() other:step() end, "inside a step")
  end)
end)
