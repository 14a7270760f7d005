-- Order of the error of the rattle solver with dampers. The reference is the damped oscillator in closed form:
--   I q'' = -k q - c q',   q(0) = 0.5, q'(0) = 0
local impel = require "impel"

local INERTIA, START = 0.5, 0.5

local function exact(k, c, inertia, t)
  local a = c / inertia / 2
  local d = k / inertia - a * a
  if d > 0 then
    local w = math.sqrt(d)
    return START * math.exp(-a * t) * (math.cos(w * t) + a / w * math.sin(w * t))
  end
  local w = math.sqrt(-d)
  local slow, fast = -a + w, -a - w
  return START * (fast * math.exp(slow * t) - slow * math.exp(fast * t)) / (fast - slow)
end

-- Return the largest error of the angle [rad] within 2 s. A step is 1/60 s.
local function worst(make, k, c, armature, substeps)
  local world = impel.world { gravity = { 0, 0 }, solver = "rattle", sleep = false, substeps = substeps }
  local body = world:body { mass = 1, inertia = INERTIA, angle = START }
  local options = make(k, c)
  options.anchor, options.reference_angle = { 0, 0 }, 0
  options.armature = armature > 0 and armature or nil
  local hinge = world:revolute(world.ground, body, options)
  local most = 0
  for i = 1, 120 do
    world:step()
    most = math.max(most, math.abs(hinge.value - exact(k, c, INERTIA + armature, i / 60)))
  end
  return most
end

local ways = {
  spring = function(k, c) return { spring = { stiffness = k, damping = c, target = 0 } } end,
  coordinate = function(k, c) return { spring = { stiffness = k, damping = 0, target = 0 }, damping = c } end,
  both = function(k, c) return { spring = { stiffness = k, damping = c / 4, target = 0 }, damping = 3 * c / 4 } end,
}

describe("rattle", function()
  it("is of second order with damping in a spring and in a coordinate", function()
    for name, make in pairs(ways) do
      for _, c in ipairs { 1, 5, 8 } do -- damping ratios 0.16, 0.8, 1.3
        for _, armature in ipairs { 0, 0.7 } do
          local coarse, fine = worst(make, 20, c, armature, 2), worst(make, 20, c, armature, 8)
          local text = ("%s, c = %g, R = %g: %g, then %g"):format(name, c, armature, coarse, fine)
          assert.is_true(fine < coarse / 12, text) -- error ratio: 4 at first order, 16 at second
          assert.is_true(coarse < 1e-3, text)
        end
      end
    end
  end)

  it("damps a joint equally by its spring's damping and by its coordinate's damping", function()
    for _, c in ipairs { 0.3, 3, 30 } do
      local by = {}
      for name, make in pairs(ways) do by[name] = worst(make, 20, c, 0, 4) end
      assert.near(by.coordinate, by.spring, 1e-9)
      if c < 10 then assert.near(by.coordinate, by.both, 1e-9) end -- at c = 30 a part of the damping is explicit
    end
  end)

  it("never enlarges, and damps, the swing of a hinge spring of any stiffness and damping", function()
    for _, k in ipairs { 1, 1e2, 1e4, 1e6, 1e9 } do
      for _, c in ipairs { 0.01, 1, 1e2, 1e4, 1e7 } do
        for _, armature in ipairs { 0, 10 } do
          local world = impel.world { gravity = { 0, 0 }, solver = "rattle", sleep = false }
          local body = world:body { mass = 1, inertia = INERTIA, angle = START }
          local hinge = world:revolute(world.ground, body, { anchor = { 0, 0 }, reference_angle = 0,
            armature = armature > 0 and armature or nil, spring = { stiffness = k, damping = c, target = 0 } })
          local most = 0
          for _ = 1, 600 do
            world:step()
            most = math.max(most, math.abs(hinge.value))
          end
          local text = ("k = %g, c = %g, R = %g"):format(k, c, armature)
          assert.is_true(most <= START * 1.001, text .. ": " .. most)
          local rate = math.min(c / (INERTIA + armature) / 2, k / c) -- rate of decay [1/s]
          if rate > 2 then assert.near(0, hinge.value, 1e-6, text) end
        end
      end
    end
  end)

  it("limits the force of a spring to its max_force", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "rattle", sleep = false }
    local body = world:body { mass = 1, inertia = INERTIA, angle = START }
    local hinge = world:revolute(world.ground, body, { anchor = { 0, 0 }, reference_angle = 0,
      spring = { stiffness = 20, damping = 1, target = 0, max_force = 2 } })
    world:step(10)
    assert.near(START - 0.5 * 2 / INERTIA * (1 / 6) ^ 2, hinge.value, 1e-9)
  end)
end)
