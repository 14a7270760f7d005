-- Joints and coordinates from Lua.
local core = require "impel.core"
local raises = require "support.raises"
local near = require "support.near"
local api = core.api()

local nan, inf = 0 / 0, math.huge

local function copy(t, key, value)
  local r = {}
  for k, v in pairs(t) do r[k] = v end
  if key then r[key] = value end
  return r
end

-- Two bodies of 1 kg, without gravity.
local function pair()
  local world = core.world { gravity = { 0, 0 } }
  local a, b = world:body { name = "a", mass = 1, inertia = 1 }, world:body { name = "b", position = { 1, 0 } }
  b:box { 1, 1 }
  return world, a, b
end

local kinds, takes = {}, {}
for _, entry in ipairs(api.world) do
  if entry.signature and entry.signature:find "%-> joint$" and entry.name ~= "constraint" then
    kinds[#kinds + 1] = entry
    takes[entry.name] = {}
    for _, option in ipairs(entry.options) do takes[entry.name][option.name] = option end
  end
end

-- Required options of each kind.
local needed = {
  pulley = function() return { ground_a = { 0, 5 }, ground_b = { 1, 5 } } end,
  gear = function(world, a, b)
    return { joint1 = world:revolute(world.ground, a, {}), joint2 = world:prismatic(world.ground, b, {}) }
  end,
}
needed.rack = needed.gear

local function required(kind, world, a, b) return needed[kind] and needed[kind](world, a, b) or {} end

local function make(kind, options, world, a, b)
  if kind == "drag" then return world:drag(b, options) end
  if needed[kind] == needed.gear then return world[kind](world, options) end
  return world[kind](world, a, b, options)
end

-- Return a new joint of the kind with the given options and the required options.
local function fresh(kind, options)
  local world, a, b = pair()
  local all = required(kind, world, a, b)
  for key, value in pairs(options or {}) do all[key] = value end
  return make(kind, all, world, a, b), world, a, b
end

-- A valid value of every option. Limits have named ends, so that one end can be replaced.
local drives = { limit = { lower = -1, upper = 9 }, motor = { speed = 1, max_force = 2 }, force = 1,
                 servo = { target = 1, speed = 0, max_force = 2 }, spring = { stiffness = 3 },
                 armature = 2, damping = 0.5, friction = 0.1 }
local legal = {
  anchor = { 0.5, 0 }, anchor_a = { 0, 1 }, anchor_b = { 1, 1 }, local_anchor_a = { 0, 1 }, local_anchor_b = { 0, 1 },
  axis = { 0, 2 }, local_axis = { 1, 1 }, reference_angle = 0.5, length = 2, ratio = 2, ground_a = { 0, 6 },
  ground_b = { 1, 6 }, target = { 0.1, 0.2 }, target_angle = 0.1, pitch = 0.1, direction = -1, max_force = 10,
  max_torque = 10, hertz = 4, damping_ratio = 0.5, x = drives, y = drives, angle = drives, distance = drives,
  sum = drives, break_force = 100, break_torque = inf, break_if = function() end, collide = true, name = "elbow",
  broken = true, data = {}, limit = drives.limit, motor = drives.motor, servo = drives.servo, spring = drives.spring,
  force = 1, armature = 2, damping = 0.5, friction = 0.1,
}
local soft = { hertz = 3 } -- the spring of a weld

local function legal_value(kind, option)
  return kind == "weld" and option.name == "spring" and soft or legal[option.name]
end

local bad = {
  number = { nan, "abc", "1", true, {}, print },
  integer = { nan, inf, 0.5, "1", true, {}, print },
  boolean = { 0, 1, "true", {}, print },
  string = { 1, true, {}, print, "a\0b" },
  vector = { nan, 1, "abc", true, {}, { 1 }, { 1, nan }, { inf, 0 }, { 0, "1" }, { 1, 2, 3 }, { x = 1 } },
  table = { nan, 1, "abc", true, print },
}

-- Return values that an option must reject.
local function bad_values(option)
  local list = copy(bad[option.type] or {})
  if option.type == "number" and option.name ~= "lower" and option.name ~= "upper" then
    list[#list + 1] = -inf
    if option.lower > -inf then list[#list + 1] = option.lower - 1 end
    if option.upper < inf then list[#list + 1] = option.upper * 2 end
    if option.lower == -inf or option.upper < inf then list[#list + 1] = inf end
  end
  if option.name:find "^joint%d" then list = { 1, "abc", true, {}, print } end
  if option.name == "break_if" then list = { 1, "abc", true, {} } end
  return list
end

-- Try wrong values and misspelled names for every option, also for nested options. `call` takes the whole table.
local function walk(options, base, call)
  for _, option in ipairs(options) do
    local name = option.name
    for _, value in ipairs(bad_values(option)) do
      raises("field '" .. name .. "'", call, copy(base, name, value))
    end
    if #name >= 4 then
      local typo = name:sub(1, -3) .. name:sub(-1) -- leave out the last letter but one
      raises(("bad field '%s' in "):format(typo), call, copy(base, typo, 1))
      raises("(did you mean '", call, copy(base, typo, 1))
    end
    if option.required then raises("field '" .. name .. "' is missing", call, copy(base, name, nil)) end
    if option.options then
      local nested = base[name] or name == "spring" and not option.options[3] and soft or legal[name]
      walk(option.options, nested, function(t) call(copy(base, name, t)) end)
    end
  end
  raises("bad field 'qqqqqqqq' in ", call, copy(base, "qqqqqqqq", 1))
  raises("bad field [7", call, copy(base, 7, 1))
end

describe("the constructor of every kind of joint", function()
  it("exists", function()
    assert.is_true(#kinds > 14)
    local world = core.world {}
    for _, entry in ipairs(kinds) do assert.equal("function", type(world[entry.name])) end
  end)

  for _, entry in ipairs(kinds) do
    local kind = entry.name

    it("makes a " .. kind .. " with its required options", function()
      local joint, world = fresh(kind)
      assert.equal(kind, joint.kind)
      assert.equal("joint", getmetatable(joint))
      assert.truthy(tostring(joint):find("^" .. kind .. " %d+$"))
      local last
      for other in world:joints() do last = other end
      assert.is_true(rawequal(last, joint))
      world:step(3)
      assert.is_true(joint:is_valid() and not joint.broken)
    end)

    it("takes each option of a " .. kind, function()
      for _, option in ipairs(entry.options) do
        if not option.required then
          local value = legal_value(kind, option)
          assert.is_truthy(value ~= nil, "no legal value of " .. option.name)
          local joint, world = fresh(kind, { [option.name] = value })
          assert.equal(kind, joint.kind)
          world:step(2)
        end
      end
    end)

    it("refuses invalid values and misspellings in a " .. kind .. " at every depth, and creates nothing", function()
      local world, a, b = pair()
      local base = required(kind, world, a, b)
      local count, hash = world:counts().joints, world.hash
      walk(entry.options, base, function(t) make(kind, t, world, a, b) end)
      raises("world:" .. kind .. " expects a table of options, got ", make, kind, nil, world, a, b)
      raises("world:" .. kind .. " expects a table of options, got ", make, kind, 1, world, a, b)
      assert.equal(count, world:counts().joints)
      assert.equal(hash, world.hash)
    end)

    it("refuses 1e308 as a position, length or ratio of a " .. kind, function()
      local world, a, b = pair()
      local base = required(kind, world, a, b)
      for _, option in ipairs(entry.options) do
        local bounded = option.type == "number" and option.upper < inf
        local value = option.type == "vector" and { 1e308, 0 } or bounded and 1e308
        if value then raises(kind, make, kind, copy(base, option.name, value), world, a, b) end
      end
    end)

    it("refuses two options of a " .. kind .. " for the same quantity", function()
      local world, a, b = pair()
      local base = required(kind, world, a, b)
      for at_world, at_local in pairs { anchor = "local_anchor_b", anchor_a = "local_anchor_a",
                                        anchor_b = "local_anchor_b", axis = "local_axis" } do
        if takes[kind][at_world] then
          local both = copy(copy(base, at_world, { 1, 0 }), at_local, { 0, 1 })
          raises(("takes '%s' (in the world) or '%s'"):format(at_world, at_local), make, kind, both, world, a, b)
        end
      end
      if takes[kind].local_anchor_a and takes[kind].anchor then
        raises("not both", make, kind, { anchor = { 1, 0 }, local_anchor_a = { 0, 1 } }, world, a, b)
      end
    end)

    if kind ~= "drag" and needed[kind] ~= needed.gear then
      it("refuses wrong bodies for a " .. kind, function()
        local world, a, b = pair()
        local options = required(kind, world, a, b)
        local dead = world:body { name = "gone" }
        dead:destroy()
        local call = "world:" .. kind .. ": body "
        for _, value in ipairs { 1, "abc", {}, print, io.stdout, world } do
          raises(call .. "'a' must be a body", world[kind], world, value, b, options)
          raises(call .. "'b' must be a body", world[kind], world, a, value, options)
        end
        raises(call .. "'a' must be a body, got nil", world[kind], world)
        raises(call .. "'b' must be a body, got a table", world[kind], world, b, options)
        raises(call .. "'b' is a body of another world", world[kind], world, a, (core.world {}):body {}, options)
        raises("attempt to use destroyed body 'gone'", world[kind], world, dead, b, options)
        raises("not a body to itself", world[kind], world, b, b, options)
        for _, type in ipairs { "static", "kinematic" } do
          raises("both of its bodies are static or kinematic", world[kind], world, world.ground,
            world:body { type = type }, options)
        end
      end)
    end
  end
end)

describe("drives in a constructor", function()
  it("read back from coordinates as given", function()
    local given = { limit = { -1, 2 }, motor = { speed = 3, max_force = 4 },
                    servo = { target = 5, speed = 6, max_force = 7 },
                    spring = { stiffness = 8, damping = 9, target = 10, max_force = 11 }, force = 12 }
    for _, entry in ipairs(kinds) do
      for _, name in ipairs { "x", "y", "angle", "distance", "sum" } do
        if takes[entry.name][name] then
          local joint = fresh(entry.name, { [name] = given })
          assert.same(given, joint:coordinate(name):drives())
        end
      end
    end
    local hinge = fresh("revolute", { angle = { spring = { hertz = 2, damping_ratio = 0.5, target = 1 } } })
    assert.same({ spring = { hertz = 2, damping_ratio = 0.5, target = 1, max_force = inf } },
      hinge:coordinate("angle"):drives())
  end)

  it("given to the joint act on its own coordinate; a wheel's motor acts on its angle", function()
    local own = { revolute = "angle", prismatic = "x", wheel = "x", pin_slot = "x", distance = "distance",
      rope = "distance", pose = "x", drag = "x", gear = "sum", rack = "sum", pulley = "sum", ratchet = "angle",
      friction = "x", linear = "x" }
    for kind, name in pairs(own) do
      for key, value in pairs { limit = { -1, 9 }, servo = drives.servo, force = 1, motor = drives.motor,
                                spring = { stiffness = 3, damping = 0, target = 1, max_force = 4 } } do
        local joint = fresh(kind, { [key] = value })
        local at = kind == "wheel" and key == "motor" and "angle" or name
        assert.same(value, joint:coordinate(at):drives()[key], kind .. " " .. key)
        raises(("field '%s' is given twice: as an option of the joint and inside option '%s'"):format(key, at),
          fresh, kind, { [key] = value, [at] = { [key] = value } })
      end
    end
  end)

  it("of a weld are options of x, y and angle; only spring may be an option of the weld itself", function()
    for _, key in ipairs { "limit", "motor", "servo", "force" } do
      local words = "field '%s': a weld has no coordinate of its own (write x = { %s = ... }"
      raises(words:format(key, key), fresh, "weld", { [key] = 1 })
    end
    local weld = fresh("weld", { spring = { hertz = 3, damping_ratio = 0.7 } })
    for coordinate in weld:coordinates() do
      assert.same({ spring = { hertz = 3, damping_ratio = 0.7, target = 0, max_force = inf } }, coordinate:drives())
    end
    raises("bad field 'stiffness' in world:weld: spring", fresh, "weld", { spring = { stiffness = 3 } })
    raises("given twice", fresh, "weld", { spring = soft, y = { spring = soft } })
    local free = fresh("weld", { x = { force = 0 } })
    assert.same({ lock = 0 }, free:coordinate("y"):drives())
    assert.same({ force = 0 }, free:coordinate("x"):drives())
  end)

  it("have infinite bounds by default; invalid combinations of bounds are rejected", function()
    local joint = fresh("revolute", { limit = { 0, inf }, motor = { speed = 1 } })
    local set = joint:coordinate("angle"):drives()
    assert.same({ 0, inf }, set.limit)
    assert.equal(inf, set.motor.max_force)
    assert.equal(inf, fresh("revolute", { servo = { target = 0 } }):coordinate("angle"):drives().servo.max_force)
    raises("a coordinate with both a motor and a servo needs a max_force for at least one", fresh, "revolute",
      { motor = { speed = 1 }, servo = { target = 0 } })
    assert.same({ -inf, 2 }, fresh("revolute", { limit = { upper = 2 } }):coordinate("angle"):drives().limit)
    raises("world:revolute: limit must be { lower, upper } [m or rad], at least one of", fresh, "revolute",
      { limit = {} })
    raises("limit lower 2 is above upper 1", fresh, "revolute", { limit = { 2, 1 } })
    raises("world:revolute: limit: field 'upper' must be a number [m or rad], got nan", fresh, "revolute",
      { limit = { 0, nan } })
    raises("world:wheel: angle.limit must be", fresh, "wheel", { angle = { limit = { -inf, inf } } })
  end)

  it("have springs with one kind of parameters", function()
    for where, options in pairs {
      ["world:revolute: spring"] = function(spring) return "revolute", { spring = spring } end,
      ["world:wheel: angle.spring"] = function(spring) return "wheel", { angle = { spring = spring } } end,
    } do
      local function refused(words, spring) raises(where .. words, fresh, options(spring)) end
      refused(" takes stiffness or hertz, not both", { stiffness = 1, hertz = 1 })
      refused(" needs stiffness (with damping) or hertz", {})
      refused(" needs stiffness (with damping) or hertz (with damping_ratio); for a damper without a spring give "
        .. "stiffness = 0", { damping = 1 })
      refused(": field 'damping_ratio' needs hertz", { stiffness = 1, damping_ratio = 1 })
      refused(": field 'damping' needs stiffness", { hertz = 1, damping = 1 })
    end
  end)

  it("take the default target of a spring from the joint's length or target, else from the creation pose", function()
    local spring = { hertz = 1 }
    local function rest(kind, options, name)
      return fresh(kind, copy(options, "spring", spring)):coordinate(name).joint.target
    end
    assert.equal(1, rest("distance", {}, "distance")) -- the default is the distance of the bodies, 1 m
    assert.equal(3, rest("distance", { length = 3 }, "distance"))
    assert.equal(10, rest("pulley", {}, "sum")) -- the default is the sum of the two rope lengths, 5 m each
    assert.equal(0.25, rest("pose", { target = { 0.25, 0 } }, "x"))
    assert.equal(0, rest("revolute", {}, "angle"))
  end)
end)

describe("gears and drags", function()
  it("couple a joint by its own coordinate, or a coordinate that the caller gives", function()
    local world, a, b = pair()
    local hinge, slider = world:revolute(world.ground, a, {}), world:prismatic(world.ground, b, { axis = { 0, 1 } })
    local gear = world:gear { joint1 = hinge, joint2 = slider:coordinate "x", ratio = -2, name = "train" }
    local c = { hinge:coordinate "angle", slider:coordinate "x" }
    hinge.body_b.angular_velocity = 1
    world:step(30)
    near(c[1].value - 2 * c[2].value, gear.value, 1e-12) -- sums of the same numbers, rounded in a different order
    assert.is_true(math.abs(gear.value) < 1e-6 and hinge.value > 0.05) -- angles are in single precision
    assert.same({ world.ground, a, b }, { gear:bodies() })
    local rack = world:rack { joint1 = slider, joint2 = hinge:coordinate(3) }
    assert.equal("rack", rack.kind)
  end)

  it("report invalid terms", function()
    local world, a, b = pair()
    local hinge, weld = world:revolute(world.ground, a, { name = "hinge" }), world:weld(world.ground, b, {})
    local other = core.world {}
    local stranger = other:revolute(other.ground, other:body {}, {})
    local function refused(words, joint2)
      raises(words, function() world:gear { joint1 = hinge, joint2 = joint2 } end)
    end
    refused("world:gear: field 'joint2' must be a joint or a coordinate, got a body", b)
    refused("world:gear: field 'joint2' is of another world", stranger)
    refused("field 'joint2' is of another world", stranger:coordinate "angle")
    refused("field 'joint2': a weld has no coordinate of its own (give one of its coordinates: joint:coordinate('x'))",
      weld)
    refused("couples two different coordinates", hinge)
    raises("takes no bodies: world:gear { joint1 = ..., joint2 = ... }", world.gear, world, a, b, {})
    local angle = weld:coordinate "angle"
    weld.name = "glue"
    weld:destroy()
    refused("attempt to use destroyed joint 'glue'", weld)
    refused("attempt to use destroyed joint 'glue'", angle)
    assert.equal(1, world:counts().joints)
  end)

  it("pull a body to a moving point", function()
    local world, _, b = pair()
    local drag = world:drag(b, { target = { 3, 1 } })
    assert.same({ spring = { hertz = 5, damping_ratio = 1, target = 3, max_force = 100 * b.mass * 9.81 } },
      drag:coordinate("x"):drives())
    assert.same({ world.ground, b }, { drag:bodies() })
    world:step(120)
    local _, _, x, y = drag:anchors()
    near(3, x, 1e-3) -- a critically damped spring of 5 Hz reaches its target within 2 s
    near(1, y, 1e-3)
    drag:set_target(-1, 2)
    assert.equal(-1, drag.target)
    for _, bodies in ipairs { { 1 }, { "abc" }, { {} }, {} } do
      raises("world:drag: body must be a body", world.drag, world, bodies[1], {})
    end
    raises("a revolute has no target point", function() world:revolute(world.ground, b, {}):set_target(0, 0) end)
  end)
end)

describe("a joint", function()
  it("is the same userdata from every access; lists of joints are in creation order", function()
    local world, a, b = pair()
    local made = { world:weld(a, b, { name = "w" }), world:rope(b, a, {}), world:friction(world.ground, b, {}) }
    for _, list in ipairs { { world, 1, 2, 3 }, { a, 1, 2 }, { b, 1, 2, 3 }, { world.ground, 3 } } do
      local n = 1
      for joint in list[1]:joints() do
        n = n + 1
        assert.is_true(rawequal(made[list[n]], joint))
      end
      assert.equal(#list, n)
    end
    assert.is_true(rawequal(made[1], world:find "w"))
    assert.is_true(rawequal(made[1]:coordinate "x", made[1]:coordinate(1)))
    assert.is_true(rawequal(made[1]:coordinate("y").joint, made[1]))
    local angle = made[2]:coordinate "distance"
    made[2] = nil
    collectgarbage()
    assert.equal("rope", angle.joint.kind)
    assert.is_true(rawequal(angle, angle.joint:coordinate "distance"))
  end)

  it("has name, data and bodies", function()
    local data = {}
    local joint, world, a, b = fresh("revolute", { name = "elbow", data = data, anchor = { 0.5, 1 } })
    assert.equal("revolute 'elbow'", tostring(joint))
    assert.equal(data, joint.data)
    assert.same({ a, b, a, b }, { joint.body_a, joint.body_b, joint:bodies() })
    assert.same({ 0.5, 1, 0.5, 1 }, { joint:anchors() })
    joint.name, joint.data = "knee", 7
    assert.same({ "knee", 7 }, { joint.name, joint.data })
    assert.equal(joint, world:find "knee")
    assert.is_nil(world:find "elbow")
    joint.name = nil
    assert.equal("revolute 1", tostring(joint))
    for _, value in ipairs { 1, true, {}, "a\0b" } do
      raises("joint.name must", function() joint.name = value end)
    end
    a.name = "same"
    joint.name = "same"
    assert.equal(a, world:find "same") -- world:find looks for bodies before joints
    assert.is_false(joint.collide)
    assert.is_true((fresh("revolute", { collide = true })).collide)
  end)

  it("measures the value of its coordinate, and carries the weight of its load", function()
    local world = core.world {}
    local bob = world:body { position = { 0, -2 }, mass = 3 }
    local rod = world:distance(world.ground, bob, { name = "rod" })
    world:step(60)
    local c = rod:coordinate "distance"
    assert.same({ c.value, c.speed, c.force }, { rod.value, rod.speed, rod.force })
    local _, y = bob:position()
    near(-y, rod.value, 1e-12) -- rounding
    near(-3 * 9.81, rod.force, 1e-3) -- tension reduces the distance, so its sign is -; single precision
    local fx, fy, torque = rod:reaction()
    near(0, fx, 1e-3)
    near(3 * 9.81, fy, 1e-3)
    near(0, torque, 1e-3)
    near(3, c.mass, 1e-12)
    -- Power: -m g times the mean velocity g h / 2, h = 1/240 s.
    near(-3 * 9.81 * 9.81 / 480, c.power, 1e-4)
    near(math.abs(rod.value - 2), rod.separation, 1e-12)
    local j = { c:jacobian() }
    for i, expected in ipairs { 0, 1, 0, 0, -1, 0 } do near(expected, j[i], 1e-12) end
    near(0, c:curvature(), 1e-9)
    bob:set_velocity(4, 0)
    near(4 * 4 / rod.value, c:curvature(), 1e-6) -- v^2 / r; the velocity is stored in single precision
  end)

  it("reads and writes its drives, and reports missing ones", function()
    local joint = fresh("revolute", { motor = { speed = 2, max_force = 5 }, servo = { target = 1 } })
    assert.same({ 2, 5, 1 }, { joint.motor_speed, joint.max_force, joint.target })
    joint.motor_speed, joint.max_force, joint.target, joint.break_force, joint.break_torque = -1, 6, 2, 7, 8
    assert.same({ -1, 6, 2, 7, 8 },
      { joint.motor_speed, joint.max_force, joint.target, joint.break_force, joint.break_torque })
    local plain, weld = fresh("revolute", { name = "elbow" }), fresh "weld"
    for key, what in pairs { motor_speed = "motor", max_force = "motor, servo or spring",
                             target = "servo or spring" } do
      raises("joint." .. key .. " of 'elbow': this revolute has no " .. what, function() return plain[key] end)
      raises("joint." .. key .. " of 'elbow': this revolute has no " .. what, function() plain[key] = 1 end)
    end
    for _, key in ipairs { "value", "speed", "force", "target", "motor_speed", "max_force" } do
      raises('a weld has no coordinate of its own (use joint:coordinate("x"))', function() return weld[key] end)
    end
    for _, entry in ipairs(api.joint) do
      if entry.kind == "property" and not entry.writable then
        raises("joint." .. entry.name .. " is read-only", function() joint[entry.name] = 1 end)
      elseif entry.kind == "property" and bad[entry.type] then
        for _, value in ipairs(bad[entry.type]) do
          raises("joint." .. entry.name .. " must", function() joint[entry.name] = value end)
        end
      end
    end
  end)

  it("that is destroyed allows is_valid, destroy and tostring; every other use raises an error", function()
    local joint, world, a, b = fresh("revolute", { name = "elbow" })
    local angle = joint:coordinate "angle"
    joint:destroy()
    joint:destroy()
    for _, object in ipairs { joint, angle } do
      assert.is_false(object:is_valid())
      for _, entry in ipairs(api[getmetatable(object)]) do
        if entry.kind == "property" then
          raises("attempt to use destroyed joint 'elbow'", function() return object[entry.name] end)
        elseif entry.name ~= "is_valid" and entry.name ~= "destroy" then
          raises("attempt to use destroyed joint 'elbow'", object[entry.name], object, 1, 1)
        end
      end
    end
    assert.same({ "destroyed joint 'elbow'", "angle of destroyed joint 'elbow'" }, { tostring(joint), tostring(angle) })
    assert.is_nil(world:joints()(select(2, world:joints())))
    local next_joint = world:weld(a, b, {})
    assert.is_true(next_joint ~= joint and not joint:is_valid())
    world:destroy()
    raises("attempt to use destroyed joint", function() return next_joint.kind end)
    raises("attempt to use destroyed joint 'elbow'", function() return angle.value end)
  end)

  it("refuses receivers of another class and wrong arguments", function()
    local joint, world, a = fresh "revolute"
    for class, object in pairs { joint = joint, coordinate = joint:coordinate "angle" } do
      for _, entry in ipairs(api[class]) do
        if entry.kind == "method" then
          for _, receiver in ipairs { 1, "abc", {}, print, io.stdout, world, a } do
            raises("a " .. class .. " is expected", object[entry.name], receiver)
          end
          raises("is a method and cannot be set", function() object[entry.name] = 1 end)
        end
      end
      raises("unknown field 'qqqqqqqq' on " .. class, function() return object.qqqqqqqq end)
    end
    raises("(did you mean 'separation'?)", function() return joint.seperation end)
    local words = "joint:coordinate: the coordinates of a revolute are 'x', 'y', 'angle', or 1 to 3, got "
    for _, name in ipairs { "angel", "", 0, 4, 1.5, nan, true, {} } do
      raises(words, joint.coordinate, joint, name)
    end
    raises("(did you mean 'angle'?)", joint.coordinate, joint, "angel")
    for _, value in ipairs { nan, inf, "1", true, {} } do
      raises("joint:set_target: argument 'x'", joint.set_target, joint, value, 0)
      raises("joint:set_target: argument 'y'", joint.set_target, joint, 0, value)
    end
    raises("an iterator is for a loop", function() joint:coordinates()() end)
  end)
end)
