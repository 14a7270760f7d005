-- Scenes for the specs of impel.optimal: an arm, and a standing figure.
local impel = require "impel"

local scenes = {}

-- Build three moving links on the ground.
function scenes.arm(options)
  options.gravity = { 0, -9.81 }
  local world, joints, last = impel.world(options), {}, nil
  for i = 1, 3 do
    local body = world:body { position = { i - 0.5, 0 }, angular_velocity = 0.3 * i, name = "link " .. i }
    body:box { 1, 0.1, density = 20, group = -1 }
    joints[i] = world:revolute(last or world.ground, body, { anchor = { i - 1, 0 } })
    last = body
  end
  for _ = 1, 60 do world:step() end
  return world, joints, last
end

-- Build a figure of 74 kg on a floor, with seven links, bent knees, and two feet of two points each. The figure never
-- sleeps.
function scenes.biped(options)
  local world = impel.world(options)
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
  local bend = 0.3
  local dx, dy = 0.2 * impel.math.sin(bend), 0.2 * impel.math.cos(bend) -- half a limb
  local function body(name, x, y, angle, width, height)
    local b = world:body { position = { x, y }, angle = angle, name = name, allow_sleep = false }
    b:box { width, height, group = -1, density = 200 }
    return b
  end
  local torso, feet, contacts = body("torso", 0, 0.4 + 4 * dy, 0, 0.25, 0.6), {}, {}
  for side = -1, 1, 2 do
    local x = side * 0.12
    local thigh = body("thigh", x + dx, 0.1 + 3 * dy, bend, 0.12, 0.4)
    local shank = body("shank", x + dx, 0.1 + dy, -bend, 0.1, 0.4)
    local foot = body("foot", x, 0.05, 0, 0.22, 0.1)
    world:revolute(torso, thigh, { anchor = { x, 0.1 + 4 * dy } })
    world:revolute(thigh, shank, { anchor = { x + 2 * dx, 0.1 + 2 * dy } })
    world:revolute(shank, foot, { anchor = { x, 0.1 } })
    feet[#feet + 1] = foot
    for corner = -1, 1, 2 do contacts[#contacts + 1] = { body = foot, point = { corner * 0.11, -0.05 } } end
  end
  return world, torso, feet, contacts
end

function scenes.standing(torso, contacts, more)
  local options = {
    contacts = contacts, max_torque = 150,
    tasks = {
      { kind = "center", target = { 0, 0.72 }, weight = 10 }, { kind = "angle", body = torso, target = 0 },
      { kind = "posture", weight = 0.1 }, { kind = "momentum", weight = 1e-4 },
    },
  }
  for name, value in pairs(more or {}) do options[name] = value end
  return impel.optimal(torso, options)
end

return scenes
