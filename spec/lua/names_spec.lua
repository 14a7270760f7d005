-- Names that people bring from Box2D, LÖVE, Chipmunk, Matter.js and Unity: each error names ours, and ours exists.
local core = require "impel.core"

local world = core.world {}
local body = world:body {}
local objects = { world = world, body = body, shape = body:circle { radius = 1 } }

-- The call raises and names `word`.
local function raises(word, f)
  local ok, message = pcall(f)
  assert.is_false(ok, "no error where one about '" .. word .. "' was expected")
  assert.truthy(message:find(word, 1, true), "no '" .. word .. "' in: " .. message)
end

describe("names of other engines", function()
  local cases = {
    body = {
      applyForce = "body:apply_force(", ApplyLinearImpulse = "body:apply_impulse(", getPosition = "body:position()",
      setPosition = "body:set_position(", getLinearVelocity = "body:velocity()",
      SetLinearVelocity = "body:set_velocity(",
      getAngle = "body.angle", setAngle = "body.angle", isAwake = "body.awake", getMass = "body.mass",
      AddForce = "body:apply_force(", newFixture = "body:circle{", CreateFixture = "body:circle{",
      setBullet = "body.bullet", getWorldPoint = "body:world_point(", rotation = "body.angle", getX = "body:position()",
      setFixedRotation = "body.fixed_rotation", applyTorque = "body:apply_torque(", userData = "body.data",
      GetUserData = "body.data", moment = "body.inertia", getWorldCenter = "body:center()",
      applyAngularImpulse = "body:apply_angular_impulse(",
      setGravityScale = "body.gravity_scale", wakeUp = "body.awake", linearVelocity = "body:velocity()",
    },
    world = {
      newBody = "world:body{", CreateBody = "world:body{", createBody = "world:body{", addBody = "world:body{",
      update = "world:step(", Step = "world:step(", getBodies = "world:bodies()", setGravity = "world:set_gravity(",
      destroyBody = "body:destroy()", setCallbacks = "world:on(", SetContactListener = "world:on(",
      hinge = "joints come with a later version", revolute = "joints come", newMouseJoint = "joints come",
      rayCast = "queries come with a later version",
      getBodyCount = "world:counts()", velocityIterations = "world.iterations", timestep = "world.dt",
    },
    shape = {
      setFriction = "shape.friction", getRestitution = "shape.restitution", setSensor = "shape.sensor",
      isSensor = "shape.sensor", elasticity = "shape.restitution", setFilterData = "shape.category",
      testPoint = "shape:contains(", getBoundingBox = "shape:aabb()", getBody = "shape.body",
      categoryBits = "shape.category",
    },
  }
  for class, names in pairs(cases) do
    it("lead to ours on " .. class, function()
      local object = objects[class]
      for foreign, ours in pairs(names) do
        raises(ours, function() return object[foreign] end)
      end
    end)
  end
end)

describe("keys of other engines in option tables", function()
  local cases = {
    { body.circle, "body:circle", { radius = 1 },
      { bounce = "restitution", elasticity = "restitution", r = "radius", categoryBits = "category",
        collisionType = "category", maskBits = "mask", groupIndex = "group", filter = "category, mask and group",
        trigger = "sensor", userData = "data", surfaceVelocity = "surface_speed", x = "center = { x, y }",
        position = "center = { x, y }", mass = "density" } },
    { body.box, "body:box", { 1, 1 },
      { w = "width", h = "height", hx = "width = 2 * hx", hy = "height = 2 * hy", size = "width, height",
        rotation = "angle", bounciness = "restitution" } },
    { body.polygon, "body:polygon", {}, { vertices = "points = {", verts = "points = {" } },
    { body.capsule, "body:capsule", {}, { r = "radius", length = "from = {" } },
    { body.chain, "body:chain", {}, { closed = "loop" } },
    { world.body, "world:body", {},
      { linear_velocity = "velocity = { vx, vy }", linearVelocity = "velocity = { vx, vy }", x = "position = { x, y }",
        y = "position = { x, y }", rotation = "angle", userData = "data", freezeRotation = "fixed_rotation",
        drag = "linear_damping", moment = "inertia", bodyType = "type", density = "an option of its shapes",
        isStatic = "type = 'static'", sleepingAllowed = "allow_sleep" } },
  }
  for _, case in ipairs(cases) do
    local call, where, options, names = table.unpack(case)
    it("lead to ours in " .. where, function()
      local object = where:find "^world" and world or body
      for foreign, ours in pairs(names) do
        local given = { [foreign] = 1 }
        for key, value in pairs(options) do given[key] = value end
        local words = ("bad field '%s' in %s (in impel: %s"):format(foreign, where, ours)
        raises(words, function() call(object, given) end)
      end
    end)
  end

  it("lead to ours in impel.world", function()
    raises("(in impel: substeps)", function() core.world { subSteps = 4 } end)
    raises("(in impel: iterations)", function() core.world { velocityIterations = 4 } end)
    raises("(in impel: dt = 1 / fps)", function() core.world { fps = 60 } end)
    raises("(in impel: dt)", function() core.world { timestep = 1 } end)
  end)
end)

describe("names of other engines on the module", function()
  it("lead to ours", function()
    raises("unknown field 'newWorld' on impel (in impel: impel.world{", function() return core.newWorld end)
    raises("(in impel: world:body{", function() return core.newBody end)
    raises("did you mean 'version'?", function() return core.versoin end)
    raises("unknown field 'qqqqqqqq' on impel", function() return core.qqqqqqqq end)
  end)
end)

describe("the list of foreign names", function()
  local api = core.api()
  local function exists(class, member)
    if class == "impel" and member == "world" then return true end
    for _, entry in ipairs(api[class] or {}) do
      if entry.name == member then return true end
    end
    return false
  end

  -- The keys of a constructor, or of all shapes.
  local function takes(scope, key)
    local where = { world = "impel", body = "world" }
    for _, entry in ipairs(api[where[scope] or "body"]) do
      if entry.options and (entry.name == scope or scope == "shape") then
        local found = false
        for _, option in ipairs(entry.options) do found = found or option.name == key end
        if found or scope ~= "shape" then return found end
      end
    end
    return false
  end

  it("names only what exists, or says that it comes later", function()
    local n = 0
    for _, foreign in ipairs(core.foreign_names()) do
      local line = foreign.scope .. " " .. foreign.name .. ": " .. foreign.ours
      local named = false
      for class, member in foreign.ours:gmatch "(%l+)[.:](%l[%l_]*)" do
        named = true
        assert.is_true(exists(class, member), line)
      end
      if foreign.kind == "option" then
        named = named or takes(foreign.scope, foreign.ours:match "^[%l_]+")
        assert.is_false(takes(foreign.scope, foreign.name), line .. " (is a key)")
      elseif foreign.scope ~= "impel" then
        assert.is_false(exists(foreign.scope, foreign.name), line .. " (exists)")
      end
      local later = foreign.ours:find "come with a later version$" or foreign.ours:find "^two numbers"
      assert.is_truthy(named or later, line)
      n = n + 1
    end
    assert.is_true(n > 150)
  end)
end)


describe("the module's own fields", function()
  it("lead there too, and to the nearest name", function()
    local impel = require "impel"
    raises("impel.world{", function() return impel.newWorld end)
    raises("did you mean 'math'?", function() return impel.maht end)
  end)
end)
