-- Tests the equations of motion in spec/truth/rigs.lua: derivatives against finite differences, motion against worlds.

local impel = require "impel"
local jet = require "truth.jet"
local oracle = require "truth.oracle"
local rigs = require "truth.rigs"

local near = require("support.measure").near

describe("a jet", function()
  it("has derivatives that match finite differences", function()
    local function f(x)
      local wave = jet.sin(x) * jet.cos(2 * x) - 3
      return jet.angle(wave / (x + 4), jet.sqrt(x * x + 1)) + -x
    end
    local h = 1e-4
    for _, x in ipairs { -1.3, 0.2, 2.5 } do
      local low, middle, high = f(jet.variable(x - h)), f(jet.variable(x)), f(jet.variable(x + h))
      -- The error of a central difference is h^2 / 6 times the third derivative.
      near((high.v - low.v) / (2 * h), middle.d, 1e-6, "first")
      near((high.d - low.d) / (2 * h), middle.dd, 1e-6, "second")
    end
  end)
end)

describe("the equations of motion", function()
  for _, rig in ipairs(rigs.all()) do
    it("agree with a world at a small step, in motion and forces: " .. rig.title, function()
      local rate = 9600
      local world = impel.world { solver = "rattle", dt = 1 / rate, sleep = false, gravity = { 0, -rig.gravity } }
      local model, u = rig.build(world), rig.control(0)
      model.set(u)
      world:step(rate // 20) -- the control is constant in these 0.05 s
      local before = oracle.rk4(function(y) return rig.derivative(y, u) end, { table.unpack(rig.state) },
        (rate // 20 - 1) / rate, 480)
      local y = oracle.rk4(function(z) return rig.derivative(z, u) end, { table.unpack(before) }, 1 / rate, 1)
      -- The scheme's error of order dt^2 is about 1e-8.
      for i, x in ipairs(model.coordinates()) do near(y[i], x, 1e-7, "coordinate " .. i) end
      local px, py = rig.momentum(y)
      local qx, qy = rig.momentum(before)
      local ex, ey = (px - qx) * rate, (py - qy) * rate + rig.weight * rig.gravity
      local fx, fy = model.force()
      local size = math.sqrt(ex ^ 2 + ey ^ 2)
      near(ex, fx, 1e-4 * size, "force along x") -- in a redundant linkage, only the sum of the forces is unique
      near(ey, fy, 1e-4 * size, "force along y")
      world:destroy()
    end)
  end
end)
