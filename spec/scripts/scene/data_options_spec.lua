-- Every option of every constructor is restored from a world's data. The options come from the registration tables.
-- Random worlds are exported after random changes.
local impel = require "impel"
local program = require "support.program"
local same_world = require "scripts.scene.same_world"
local again, compare = same_world.again, same_world.compare
local core = require "impel.core"
local api = core.api()

local function entry_of(class, name)
  for _, entry in ipairs(api[class]) do
    if entry.name == name then return entry end
  end
end

local shape_types, joint_kinds = require("support.kinds").shapes, {}
for _, entry in ipairs(api.world) do
  if entry.coordinates then joint_kinds[#joint_kinds + 1] = entry.name end
end

local inf = math.huge


describe("every option", function()
  -- Return a valid value that is not the default.
  local function other(option)
    local fixed = {
      time = 3.5, tick = 7, lanes = 4, dt = 0.01, position = { 1, 2 }, one_way = { 0, 1 }, name = "x", angle = 0.25,
      points = { { 0, 0 }, { 2, 0 }, { 0, 3 } }, holes = { { { 0.1, 0.1 }, { 0.1, 0.4 }, { 0.3, 0.1 } } },
      values = { 0.5, 1.5, false, 2, 3 }, data = { 1 }, type = "kinematic",
      generator = ("0123456789abcdef"):rep(4), material = "ice",
      materials = { { name = "ice", friction = 0.25 }, { name = "rubber" } },
      look = { color = 0x11223344, outline = false, order = 2.0 },
      mixes = { { a = "ice", b = "ice", friction = 0 } },
    }
    if fixed[option.name] ~= nil then return fixed[option.name] end
    if option.type == "boolean" then return not (option.name == "awake" or option.name == "enabled") end
    if option.type == "choice" then return option.choices[#option.choices] end
    if option.type == "vector" then return { 0.5, -0.25 } end
    if option.type == "bits" or option.type == "integer" then return math.max(option.lower, 0) + 5 end
    return math.max(option.lower, 0) + 0.375
  end

  local function value_of(option)
    local value = other(option)
    if option.type == "boolean" and option.doc:find "true by default" then value = false end
    if option.name == "allow_sleep" or option.name == "sleep" or option.name == "continuous" then value = false end
    if option.name == "smooth_internal_edges" then value = false end
    local on = { warm_start = true, accumulate = true, relax = true, geometric_stiffness = true, midpoint = true }
    if on[option.name] then value = false end
    return value
  end

  it("of a world is exported, except for threads and lanes", function()
    for _, option in ipairs(entry_of("impel", "world").options) do
      local options = { [option.name] = value_of(option) }
      if option.name == "time" then options.tick = 7 end
      if option.name == "mixes" then options.materials = value_of { name = "materials" } end
      local world = impel.world(options)
      local copy = again(world, option.name)
      if option.name ~= "lanes" and option.name ~= "threads" then
        assert.same(options[option.name], world:export()[option.name], option.name)
        assert.same(world:options(), copy:options(), option.name)
      end
    end
  end)

  it("of a body is exported", function()
    for _, option in ipairs(entry_of("world", "body").options) do
      local world = impel.world {}
      local body = world:body { [option.name] = value_of(option) }
      local data = world:export().bodies[1]
      assert.same(value_of(option), data[option.name], option.name)
      assert.same(value_of(option), body:options()[option.name], option.name)
      again(world, option.name)
    end
  end)

  local required = {
    circle = { radius = 0.5 }, box = { width = 1, height = 2 }, polygon = { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } },
    capsule = { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.2 }, segment = { from = { -0.5, 0 }, to = { 0.5, 0 } },
    chain = { points = { { 1, 0 }, { 0, 0 }, { -1, 0.5 } } }, heights = { values = { 0, 1, 0.5 }, spacing = 0.5 },
  }
  for _, shape_type in ipairs(shape_types) do
    it("of a " .. shape_type .. " is exported", function()
      for _, option in ipairs(entry_of("body", shape_type).options) do
        if option.type == "function" then goto continue end -- functions are not exported
        local world = impel.world { materials = { { name = "ice" } } }
        local body, options = world:body { mass = 2, position = { 0.1, 0.2 }, angle = 0.3 }, {}
        for key, value in pairs(required[shape_type]) do options[key] = value end
        options[option.name] = value_of(option)
        local shape = body[shape_type](body, options)
        assert.same(options, shape:options(), option.name)
        local copy = again(world, option.name)
        compare(world, copy)
        ::continue::
      end
    end)
  end

  -- A joint's data have local anchors and axes, so compare measured values and drives instead of options.
  local drives = {
    limit = { lower = -1, max_force = 7 }, motor = { speed = 1, max_force = 2 }, force = 1, free = true,
    servo = { target = 1, speed = 0.5, max_force = 2 }, spring = { hertz = 3, damping_ratio = 0.25, target = 0.5 },
    armature = 2, damping = 0.5, friction = 0.1,
  }
  local joint_values = {
    anchor = { 0.5, 0 }, anchor_a = { 0, 1 }, anchor_b = { 1, 1 }, local_anchor_a = { 0, 1 }, local_anchor_b = { 0, 1 },
    axis = { 0.3, 2 }, local_axis = { 1, 1 }, reference_angle = 0.5, length = 2, ratio = 2.5, target = { 0.1, 0.2 },
    target_angle = 0.1, pitch = 0.1, direction = -1, max_force = 10, max_torque = 10, hertz = 4, damping_ratio = 0.5,
    break_force = 100, break_torque = 7, collide = true, broken = true, name = "elbow", data = { 1 },
    limit = drives.limit, motor = drives.motor, servo = drives.servo, spring = drives.spring, force = 1,
    armature = 2, damping = 0.5, friction = 0.1, x = drives, y = drives, angle = drives, distance = drives,
    sum = drives,
  }
  for _, kind in ipairs(joint_kinds) do
    it("of a " .. kind .. " is exported", function()
      for _, option in ipairs(entry_of("world", kind).options) do
        if not option.required and option.name ~= "break_if" then
          local world = impel.world { solver = "si" }
          local a = world:body { mass = 1, inertia = 2, angle = 0.7, position = { 0.1, 0.2 } }
          local b = world:body { position = { 1, 0 }, angle = -0.4 }
          b:box { 1, 1, center = { 0.2, 0.1 } }
          local value = joint_values[option.name]
          if kind == "weld" and option.name == "spring" then value = { hertz = 3 } end
          assert.is_not_nil(value, "no value of " .. option.name)
          local options = { [option.name] = value }
          local joint
          if kind == "pulley" then options.ground_a, options.ground_b = { 0, 5 }, { 1, 5 } end
          if kind == "gear" or kind == "rack" then
            options.joint1 = world:revolute(world.ground, a, {})
            options.joint2 = world:prismatic(world.ground, b, {}):coordinate "y"
            joint = world[kind](world, options)
          elseif kind == "drag" then
            joint = world:drag(b, options)
          else
            joint = world[kind](world, a, b, options)
          end
          local exported = joint:options()
          for _, key in ipairs { "break_force", "break_torque", "collide", "broken", "name", "data", "ratio", "pitch",
                                 "direction", "reference_angle", "length" } do
            if option.name == key then assert.same(value, exported[key], key) end
          end
          local copy = again(world, option.name)
          compare(world, copy, 0, option.name)
          world:step(3)
          again(world, option.name)
        end
      end
    end)
  end

  it("is in the schema, except break_if, a function", function()
    local schema = impel.data.schema()
    local function has(fields, entry)
      local names = {}
      for _, field in ipairs(fields) do
        names[field.name] = true
        assert.is_string(field.doc or field.type, field.name)
      end
      for _, option in ipairs(entry.options) do
        local is_data = option.type ~= "function" and option.name ~= "break_if"
        assert.equal(is_data, names[option.name] == true, entry.name .. "." .. option.name)
      end
    end
    has(schema.world, entry_of("impel", "world"))
    assert.equal(schema.format, "impel.world")
    has(schema.body, entry_of("world", "body"))
    for _, name in ipairs(shape_types) do has(schema.shape[name], entry_of("body", name)) end
    for _, name in ipairs(joint_kinds) do has(schema.joint[name], entry_of("world", name)) end
  end)

  it("that no constructor takes is listed in scripts/MANUAL.md", function()
    local readme = program.read "scripts/MANUAL.md"
    local schema = impel.data.schema()
    local constructors = { world = entry_of("impel", "world"), body = entry_of("world", "body") }
    for name, fields in pairs { world = schema.world, body = schema.body, box = schema.shape.box,
                                gear = schema.joint.gear, weld = schema.joint.weld, drag = schema.joint.drag } do
      local known = {}
      local entry = constructors[name] or entry_of("body", name) or entry_of("world", name)
      for _, option in ipairs(entry.options) do known[option.name] = true end
      for _, field in ipairs(fields) do
        if not known[field.name] then assert.truthy(readme:find("`" .. field.name .. "`", 1, true), field.name) end
      end
    end
  end)
end)


-- Random worlds, changed by calls that a user may make before an export.
describe("a random world", function()
  local function build(rng)
    local function real(lower, upper) return lower + (upper - lower) * rng:random() end
    local function pick(list) return list[rng:random(#list)] end
    local function point() return { real(-1, 1), real(-1, 1) } end
    local world = impel.world {
      solver = pick { "soft", "si", "ngs", "split", "xpbd", "direct" }, gravity = point(), seed = rng:random(100),
      dt = pick { 1 / 60, 0.01 }, sleep = rng:random() < 0.7,
    }
    if rng:random() < 0.3 then world.substeps = rng:random(6) end
    local bodies, joints = {}, {}

    local function add_shape(body)
      local options = { friction = real(0, 1), group = rng:random(-2, 2), sensor = rng:random() < 0.1 }
      if rng:random() < 0.3 then options.one_way = { real(0.1, 1), real(-1, 1) } end
      local makers = {
        circle = function() options.radius, options.center = real(0.1, 0.5), point() end,
        box = function()
          options.width, options.height, options.radius = real(0.1, 1), real(0.1, 1), pick { 0, 0.05 }
          options.center, options.angle = point(), real(-3, 3)
        end,
        polygon = function()
          local x, y = real(-1, 1), real(-1, 1)
          options.points = { { x, y }, { x + real(-0.1, 0.1), y + 0.5 }, { x + 0.5, y } } -- clockwise
        end,
        capsule = function()
          options.from, options.to, options.radius = { real(-2, -1.1), 0 }, point(), real(0.05, 0.2)
        end,
        segment = function() options.from, options.to = { real(-2, -1.1), 0 }, point() end,
        heights = function()
          options.spacing, options.position = real(0.1, 1), point()
          options.values = { real(0, 1), real(0, 1), false, real(0, 1), real(0, 1) }
        end,
        chain = function()
          options.loop = rng:random() < 0.5
          options.points = { { real(1, 2), 0 }, { real(-0.1, 0.1), real(1, 2) }, { real(-2, -1), real(-0.1, 0) } }
        end,
      }
      local name = pick(shape_types)
      makers[name]()
      body[name](body, options)
    end

    local function add_body()
      local kind = pick { "dynamic", "dynamic", "dynamic", "static", "kinematic", "particle" }
      local turns, moves = kind ~= "particle", kind ~= "static"
      local body = world:body {
        type = kind, position = { real(-8, 8), real(-8, 8) }, angle = turns and real(-7, 7) or 0,
        velocity = moves and point() or nil, angular_velocity = moves and turns and real(-3, 3) or nil,
        mass = rng:random() < 0.5 and real(0.5, 2) or nil, linear_damping = pick { 0, 0.1 },
        fixed_rotation = rng:random() < 0.1, data = pick { { rng:random() }, "x", 3 },
      }
      for _ = 1, rng:random(0, 3) do add_shape(body) end
      bodies[#bodies + 1] = body
    end

    local function add_joint()
      local a, b = pick(bodies), pick(bodies)
      local kind = pick(joint_kinds)
      pcall(function() -- ignore invalid combinations of changes
        if kind == "gear" or kind == "rack" then
          joints[#joints + 1] = world[kind](world, { joint1 = pick(joints), joint2 = pick(joints), ratio = real(1, 2) })
        elseif kind == "drag" then
          joints[#joints + 1] = world:drag(b, { target = point() })
        elseif kind == "pulley" then
          joints[#joints + 1] = world:pulley(a, b, { ground_a = { 0, 20 }, ground_b = { 1, 20 } })
        else
          joints[#joints + 1] = world[kind](world, pick { a, world.ground }, b, { break_force = pick { inf, 5, 50 } })
        end
      end)
    end

    local function change()
      local body, joint = pick(bodies), joints[1] and pick(joints)
      pcall(pick {
        function() body.mass = real(0.5, 3) end,
        function() body.type = pick { "dynamic", "kinematic", "static", "particle" } end,
        function() body:set_position(real(-8, 8), real(-8, 8)) end,
        function() body.angle = real(-9, 9) end,
        function() body.awake = false end,
        function() for shape in body:shapes() do shape:destroy() end end,
        function() for shape in body:shapes() do shape.density = real(0.5, 2) end end,
        function() body:destroy() end,
        function() add_shape(body) end,
        function() joint:sever() end,
        function() joint:destroy() end,
        function() pick { joint:coordinate(1) }:set_motor { speed = real(-1, 1), max_force = 3 } end,
        function() joint:coordinate(1):set_spring { hertz = real(1, 3), damping_ratio = 0.5 } end,
        function() joint:coordinate(2):set_lock(real(-1, 1)) end,
        function() joint:coordinate(1):release() end,
        function() joint.target = real(-1, 1) end,
        function() world.dt = pick { 1 / 60, 0.01, 0.005 } end,
      })
    end

    for _ = 1, rng:random(2, 12) do add_body() end
    for _ = 1, rng:random(0, 10) do add_joint() end
    for _ = 1, rng:random(0, 40) do
      change()
      if rng:random() < 0.5 then world:step(rng:random(5)) end
    end
    return world
  end

  it("is recreated from its data: the same text, the same numbers", function()
    for seed = 1, 300 do
      local world = build(impel.rng.new(seed))
      local copy = again(world, "seed " .. seed)
      compare(world, copy, 0, "seed " .. seed)
      copy:step(3)
      assert.equal(16, #copy.hash)
    end
  end)
end)
