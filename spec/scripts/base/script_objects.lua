-- Functions ("makers") that create one object of each kind of the Lua modules.
local impel = require "impel"

local objects = {}

-- Build two bodies that hang from the ground in a chain with hinges.
local function arm()
  local world = impel.world {}
  local a, b = world:body { position = { 1, 0 } }, world:body { position = { 2, 0 } }
  a:circle { radius = 0.5 }
  b:circle { radius = 0.2 }
  local first = world:revolute(world.ground, a, { anchor = { 0, 0 } })
  return { world = world, a = a, b = b, first = first, second = world:revolute(a, b, { anchor = { 1.5, 0 } }) }
end

local function track()
  return impel.track { keys = { { time = 0, x = 0 }, { time = 1, x = 1 } } }
end

local function rig(name, options, ...)
  local legal = table.pack(...)
  return function() return impel.rig[name](impel.world {}, options or {}), table.unpack(legal, 1, legal.n) end
end

local function brake()
  local Brake = impel.control.class("spec.brake", { "heat" }, { heat = "number" })
  function Brake:apply(h) self.heat = self.heat + h end
  local coordinate = impel.control.coordinate("spec.brake", arm().first)
  local self = impel.control.new(Brake, coordinate, { when = "substep", enabled = true })
  self.heat = 0
  return impel.control.start(self)
end

local function recorder()
  local name = os.tmpname()
  local opened = assert(impel.recorder.open(name .. ".csv"))
  os.remove(name)
  os.remove(name .. ".csv")
  return opened
end

-- Makers by module name, or by module name and kind: "module.kind". Each maker returns the object and valid arguments
-- of its methods.
objects.makers = {
  camera = function() return impel.camera.new { width_px = 100, height_px = 100 }, 1, 2, 3, 4 end,
  cma = function() return impel.cma.new { start = { 1, 2 }, sigma = 1 } end,
  control = brake,
  env = function()
    return impel.env { setup = arm, actions = { { name = "push", lower = -1, upper = 1 } },
      observations = { { name = "angle" } }, act = function(s, action) s.a:apply_force(action[1], 0) end,
      observe = function(s, out) out[1] = s.a.angle end, reward = function() return 0 end, time_limit = 1 }
  end,
  evolve = function() return impel.evolve { start = { 1, 2 }, seed = 1 } end,
  genetic = function() return impel.genetic.new { start = { 1, 2 } } end,
  group = function()
    local s = arm()
    return impel.group { s.a, s.b }, s.a, s.world, "apply_force"
  end,
  law = function() return impel.law(arm().first, { force = function() return -1 end }) end,
  motor = function() return impel.motor(arm().first, { stall_torque = 1, no_load_speed = 1 }) end,
  multibody = function()
    local s = arm()
    return impel.multibody(s.world.ground), s.a, { 0, 0 }
  end,
  muscle = function()
    local s = arm()
    return impel.muscle({ { s.world.ground, 0, 0 }, { s.a, 0, 0 } }, { max_force = 10 })
  end,
  nelder_mead = function() return impel.nelder_mead.new { start = { 1, 2 } } end,
  network = function() return impel.network { layers = { 2, 2 }, seed = 1 }, { 1, 2 } end,
  optimal = function()
    return impel.optimal(arm().world.ground, { tasks = {} })
  end,
  pattern = function() return impel.pattern { oscillators = { "a", "b" } }, "a" end,
  pd = function() return impel.pd(arm().first, { hertz = 3 }) end,
  pid = function() return impel.pid(arm().first, { kp = 3 }) end,
  posture = function()
    local s = arm()
    return impel.posture({ first = s.first, second = s.second }, { stiffness = 50, damping = 5 })
  end,
  predictive = function()
    return impel.predictive { plant = arm(), model = arm(), lower = { -1 }, upper = { 1 }, seed = 1,
      apply = function(s, action) s.first:coordinate("angle"):set_force(action[1]) end,
      cost = function() return 0 end, horizon = 2, samples = 2 }
  end,
  -- This maker returns no arguments: with valid arguments the studio's methods would write files.
  ["picture.studio"] = function() return impel.picture.studio(arm().world) end,
  recorder = recorder,
  replay = function() return impel.replay(arm().a, track()) end,
  rng = function() return impel.rng.new(1) end,
  root = function() return impel.root(arm().a, {}) end,
  scene = function()
    return assert(impel.scene.parse("return { params = { k = { default = 1 } }, setup = function() end }", "=scene"))
  end,
  servo = function() return impel.servo(arm().first, {}) end,
  sound = function() return impel.sound "../../golden/tone.ogg" end,
  ["sound.voice"] = function() return impel.sound("../../golden/tone.ogg"):play() end,
  stable_pd = function() return impel.stable_pd(arm().first, { hertz = 3 }) end,
  state_machine = function()
    local states = { a = { { to = "b", after = 1 } }, b = {} }
    return impel.state_machine(arm().world, { initial = "a", states = states }), "a"
  end,
  timed_force = function() return impel.timed_force(arm().a, { force = { 1, 0 }, duration = 1 }) end,
  trace = function() return impel.trace.from { time = { 0, 1, 2 }, x = { 1, 2, 3 } }, "x" end,
  track = track,
  view = function()
    local pens, size = require "impel.picture.pen", { width_px = 100, height_px = 100 }
    local view = pens.new "examples"
    local shown = { pose = function(_, body) return body:position() end }
    pens.begin(view, require "impel.drawing".new(), impel.camera.new(size), 0, shown)
    return view, 1, 2, 3, 4
  end,
  virtual_force = function()
    local s = arm()
    return impel.virtual_force(s.world.ground, s.b), 1
  end,
  ["rig.arm"] = rig("arm", nil, { 0.5, 0.5 }), ["rig.biped"] = rig "biped",
  ["rig.bridge"] = rig("bridge", { to = { 4, 0 } }), ["rig.car"] = rig "car",
  ["rig.chain"] = rig("chain", { to = { 0, -2 }, segments = 3 }), ["rig.cloth"] = rig "cloth",
  ["rig.crane"] = rig "crane", ["rig.quadruped"] = rig("quadruped", nil, "left_front"), ["rig.ragdoll"] = rig "ragdoll",
  ["rig.rope"] = rig("rope", { to = { 1, 0 } }), ["rig.soft"] = rig "soft", ["rig.tracked"] = rig "tracked",
}

-- Films need the window library.
if impel.picture.window() then
  objects.makers["picture.film"] = function()
    return assert(impel.picture.shoot(impel.picture.studio(arm().world), {}, 30))
  end
end

-- Modules that can be called, or have a function `new`, but make no object with Lua methods.
objects.none = { autotune = true, blend = true, file = true, pairs = true, qp = true, recording = true }

return objects
