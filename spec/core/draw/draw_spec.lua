-- The draw list: drawings of worlds, compared with golden text files and with values that the world reports.

local impel = require "impel"
local drawings = require "impel.drawing"
local golden = require "support.golden"

-- Return copies of a drawing's items; `style` and `kind` select items, if given.
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

-- Return the names of the methods of class world that create a joint.
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
  heights = function(b) b:heights { values = { 0, 1, 0.5 }, spacing = 1 } end,
}

-- Options of a joint between two bodies, for each kind of joint.
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
  for _, name in ipairs(require("support.kinds").shapes) do
    it("shows a " .. name, function()
      local world = impel.world {}
      shapes[name](world:body { type = "static", position = { 10, 20 }, angle = math.pi / 2 })
      golden.check(("draw/shape_%s.txt"):format(name), draw(world):dump())
    end)
  end

  it("shows the shapes of world.ground, if it has any", function()
    local world = impel.world {}
    assert.equal("", draw(world):dump())
    world:body { type = "static" }:box { 4, 2, center = { 1, 0 } }
    local other = impel.world {}
    other.ground:box { 4, 2, center = { 1, 0 } }
    assert.same({ items(draw(world))[1][1], "static" }, { items(draw(other))[1][1], items(draw(other))[1].style })
    assert.equal(#items(draw(world)), #items(draw(other)))
    other.ground:set_look { visible = false }
    assert.equal("", draw(other):dump())
  end)

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

  it("gives shapes the style of their body's type and state", function()
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

  it("transforms points by the pose of the body", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { position = { 3, -2 }, angle = 0.7, velocity = { 1, 2 }, angular_velocity = 3 }
    body:box { width = 2, height = 1, center = { 0.5, 0.25 } }
    world:step(30)
    local corners = items(draw(world), "dynamic", "fill")[1]
    local at = 0
    for _, local_corner in ipairs { { -0.5, -0.25 }, { 1.5, -0.25 }, { 1.5, 0.75 }, { -0.5, 0.75 } } do
      local x, y = body:world_point(local_corner[1], local_corner[2])
      assert.near(x, corners[at + 1], 1e-12) -- the drawing and the spec compute the same rotation, up to rounding
      assert.near(y, corners[at + 2], 1e-12)
      at = at + 2
    end
  end)

  it("shows an upward force equal to the weight on a body at rest", function()
    local world = impel.world {}
    world:body { type = "static" }:box { width = 10, height = 1, center = { 0, -0.5 } }
    local crate = world:body { position = { 0, 0.5 } }
    crate:box { width = 1, height = 1, density = 3 }
    world:step(120)
    local up, scale = 0, 0.01
    for _, item in ipairs(items(draw(world, { forces = true, force_scale = scale }), "force", "arrow")) do
      up = up + item[4] - item[2]
      assert.near(item.value * scale, item[4] - item[2], 1e-6) -- the force is vertical, except for rounding in friction
    end
    -- The sum of the forces of soft contacts is within 0.1 % of the weight.
    assert.near(3 * 9.81, up / scale, 3 * 9.81 * 1e-3)
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
    assert.near(9.81, cut.value, 1e-5) -- the arrow is shortened to 0.5 m, the value is the full force
  end)

  it("shows each row's impulse with its value", function()
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

  it("shows velocities, centres, boxes and names if their options are set", function()
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
    -- The symbol of a centre of mass: two axes, and a disc of which two quarters are black.
    local parts = items(d, "center")
    assert.equal(6, #parts)
    assert.same({ 1, 2, 1.15, 2 }, { table.unpack(parts[1], 1, 4) })
    assert.equal(0, #d - 3 - 6)
  end)

  it("does not change the world", function()
    local scene = assert(require("impel.scene").load "examples/ragdoll_drop.lua")
    local all = { contacts = true, normals = true, forces = true, rows = true, boxes = true, centers = true,
      velocities = true, names = true }
    local hashes = {}
    for round = 1, 2 do
      local run = assert(require("impel.scene.run").new(scene, { steps = 90 }))
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
  it("keeps its items until they are cleared", function()
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

  it("has bounds around all items in world coordinates, radii included", function()
    local d = drawings.new()
    d:fill("scene", 0xff0000ff, 0.5, { 3, -4 })
    assert.same({ 2.5, -4.5, 3.5, -3.5 }, { d:bounds() })
    d:fill("scene", 0xff0000ff, 2, { -1, 5 })
    assert.same({ -3, -4.5, 3.5, 7 }, { d:bounds() })
    d:text("panel", 0x112233ff, 12, 0.5, 100, 100, "no part of it")
    assert.same({ -3, -4.5, 3.5, 7 }, { d:bounds() })
  end)

  it("refuses invalid items at the caller's line", function()
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
    refused("not convex", "outline", "scene", 0, 0, { 0, 0, 2, 2, 2, 0, 0, 2 })          -- self-intersecting
    local star = {}
    for i = 0, 4 do -- a pentagram: turns left at every corner, but winds around twice
      star[2 * i + 1], star[2 * i + 2] = math.cos(i * 0.8 * math.pi), math.sin(i * 0.8 * math.pi)
    end
    refused("not convex", "fill", "scene", 0, 0, star)
    refused("two numbers for each point", "polyline", "scene", 0, { 1, 2, 3 })
    refused("points[2] must be a number", "polyline", "scene", 0, { 1, "x", 3, 4 })
    refused("cannot have 1 points", "polyline", "scene", 0, { 1, 2 })
    refused("not finite", "dot", "scene", 0, 0 / 0, 1)
    refused("align must be a number from 0 to 1", "text", "scene", 0, 0, 2, 0, 0, "x")
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

describe("poses between two steps", function()
  local world, poses

  before_each(function()
    world = impel.world { gravity = { 0, 0 }, dt = 1 / 60 }
    poses = drawings.poses()
  end)

  local function ball(vx, w, options)
    local body = world:body(options or {})
    body:circle { radius = 0.5, center = { 0.2, 0 } }
    body:set_velocity(vx, 0)
    body.angular_velocity = w or 0
    return body
  end

  local function step()
    poses:note(world)
    world:step()
  end

  local function near(expected, x, y, angle)
    assert.near(expected[1], x, 1e-12)
    assert.near(expected[2], y, 1e-12)
    if expected[3] then assert.near(expected[3], angle, 1e-12) end
  end

  it("interpolate the centre of mass and the angle linearly", function()
    local body = ball(6, 3, { position = { -0.2, 1 } }) -- the ball's centre of mass is at (0, 1)
    step()
    for _, fraction in ipairs { 0, 0.25, 0.5, 1 } do
      poses:set_fraction(fraction)
      local cx, cy = poses:to_drawn(body, body:center())
      near({ 0.1 * fraction, 1 }, cx, cy)
      local x, y, angle = poses:pose(body)
      local turn = 0.05 * fraction
      near({ 0.1 * fraction - 0.2 * math.cos(turn), 1 - 0.2 * math.sin(turn), turn }, x, y, angle)
      near({ body:world_point(0.3, -0.7) }, poses:from_drawn(body, poses:to_drawn(body, body:world_point(0.3, -0.7))))
    end
  end)

  it("turn along the shorter arc, at any unwrapped angle", function()
    local body = ball(0, math.rad(200) * 60)
    body.angle = 20 * math.pi
    step()
    poses:set_fraction(0.25)
    local _, _, angle = poses:pose(body)
    -- The shorter arc is 160 degrees backwards, not 200 forwards.
    assert.near(body.angle + 0.75 * math.rad(160), angle, 1e-9)
  end)

  it("equal the current state at fraction 1 and before the first poses:note", function()
    ball(6, 3)
    local function dump(...)
      local d = drawings.new()
      d:world(world, { centers = true, velocities = true }, ...)
      return d:dump()
    end
    poses:set_fraction(0.5)
    world:step()
    assert.equal(dump(), dump(poses))
    step()
    poses:set_fraction(1)
    assert.equal(dump(), dump(poses))
    poses:set_fraction(0.5)
    assert.not_equal(dump(), dump(poses))
  end)

  it("are not used for a body that was teleported before, in or after the step", function()
    local before, inside, after, moved = ball(6), ball(6), ball(6), ball(6)
    before:set_position(0, 10)
    inside:set_position(0, 20)
    after:set_position(0, 30)
    moved:set_position(0, 40)
    world:on("substep", function()
      local x = inside:position()
      if x < 5 then inside:set_position(7, 20) end
    end)
    poses:set_fraction(0.5)
    poses:note(world)
    before:set_position(5, 10)
    world:step()
    after.angle = 2
    for _, body in ipairs { before, inside, after } do
      local x, y = body:position()
      near({ x, y, body.angle }, poses:pose(body))
    end
    near({ 0.05, 40, 0 }, poses:pose(moved))
    step()
    local x = before:position()
    near({ x - 0.05, 10 }, poses:pose(before)) -- after the next step the pose is interpolated again
  end)

  it("are used only one step after poses:note, and not for a new body or a shifted centre of mass", function()
    local old, grown = ball(6), ball(6, 0, { position = { 0, 10 } })
    poses:set_fraction(0.5)
    poses:note(world)
    near({ 0, 0 }, poses:pose(old))
    local new = ball(6, 0, { position = { 0, 20 } })
    grown:circle { radius = 0.5, center = { 3, 0 } }
    world:step()
    near({ 0.05, 0 }, poses:pose(old))
    near({ 0.1, 20 }, poses:pose(new))
    near({ grown:position() }, poses:pose(grown))
    world:step()
    near({ 0.2, 0 }, poses:pose(old))
    old:destroy()
    assert.error_matches(function() poses:pose(old) end, "destroyed")
    local other = impel.world { gravity = { 0, 0 } }
    local stranger = other:body { position = { 4, 4 } }
    other:step()
    near({ 4, 4 }, poses:pose(stranger))
  end)

  it("do not change the hash and snapshots of the world", function()
    local function run(noted)
      local w = impel.world { seed = 3 }
      w:body({ type = "static" }):box { 20, 1 }
      for i = 1, 5 do w:body({ position = { 0.1 * i, 1.2 * i } }):box { 1, 1 } end
      for _ = 1, 60 do
        if noted then noted:note(w) end
        w:step()
        if noted then drawings.new():world(w, { contacts = true, forces = true, rows = true }, noted) end
      end
      return w.hash, w:snapshot()
    end
    local hash, state = run()
    poses:set_fraction(0.3)
    local noted_hash, noted_state = run(poses)
    assert.equal(hash, noted_hash)
    assert.equal(state, noted_state)
  end)

  it("are used for a mover that walks, not for one that is teleported", function()
    local mover = world:mover { position = { 0, 0 } }
    poses:set_fraction(0.5)
    poses:note(world)
    mover:move(0.4, 0)
    world:step()
    local x, y = mover.body:position()
    assert.near(0.4, x, 1e-9)
    near({ 0.2, y }, poses:pose(mover.body))
    poses:note(world)
    mover.body:set_position(3, 0)
    world:step()
    near({ mover.body:position() }, poses:pose(mover.body))
  end)

  it("move the symbols of joints and contacts too", function()
    local floor = world:body { type = "static", position = { 0, -0.5 } }
    floor:box { 40, 1 }
    local box = world:body { position = { 0, 0.5 } }
    box:box { 1, 1, friction = 0 }
    box:set_velocity(6, 0)
    local a, b = world:body { position = { 10, 5 } }, world:body { position = { 12, 5 } }
    a:circle { radius = 0.2 }
    b:circle { radius = 0.2 }
    world:distance(a, b, {})
    local pin = world:body { position = { 0, 9 } }
    pin:circle { radius = 0.2 }
    world:revolute(world.ground, pin, { anchor = { 0, 10 } })
    a:set_velocity(0, 6)
    b:set_velocity(0, 6)
    pin:set_velocity(6, 0)
    pin.angular_velocity = 6 -- the pin rotates about an anchor at a distance of 1 m
    world:step()
    step()
    poses:set_fraction(0.25)
    local d = drawings.new()
    d:world(world, { contacts = true, size = 0.01 }, poses)
    local dots, exact = items(d, "contact", "dot"), items(draw(world, { contacts = true }), "contact", "dot")
    assert.equal(2, #dots)
    local x, now = poses:pose(box), box:position()
    for i = 1, 2 do -- each drawn contact is as far from the box as in a drawing without poses
      assert.near(exact[i][1] - now, dots[i][1] - x, 1e-9)
      assert.near(exact[i][2], dots[i][2], 1e-9)
    end
    local joints_drawn = items(d, "joint", "polyline")
    local ax, ay = poses:pose(a)
    local bx, by = poses:pose(b)
    near({ ax, ay }, joints_drawn[1][1], joints_drawn[1][2])
    near({ bx, by }, joints_drawn[1][3], joints_drawn[1][4])
    assert.near(5 + 0.1 * 1.25, ay, 1e-6) -- the solver stores velocities as floats, with 24 bits
    local px, py = poses:pose(pin)
    near({ px, py }, joints_drawn[2][1], joints_drawn[2][2]) -- the lever arm starts at the centre of mass
    -- The drawn centre is on a chord, 1.25e-3 m off the arc.
    assert.near(0, joints_drawn[2][3], 0.0015)
    assert.near(10, joints_drawn[2][4], 0.0015)
  end)

  it("refuse wrong fractions, objects and calls inside a step", function()
    assert.error_matches(function() poses:set_fraction(1.5) end, "from 0 to 1, got 1.5")
    assert.error_matches(function() poses:set_fraction(0 / 0) end, "from 0 to 1")
    assert.error_matches(function() poses:note(5) end, "must be a world")
    assert.error_matches(function() poses:pose(world) end, "must be a body")
    world:on("substep", function() poses:note(world) end)
    ball(1)
    assert.error_matches(function() world:step() end, "inside a step")
  end)
end)
