-- Controllers at their edges: what a cut, a short tracking time, new gains and a new step do to them; fields that are
-- set wrong; constructors that fail.
local impel = require "impel"
local flat = dofile "spec/lua/flat.lua"

local m = impel.math

-- A body on a pin through its centre of mass: pure inertia.
local function wheel(inertia, options)
  local o = { gravity = { 0, 0 }, sleep = false }
  for key, value in pairs(options or {}) do o[key] = value end
  local world = impel.world(o)
  local body = world:body { mass = 1, inertia = inertia or 1 }
  return world, world:revolute(world.ground, body, { name = "hub" }), body
end

local function raises(words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok, "no error where one about '" .. words .. "' was expected")
  assert.truthy(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
end

describe("impel.pid", function()
  for _, anti_windup in ipairs { "back_calculation", "clamp", "none" } do
    it("without ki has no integral, however long its force is cut: " .. anti_windup, function()
      local world, joint, body = wheel()
      local pid = impel.pid(joint, { kp = 100, kd = 20, target = 1, max_force = 5, tracking_time = 0.5,
                                     anti_windup = anti_windup })
      world:step(600)
      assert.equal(0, pid.integral)
      assert.near(1, joint.value, 1e-6) -- a pd without load leaves nothing; angles are float within a step
      pid:destroy()
      impel.pid(joint, { kp = 0, kd = 10, max_force = 1, anti_windup = anti_windup })
      body.angular_velocity = 5
      world:step(600) -- 5 s of braking at 1 rad/s^2, then exp(-10 t)
      assert.near(0, joint.speed, 1e-6)
    end)
  end

  it("tracks back within a tracking time far below its step, and does not blow up", function()
    local world, joint = wheel()
    local pid = impel.pid(joint, { kp = 1, ki = 1000, kd = 20, target = 1, max_force = 5 })
    local worst = 0
    for _ = 1, 1800 do
      world:step()
      worst = math.max(worst, math.abs(pid.integral))
    end
    assert.is_true(worst < 500, "integral " .. worst) -- N m: it swings, ki is beyond kp kd; kd q' is what it runs to
    pid:destroy()
    local settled = impel.pid(joint, { kp = 60, ki = 40, kd = 20, target = -2, max_force = 5, tracking_time = 1e-3 })
    world:step(1800)
    assert.near(-2, joint.value, 1e-3) -- its slow pole, 0.8 / s, has 30 s
    assert.near(0, settled.integral, 0.05)
  end)

  it("tracks back by kp / ki by default, exactly in any step", function()
    for _, substeps in ipairs { 1, 4 } do
      local world, joint, body = wheel(1e9, { substeps = substeps }) -- which does not move
      body.angle = 0
      local pid = impel.pid(joint, { kp = 10, ki = 20, kd = 0, target = 1, max_force = 5 })
      world:step(30)
      -- wanted = 10 + I, I' = 20 + (5 - wanted) / 0.5, from 0: I = 5 (1 - exp(-2 t))
      assert.near(5 * (1 - m.exp(-1)), pid.integral, 1e-4) -- it moves 6e-10 rad
    end
  end)
end)

describe("the warning about an explicit law", function()
  local told
  local before = impel.stability.on_warning
  before_each(function()
    told = {}
    impel.stability.on_warning = function(text) told[#told + 1] = text end
  end)
  after_each(function() impel.stability.on_warning = before end)

  for _, law in ipairs { "pd", "pid" } do
    it("comes when the substeps become fewer or the step longer: impel." .. law, function()
      local world, joint = wheel()
      impel[law](joint, { kp = 1e5, kd = 10 }) -- of 225600
      world:step(5)
      assert.equal(0, #told)
      world.substeps = 1 -- of 13200
      world:step()
      assert.equal(1, #told)
      world:step()
      world.dt = 1 / 120
      world:step() -- of 55200
      assert.equal(1, #told)
      world.dt = 1 / 30
      world:step()
      assert.equal(2, #told)
      assert.truthy(told[2]:find("set every 33.3 ms", 1, true))
    end)

    it("comes when a force is held over more substeps: impel." .. law, function()
      local world, joint = wheel(1, { substeps = 1 })
      impel[law](joint, { kp = 5000, kd = 10, when = "step" })
      world:step(2)
      assert.equal(0, #told)
      world.substeps = 4 -- of 1600
      world:step(2)
      assert.equal(1, #told)
      assert.truthy(told[1]:find('"substep" handler', 1, true))
    end)

    it("is judged without garbage under a schedule of gains: impel." .. law, function()
      for _, kp in ipairs { 50, 1e6 } do
        local world, joint = wheel()
        local c = impel[law](joint, { kp = kp, kd = 1 })
        local n = 0
        assert.equal(0, flat(function()
          n = n + 1
          c.kp, c.kd = kp + n % 7, 1 + n % 3
          world:step()
        end))
        assert.equal(kp > 1000 and 1 or 0, #told)
      end
    end)
  end

  it("knows a load that was taken away once the gains rise", function()
    local world, joint, body = wheel(100)
    local pd = impel.pd(joint, { kp = 1e5, kd = 10 })
    world:step()
    body.inertia = 0.1
    pd.kp = 1.3e5
    world:step()
    assert.equal(1, #told)
  end)
end)
