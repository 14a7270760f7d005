-- The loop of a step: the order of callbacks, and the work done before each callback.
local core = require "impel.core"

-- A world in which one step makes every kind of call. A box falls through a sensor onto a floor with a filter.
local function scene()
  local world = core.world { substeps = 2, materials = { { name = "ice" }, { name = "wood" } } }
  local log = {}
  local function note(what) return function() log[#log + 1] = what end end
  local ground = world:body { type = "static" }
  local function filter(what)
    return function()
      log[#log + 1] = what
      return true
    end
  end
  ground:box { 20, 1, center = { 0, -0.5 }, pre_solve = true, material = "ice", filter = filter "filter of 1" }
  local box = world:body { position = { 0, 0.501 }, velocity = { 0, -3 } }
  box:box { 1, 1, material = "wood", filter = filter "filter of 2" }
  ground:box { 1, 1, sensor = true }
  local anchor = world:body { type = "static", position = { 5, 5 } }
  local bead = world:body { position = { 6, 5 } }
  world:constraint(anchor, bead, { dynamic = true, name = "wire", C = function(a, b)
    log[#log + 1] = "constraint"
    return b.x - a.x - 1
  end })
  local rod = world:body { position = { 9, 5 } }
  world:distance(anchor, rod, { break_if = function()
    log[#log + 1] = "break_if"
    return true
  end })
  world:field { kind = "custom", dynamic = true, bodies = { bead }, law = function()
    log[#log + 1] = "field"
    return 0, 0
  end }
  world:mix_rule("restitution", function(_, b)
    if b.name == "wood" then log[#log + 1] = "mix_rule" end
    return 0.5
  end)
  for _, kind in ipairs { "hit", "sensor_begin", "begin_contact", "joint_break", "pre_solve", "substep", "step" } do
    world:on(kind, note(kind)) -- the order of registration differs from the order of calls
  end
  for i = #log, 1, -1 do log[i] = nil end
  return world, log, box
end

local function stages(log)
  local list = {}
  for _, what in ipairs(log) do
    if what ~= list[#list] then list[#list + 1] = what end
  end
  return list
end

describe("a step", function()
  it("calls its callbacks in the order of its stages", function()
    local world, log = scene()
    world:step()
    assert.same({
      "step", -- forces, drives and objects that the handler sets or creates act in this step
      "filter of 1", "filter of 2", -- new pairs of shapes whose bounding boxes overlap
      "mix_rule", -- the materials of new pairs
      "pre_solve", -- manifolds are computed, bodies have not moved
      "constraint", -- the soft solver requests rows of constraints before the first substep
      "substep", "field", "constraint", -- the rows are requested in each substep
      "substep", "field", "constraint",
      "break_if", -- bodies have moved, events are known
      "begin_contact", "hit", "sensor_begin", "joint_break", -- sorted by kind of event, then by object
    }, stages(log))
  end)

  it("calls filters and rules once, everything else in each step", function()
    local world, log = scene()
    world:step()
    for i = #log, 1, -1 do log[i] = nil end
    world:step()
    assert.equal("step pre_solve constraint substep field constraint substep field constraint",
      table.concat(stages(log), " "))
  end)

  it("shows each handler the current state", function()
    local world, _, box = scene()
    local seen = {}
    local function look(what)
      return function()
        local _, y = box:position()
        local _, vy = box:velocity()
        seen[what] = seen[what] or { world.tick, world.time, y, vy }
      end
    end
    for _, kind in ipairs { "step", "pre_solve", "substep", "begin_contact" } do world:on(kind, look(kind)) end
    world:step()
    local before = { 0, 0, 0.501, -3 }
    assert.same(before, seen.step)
    assert.same(before, seen.pre_solve)
    assert.equal(0, seen.substep[1])
    assert.near(0.501, seen.substep[3], 1e-6) -- the soft solver computes in floats
    assert.near(-3, seen.substep[4], 1e-6)
    assert.equal(1, seen.begin_contact[1])
    assert.equal(world.dt, seen.begin_contact[2])
    assert.near(1.5, seen.begin_contact[4], 2 * 9.81 * world.dt) -- a bounce from 3 m/s with restitution 0.5
  end)

  it("has stages whose times in world:profile sum to at most the time of the step", function()
    local world = scene()
    world:step()
    local sum, profile = 0, world:profile()
    for stage in ("broadphase narrowphase islands prepare solve store finalize sleep"):gmatch "%w+" do
      assert.is_number(profile[stage], stage)
      sum = sum + profile[stage]
    end
    -- The stages do not overlap in time.
    assert.is_true(sum <= profile.step * 1.001 + 1e-6)
    assert.equal(0, profile.clusters) -- no joint of the scene is in a cluster
  end)

  it("runs the handlers of a kind in the order of registration", function()
    local world = core.world {}
    local log = {}
    for i = 1, 3 do
      for _, kind in ipairs { "substep", "step" } do world:on(kind, function() log[#log + 1] = kind .. i end) end
    end
    world:step()
    assert.equal("step1 step2 step3 substep1 substep2 substep3",
      table.concat(log, " "):match "^step1 step2 step3 substep1 substep2 substep3")
  end)
end)
