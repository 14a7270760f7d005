-- Names that people bring from Box2D, LÖVE, Chipmunk, Matter.js and Unity: each error names ours.
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
      hinge = "world:revolute",
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
