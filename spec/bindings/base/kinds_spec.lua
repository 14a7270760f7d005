-- Every kind of joint, field, shape, solver and event is stepped, drawn, restored, replayed and exported.
local impel = require "impel"
local cameras = require "impel.camera"
local core = require "impel.core"
local drawings = require "impel.drawing"
local kinds = require "support.kinds"
local legal = require "support.legal"
local palette = require "impel.picture.palette"
local program = require "support.program"
local svg = require "impel.picture.svg"
local api = impel.api()

local STEPS = 5
local camera = cameras.new { x = 0, y = 0, height = 8, width_px = 400, height_px = 400 }

-- Two bodies above the ground, and the objects that joints need.
local function scene(solver)
  local world = impel.world { solver = solver, seed = 1 }
  world.ground:box { 20, 1, center = { 0, -2 } }
  local a = world:body { name = "a", position = { -1, 0 } }
  local b = world:body { name = "b", position = { 1, 0 } }
  a:box { 1, 1 }
  b:circle { radius = 0.5 }
  return { world = world, floor = a, body = b, ground = world.ground }
end

-- Add a joint of the given kind between bodies or joints of the scene.
local function joint(kind, world, s)
  if kind == "gear" or kind == "rack" then
    s.joint = world:revolute(world.ground, s.floor, {})
    s.second = world:revolute(world.ground, s.body, {})
    s.slider = world:prismatic(world.ground, s.body, {})
  end
  local arguments = legal["world." .. kind]
  if type(arguments) == "function" then arguments = arguments(s) end
  return world[kind](world, table.unpack(arguments))
end

local function shape(kind, _, s)
  local arguments = legal["body." .. kind]
  return s.body[kind](s.body, table.unpack(arguments))
end

-- Options without which a field has no effect.
local fields = {
  uniform = { acceleration = { 1, 0 } }, attractor = { strength = 2 }, spring = { hertz = 2 }, drag = { linear = 2 },
  vortex = { linear = 2 }, buoyancy = { density = 2 }, explosion = { impulse = 2 },
  custom = { law = function(b) return -b.x, 0 end },
}

local function field(kind, world)
  local options = { kind = kind }
  for name, value in pairs(fields[kind] or {}) do options[name] = value end
  return world:field(options)
end

local function drawn(world)
  local drawing = drawings.new()
  drawing:world(world)
  return svg.drawing(drawing, camera, palette, "kinds")
end

-- Test a world to which `make(world, scene)` adds an object.
local function check(make, solver)
  local s = scene(solver)
  local world = s.world
  local object = make(world, s)
  local exported, left_out = world:export { partial = true } -- functions are not exported, so the export is partial
  local recording = assert(world:record())
  assert(drawn(world):find "<svg")
  local before = world:snapshot()
  world:step(STEPS)
  local hash = world.hash
  assert(drawn(world):find "<svg")
  assert(recording:close())
  local playback = assert(core.playback(recording:take()))
  while playback:step() do end
  assert.are.equal("whole", playback.ending)
  assert.are.equal(hash, playback.world.hash)
  world:restore(before)
  world:step(STEPS)
  assert.are.equal(hash, world.hash)
  local again = assert(impel.load_data(exported))
  again:step(STEPS)
  if #left_out == 0 then assert.are.equal(hash, again.hash) end
  return object
end

local function is_documented(name)
  local ok, text = program.run(("api %s"):format(name))
  assert.are.equal(0, ok)
  assert.truthy(text:find(name:match "[%w_]+$", 1, true))
end

describe("every kind", function()
  for _, kind in ipairs(kinds.joints) do
    it("of joint works: " .. kind, function()
      local object = check(function(world, s) return joint(kind, world, s) end)
      assert.are.equal(kind, object.kind)
      is_documented("world." .. kind)
    end)
  end

  for _, kind in ipairs(kinds.fields) do
    it("of field works: " .. kind, function()
      local object = check(function(world) return field(kind, world) end)
      assert.are.equal(kind, object.kind)
      is_documented("world.field")
    end)
  end

  for _, kind in ipairs(kinds.shapes) do
    it("of shape works: " .. kind, function()
      local object = check(function(world, s) return shape(kind, world, s) end)
      assert.are.equal(kind, object.type)
      is_documented("body." .. kind)
    end)
  end

  for _, solver in ipairs(kinds.solvers) do
    it("of solver works: " .. solver, function()
      check(function(world) assert.are.equal(solver, world.solver) end, solver)
      assert.truthy(select(2, program.run "api world.solver"):find(('"%s"'):format(solver), 1, true))
    end)
  end
end)

describe("every event", function()
  local names = {}
  for _, entry in ipairs(api.event) do
    for _, name in ipairs(entry.events or {}) do names[name] = true end
  end

  it("is accepted by world:on and world:events, and is in the reference", function()
    local world = scene().world
    for name in pairs(names) do
      world:on(name, function() end)
      for _ in world:events(name) do end
      assert.truthy(select(2, program.run "api event.kind"):find(name, 1, true))
    end
  end)
end)

describe("every style of a draw list", function()
  it("has a colour on the light and on the dark canvas", function()
    for _, name in ipairs(drawings.styles) do assert(palette.styles[name] and palette.dark.styles[name], name) end
  end)
end)
