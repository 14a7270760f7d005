-- Rotors that `armature` adds to coordinates, under every solver: bodies that stop and start, kinematic bases,
-- recordings, snapshots, repeated steps, sleep.
local impel = require "impel"
local near = require("support.measure").near
local rigs = require "core.solvers.armature_rigs"
local solvers, new_world, chain, link, each_link = rigs.solvers, rigs.new_world, rigs.chain, rigs.link, rigs.each_link
local LINKS, CLOSE = rigs.LINKS, rigs.CLOSE

describe("a rotor on a blocked coordinate", function()
  it("is at rest, has no impulse, and starts with its coordinate", function()
    each_link(function(kind, solver, size, text)
      for _, steps in ipairs { 1, 10, 100 } do
        local world, body, joint, push = link(kind, solver, size)
        local sum = size[1] + size[2]
        world:step()
        push(2 * sum)
        world:step(3)
        near(2, joint.speed, CLOSE, text .. ": speed [1/s]")
        local held = kind == "revolute" and "fixed_rotation" or "lock_x"
        body[held] = true
        near(0, (world:energy()), 1e-12, text .. ": kinetic energy once the body is held [J]")
        world:step(steps)
        near(0, (world:energy()), 1e-12, text .. ": kinetic energy while the body is held [J]")
        for row in joint:rows() do
          if row.kind == "armature" then near(0, row.impulse, 1e-12, text .. ": impulse of the rotor [N s, N m s]") end
        end
        body[held] = false
        world:step()
        near(0, joint.speed, CLOSE, text .. ": speed once free [1/s]")
        push(3 * sum)
        world:step()
        near(3, joint.speed, CLOSE, text .. ": speed after P / (I + R) = 3 [1/s]")
        near(0.5 * sum * 9, (world:energy()), CLOSE * sum * 9, text .. ": energy [J]")
        world:destroy()
      end
    end)
  end)

  it("does not turn while an axis lock holds the body against gravity", function()
    for _, solver in ipairs(solvers) do
      for _, size in ipairs(LINKS) do
        local world, body, joint = link("prismatic", solver, size, { gravity = { 10, 0 } })
        local function after(steps) return 10 * size[1] / (size[1] + size[2]) * steps * size[3] end
        world:step(6)
        near(after(6), joint.speed, CLOSE, solver .. ": speed of the fall [m/s]")
        body.lock_x = true
        world:step(60)
        near(0, (world:energy()), 1e-12, solver .. ": energy of a locked slider [J]")
        body.lock_x = false
        world:step(5)
        near(after(5), joint.speed, CLOSE, solver .. ": speed of the second fall [m/s]")
        world:destroy()
      end
    end
  end)
end)

describe("the rotor of a stopped body", function()
  local STOPS = {
    static = { function(body) body.type = "static" end, function(body) body.type = "dynamic" end },
    kinematic = { function(body) body.type = "kinematic" body.angular_velocity = 0 body:set_velocity(0, 0) end,
      function(body) body.type = "dynamic" end },
    disabled = { function(body) body.enabled = false end, function(body) body.enabled = true end },
    asleep = { function(body) body.awake = false end, function(body) body.awake = true end },
  }

  it("stops with each call that stops the body, and starts from rest", function()
    each_link(function(kind, solver, size, text)
      for name, stop in pairs(STOPS) do
        for _, steps in ipairs { 0, 1, 5 } do
          local world, body, joint, push = link(kind, solver, size, { sleep = true })
          local sum = size[1] + size[2]
          world:step()
          push(2 * sum)
          world:step(2)
          stop[1](body)
          near(0, (world:energy()), 1e-12, ("%s %s: energy [J]"):format(text, name))
          world:step(steps)
          near(0, (world:energy()), 1e-12, ("%s %s: energy later [J]"):format(text, name))
          stop[2](body)
          world:step()
          near(0, joint.speed, CLOSE, ("%s %s: speed once it is free [1/s]"):format(text, name))
          push(sum)
          world:step()
          near(1, joint.speed, CLOSE, ("%s %s: speed after an impulse [1/s]"):format(text, name))
          world:destroy()
        end
      end
    end)
  end)

  it("stops at a fault", function()
    for _, solver in ipairs(solvers) do
      for _, size in ipairs(LINKS) do
        local world, body, joint, push = link("prismatic", solver, size)
        local sum, faults, due = size[1] + size[2], 0, false
        world:on("fault", function() faults = faults + 1 end)
        world:on("substep", function()
          if due then body:apply_impulse(9e14, 0) end
          due = false
        end)
        world:step()
        push(2 * sum)
        world:step(2)
        due = true
        world:step()
        near(1, faults, 0, solver .. ": faults")
        near(0, (world:energy()), 1e-12, solver .. ": energy after the fault [J]")
        body.enabled = true
        world:step()
        near(0, joint.speed, CLOSE, solver .. ": speed once enabled [m/s]")
        push(sum)
        world:step()
        near(1, joint.speed, CLOSE, solver .. ": speed after an impulse [m/s]")
        world:destroy()
      end
    end
  end)

  it("falls asleep at rest, and wakes at an impulse", function()
    each_link(function(kind, solver, size, text)
      local world, body, joint, push = link(kind, solver, size, { sleep = true })
      local sum = size[1] + size[2]
      joint:coordinate().damping = 4 * sum -- time constant 0.25 s
      world:step()
      push(sum)
      for _ = 1, math.floor(10 / size[3]) do
        if body.awake then world:step() end
      end
      assert.is_false(body.awake, text)
      near(0, (world:energy()), 1e-12, text .. ": energy asleep [J]")
      joint:coordinate().damping = 0
      push(2 * sum)
      world:step()
      near(2, joint.speed, CLOSE, text .. ": speed after it woke [1/s]")
      world:destroy()
    end)
  end)
end)

-- u: speed of the base; v: speed of the link; I: inertia or mass of the link; R: armature. I v' = -R (v - u)', so
-- v = u R / (I + R) if both start at rest.
describe("armature on a kinematic base", function()
  local function set(kind, base, speed)
    if kind == "revolute" then base.angular_velocity = speed else base:set_velocity(speed, 0) end
  end

  local function speed_of(kind, body)
    if kind == "revolute" then return body.angular_velocity end
    return (body:velocity())
  end

  it("moves the link at R / (I + R) times a base velocity that is set in each step", function()
    each_link(function(kind, solver, size, text)
      for _, wait in ipairs { 0, 3 } do
        local world, body, _, _, base = link(kind, solver, size, nil, true)
        world:step(wait)
        local steps = math.floor(1 / size[3] + 0.5)
        for i = 1, steps do
          set(kind, base, i / steps)
          world:step()
        end
        near(size[2] / (size[1] + size[2]), speed_of(kind, body), CLOSE, text .. ": speed of the link [1/s]")
        world:destroy()
      end
    end)
  end)

  it("moves the link at R / (I + R) times the base velocity if the base follows targets", function()
    each_link(function(kind, solver, size, text)
      local world, body, _, _, base = link(kind, solver, size, nil, true)
      local steps, way = math.floor(1 / size[3] + 0.5), 0
      for i = 1, steps do
        way = way + i / steps * size[3]
        base:move_to(kind == "revolute" and 0 or way, 0, kind == "revolute" and way or 0)
        world:step()
      end
      near(size[2] / (size[1] + size[2]), speed_of(kind, body), CLOSE, text .. ": speed of the link [1/s]")
      world:destroy()
    end)
  end)

  it("moves a sleeping link too", function()
    each_link(function(kind, solver, size, text)
      local world, body, _, _, base = link(kind, solver, size, { sleep = true }, true)
      world:step(math.floor(3 / size[3]))
      assert.is_false(body.awake, text)
      set(kind, base, 2)
      world:step()
      near(2 * size[2] / (size[1] + size[2]), speed_of(kind, body), CLOSE, text .. ": speed of the link [1/s]")
      world:destroy()
    end)
  end)

  it("lets a script set the link's velocity before or after the base's velocity", function()
    each_link(function(kind, solver, size, text)
      for _, first in ipairs { "base", "link" } do
        local world, body, joint, _, base = link(kind, solver, size, nil, true)
        world:step()
        set(kind, first == "base" and base or body, first == "base" and 2 or 3)
        set(kind, first == "base" and body or base, first == "base" and 3 or 2)
        world:step()
        near(1, joint.speed, CLOSE, text .. ": speed of the joint [1/s]")
        near(3, speed_of(kind, body), CLOSE, text .. ": speed of the link [1/s]")
        world:destroy()
      end
    end)
  end)
end)

-- Two links with different armature, damping and friction, and a spring.
local function two_links(solver, options)
  local world = new_world(solver, options)
  local a = world:body { position = { 0.5, 0 }, mass = 1, inertia = 0.1 }
  local b = world:body { position = { 1.5, 0 }, mass = 1, inertia = 0.1 }
  local first = world:revolute(world.ground, a, { anchor = { 0, 0 }, armature = 2, damping = 0.05, friction = 0.02 })
  local second = world:revolute(a, b, { anchor = { 1, 0 }, armature = 0.01,
    spring = { hertz = 2, damping_ratio = 0.1 } })
  return world, a, first, second
end

describe("the speed of a rotor", function()
  it("is part of a recording, with armature changed in handlers and between steps", function()
    for _, solver in ipairs(solvers) do
      local world, body, first, second = two_links(solver, { substeps = 4 })
      local recording, n = assert(world:record()), 0
      local changes = {
        [9] = function() first:coordinate().armature = 5 end,
        [17] = function() first:coordinate().armature = 0 end,
        [27] = function() first:coordinate().armature = 1e-20 end,
        [31] = function() first:coordinate().armature = 0.3 end,
        [33] = function() second:coordinate().armature = 0 end,
        [39] = function() second:coordinate().armature = 4 end,
        [57] = function() second:coordinate():release() end,
      }
      world:on("substep", function()
        n = n + 1
        if changes[n] then changes[n]() end
      end)
      world:step(20)
      first:coordinate().armature = 3
      world:step(5)
      body.angular_velocity = 2
      world:step(5)
      body.fixed_rotation = true
      world:step(3)
      body.fixed_rotation = false
      world:step(5)
      body.type = "kinematic"
      world:step(2)
      body.type = "dynamic"
      first:sever()
      world:step(5)
      recording:close()
      local playback = assert(impel.playback(recording:take()))
      for _ = 1, 45 do assert(playback:step()) end
      assert.equal(world.hash, playback.world.hash, solver)
    end
  end)

  it("is restored by a snapshot after each step", function()
    for _, solver in ipairs(solvers) do
      local straight, hopping = two_links(solver), (two_links(solver))
      straight:step(60)
      for _ = 1, 60 do
        local fresh = impel.world {}
        fresh:restore(hopping:snapshot())
        hopping = fresh
        hopping:step()
      end
      assert.equal(straight.hash, hopping.hash, solver)
    end
  end)

  -- If a body of another linkage becomes non-finite, the solver repeats the step without that body.
  it("is restored if a step is repeated after a fault", function()
    local function run(solver, throws)
      local world = new_world(solver, { substeps = 3 })
      local joints = chain(world, 3, { armature = 0.7, friction = 0.1, damping = 0.1 })
      local faults, done, n = 0, not throws, 0
      local extreme = world:body { mass = 1, inertia = 1, position = { 50, 0 } }
      world:prismatic(world.ground, extreme, { axis = { 1, 0 }, armature = 2 })
      world:on("fault", function() faults = faults + 1 end)
      world:on("substep", function()
        n = n + 1
        joints[1]:coordinate():set_force(world.tick % 7)
        if not done and world.tick == 20 and n % 3 == 1 then extreme:apply_impulse(9e14, 0) end
      end)
      world:on("step", function() done = done or world.tick > 20 end)
      world:step(21)
      n = 0
      world:step(30)
      local state = {}
      for i, joint in ipairs(joints) do state[2 * i - 1], state[2 * i] = joint.value, joint.speed end
      return state, faults
    end

    for _, solver in ipairs(solvers) do
      local expected = run(solver, false)
      local found, faults = run(solver, true)
      assert.equal(1, faults, solver)
      assert.same(expected, found, solver)
    end
  end)

  it("is 0 after sleep, in chains too", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { sleep = true, gravity = { 0, 0 }, iterations = 50 })
      local joints, bodies = chain(world, 2, { armature = 0.4, damping = 3 })
      bodies[2]:apply_angular_impulse(0.5)
      for _ = 1, 1200 do
        if bodies[1].awake then world:step() end
      end
      assert.is_false(bodies[1].awake or bodies[2].awake, solver)
      near(0, (world:energy()), 1e-12, solver .. ": energy asleep [J]")
      for _, joint in ipairs(joints) do joint:coordinate().damping = 0 end
      bodies[1].awake = true
      world:step(10)
      near(0, (world:energy()), 1e-9, solver .. ": energy awake [J]")
      world:destroy()
    end
  end)
end)
