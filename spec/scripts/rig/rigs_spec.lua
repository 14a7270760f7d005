-- Rigs that hang, fall and deform, against closed forms; rules for all rigs.

local impel = require "impel"
local nearest = require "impel.base.nearest"
local near = require "support.near"

local G = 9.81
local kinds = nearest.keys(getmetatable(impel.rig).submodules)

local function ground_of(world)
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 60, 1, center = { 0, -0.5 } }
  return ground
end

describe("every rig", function()
  for _, kind in ipairs(kinds) do
    local make = impel.rig[kind]

    it(kind .. " can be made without options, and has named parts", function()
      local world = impel.world {}
      local parts = make(world)
      local bodies, joints = 0, 0
      for body in world:bodies() do
        bodies = bodies + 1
        assert.equal(parts.bodies[bodies], body)
        assert.equal(kind .. " ", body.name:sub(1, #kind + 1))
      end
      for joint in world:joints() do
        joints = joints + 1
        assert.equal(kind .. " ", joint.name:sub(1, #kind + 1))
      end
      assert.equal(bodies, #parts.bodies)
      assert.equal(joints, #parts.joints)
      assert(parts:mass() > 0)
    end)

    it(kind .. " has the given position and angle", function()
      local a, b = make(impel.world {}, {}), make(impel.world {}, { position = { 3, -2 }, angle = 0.7, name = "mine" })
      for i, body in ipairs(a.bodies) do
        local x, y = body:position()
        local bx, by = b.bodies[i]:position()
        near(3 + math.cos(0.7) * x - math.sin(0.7) * y, bx, 1e-9) -- rounding
        near(-2 + math.sin(0.7) * x + math.cos(0.7) * y, by, 1e-9)
        if body.type ~= "particle" then near(body.angle + 0.7, b.bodies[i].angle, 1e-12) end
        assert.equal("mine", b.bodies[i].name:sub(1, 4))
      end
      for i, joint in ipairs(b.joints) do
        if joint.kind ~= "constraint" then
          local ax, ay, bx, by = a.joints[i]:anchors()
          local cx, cy, dx, dy = joint:anchors()
          near(math.sqrt((ax - bx) ^ 2 + (ay - by) ^ 2), math.sqrt((cx - dx) ^ 2 + (cy - dy) ^ 2), 1e-9)
        end
      end
    end)

    it(kind .. " does not collide with itself, and two of a kind have separate groups", function()
      local world = impel.world { gravity = { 0, 0 } }
      local a, b = make(world, {}), make(world, { position = { 100, 0 } })
      local groups = {}
      for _, parts in ipairs { a, b } do
        for _, body in ipairs(parts.bodies) do
          for shape in body:shapes() do
            assert(shape.group < 0)
            groups[shape.group] = groups[shape.group] or parts
            assert.equal(parts, groups[shape.group])
          end
        end
      end
      world:step()
      for contact in world:contacts() do -- bodies of a rig do not touch, except a tracked rig's belt and wheels
        assert.equal("tracked", kind)
        assert.not_equal(contact.shape_a.group, contact.shape_b.group)
      end
      local own = make(impel.world {}, { group = -7 })
      assert.equal(-7, own.group)
      assert.equal(make(impel.world {}, {}).group, make(impel.world {}, {}).group)
    end)

    it(kind .. " has a group different from every given one", function()
      local world = impel.world {}
      local owner = {}
      for i, group in ipairs { -7, -8, -9 } do
        local parts = make(world, { group = group, position = { 100 * i, 0 } })
        for _, body in ipairs(parts.bodies) do
          for shape in body:shapes() do
            owner[shape.group] = owner[shape.group] or parts
            assert.equal(parts, owner[shape.group])
          end
        end
      end
    end)

    it(kind .. " is destroyed as a whole, and a second destroy does nothing", function()
      local world = impel.world {}
      local before = world.hash
      local parts, other = make(world, {}), make(world, { position = { 50, 0 } })
      parts:destroy()
      parts:destroy()
      assert.equal(#other.bodies, world:counts().bodies)
      assert.equal(#other.joints, world:counts().joints)
      world:step(10)
      other:destroy()
      assert.equal(0, world:counts().bodies)
      assert.equal(0, world:counts().joints)
      world:step() -- the rigs' handlers are removed
      assert.not_equal(before, world.hash)
    end)

    it(kind .. " may be destroyed in a handler", function()
      local world = impel.world {}
      local parts = make(world, {})
      local once
      once = world:on("substep", function()
        parts:destroy()
        once:destroy()
      end)
      world:step(2)
      assert.equal(0, world:counts().bodies)
    end)

    it(kind .. " gives the same bits twice", function()
      local function run()
        local world = impel.world {}
        ground_of(world)
        make(world, { position = { 0, 1 } })
        world:step(90)
        return world.hash
      end
      assert.equal(run(), run())
    end)

    it(kind .. " reports wrong arguments", function()
      local world = impel.world {}
      assert.error_matches(function() make(world, { positoin = { 0, 0 } }) end,
        "bad field 'positoin' in impel.rig." .. kind .. " %(did you mean 'position'%?%)")
      assert.error_matches(function() make(world, { angle = 0 / 0 }) end,
        "impel.rig." .. kind .. ": field 'angle' must be a finite number %[rad%], got %-?nan")
      local _, message = pcall(function() make(world, { name = 1 }) end)
      assert.matches("^spec/scripts/rig/rigs_spec.lua:%d+: impel.rig", message) -- the error names the caller's line
      assert.error_matches(function() make({}, {}) end, "impel.rig." .. kind .. ": world must be a world, got a table")
      assert.error_matches(function() make(world, { group = 1 }) end, "field 'group' must be an integer <= %-1, got 1")
      assert.equal(0, world:counts().bodies) -- a rig whose creation failed leaves no body
    end)
  end

  it("leaves no parts in the world if its creation fails, for any error at any stage", function()
    local dead, elsewhere = {}, impel.world {}
    local foreign = elsewhere:body {}
    for _, case in ipairs {
      { "arm", { links = { 1, -1 } }, "links%[2%] must be a finite number > 0 %[m%], got %-1" },
      { "arm", { links = { 1, "x" } }, "links%[2%] must be" },
      { "arm", { limit = { 1, -1 } }, "limit%[2%] must be a finite number >= 1 %[rad%], got %-1" },
      { "arm", { a = dead }, "field 'a' must be a valid body in the rig's world, got a destroyed body" },
      { "bridge", { b = dead }, "field 'b' must be a valid body in the rig's world, got a destroyed body" },
      { "chain", { b = dead },
        "impel.rig.chain: field 'b' must be a valid body in the rig's world, got a destroyed body" },
      { "chain", { b = foreign }, "field 'b' must be a valid body in the rig's world, got one of another world" },
      { "chain", { a = foreign }, "field 'a' must be a valid body in the rig's world, got one of another world" },
      { "chain", { segments = 1, length = 5 },
        "with only one link, field 'length' must be the distance of 2 m .* got 5" },
      { "rope", { b = dead }, "field 'b' must be a valid body in the rig's world, got a destroyed body" },
      { "cloth", { a = dead }, "field 'a' must be a valid body in the rig's world, got a destroyed body" },
      { "soft", { thickness = 5 }, "field 'thickness' must be a finite number < 1 %[m%], twice the radius, got 5" },
      { "soft", { thickness = 1 }, "field 'thickness' must be" },
      { "ragdoll", { height = 1e-3 } }, -- errors that the core raises during the construction of the rig
      { "car", { wheel_radius = 1e-12 } },
      { "car", { hertz = 1e200 } },
      { "crane", { hook_mass = 1e300 } },
      { "tracked", { wheel_mass = 1e300 } },
      { "biped", { mass = 1e300 } },
      { "quadruped", { mass = 1e300 } },
    } do
      local world = impel.world {}
      local options, joints = {}, world:counts().joints
      for key, value in pairs(case[2]) do options[key] = value end
      for key, value in pairs(options) do
        if value == dead then
          options[key] = world:body {}
          options[key]:destroy()
        end
      end
      local made, message = pcall(function() impel.rig[case[1]](world, options) end)
      assert(not made, case[1])
      if case[3] then
        assert.matches(case[3], message)
        assert.matches("^spec/scripts/rig/rigs_spec.lua:%d+: ", message)
      end
      assert.equal(0, world:counts().bodies, message)
      assert.equal(joints, world:counts().joints, message)
      world:step() -- no handler of the rig is left
    end
  end)

  it("is listed", function()
    assert.error_matches(function() return impel.rig.ragdol end,
      "no field 'ragdol' in impel.rig %(did you mean 'ragdoll'")
  end)
end)

describe("a chain", function()
  it("carries in each hinge the weight below it", function()
    local world = impel.world { substeps = 8, sleep = false }
    local load = world:body { position = { 0, -2 }, mass = 30 }
    local chain = impel.rig.chain(world, { to = { 0, -2 }, segments = 10, mass = 4, b = load })
    near(4, chain:mass(), 1e-12)
    world:step(600) -- the elastic chain oscillates at first
    for i, joint in ipairs(chain.joints) do
      local below = 30 + 4 * (11 - i) / 10
      local fx, fy = joint:reaction()
      near(below * G, fy, 1e-4 * below * G) -- a small oscillation remains
      near(0, fx, 1e-6)
    end
  end)

  it("hangs in a catenary", function()
    local way, length, mass, n = 10, 12, 24, 60
    local low, high = 1, 100 -- bounds of the catenary's parameter a, with length = 2 a sinh(way / 2a)
    local function sinh(x) return (math.exp(x) - math.exp(-x)) / 2 end
    for _ = 1, 100 do
      local a = (low + high) / 2
      if 2 * a * sinh(way / (2 * a)) > length then low = a else high = a end
    end
    local a = low
    -- The catenary is y = a cosh(x / a). Half of the catenary's length is a sinh(x / a).
    local sag = math.sqrt(a * a + (length / 2) ^ 2) - a
    local world = impel.world { substeps = 16, sleep = false }
    local chain = impel.rig.chain(world, { to = { way, 0 }, length = length, segments = n, mass = mass, damping = 3,
      b = world.ground })
    near(length, chain.length, 1e-9)
    world:step(60 * 40)
    local middle = chain.joints[n / 2 + 1]
    local x, y = middle:anchors()
    near(way / 2, x, 0.001 * way) -- a small swing remains
    near(-sag, y, 0.005 * sag) -- 60 straight links deviate from the curve, and stretch by 0.1 %
    -- Bending and stretch of the chain change the force too.
    near(mass * G / length * a, math.abs((middle:reaction())), 0.01 * mass * G / length * a)
    local _, left = chain.joints[1]:reaction()
    local _, right = chain.joints[n + 1]:reaction()
    -- A reaction acts on body b: a link at the first joint, the ground at the last joint.
    near(mass * G, left - right, 0.005 * mass * G)
  end)

  it("starts on an arc that has its length and hangs below its ends, at any angle of the rig", function()
    for _, o in ipairs { { 4, 0, 4.1 }, { -4, 1, 30 }, { 0, 3, 3.5 }, { 1, -1, 1.5 } } do
      local world = impel.world {}
      local chain = impel.rig.chain(world, { to = { o[1], o[2] }, length = o[3], segments = 7, b = world.ground })
      for _, joint in ipairs(chain.joints) do near(0, joint.separation, 1e-9) end
      local _, y = chain:center()
      assert(o[1] == 0 or y < o[2] / 2)
    end
    for _, kind in ipairs { "chain", "rope" } do
      for _, angle in ipairs { 0, 0.5, 2, math.pi, -2.5 } do -- the arc hangs down in the world at any angle of the rig
        local world = impel.world {}
        local row = impel.rig[kind](world, { to = { 4, 0 }, length = 5, angle = angle, b = world.ground })
        local _, y = row:center()
        assert(y < 2 * math.sin(angle) - 0.3, ("%s at %g rad: %g"):format(kind, angle, y))
      end
    end
    local world = impel.world {}
    assert.error_matches(function() impel.rig.chain(world, { to = { 4, 0 }, length = 3 }) end,
      "field 'length' must be at least the distance of 4 m between 'from' and 'to', got 3")
    assert.error_matches(function() impel.rig.chain(world, { to = { 0, 0 } }) end, "must differ from field 'from'")
  end)

  it("falls when it is loose, and breaks under overload", function()
    local world = impel.world {}
    local free = impel.rig.chain(world, { loose = true })
    local _, y = free:center()
    world:step(60)
    local _, fallen = free:center()
    near(-G / 2, fallen - y, 0.02 * G) -- symplectic Euler: g h t / 2 more, h = 1/240
    assert.equal(9, #free.joints)
    local load = world:body { position = { 0, -2 }, mass = 100 }
    local weak = impel.rig.chain(world, { b = load, break_force = 500 })
    world:step(60)
    local broken = 0
    for _, joint in ipairs(weak.joints) do broken = broken + (joint.broken and 1 or 0) end
    assert(broken >= 1)
  end)
end)

describe("a rope", function()
  it("with 10 links of 1 m and 1 kg and a load of 100 kg, released level, stretches by less than 5 %", function()
    for _, guard in ipairs { true, false } do
      local world = impel.world { substeps = 8, sleep = false }
      local load = world:body { position = { 10, 0 }, mass = 100 }
      local rope = impel.rig.rope(world, { to = { 10, 0 }, segments = 10, mass = 10, b = load, guard = guard })
      local ends, links = 0, 0
      for _ = 1, 600 do
        world:step()
        local x, y = load:position()
        local sum = 0
        for i = 1, 10 do sum = sum + rope.joints[i].value end
        ends, links = math.max(ends, math.sqrt(x * x + y * y) / 10 - 1), math.max(links, sum / 10 - 1)
      end
      assert(links < 0.05, links)
      -- The guard, a constraint row, limits the distance between the rope's ends.
      assert(ends < (guard and 1e-3 or 0.05), ends)
    end
  end)

  it("pulls with the weight of its load", function()
    local world = impel.world { substeps = 8, sleep = false }
    local load = world:body { position = { 0, -2 }, mass = 50 }
    local rope = impel.rig.rope(world, { mass = 3, b = load })
    near(3, rope:mass(), 1e-12)
    world:step(300)
    near(53 * G, rope:tension(), 0.001 * 53 * G) -- the load still oscillates
  end)

  it("hangs slack between two posts, and loads them with its weight", function()
    local world = impel.world { substeps = 8, sleep = false }
    local rope = impel.rig.rope(world, { to = { 3, 0 }, length = 4, segments = 16, damping = 1, b = world.ground })
    assert.is_nil(rope.guard) -- a rope between two points of the ground has no guard
    world:step(60 * 15)
    local _, left = rope.joints[1]:reaction()
    local _, right = rope.joints[16]:reaction()
    -- With the damping c, gravity changes the velocity in a substep h by g h / (1 + c h) instead of g h.
    near(rope:mass() * G, left - right, 0.01 * rope:mass() * G)
  end)

  it("releases its ends when it is torn", function()
    local world = impel.world { substeps = 8 }
    local load = world:body { position = { 0, -2 }, mass = 100 }
    local rope = impel.rig.rope(world, { b = load, break_force = 100 })
    world:step(120)
    assert.is_nil(rope.guard)
    local _, y = load:position()
    assert(y < -4)
  end)

  it("holds its particles together when both ends are loose", function()
    local world = impel.world { substeps = 8 }
    ground_of(world)
    local rope = impel.rig.rope(world, { position = { 0, 1 }, to = { 2, 0 }, loose = true, segments = 8 })
    assert.equal(9, #rope.bodies)
    world:step(180)
    for _, body in ipairs(rope.bodies) do
      local _, y = body:position()
      near(0.03, y, 0.005) -- the particles touch the ground at their radius of 0.03 m; contacts are soft
    end
  end)
end)

describe("a bridge", function()
  local function settle(load_mass)
    local world = impel.world { substeps = 8, sleep = false, dt = 1 / 120 }
    local bridge = impel.rig.bridge(world, {})
    if load_mass > 0 then
      local load = world:body { position = { 5, 0.2 }, mass = load_mass }
      load:box { 1, 0.6 }
    end
    world:step(120 * 15)
    local lx, ly = bridge.left:reaction()
    local rx, ry = bridge.right:reaction() -- body b of this joint is the ground, so the reaction's sign is reversed
    return bridge, lx, ly, -rx, -ry
  end

  it("sags by W gap / (8 H), with its weight W and its horizontal pull H", function()
    local bridge, lx, ly, rx, ry = settle(0)
    near(400, bridge:mass(), 1e-9)
    near(400 * G, ly + ry, 0.002 * 400 * G) -- a small motion remains
    near(0, lx + rx, 0.002 * rx)
    local _, y = bridge.joints[11]:anchors()
    -- The formula is for a weight that is uniform along the gap. The planks are 2 % longer than the gap, so the moment
    -- differs by 1 %.
    near(400 * G * 10 / 8, rx * -y, 0.02 * 400 * G * 10 / 8)
  end)

  it("carries its load", function()
    local bridge, _, ly, _, ry = settle(300)
    near(700 * G, ly + ry, 0.005 * 700 * G) -- the load rocks on its planks
    for _, joint in ipairs(bridge.joints) do assert(joint.separation < 0.01, joint.separation) end
  end)

  it("of one plank is as long as its gap", function()
    local bridge = impel.rig.bridge(impel.world {}, { planks = 1 })
    near(10, bridge.length, 1e-12)
    near(0, bridge.right.separation, 1e-9)
  end)

  it("breaks under overload", function()
    local world = impel.world {}
    local bridge = impel.rig.bridge(world, { break_force = 2000 })
    world:step(60)
    assert(bridge.left.broken or bridge.right.broken or bridge.joints[2].broken)
  end)
end)

describe("a cloth", function()
  it("of 20 x 20 points on two pins is strained by less than 2 %, and the pins carry 398 particles", function()
    local world = impel.world { substeps = 8, sleep = false }
    local cloth = impel.rig.cloth(world, { density = 1 }) -- 0.01 kg per particle at a spacing of 0.1 m
    assert.equal(398, #cloth.bodies)
    assert.equal(760, #cloth.threads)
    near(3.98, cloth:mass(), 1e-9)
    world:step(600)
    local mean = cloth:strain()
    assert(mean < 0.02, mean)
    local _, fy = cloth:pin_force()
    near(3.98 * G, fy, 0.01 * 3.98 * G)
  end)

  it("gives the mean and the largest strain of its threads", function()
    local cloth = impel.rig.cloth(impel.world {}, { columns = 2, rows = 2, pins = "none", spacing = 0.1 })
    local mean, most = cloth:strain()
    near(0, mean, 1e-12)
    near(0, most, 1e-12)
    local x, y = cloth.grid[1][2]:position()
    -- One thread is now 0.15 m long, and another is sqrt(0.1^2 + 0.05^2) m long.
    cloth.grid[1][2]:set_position(x + 0.05, y)
    mean, most = cloth:strain()
    near(0.5, most, 1e-12)
    near((0.5 + math.sqrt(1.25) - 1) / 4, mean, 1e-12)
  end)

  it("has both diagonals of each square, at their full length", function()
    local cloth = impel.rig.cloth(impel.world {}, { columns = 5, rows = 4, pins = "none", shear = 10 })
    assert.equal(2 * 4 * 3, #cloth.diagonals)
    local falling = 0
    for _, diagonal in ipairs(cloth.diagonals) do
      local ax, ay, bx, by = diagonal:anchors()
      near(0.1 * math.sqrt(2), diagonal.value, 1e-12)
      if (bx - ax) * (by - ay) < 0 then falling = falling + 1 end
    end
    assert.equal(4 * 3, falling)
  end)

  it("resists shear by the stiffness of its diagonals", function()
    local function width(shear)
      local world = impel.world { substeps = 8, sleep = false }
      local cloth = impel.rig.cloth(world, { columns = 8, rows = 8, pins = "left", shear = shear })
      world:step(600)
      return (cloth.grid[1][8]:position())
    end
    local limp, stiff = width(0), width(2000)
    assert(limp < 0.1, limp) -- the limp cloth hangs down from its pins
    assert(stiff > 0.5, stiff)
  end)

  it("hangs on a moving body", function()
    local world = impel.world { substeps = 8 }
    local pole = world:body { type = "kinematic", velocity = { 1, 0 } }
    local flag = impel.rig.cloth(world, { pins = "left", a = pole, rows = 6, columns = 8, radius = 0.03 })
    assert.equal(false, flag.grid[3][1])
    world:step(120)
    local x = flag.grid[1][2]:position()
    near(2, x, 0.11) -- the point hangs from the pole by a thread of 0.1 m
  end)
end)

describe("a soft disc", function()
  it("keeps its area to 1 % through a fall and under its weight", function()
    local world = impel.world {}
    ground_of(world)
    local disc = impel.rig.soft(world, { position = { 0, 1 } })
    near(5, disc:mass(), 1e-12)
    near(disc.rest_area, disc:area_now(), 1e-12)
    local worst = 0
    for _ = 1, 300 do
      world:step()
      worst = math.max(worst, math.abs(disc:area_now() / disc.rest_area - 1))
    end
    assert(worst < 0.01, worst)
    assert(math.abs(disc:area_now() / disc.rest_area - 1) < 0.002) -- at rest
  end)

  it("presses on the ground with its whole weight, and is round without gravity", function()
    local world = impel.world { sleep = false }
    local ground = ground_of(world)
    local disc = impel.rig.soft(world, { position = { 0, 0.5 } })
    world:step(600)
    local _, fy = ground:contact_force()
    near(-5 * G, fy, 1e-4 * 5 * G) -- at rest
    local function ratio()
      local low, high, left, right = 1e9, -1e9, 1e9, -1e9
      for _, body in ipairs(disc.ring) do
        local x, y = body:position()
        low, high, left, right = math.min(low, y), math.max(high, y), math.min(left, x), math.max(right, x)
      end
      return (high - low) / (right - left)
    end
    assert(ratio() < 0.9, ratio()) -- the weight has flattened the ring
    world:set_gravity(0, 0)
    world:step(600)
    near(1, ratio(), 0.01) -- the skin's springs are nearly at their rest lengths
  end)

  it("compresses by its pressure: p = K (A0 - A) / A0", function()
    local world = impel.world { sleep = false }
    ground_of(world)
    local disc = impel.rig.soft(world, { position = { 0, 0.5 }, bulk = 2000 })
    world:step(600)
    local p = 2000 * (1 - disc:area_now() / disc.rest_area)
    assert(p > 5)
    near(p, disc.area.force, 0.005 * p) -- p is the pressure at the end of the step; the force is the mean over the step
  end)

  it("has as many points as given, and a hub only with spokes", function()
    local disc = impel.rig.soft(impel.world {}, { points = 48, spokes = 0 })
    assert.equal(48, #disc.ring)
    assert.is_nil(disc.hub)
    local x, y = disc.ring[1]:position()
    for shape in disc.ring[1]:shapes() do near(0.5, math.sqrt(x * x + y * y) + shape.radius, 1e-12) end
  end)
end)
