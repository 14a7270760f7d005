-- Materials: values that shapes take from a material, mixing of two materials, calls of mixing rules.
local core = require "impel.core"
local impel = require "impel"
local raises = require "support.raises"

-- A row of boxes on a floor of ice.
local function icy(names)
  local world = core.world { materials = {
    { name = "ice", friction = 0.02 }, { name = "rubber", friction = 1, restitution = 0.5 }, { name = "wood" } } }
  local floor = world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 }, material = "ice" }
  local bodies = {}
  for i, name in ipairs(names) do
    bodies[i] = world:body { position = { 2 * i, 0.499 } }
    bodies[i]:box { 1, 1, material = name ~= "" and name or nil }
  end
  return world, floor, bodies
end

local function mixed(world)
  local list = {}
  for contact in world:contacts() do list[#list + 1] = { contact.friction, contact.restitution } end
  return list
end

describe("a material", function()
  it("gives its shapes the values that they do not set themselves", function()
    local world = core.world {}
    world:material("rubber", { friction = 1.2, restitution = 0.5, density = 3, restitution_threshold = 0,
      rolling_resistance = 0.02, surface_speed = 0.5 })
    local shape = world:body({}):box { 1, 2, material = "rubber", restitution = 0.25 }
    assert.same({ "rubber", 1.2, 0.25, 3, 0, 0.02, 0.5, 6 }, { shape.material, shape.friction, shape.restitution,
      shape.density, shape.restitution_threshold, shape.rolling_resistance, shape.surface_speed, shape.body.mass })
    world:material("rubber", { friction = 0.9 }) -- existing shapes keep their friction
    assert.equal(1.2, shape.friction)
    shape.material = "rubber" -- setting `material` again gives the shape the new values
    assert.equal(0.9, shape.friction)
    shape.material = nil
    assert.is_nil(shape.material)
    assert.equal(0.9, shape.friction)
  end)

  it("must be declared, with legal numbers", function()
    local world = core.world {}
    world:material("ice", {})
    local body = world:body { type = "static" }
    raises("body:box: field 'material': the world has no material 'icy' (did you mean 'ice'?)",
      body.box, body, { 1, 1, material = "icy" })
    raises("(declare it by world:material('stone', {...}))", body.box, body, { 1, 1, material = "stone" })
    local shape = body:box { 1, 1 }
    raises("shape.material: the world has no material 'stone'", function() shape.material = "stone" end)
    raises("world:material: field 'friction' must be", world.material, world, "wood", { friction = -1 })
    raises("did you mean 'friction'?", world.material, world, "wood", { fricton = 1 })
    raises("world:mix: the world has no material 'stone'", world.mix, world, "ice", "stone", {})
    raises("needs a name", world.material, world, "", {})
    for i = 2, 256 do world:material("m" .. i, {}) end
    raises("at most 256 materials", world.material, world, "one more", {})
  end)

  it("cannot be declared inside a step; shape.material set inside a step changes friction at the step's end", function()
    local world = core.world { materials = { { name = "ice", friction = 0.5 } } }
    local shape = world:body({}):box { 1, 1 }
    local handle = world:on("substep", function()
      raises("inside a step", world.material, world, "wood", {})
      raises("inside a step", world.mix, world, "ice", "ice", {})
      shape.material = "ice"
      assert.equal(0.6, shape.friction)
    end)
    world:step()
    handle:destroy()
    assert.equal(0.5, shape.friction)
    assert.equal("ice", shape.material)
  end)
end)

describe("two materials", function()
  it("mix as shapes without materials by default", function()
    local world = icy { "rubber", "wood", "" }
    world:step()
    local list = mixed(world)
    assert.near(math.sqrt(0.02 * 1), list[1][1], 1e-15)
    assert.equal(0.5, list[1][2])
    assert.near(math.sqrt(0.02 * 0.6), list[2][1], 1e-15)
    assert.same({ nil, nil }, { world:mixed("ice", "rubber") })
  end)

  it("mix by the values of world:mix in either order, also in sleeping contacts, whose bodies wake", function()
    local world, _, bodies = icy { "rubber", "rubber", "" }
    world:step(60)
    assert.is_false(bodies[1].awake)
    world:mix("rubber", "ice", { friction = 0.3, restitution = 0 })
    local list = mixed(world)
    assert.same({ 0.3, 0 }, list[1])
    assert.same({ 0.3, 0 }, list[2])
    assert.near(math.sqrt(0.02 * 0.6), list[3][1], 1e-15)
    assert.is_true(bodies[1].awake)
    assert.same({ 0.3, 0 }, { world:mixed("ice", "rubber") })
    -- Only friction is set for the pair of ice and rubber; the rule mixes the restitution.
    world:mix("ice", "rubber", { friction = 0.25 })
    assert.same({ 0.25, 0.5 }, mixed(world)[1])
  end)

  it("call a rule once for each pair of materials, also of equal ones, in the order of declaration", function()
    local world, _, bodies = icy { "rubber", "", "ice", "rubber", "wood", "wood" }
    local asked = {}
    world:mix_rule("friction", function(a, b)
      asked[#asked + 1] = a.name .. "-" .. b.name
      assert.equal(({ ice = 0.02, rubber = 1 })[a.name], a.friction)
      assert.equal(({ ice = 0.02, rubber = 1 })[b.name], b.friction)
      return b.name == "wood" and 0.75 or nil
    end)
    assert.same({}, asked)
    world:step()
    assert.same({ "ice-ice", "ice-rubber", "ice-wood" }, asked)
    local list = mixed(world)
    assert.near(math.sqrt(0.02), list[1][1], 1e-15) -- the rule returned nil, so the friction is mixed as without a rule
    assert.equal(0.75, list[5][1])
    assert.equal(0.75, list[6][1])
    for i, body in ipairs(bodies) do body:set_position(2 * i, 50) end
    world:step(2)
    for i, body in ipairs(bodies) do body:set_position(2 * i, 0.499) end
    world:step(5)
    assert.equal(3, #asked)
    assert.same({ 0.75, nil }, { world:mixed("wood", "ice") })
  end)

  it("slide with the rule's friction: a = mu g", function()
    for _, solver in ipairs { "soft", "si", "xpbd", "direct" } do
      local world, _, bodies = icy { "rubber" }
      world.solver = solver
      world:mix_rule("friction", function(a, b) return (a.friction + b.friction) / 10 end) -- 0.102
      bodies[1].fixed_rotation = true
      bodies[1]:set_velocity(3, 0)
      world:step(60)
      local slower = 0.102 * 9.81
      -- The tolerance is 0.5 %, because the box first falls 1 mm without friction.
      assert.near(3 - slower, (bodies[1]:velocity()), 0.005 * slower, solver)
    end
  end)

  it("prefer values of world:mix to results of a rule, and call all rules again if a rule is set", function()
    local world = icy { "rubber" }
    world:mix("ice", "rubber", { friction = 0.3 })
    local calls = 0
    world:mix_rule("friction", function() calls = calls + 1 return 0.7 end)
    world:mix_rule("restitution", function() return 0.9 end)
    world:step()
    assert.same({ 0.3, 0.9 }, mixed(world)[1])
    world:mix_rule("restitution", function(a, b) return math.min(a.restitution or 0, b.restitution or 0) end)
    world:step()
    assert.same({ 0.3, 0 }, mixed(world)[1])
    assert.equal(2, calls) -- setting a rule calls all rules again
    world:mix_rule("restitution", nil)
    world:step()
    assert.same({ 0.3, 0.5 }, mixed(world)[1])
  end)

  it("use the default mix if a rule raises or returns a wrong value; the step raises the error", function()
    local refused = "the friction of 'ice' and 'rubber' must be a finite number in [0, 1000000], got -1"
    for answer, words in pairs { [-1] = refused, ["x"] = "got 'x' (string)", [0 / 1] = false,
                                 [function() end] = "got a function" } do
      local world = icy { "rubber" }
      world:mix_rule("friction", function() return answer end)
      local ok, message = pcall(world.step, world)
      assert.equal(not words, ok)
      if words then
        assert.truthy(message:find(words, 1, true), message)
        assert.near(math.sqrt(0.02), mixed(world)[1][1], 1e-15)
      else
        assert.equal(0, mixed(world)[1][1])
      end
      world:step(3) -- the rule is not called, so the steps succeed
    end
    local world = icy { "rubber" }
    world:mix_rule("restitution", function() error "trouble" end)
    raises("trouble", world.step, world)
    assert.equal(1, world.tick)
    world:step(3)
    assert.equal(0.5, mixed(world)[1][2])
  end)

  it("keep a rule's result if a material is declared again", function()
    local world, calls = icy { "rubber" }, 0
    world:mix_rule("friction", function(a)
      calls = calls + 1
      return a.friction
    end)
    world:step()
    world:material("ice", { friction = 0.5 })
    world:step()
    assert.same({ 1, 0.02 }, { calls, mixed(world)[1][1] })
  end)
end)

describe("materials as state", function()
  it("are restored by a snapshot with the rules' results, without calling the rules again", function()
    local world, _, bodies = icy { "rubber" }
    local calls = 0
    world:mix_rule("friction", function() calls = calls + 1 return 0.4 end)
    world:step(3)
    local snapshot = world:snapshot()
    world:material("late", {})
    bodies[1].type = "static"
    world:restore(snapshot)
    world:step(3)
    assert.equal(1, calls)
    assert.equal(0.4, mixed(world)[1][1])
    assert.same({ 0.4, nil }, { world:mixed("ice", "rubber") })
    raises("no material 'late'", world.mixed, world, "late", "ice")
  end)

  it("with rule functions prevent an export; a partial export contains the results of the functions", function()
    local world = impel.world { materials = { { name = "ice" } } }
    local rule = function() return 0.25 end
    world:mix_rule("friction", rule)
    assert.same({ rule, nil }, { world:mix_rules(1, 2) })
    world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 }, material = "ice" }
    world:body({ position = { 0, 0.5 } }):box { 1, 1, material = "ice" }
    world:step()
    raises("mix_rule of friction is a function", world.export, world)
    local data, left = world:export { partial = true }
    assert.same({ "mix_rule of friction" }, left)
    assert.same({ { a = "ice", b = "ice", friction = 0.25 } }, data.mixes)
  end)

  it("are exported as data with the values of pairs", function()
    local world = impel.world {}
    world:material("ice", { friction = 0.02, density = 0.9 })
    world:material("rubber", { restitution = 0.5 })
    world:mix("ice", "rubber", { friction = 0.1 })
    local shape = world:body({}):box { 1, 1, material = "ice", friction = 0.6, restitution = 0.125 }
    assert.same({ width = 1, height = 1, material = "ice", friction = 0.6, restitution = 0.125 }, shape:options())
    local copy = impel.load_data(impel.load_data(world:export()):export())
    assert.same({ 0.1, nil }, { copy:mixed("ice", "rubber") })
    assert.same(world:options(), copy:options())
    for body in copy:bodies() do
      for other in body:shapes() do
        assert.same({ "ice", 0.6, 0.125, 0.9 }, { other.material, other.friction, other.restitution, other.density })
      end
    end
  end)

  it("are given as lists; tables with names as keys, and missing options, are refused", function()
    assert.error_matches(function() impel.world { materials = { ice = {} } } end, "'materials'.*list.*'ice'")
    assert.error_matches(function() impel.world { mixes = { ice = {} } } end, "'mixes'.*list.*'ice'")
    local world = impel.world {}
    assert.error_matches(function() world:material("ice") end, "world:material expects a table of options, got nil")
    world:material("ice", {})
    assert.error_matches(function() world:mix("ice", "ice") end, "world:mix expects a table of options, got nil")
  end)

  it("change the density and hit_speed of an existing shape, and the mass of its body", function()
    local world = impel.world {}
    world:material("lead", { density = 11, hit_speed = 0.25 })
    local body = world:body {}
    local shape = body:box { 1, 2 }
    shape.material = "lead"
    assert.equal(22, body.mass)
    assert.equal(0.25, shape.hit_speed)
  end)
end)
