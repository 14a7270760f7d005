-- Names from Box2D, LÖVE, Chipmunk, Matter.js, Unity and Godot: each error gives impel's name, and that name exists.
local core = require "impel.core"
local raises = require "support.raises"

local world = core.world {}
local body = world:body {}
local hinge = world:revolute(world.ground, body, {})
local objects = { world = world, body = body, shape = body:circle { radius = 1 }, joint = hinge,
                  coordinate = hinge:coordinate "angle", mover = world:mover {} }

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
      SetTransform = "body:set_pose(", SetTargetTransform = "body:move_to(", MovePosition = "body:move_to(",
      setMotionLocks = "body.lock_x", freezePositionX = "body.lock_x", velocity_limit = "body.max_speed",
      maxAngularVelocity = "body.max_angular_speed",
    },
    world = {
      newBody = "world:body{", CreateBody = "world:body{", createBody = "world:body{", addBody = "world:body{",
      update = "world:step(", Step = "world:step(", getBodies = "world:bodies()", setGravity = "world:set_gravity(",
      destroyBody = "body:destroy()", setCallbacks = "world:on(", SetContactListener = "world:on(",
      hinge = "world:revolute(a, b, {...})", newMouseJoint = "world:drag(body, {...})", pivot = "world:revolute(",
      newPrismaticJoint = "world:prismatic(", createJoint = "world:revolute(", motorJoint = "world:pose(",
      SliderJoint = "world:prismatic(", weldJoint = "world:weld(", destroyJoint = "joint:destroy()",
      getJointCount = "world:counts().joints", getJointList = "world:joints()", getGroundBody = "world.ground",
      rayCast = "world:raycast(", queryBoundingBox = "world:overlap_box(", segmentQueryFirst = "world:raycast(",
      QueryAABB = "world:overlap_box(", pointQuery = "world:overlap_point(", CastShape = "world:shapecast(",
      pointQueryNearest = "world:nearest(", queryShapesInArea = "world:overlap_box(", linecast = "world:raycast(",
      castRay = "world:raycast(", getShapesInArea = "world:overlap_box(", rayCastAny = "world:raycast_any(",
      getBodyCount = "world:counts()", velocityIterations = "world.iterations", timestep = "world.dt",
    },
    shape = {
      setFriction = "shape.friction", getRestitution = "shape.restitution", setSensor = "shape.sensor",
      isSensor = "shape.sensor", elasticity = "shape.restitution", setFilterData = "shape.category",
      rayCast = "shape:raycast(", pointQuery = "shape:closest(", getClosestPoint = "shape:closest(",
      testPoint = "shape:contains(", getBoundingBox = "shape:aabb()", getBody = "shape.body",
      categoryBits = "shape.category",
    },
    joint = {
      getJointAngle = "joint.value", getJointTranslation = "joint.value", GetJointSpeed = "joint.speed",
      enableMotor = "joint:coordinate(name):set_motor{...}", isMotorEnabled = "set_motor{...}",
      setMotorSpeed = "joint.motor_speed", getMotorSpeed = "joint.motor_speed", setMaxMotorTorque = "joint.max_force",
      setMaxMotorForce = "joint.max_force", setLimits = "joint:coordinate(name):set_limit(lower, upper)",
      enableLimit = "set_limit(", getLowerLimit = "set_limit(", getReactionForce = "joint:reaction()",
      GetReactionTorque = "joint:reaction()", getMotorTorque = "joint.force", getAnchorA = "joint:anchors()",
      getBodyA = "joint.body_a", setFrequency = "set_spring{...}", isBroken = "joint.broken",
      setTarget = "joint:set_target(x, y)",
      getType = "joint.kind", getUserData = "joint.data", remove = "joint:destroy()", setRatio = "world:gear{...}",
      getCollideConnected = "joint.collide", breakForce = "joint.break_force", snap = "joint:sever()",
    },
    coordinate = {
      position = "coordinate.value", velocity = "coordinate.speed", effectiveMass = "coordinate.mass",
      lock = "coordinate:set_lock(value)", setMotorSpeed = "coordinate:set_motor{...}",
      motor = "coordinate:set_motor{...}", limits = "coordinate:set_limit(",
    },
    mover = {
      is_on_floor = "mover.grounded", isGrounded = "mover.grounded", is_on_wall = "mover.on_wall",
      is_on_ceiling = "mover.on_ceiling", get_floor_normal = "mover:ground_normal()",
      floor_max_angle = "mover.max_slope", slopeLimit = "mover.max_slope", stepOffset = "mover.step_height",
      floor_snap_length = "mover.snap_distance", move_and_slide = "mover:move(dx, dy)",
      get_platform_velocity = "mover:ground_velocity()",
    },
  }
  for class, names in pairs(cases) do
    it("lead to impel's names on " .. class, function()
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
        collisionType = "category", maskBits = "mask", groupIndex = "group", filterData = "category, mask and group",
        trigger = "sensor", userData = "data", surfaceVelocity = "surface_speed", x = "center = { x, y }",
        position = "center = { x, y }", mass = "density" } },
    { body.box, "body:box", { 1, 1 },
      { w = "width", h = "height", hx = "width = 2 * hx", hy = "height = 2 * hy", size = "width, height",
        rotation = "angle", bounciness = "restitution" } },
    { body.polygon, "body:polygon", {}, { vertices = "points = {", verts = "points = {" } },
    { body.capsule, "body:capsule", {}, { r = "radius", length = "from = {" } },
    { body.chain, "body:chain", {}, { closed = "loop" } },
    { body.heights, "body:heights", {}, { heights = "values", samples = "values", scale = "spacing", dx = "spacing" } },
    { world.body, "world:body", {},
      { linear_velocity = "velocity = { vx, vy }", linearVelocity = "velocity = { vx, vy }", x = "position = { x, y }",
        y = "position = { x, y }", rotation = "angle", userData = "data", freezeRotation = "fixed_rotation",
        drag = "linear_damping", moment = "inertia", bodyType = "type", density = "an option of its shapes",
        isStatic = "type = 'static'", sleepingAllowed = "allow_sleep" } },
    { world.mover, "world:mover", {},
      { floor_max_angle = "max_slope", slopeLimit = "max_slope", stepOffset = "step_height",
        floor_snap_length = "snap_distance" } },
  }
  for _, case in ipairs(cases) do
    local call, where, options, names = table.unpack(case)
    it("lead to impel's names in " .. where, function()
      local object = where:find "^world" and world or body
      for foreign, ours in pairs(names) do
        local given = { [foreign] = 1 }
        for key, value in pairs(options) do given[key] = value end
        local words = ("bad field '%s' in %s (in impel: %s"):format(foreign, where, ours)
        raises(words, function() call(object, given) end)
      end
    end)
  end

  it("lead to impel's names in joints and their drives, at every depth", function()
    local function leads(words, method, options)
      raises(words, function() world[method](world, world.ground, body, options) end)
    end
    leads("in world:revolute (in impel: motor = { speed = v", "revolute", { maxMotorTorque = 1 })
    leads("in world:prismatic (in impel: limit = { lower, upper })", "prismatic", { lowerTranslation = 1 })
    leads("(in impel: collide)", "weld", { collideConnected = true })
    leads("(in impel: anchor = { x, y })", "revolute", { pivot = { 0, 0 } })
    leads("(in impel: spring = { hertz = f", "distance", { frequencyHz = 1 })
    leads("(in impel: reference_angle)", "revolute", { reference = 1 })
    leads("(in impel: data)", "revolute", { userData = 1 })
    leads("(in impel: length)", "rope", { maxLength = 1 })
    leads("in world:revolute: motor (in impel: max_force)", "revolute", { motor = { speed = 1, maxTorque = 1 } })
    leads("in world:wheel: angle.motor (in impel: speed)", "wheel", { angle = { motor = { velocity = 1 } } })
    leads("in world:revolute: spring (in impel: hertz)", "revolute", { spring = { frequency = 1 } })
    raises("(in impel: hertz)", function() world:drag(body, { frequencyHz = 1 }) end)
    raises("(in impel: joint1)", function() world:gear { jointA = hinge } end)
    raises("in coordinate:set_motor (in impel: max_force)", function() objects.coordinate:set_motor { torque = 1 } end)
  end)

  it("lead to impel's names in impel.world", function()
    raises("(in impel: substeps)", function() core.world { subSteps = 4 } end)
    raises("(in impel: iterations)", function() core.world { velocityIterations = 4 } end)
    raises("(in impel: dt = 1 / fps)", function() core.world { fps = 60 } end)
    raises("(in impel: dt)", function() core.world { timestep = 1 } end)
  end)
end)

describe("names of other engines in a scene file", function()
  local scenes = require "impel.scene"
  local HEAD = [[
    local impel = require "impel"
    local scene = {}
    function scene.setup() return { world = impel.world {} } end
  ]]

  -- Check the error of loading, stepping or drawing a scene with this text.
  local function fails(text, words)
    local scene, message = scenes.parse(HEAD .. text .. " return scene", "=game")
    if scene then
      local run = assert(require("impel.scene.run").new(scene, {}))
      local ok, failure = run:step()
      if ok then ok, failure = require("impel.picture").svg(run) end
      assert.falsy(ok)
      message = type(failure) == "table" and failure.message or failure
      run:close()
    end
    assert.truthy(message:find(words, 1, true), message)
    return message
  end

  it("lead to impel's names, with the list of a scene's fields", function()
    for theirs, ours in pairs {
      keypressed = 'input.pressed "space" in scene.update; impel api input',
      keyreleased = 'input.released "space" in scene.update; impel api input',
      mousepressed = 'input.mouse_pressed "left" in scene.update; impel api input',
      wheelmoved = "input.wheel() in scene.update; impel api input",
      gamepadpressed = "input.button, input.axis in scene.update; impel api input",
      touchmoved = "input.touches() in scene.update; impel api input",
      load = "scene.setup(p, seed); impel api scene", fixedUpdate = "scene.update(s, dt); impel api scene",
      tick = "scene.update(s, dt); impel api scene", step = "scene.update(s, dt); impel api scene",
      _physics_process = "scene.update(s, dt); impel api scene", render = "scene.draw(s, view); impel api view",
      beginContact = 'world:on("begin_contact", fn) in scene.setup; impel api world:on',
      gravity = "impel.world { gravity =, dt =, ... } in scene.setup; impel api impel.world",
    } do
      local message = fails(("scene[%q] = print"):format(theirs), "game: bad field '" .. theirs .. "' in scene")
      assert.truthy(message:find("(in impel: " .. ours .. "); a scene has about, camera, check, ", 1, true), message)
    end
    for theirs, ours in pairs { Update = "update", onDraw = "draw", set_up = "setup", updat = "update" } do
      fails(("scene[%q] = print"):format(theirs), ("(did you mean '%s'?); a scene has about, "):format(ours))
    end
    fails("scene.keys = { left = true }",
      "scene.keys: a list of names such as { \"left\", \"space\" } expected, got the field 'left'")
    fails("scene.keys = { 'lshift' }", "scene.keys: unknown key 'lshift' (use 'left_shift')")
    fails("scene.view = { zoom = 1 }", "bad field 'zoom' in scene.view; it has angle, bounds, ")
  end)

  it("lead to impel's names if a function of the scene uses them", function()
    fails("love.graphics.print 'a'", "(global 'love') (in impel: scene.setup, scene.update and scene.draw")
    fails("function scene.update(s, dt) world:step() end",
      "(global 'world') (the world is s.world: functions get the result of setup as s)")
    fails("function scene.update(s, dt) input.down 'a' end",
      "(global 'input') (write local input = require \"impel.input\")")
    fails("function scene.update(s, dt) impel.input.isDown 'a' end",
      "impel.input has no function 'isDown' (in impel: input.down \"space\" in scene.update; impel api input)")
    fails("function scene.update(s, dt) impel.sound.newSource 'a.wav' end", "game:4: impel.sound has no function "
      .. "'newSource' (in impel: sound(\"hit.wav\"):play() with sound = require \"impel.sound\"; impel api sound)")
    fails("function scene.update(s, dt) impel.file.txt 'a' end",
      "game:4: impel.file has no function 'txt' (did you mean 'text'?); impel api file lists them")
    fails("function scene.update(s, dt) return impel.keyboard end",
      "game:4: no field 'keyboard' in impel (in impel: input.pressed")
    fails("function scene.draw(s, view) view:circle('fill', 0, 0, 1) end",
      "view:circle: argument 1 must be a finite number [m], got \"fill\" (impel api view:circle)")
    fails("function scene.update(dt) local x = 2 * dt end",
      "(local 'dt') (the first parameter is the result of setup: scene.update(s, dt))")
    fails("function scene.draw(view) view:circle(0, 0, 1) end",
      "(method 'circle') (the view is the second parameter: scene.draw(s, view))")
    local message = fails("function scene.update(s, dt) s.hero:jump() end", "(field 'hero')")
    assert.truthy(message:find "%(field 'hero'%)$") -- there is no hint if no name is similar
  end)

  it("lead to impel's names if a file has global functions and returns nothing", function()
    local _, message = scenes.parse("function love_draw() end function update(dt) end function keypressed() end",
      "=game")
    assert.equal("game: a scene file returns its scene table, got nothing; end the file with return scene; replace its "
      .. "global functions: keypressed by input.pressed \"space\" in scene.update; impel api input; update by "
      .. "scene.update(s, dt)", message)
  end)
end)

describe("names of other engines on the module", function()
  it("lead to impel's names", function()
    raises("unknown field 'newWorld' on impel (in impel: impel.world{", function() return core.newWorld end)
    raises("(in impel: world:body{", function() return core.newBody end)
    raises("(in impel: impel.world{", function() return core.b2World end)
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

  local function find(options, key)
    for _, option in ipairs(options or {}) do
      if option.name == key then return option end
    end
  end

  -- Return the option tables of a constructor, a class, or a drive.
  local function tables(scope)
    local list = {}
    for _, class in ipairs { "impel", "world", "body" } do
      for _, entry in ipairs(api[class]) do
        local is_joint = entry.signature and entry.signature:find "%-> joint$"
        local group = is_joint and "joint" or class == "body" and "shape"
        if entry.options and (entry.name == scope or group == scope) then list[#list + 1] = entry.options end
        for _, options in ipairs(entry.takes or {}) do
          if options.name == scope then list[#list + 1] = options end
        end
        local drive = is_joint and find(entry.options, scope == "soft" and "spring" or scope)
        local soft = entry.name == "weld"
        if drive and drive.options and soft == (scope == "soft") then list[#list + 1] = drive.options end
      end
    end
    return list
  end

  -- Return whether some option table of the scope has the key, and whether all tables have the key.
  local function takes(scope, key)
    local some, all = false, true
    for _, options in ipairs(tables(scope)) do
      local found = find(options, key) ~= nil
      some, all = some or found, all and found
    end
    return some, some and all
  end

  it("names only existing entries, or marks planned ones", function()
    local n = 0
    for _, foreign in ipairs(core.foreign_names()) do
      local line = foreign.scope .. " " .. foreign.name .. ": " .. foreign.ours
      local named = false
      for class, member in foreign.ours:gmatch "(%l+)[.:](%l[%l_]*)" do
        named = true
        assert.is_true(exists(class, member), line)
      end
      if foreign.kind == "option" then
        named = named or takes(foreign.scope, foreign.ours:match "^[%l_]+%d?")
        -- A foreign name may be an option of some kinds, not of all.
        local group = foreign.scope == "shape" or foreign.scope == "joint"
        local some, all = takes(foreign.scope, foreign.name)
        assert.is_false(group and all or not group and some, line .. " (is a key)")
      elseif foreign.scope ~= "impel" then
        assert.is_false(exists(foreign.scope, foreign.name), line .. " (exists)")
      end
      local later = foreign.ours:find "come with a later version$" or foreign.ours:find "^two numbers"
        or foreign.ours:find "before the table of options$" -- these hints are tested in hints_spec
      assert.is_truthy(named or later, line)
      n = n + 1
    end
    assert.is_true(n > 150)
  end)
end)


describe("the module's own fields", function()
  it("lead to impel's own names, and to the nearest name", function()
    local impel = require "impel"
    raises("impel.world{", function() return impel.newWorld end)
    raises("did you mean 'math'?", function() return impel.maht end)
  end)
end)

describe("names of destroyed objects", function()
  local impel = require "impel"

  -- Return texts about the objects of events, before and after a restore. `moment`: the call of at() that collects
  -- garbage; 0: none.
  local function told(moment)
    local lines = {}
    local function at(number)
      if number == moment then for _ = 1, 2 do collectgarbage() end end
    end
    local function say(object)
      local _, text = pcall(function() return object.enabled or object.friction or object.type end)
      local class, number = core.identify(object)
      lines[#lines + 1] = ("%s; %s; %s %d"):format(object, text:gsub("^.-: ", ""), class, number)
    end

    collectgarbage("stop")
    local scene = impel.world { gravity = { 0, 0 }, seed = 1 }
    do
      local zone = scene:body { name = "zone", type = "static" }
      zone:box { 2, 2, sensor = true, name = "gate" }
      for i = 1, 3 do
        local guest = scene:body { name = "guest " .. i, position = { 0.1 * i, 5 * (i // 3) } }
        guest:circle { radius = 0.4, name = "hull " .. i }
      end
      scene:body({ position = { 0.2, 0.3 } }):circle { radius = 0.3 } -- without a name
      scene:body({ name = "floor", type = "static", position = { 0, 4.2 } }):box { 4, 1, name = "slab" }
      scene:weld(scene:find "guest 3", scene:find "guest 2", { name = "weld", collide = true, break_force = 1e-9 })
      scene:find("guest 3"):set_velocity(30, -1)
      local held = scene:find "floor"
      scene:state { held = held, held.name }
    end
    for _ = 1, 2 do
      scene:step()
      for _, kind in ipairs { "sensor_begin", "begin_contact", "joint_break" } do
        for event in scene:events(kind) do -- creates userdata that the collector may free
          local _ = kind == "joint_break" and event.joint or event.body_a.name
        end
      end
    end
    at(1)
    for _, name in ipairs { "guest 1", "guest 2", "zone" } do scene:find(name):destroy() end
    for other in scene:bodies() do
      if not other.name and other ~= scene.ground then other:destroy() end
    end
    at(2)
    for event in scene:events "begin_contact" do
      say(event.body_a)
      say(event.shape_b)
    end
    for event in scene:events "joint_break" do say(event.joint) end
    local shot = scene:snapshot()
    for round = 1, 2 do
      at(3)
      scene:step()
      at(4)
      for event in scene:events "sensor_end" do
        lines[#lines + 1] = tostring(event)
        say(event.sensor)
        say(event.visitor)
        say(event.body_a)
        say(event.body_b)
      end
      if round == 1 then scene:restore(shot) end
    end
    collectgarbage("restart")
    return lines
  end

  it("do not depend on the collector", function()
    local lines = told(0)
    local text = table.concat(lines, "\n")
    for _, what in ipairs { "destroyed shape 'gate'", "destroyed shape 'hull 1'", "destroyed body 'guest 1'",
      "destroyed body 'zone'" } do
      assert.truthy(text:find(what, 1, true), what .. " in\n" .. text)
    end
    for moment = 1, 4 do assert.same(lines, told(moment)) end
  end)

  it("are restored if the table of world:state holds the objects", function()
    local function restored(collect)
      local scene = impel.world {}
      local state = { crate = scene:body { name = "crate" } }
      scene:state(state)
      state.crate:destroy()
      for _ = 1, 3 do scene:step() end
      local shot = scene:snapshot()
      state.crate = nil
      if collect then for _ = 1, 2 do collectgarbage() end end
      scene:restore(shot)
      assert.equal(shot, scene:snapshot())
      return tostring(state.crate) .. select(2, core.identify(state.crate))
    end
    assert.equal(restored(false), restored(true))
    assert.truthy(restored(true):find "destroyed body 'crate'")
  end)
end)
