-- impel.load_data on hand-written data: defaults, names, and the path of each error.
local impel = require "impel"
local core = require "impel.core"
local decode = require("impel.data.text").decode
local program = require "support.program"
local same_world = require "scripts.scene.same_world"
local text, again = same_world.text, same_world.again

local inf = math.huge


describe("impel.load_data", function()
  it("accepts hand-written data, with all defaults", function()
    local world = impel.load_data {
      bodies = {
        { name = "floor", type = "static", shapes = { { type = "box", 10, 1, friction = 0.3 } } },
        { name = "arm", position = { x = 0, y = 3 }, shapes = { { type = "capsule", from = { 0, 0 }, to = { 1, 0 },
                                                                  radius = 0.1 } } },
        { name = "hand", position = { 1, 3 }, shapes = { { type = "circle", radius = 0.2 } } },
      },
      joints = {
        { kind = "revolute", a = "ground", b = "arm", anchor = { 0, 3 }, motor = { speed = 1, max_force = 10 } },
        { kind = "weld", a = 2, b = "hand", name = "wrist" },
        { kind = "gear", joint1 = 1, joint2 = { joint = "wrist", coordinate = "angle" }, ratio = 2 },
        { kind = "drag", body = "hand", target = { 2, 2 } },
      },
    }
    local same = impel.world {}
    local floor = same:body { name = "floor", type = "static" }
    local arm, hand = same:body { name = "arm", position = { 0, 3 } }, same:body { name = "hand", position = { 1, 3 } }
    floor:box { 10, 1, friction = 0.3 }
    arm:capsule { from = { 0, 0 }, to = { 1, 0 }, radius = 0.1 }
    hand:circle { radius = 0.2 }
    -- load_data sets the position after the shapes. The order changes the rounding, because each shape moves the centre
    -- of mass.
    arm:set_position(0, 3)
    local hinge = same:revolute(same.ground, arm, { anchor = { 0, 3 }, motor = { speed = 1, max_force = 10 } })
    local wrist = same:weld(arm, hand, { name = "wrist" })
    same:gear { joint1 = hinge, joint2 = wrist:coordinate "angle", ratio = 2 }
    same:drag(hand, { target = { 2, 2 } })
    assert.equal(text(same), text(world))
    world:step(60)
    same:step(60)
    assert.equal(same.hash, world.hash)
    assert.equal(0, impel.load_data({}):counts().bodies)
  end)

  it("accepts the example in scripts/MANUAL.md", function()
    local example = program.read("scripts/MANUAL.md"):match "```lua\n(return {\n  format.-\n)```"
    local world = impel.load_data(assert(decode(example)))
    assert.equal(1, world:counts().joints)
    world:step(60)
    assert.is_true(world:find("arm").angle > 0)
  end)

  it("distinguishes the world's ground from a body of that name", function()
    local world = impel.load_data {
      bodies = { { name = "ground", type = "static", position = { 5, 0 } }, { name = "ball" } },
      joints = { { kind = "rope", a = "ground", b = "ball" }, { kind = "rope", a = 0, b = "ball", name = "own" } },
    }
    local first
    for joint in world:joints() do first = first or joint end
    assert.equal(world:find "ground", first.body_a)
    assert.equal(world.ground, world:find("own").body_a)
    again(world)
  end)

  local function box(more)
    local t = { type = "box", width = 1, height = 1 }
    for key, value in pairs(more) do t[key] = value end
    return { bodies = { {}, { shapes = { { type = "circle", radius = 1 }, t } } } }
  end
  local function joined(t, bodies)
    return { bodies = bodies or { { name = "arm1" }, { name = "hand" } }, joints = { t } }
  end
  local cyclic = {}
  cyclic.inside = cyclic

  local wrong = {
    { 1, "a table with the data of a world expected, got 1" },
    { { 7 }, "bad field '[1]' in the data" },
    { { format = "impel.wrld" }, "format: 'impel.world' expected, got 'impel.wrld'" },
    { { version = 2 }, "version: 1 is the newest version that this impel reads, got 2" },
    { { version = "1" }, "version: integer >= 1 expected, got '1'" },
    { { gravty = { 0, 1 } }, "bad field 'gravty' in the data (did you mean 'gravity'?)" },
    { { gravity = 3 }, "gravity: a vector { x, y } of two finite numbers expected, got 3" },
    { { gravity = { 0, inf } }, "gravity: a vector { x, y } of two finite numbers expected, got a table" },
    { { dt = 3 }, "dt: number in [1e-06, 1] [s] expected, got 3" },
    { { dt = 0 / 0 }, "dt: number in [1e-06, 1] [s] expected, got " },
    { { solver = "sfot" }, "solver: one of soft, si, ngs, split, xpbd, direct, acceleration, reduced, rattle expected, "
      .. "got 'sfot' (did you mean 'soft'?)" },
    { { sleep = 1 }, "sleep: true or false expected, got 1" },
    { { tick = 0.5 }, "tick: an integer of at most 64 bits or a string \"0x...\" expected, got 0.5" },
    { { generator = "12" }, "impel.world: field 'generator' must be 64 hex digits, got '12'" },
    { { generator = ("0"):rep(64) }, "impel.world: field 'generator': the state of a random number generator must" },
    { { tick = -1 }, "impel.world: tick must be from 0 to 9.00719925e+15" },
    { { view = { zoom = 1 } }, "bad field 'zoom' in view" },
    { { title = 3 }, "title: a string expected, got 3" },
    { { bodies = 3 }, "bodies: a list of bodies expected, got 3" },
    { { bodies = { {}, first = {} } }, "bodies: a list of bodies expected, got the key 'first'" },
    { { bodies = { {}, 3 } }, "bodies[2]: a table expected, got 3" },
    { { bodies = { {}, {}, {}, { positon = { 1, 2 } } } },
      "bad field 'positon' in bodies[4] (did you mean 'position'?)" },
    { { bodies = { { type = "static", velocity = { 1, 0 } } } }, "bodies[1]: world:body: a static body does not move" },
    { { bodies = { { mass = 0 } } }, "bodies[1].mass: number in [1e-12, 1e+12] [kg] expected, got 0" },
    { { bodies = { { data = { f = print } } } }, "bodies[1].data['f']: plain data expected, got a function" },
    { { bodies = { { data = cyclic } } }, "bodies[1].data['inside']: plain data expected, got a table inside itself" },
    { { bodies = { { data = setmetatable({}, {}) } } },
      "bodies[1].data: plain data expected, got a table with a metatable" },
    { { bodies = { { data = { [{}] = 1 } } } }, "bodies[1].data: plain data expected, got a table as a key" },
    { { bodies = { { center = { 5, 5 } } } },
      "bodies[1].center: position and shapes put the centre of mass at { 0, 0 }, but center is { 5, 5 }" },
    { { bodies = { { shapes = { { radius = 1 } } } } }, "bodies[1].shapes[1].type: it is missing" },
    { box { type = "bxo" }, "bodies[2].shapes[2].type: one of circle, box, polygon, capsule, segment, chain, heights "
      .. "expected, got 'bxo' (did you mean 'box'?)" },
    { box { radius = -1 }, "bodies[2].shapes[2].radius: number in [0, 10000000] [m] expected, got -1" },
    { box { densty = 1 }, "bad field 'densty' in bodies[2].shapes[2] (did you mean 'density'?)" },
    { box { width = 0 }, "bodies[2].shapes[2].width: number in [0.0001, 10000000] [m] expected, got 0" },
    { { bodies = { { shapes = { { type = "box", 1 } } } } }, "bodies[1].shapes[1].height: it is missing" },
    { { bodies = { { shapes = { { type = "chain", points = { { 0, 0 }, { 1 } } } } } } },
      "bodies[1].shapes[1].points[2]: a vector { x, y } of two finite numbers expected, got a table" },
    { { bodies = { { shapes = { { type = "polygon", points = { { 0, 0 }, { 1, 0 } } } } } } },
      "bodies[1].shapes[1]: body:polygon on body 1: " },
    { joined { a = 1, b = 2 }, "joints[1].kind: it is missing" },
    { joined { kind = "wled", a = 1, b = 2 }, "joints[1].kind: one of revolute, " },
    { joined { kind = "weld", a = 1 }, "joints[1].b: it is missing" },
    { joined { kind = "weld", a = 1, b = "arm" }, "joints[1].b: no body 'arm' (did you mean 'arm1'?)" },
    { joined { kind = "weld", a = 1, b = 3 }, "joints[1].b: no body 3: the list has 2" },
    { joined { kind = "weld", a = 1, b = 1.5 },
      "joints[1].b: a body expected (its number in bodies, its name, or \"ground\"), got 1.5" },
    { joined { kind = "weld", a = 1, b = 1 }, "joints[1]: world:weld: a weld joins two different bodies, not a" },
    { joined { kind = "weld", a = 1, b = 2, limit = { 0, 1 } }, "bad field 'limit' in joints[1]" },
    { joined { kind = "revolute", a = 1, b = 2, motor = { max_force = 1 } }, "joints[1].motor.speed: it is missing" },
    { joined { kind = "revolute", a = 1, b = 2, motor = { sped = 1 } },
      "bad field 'sped' in joints[1].motor (did you mean 'speed'?)" },
    { joined { kind = "revolute", a = 1, b = 2, limit = { 2, 1 } },
      "joints[1]: world:revolute: joint '(unnamed)', angle: limit lower 2 is above upper 1" },
    { joined { kind = "revolute", a = 1, b = 2, angle = { lock = 1, free = true } },
      "joints[1]: world:revolute: angle takes 'lock' or 'free', not both" },
    { joined { kind = "revolute", a = 1, b = 2, break_if = print }, "joints[1].break_if: a function is not data" },
    { joined { kind = "revolute", a = 1, b = 2, anchor = { 0, 0 }, local_anchor_b = { 0, 0 } },
      "joints[1]: world:revolute takes 'anchor' (in the world) or 'local_anchor_b'" },
    { joined { kind = "constraint", a = 1, b = 2 }, "joints[1].kind: one of " },
    { { bodies = { {}, {} }, joints = { { kind = "gear", joint1 = 2, joint2 = 2 },
      { kind = "revolute", a = 1, b = 2 } } },
      "joints[1].joint1: joint 2 comes later in the list" },
    { joined { kind = "gear", joint1 = "x", joint2 = 2 }, "joints[1].joint1: no joint 'x'" },
    { joined { kind = "gear", joint1 = 1, joint2 = 2 }, "joints[1].joint1: joint 1 is this joint itself" },
    { joined { kind = "gear", name = "g", joint1 = "g", joint2 = 2 },
      "joints[1].joint1: joint 1 is this joint itself" },
    { joined({ kind = "weld", a = "p", b = 2 }, { { name = "p" }, {}, { name = "p" } }),
      "joints[1].a: bodies[1] and bodies[3] are both named 'p': give a number" },
    { joined({ kind = "weld", a = "ground", b = 3 }, { { name = "ground" }, { name = "ground" }, {} }),
      "joints[1].a: bodies[1] and bodies[2] are both named 'ground': give a number" },
    { { bodies = { {}, {} }, joints = { { kind = "weld", a = 1, b = 2, name = "w" }, { kind = "gear", joint1 = "w",
      joint2 = 1 } } }, "joints[2]: world:gear: field 'joint1': a weld has no coordinate of its own" },
    { { bodies = { {}, {} }, joints = { { kind = "weld", a = 1, b = 2 }, { kind = "gear", joint1 = { joint = 1,
      coordinate = "z" }, joint2 = 1 } } },
      "joints[2].joint1.coordinate: joint:coordinate: the coordinates of a weld are" },
    { joined({ kind = "weld", a = 1, b = 2 }, { { awake = false }, {} }),
      "bodies[2].awake: a joint connects this body to a sleeping body, so awake must be false" },
  }
  it("names the path of an invalid value, at the caller's line, and leaves no world", function()
    local new, made = core.world, nil
    core.world = function(...)
      made = new(...)
      return made
    end
    finally(function() core.world = new end)
    for _, case in ipairs(wrong) do
      made = nil
      local ok, message = pcall(function() made = impel.load_data(case[1]) end)
      assert.is_false(ok, case[2])
      assert.truthy(message:find("^%S*data_load_spec.lua:%d+: "), message)
      local rest = message:gsub("^.-:%d+: ", "")
      assert.equal(case[2], rest:sub(1, #case[2]), message)
      assert.is_false(made ~= nil and made:is_valid())
    end
  end)

  it("reports by impel.data.check the errors that can be found without a world", function()
    assert.is_true(impel.data.check { bodies = { {} } })
    local ok, message = impel.data.check { bodies = { { mass = "x" } } }
    assert.is_false(ok)
    assert.equal("bodies[1].mass: number in [1e-12, 1e+12] [kg] expected, got 'x'", message)
  end)
end)
