-- Every situation passes, except for the runs in known.txt. If a solver has more than MOST runs of a situation, every
-- second run is played. Also tests the scene files for other engines.

local impel = require "impel"
local peers = require "situations.peers"
local runner = require "situations.runner"

local function text_of(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local MOST = 8

-- If there are more than MOST runs, return every second one, otherwise all.
local function thinned(runs)
  if #runs <= MOST then return runs end
  local some = {}
  for i = 1, #runs, 2 do some[#some + 1] = runs[i] end
  return some
end

local known, unused = runner.known(), runner.known()

for _, name in ipairs(runner.names()) do
  local loaded, situation = pcall(runner.load, name)
  describe(name, function()
    it("can be loaded", function() assert(loaded, situation) end)

    -- All runs of a situation with the same solver are one test, because ten thousand tests would slow busted down.
    local solvers, runs = {}, {}
    for _, variant in ipairs(loaded and runner.runs(situation) or {}) do
      local key = runner.known_key(known, variant.name)
      if key then
        unused[key] = nil
      else
        if not runs[variant.solver] then
          solvers[#solvers + 1], runs[variant.solver] = variant.solver, {}
        end
        table.insert(runs[variant.solver], variant)
      end
    end
    for _, solver in ipairs(solvers) do
      local played = thinned(runs[solver])
      it(("holds under %s, %d of %d runs"):format(solver, #played, #runs[solver]), function()
        local failed = {}
        for _, variant in ipairs(played) do
          local verdict = runner.play(situation, variant)
          if not verdict.passed then failed[#failed + 1] = ("%s: %s"):format(variant.text, verdict.message) end
        end
        assert(#failed == 0, table.concat(failed, "\n"))
      end)
    end

    it("names its source", function()
      assert.truthy(text_of("spec/situations/" .. name .. ".lua"):find "\n%-%- Source: %S")
    end)
  end)
end

describe("the list of known failures", function()
  it("names only runs that exist", function() assert.is_nil((next(unused))) end)
end)

describe("a situation's scene file for peers", function()
  it("has a line for each body, shape, joint and change of dt", function()
    local world = impel.world { gravity = { 0, -5 }, sleep = false }
    local floor = world:body { type = "static", position = { 1, 2 }, angle = 0.5 }
    floor:box { 4, 1, center = { 0, -0.5 }, friction = 0.25 }
    floor:segment { from = { 0, 0 }, to = { 2, 0 } }
    local ball = world:body { velocity = { 3, 0 }, angular_velocity = -2, bullet = true }
    ball:circle { radius = 0.5, restitution = 1, restitution_threshold = 0, group = -1 }
    world:revolute(floor, ball, { local_anchor_a = { 0, 1 }, local_anchor_b = { 0, 0.5 }, limit = { -1, 2 },
      motor = { speed = 3, max_force = 4 } })
    world:weld(world.ground, ball, { local_anchor_a = { 1, 0 }, local_anchor_b = { 0, 0 } })
    assert.same(table.concat({
      "gravity 0 -5", "dt 0.25", "sleep 0", "body static 0 0 0 0 0 0",
      "body static 1 2 0.5 0 0 0", "surface 1 0.25 0 -1 1 65535 0", "box 0 -0.5 2 0.5 0 0",
      "surface 1 0.59999999999999998 0 -1 1 65535 0", "segment 0 0 2 0",
      "body dynamic 0 0 0 3 0 -2 bullet", "surface 1 0.59999999999999998 1 0 1 65535 -1", "circle 0 0 0.5",
      "pin revolute 1 2 0 1 0 0.5 -0.5 limit=-1,2 motor=3,4", "pin weld 0 2 1 0 0 0 0",
      "at 2 dt 0.125", "at 3 dt 0.25",
    }, "\n") .. "\n", peers.scene_text(world, { 0.25, 0.25, 0.125, 0.25 }))
  end)

  it("gives a body of a given mass the density that yields this mass", function()
    local world = impel.world {}
    world:body { mass = 3 }:box { 2, 1 }
    assert.truthy(peers.scene_text(world, { 1 / 60 }):find("surface 1.5 ", 1, true))
  end)

  it("is rejected if the format cannot describe an object", function()
    local function refused(make)
      local world = impel.world {}
      make(world)
      local text, why = peers.scene_text(world, { 1 / 60 })
      assert.is_nil(text)
      return why
    end
    assert.same("a joint of kind rope", refused(function(world)
      local a, b = world:body {}, world:body { position = { 1, 0 } }
      a:circle { radius = 0.1 }
      b:circle { radius = 0.1 }
      world:rope(a, b, {})
    end))
    assert.same("a body whose inertia is not that of its shapes", refused(function(world)
      world:body { mass = 3, inertia = 9 }:box { 2, 1 }
    end))
    assert.same("a circle with 'one_way'", refused(function(world)
      world:body { type = "static" }:circle { radius = 1, one_way = { 0, 1 } }
    end))
    assert.same("a particle", refused(function(world) world:body { type = "particle", mass = 1 } end))
  end)
end)
