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
