-- impel.busted: measured values of assertions against closed forms, and messages of failures. Also impel.trial.

local impel = require "impel"
local program = require "support.program"
local trial = require "impel.busted"
local quote, write, read = program.quote, program.write, program.read

local G, H = 9.81, 1 / 240 -- gravity [m/s^2]; substep of the default solver [s]

-- Return the error message of f, which must fail.
local function failure(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok, "it should fail")
  return tostring(message)
end

local function says(message, ...)
  for _, words in ipairs { ... } do assert.truthy(message:find(words, 1, true), message) end
end

-- Build a box that slides along the floor and stops after v / (mu g).
local function slider(speed, mu)
  local world = impel.world {}
  world:body { type = "static", name = "floor" }:box { 100, 1, center = { 0, -0.5 }, friction = mu }
  local box = world:body { name = "box", position = { 0, 0.5 }, velocity = { speed, 0 } }
  box:box { 1, 1, friction = mu }
  return world, box
end

local function flight(vx, vy, gravity)
  local world = impel.world { gravity = { 0, gravity or 0 } }
  return world, world:body { type = "particle", name = "dot", mass = 1, velocity = { vx, vy } }
end

-- Build a mass on a spring of 1 Hz, at rest 1 m from its equilibrium, where the joint's value is -1.
local function swing()
  local world = impel.world { gravity = { 0, 0 } }
  local body = world:body { name = "mass", mass = 1, position = { 1, 0 } }
  local joint = world:prismatic(world.ground, body, {
    spring = { stiffness = (2 * math.pi) ^ 2, damping = 0, target = -1 } })
  return world, body, joint
end

describe("assert.settles", function()
  it("returns the time after which all bodies are at rest", function()
    for _, speed in ipairs { 1, 3 } do
      -- The speed is v - mu g t until it falls below 0.05 m/s. The tolerance is one step, plus 2 % because the box
      -- rocks on its edge.
      local expected = (speed - 0.05) / (0.4 * G)
      local time = assert.settles(slider(speed, 0.4), 3)
      assert.near(expected, time, 1 / 60 + 0.02 * expected)
    end
    assert.equal(0, (assert.settles(slider(0, 0.4), 1)))
  end)

  it("names the moving body, its speed and the time", function()
    local message = failure(function() assert.settles(slider(10, 0.4), 1) end)
    says(message, "busted_spec.lua:", "slower than 0.05 m/s", "for at least the last 0.5 s of 1 s",
      "body 2 'box' moved with ", " m/s at t = 1 s")
    local speed = tonumber(message:match "moved with ([%d.]+)")
    assert.near(10 - 0.4 * G, speed, 0.02 * speed) -- the closed form v - mu g t
  end)

  it("is not satisfied by a turning point", function()
    local world = swing()
    assert.does_not.settle(world, 1) -- at 1 s, after one period, the speed is 0
    assert.does_not.settle(world, 0.5, 1)
    assert.settles(world, 1, 6.5) -- the largest speed is 2 pi m/s, less a little damping
  end)

  it("requires rest over the last half second, or half of a shorter run", function()
    local stop = (4 - 0.05) / (0.4 * G) -- 1.007 s
    assert.does_not.settle(slider(4, 0.4), stop + 0.45)
    assert.settles(slider(4, 0.4), stop + 0.55)
    stop = (1 - 0.05) / (0.4 * G) -- 0.242 s
    assert.does_not.settle(slider(1, 0.4), 2 * stop - 0.05)
    assert.settles(slider(1, 0.4), 2 * stop + 0.05)
  end)

  it("counts rotation, and ignores sleeping and kinematic bodies", function()
    local world = impel.world { gravity = { 0, 0 } }
    local wheel = world:body { name = "wheel", angular_velocity = 1 }
    wheel:circle { radius = 2 }
    -- The measured speed is sqrt(2 E / m), which is w r / sqrt(2) for a disc.
    assert.settles(world, 1, 1.001 * math.sqrt(2))
    says(failure(function() assert.settles(world, 1, 0.999 * math.sqrt(2)) end), "'wheel' moved with 1.41421 m/s")
    wheel.angular_velocity = 0
    world:body { type = "kinematic", velocity = { 1, 0 } }:circle { radius = 1, center = { 50, 0 } }
    assert.settles(world, 1)
  end)

  it("with `not`, reports when the last body came to rest", function()
    says(failure(function() assert.does_not.settle(slider(1, 0.4), 2) end),
      "faster than 0.05 m/s in the last 0.5 s of 2 s", "nothing afterwards")
  end)
end)

describe("assert.energy_within", function()
  it("measures the drift of symplectic Euler in free fall: -g^2 h t / 2 for each kg", function()
    local expected = -G * G * H / 2
    local worst = assert.energy_within(flight(0, 0, -G), 1.01 * -expected, 1)
    assert.near(expected, worst, 1e-3 * -expected) -- rounding errors of floats over 240 substeps
    local message = failure(function() assert.energy_within(flight(3, 0, -G), 0.99 * -expected, 1) end)
    says(message, "busted_spec.lua:", "within 0.198487 J of 4.5 J for 1 s", "-0.20049", " J at t = 1 s",
      "the kinetic energy was at most")
    assert.is_not.energy_within(flight(0, 0, -G), 0.99 * -expected, 1)
  end)

  it("detects a deviation that returns to zero", function()
    local world, body = flight(0, 0)
    world:on("step", function()
      if world.tick == 3 then body:set_velocity(2, 0) end
      if world.tick == 4 then body:set_velocity(0, 0) end
    end)
    says(failure(function() assert.energy_within(world, 1.9, 0.2) end), "+2 J at t = 0.0666667 s")
  end)
end)

describe("assert.reaches", function()
  it("returns the time at which the value reaches the target, also between two steps", function()
    local world, body = flight(2, 0)
    local function x() return (body:position()) end
    assert.near(0.51, assert.reaches(world, 1, x, 1.02), 1e-6) -- positions are floats
    assert.near((3 - x()) / 2, assert.reaches(world, 2, x, 3), 1e-6) -- the time is measured from the call
    assert.equal(0, (assert.reaches(world, 1, x, x())))
    for i = 1, 50 do -- the rounding errors depend on i
      local first = world.tick
      local function around_nothing() return i * (world.tick - first - 1.8) / 7 end
      -- `around_nothing` is 0 after 1.8 steps of 1/60 s.
      assert.near(0.03, assert.reaches(world, 1, around_nothing, i * 1e-9 / 7), 1e-9)
    end
    -- The target counts as reached within 0.1 m of 0.32 m, so after 0.22 m, at 2 m/s.
    assert.near(0.11, assert.reaches(world, 1, x, x() + 0.32, 0.1), 1e-6)
  end)

  it("accepts a body that passes through the target between two steps", function()
    local world = flight(60, 0)                   -- a metre a step
    local body = world:find "dot"
    local time = assert.reaches(world, 1, body, { 10.5, 0.3 }, 0.5)
    -- The path y = 0 enters the circle of radius 0.5 at 0.4 m before its centre.
    assert.near((10.5 - 0.4) / 60, time, 1e-6)
    local message = failure(function() assert.reaches(flight(60, 0), 1, nil, 3) end)
    says(message, "value: a function, joint, coordinate or body expected, got nothing")
    world, body = flight(6, 0)
    message = failure(function() assert.reaches(world, 1, body, { 3, 0.3 }, 0.29) end)
    says(message, "from (0, 0) to (3, 0.3) +- 0.29 within 1 s", "0.3 from the target at t = 0.5 s", "(6")
    assert.does_not.reach(world, 1, body, { 0, 0 }, 1)
  end)

  it("accepts a joint or a coordinate", function()
    local world, body, joint = swing()
    -- The joint reaches its equilibrium in a quarter of a period. The error of the implicit spring is (w h)^2 / 2.
    local first = assert.reaches(world, 1, joint, joint.value - 1)
    assert.near(0.25, first, 0.25 * 0.01)
    assert.reaches(world, 1, joint:coordinate "x", joint.value - 0.5)
    says(failure(function() assert.reaches(world, 2, joint, 2) end), " from the target at t = ")
    assert.is_true(body:is_valid())
  end)
end)

describe("assert.same_hash", function()
  local function drop(kick)
    return function()
      local world, box = slider(1, 0.4)
      world:on("step", function()
        if world.tick == kick then box:apply_impulse(1e-3, 0) end
      end)
      return { world = world }
    end
  end

  it("steps the worlds of two functions and names the first step and body that differ", function()
    assert.same_hash(drop(), drop(), 100)
    assert.same_hash(drop(16), drop(), 16)
    local message = failure(function() assert.same_hash(drop(16), drop(), 100) end)
    says(message, "busted_spec.lua:", "after step 17, t = 0.283333 s; first difference in body 2 'box': x is ")
    assert.not_same_hash(drop(16), drop(), 17)
    says(failure(function() assert.not_same_hash(drop(), drop(), 5) end), "Expected different hashes")
  end)

  it("compares worlds and hashes directly", function()
    local a, b = slider(1, 0.4), slider(1, 0.4)
    assert.same_hash(a, b)
    assert.same_hash(a, b.hash)
    a:step()
    b:step()
    assert.same_hash(a, b)
    b:step()
    says(failure(function() assert.same_hash(a, b) end), a.hash .. " and " .. b.hash
      .. "; first difference in body 2 'box': x is ")
    says(failure(function() assert.same_hash(a.hash, "0") end), a.hash .. " and 0")
    local c, d = slider(1, 0.4), slider(1, 0.4)
    d:body {}
    says(failure(function() assert.same_hash(c, d) end), "2 bodies and 3")
  end)
end)

describe("assert.at and assert.no_overlap", function()
  it("examine the world without a step", function()
    local _, body = flight(0, 0)
    body:set_position(3, 4)
    assert.at(body, 0, 0, 5)
    assert.is_not.at(body, 0, 0, 4.999)
    says(failure(function() assert.at(body, 3, 4.01, 0.001) end), "body 1 'dot' at (3, 4.01) within 0.001 m",
      "(3, 4), 0.01 m away")
  end)

  it("measure the deepest overlap", function()
    local world = slider(0, 0.4)
    world:step(60)
    assert.no_overlap(world, 0.005)
    local deep = impel.world { gravity = { 0, 0 } }
    for x = 0, 0.7, 0.7 do deep:body { position = { x, 0 } }:circle { radius = 0.5 } end
    deep:step()
    local depth = deep:residual().penetration
    assert.is_true(depth > 0.1) -- the initial overlap is 0.3 m, and the solver separates the bodies at up to 3 m/s
    says(failure(function() assert.no_overlap(deep, 0.1) end), "no overlap above 0.1 m", ("%.6g m"):format(depth))
  end)
end)

describe("assert.check_passes", function()
  after_each(program.clean)

  it("runs a scene and reports its checks", function()
    local outcome = assert.check_passes "examples/pendulum.lua"
    assert.equal(16, #outcome.hash)
    assert.check_passes("examples/incline.lua", { set = { angle = "10" }, seed = 3, solver = "si" })
    local message = failure(function() assert.check_passes("examples/incline.lua", { steps = 20 }) end)
    says(message, "busted_spec.lua:", "Expected the checks of examples/incline.lua to hold", "cannot be checked before")
    assert.does_not.check_passes("examples/incline.lua", { steps = 20 })
  end)

  it("raises, also with `not`, for a scene that does not reach its end", function()
    local scene = "local world = require 'impel'.world {}\n"
      .. "return { setup = function() return { world = world } end, %s }"
    local hangs = write(scene:format "check = function() while true do end end")
    local leaves = write(scene:format "check = function() package.loaded.os.exit(4) end")
    local silent = write(scene:format "")
    for _, form in ipairs { assert.check_passes, assert.does_not.check_passes } do
      says(failure(form, hangs, { timeout = 0.3, steps = 1 }), "took more than 0.3 s (timeout)")
      says(failure(form, leaves, { steps = 1 }), "exited with status 4 (exited)")
      says(failure(form, silent, { steps = 1 }), "has no check")
      says(failure(form, "no/such.lua"), "cannot read scene no/such.lua")
    end
  end)
end)

describe("all assertions", function()
  it("raise, also with `not`, if a body diverges or a handler raises", function()
    local function blown()
      local world, body = flight(1, 0)
      world:on("step", function() body:apply_force(1e14, 0) end)
      return world, body
    end
    local calls = {
      settles = function(a) a(blown(), 1) end,
      energy_within = function(a) a(blown(), 1, 1) end,
      reaches = function(a)
        local world = blown()
        a(world, 1, function() return 0 end, 1)
      end,
      same_hash = function(a) a(blown, blown) end,
    }
    for name, call in pairs(calls) do
      for _, form in ipairs { assert[name], assert["not_" .. name] } do
        says(failure(call, form), "body 1 'dot' diverged in stage '", "' at t = ")
      end
    end
    local world = flight(0, 0)
    world:on("step", function() error "ours" end)
    says(failure(function() assert.does_not.settle(world, 1) end), "busted_spec.lua:", ": ours\n")
  end)

  it("report wrong arguments at the caller's line", function()
    local world, body = flight(0, 0)
    local empty, dead = impel.world {}, impel.world {}
    dead:destroy()
    local function refuses(words, f)
      local line = debug.getinfo(f, "S").linedefined
      assert.equal(("busted_spec.lua:%d: %s"):format(line, words), (failure(f):gsub("^[^\n]-(busted_spec)", "%1", 1)))
    end
    refuses("world: a valid world expected, got nothing", function() assert.settles(nil, 1) end)
    refuses("world: a valid world expected, got destroyed world", function() assert.energy_within(dead, 1, 1) end)
    refuses("world: a world with a dynamic body expected, got none", function() assert.settles(empty, 1)
    end)
    refuses("seconds: seconds > 0 expected, got -1", function() assert.settles(world, -1) end)
    refuses("seconds: at least one step of 0.0166667 s expected, got 0", function() assert.settles(world, 0) end)
    refuses("speed: m/s >= 0 expected, got fast", function() assert.does_not.settle(world, 1, "fast") end)
    refuses("tolerance: a number >= 0 expected, got nil", function() assert.energy_within(world) end)
    refuses("target: a number expected, got nothing", function() assert.reaches(world, 1, function() return 1 end) end)
    refuses("target: { x, y } [m] for a body expected, got 3", function() assert.reaches(world, 1, body, 3) end)
    local place = { 1, 1 }
    refuses("tolerance: a number [m] for a body expected, got nothing",
      function() assert.reaches(world, 1, body, place) end)
    refuses("hash: a world, its hash or a function expected, got 3", function() assert.same_hash(3, world) end)
    refuses("steps: an integer >= 1 expected, got 0", function() assert.same_hash(flight, flight, 0) end)
    local function three() return 3 end
    refuses("a: a function that builds a world expected, got 3", function() assert.same_hash(three, flight) end)
    refuses("body: a valid body expected, got 3", function() assert.at(3, 1, 1, 1) end)
    refuses("y: a number expected, got nil", function() assert.at(body, 1) end)
    refuses("world: a valid world expected, got 3", function() assert.no_overlap(3, 1) end)
    refuses("file: a path expected, got nil", function() assert.check_passes() end)
    refuses("world: a valid world expected, got 3", function() trial.settle(3, 1) end)
  end)
end)

describe("a user's own suite", function()
  after_each(program.clean)

  it("needs only the Lua paths", function()
    local folder = program.temporary()
    os.remove(folder)
    assert(os.execute("mkdir " .. quote(folder)))
    local file = assert(io.open(folder .. "/drop_spec.lua", "w"))
    file:write [[
local impel = require "impel"
require "impel.busted"
describe("a ball", function()
  local function ball()
    local world = impel.world {}
    world:body { type = "static" }:box { 10, 1 }
    world:body { name = "ball", position = { 0, 2 } }:box { 1, 1 }
    return world
  end
  it("lands", function() assert.settles(ball(), 3) end)
  it("hovers", function() assert.does_not.settle(ball(), 3) end)
end)]]
    file:close()
    local top = io.popen("pwd"):read "l"
    local build = program.path:match "^(.*)/[^/]*$"
    local out = program.temporary()
    local _, _, code = os.execute(("cd %s && LUA_PATH='%s/scripts/?.lua;%s/scripts/?/init.lua;;' "
      .. "LUA_CPATH='%s/lua/?.so;;' %s -o plainTerminal drop_spec.lua >%s 2>&1"):format(quote(folder), top, top, build,
      program.busted(), quote(out)))
    local text = read(out)
    os.execute("rm -r " .. quote(folder))
    assert.equal(1, code, text)
    says(text, "1 success / 1 failure / 0 errors", "drop_spec.lua:11: Expected a body to be faster than 0.05 m/s")
  end)
end)
