-- Two rods on two hinges: chaotic motion of a system with four state variables, at constant energy.
local impel = require "impel"

local scene = {
  title = "Double pendulum",
  about = "The scene also integrates the Lagrange equations of the pendulum. The rods must follow this solution until "
    .. "chaos separates the two motions, and the energy must stay constant. The scene is sensitive to long steps: try "
    .. "--dt 0.0167.",
  duration = 10, -- [s]
  view = { x = 0, y = 0, height = 4.6 },
}

scene.params = {
  upper = { 120.0, min = -180, max = 180, help = "initial angle of the upper rod from straight down [degrees]" },
  lower = { 150.0, min = -180, max = 180, help = "initial angle of the lower rod from straight down [degrees]" },
  friction = { 0.0, min = 0, max = 1, help = "dry friction in both hinges [N m]; the equations neglect it" },
}

local G, LENGTH, WIDTH = 9.81, 1, 0.1 -- [m/s^2], [m] of a rod
local AGREE = 1 -- time during which world and Lagrange equations agree [s]; later, errors grow tenfold per second

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 240 }
  local rods, hinges = {}, {}
  local x, y, above = 0, 0, world.ground
  for i, angle in ipairs { math.rad(p.upper), math.rad(p.lower) } do
    local dx, dy = LENGTH * math.sin(angle), -LENGTH * math.cos(angle)
    rods[i] = world:body { position = { x + dx / 2, y + dy / 2 }, angle = angle }
    rods[i]:box { WIDTH, LENGTH }
    hinges[i] = world:revolute(above, rods[i], { anchor = { x, y },
      motor = p.friction > 0 and { speed = 0, max_force = p.friction } or nil })
    x, y, above = x + dx, y + dy, rods[i]
  end
  local kinetic, potential = world:energy()
  return { world = world, rods = rods, hinges = hinges, energy = kinetic + potential, drift = 0, open = 0, apart = 0,
    state = { rods[1].angle, rods[2].angle, 0, 0 } }
end

-- Return the rates of { angle1, angle2, speed1, speed2 } at x + h k.
local function rates(s, x, k, h)
  local m, i = s.rods[1].mass, s.rods[1].inertia
  local a1, a2, w1, w2 = x[1] + h * k[1], x[2] + h * k[2], x[3] + h * k[3], x[4] + h * k[4]
  local m11, m22, coupling = i + 1.25 * m * LENGTH ^ 2, i + 0.25 * m * LENGTH ^ 2, 0.5 * m * LENGTH ^ 2
  local m12, whirl = coupling * math.cos(a1 - a2), coupling * math.sin(a1 - a2)
  local f1 = -whirl * w2 ^ 2 - 1.5 * m * G * LENGTH * math.sin(a1)
  local f2 = whirl * w1 ^ 2 - 0.5 * m * G * LENGTH * math.sin(a2)
  local d = m11 * m22 - m12 ^ 2
  return { w1, w2, (m22 * f1 - m12 * f2) / d, (m11 * f2 - m12 * f1) / d }
end

-- Advance by one fourth-order Runge-Kutta step.
local function advance(s, h)
  local x = s.state
  local k1 = rates(s, x, x, 0)
  local k2 = rates(s, x, k1, h / 2)
  local k3 = rates(s, x, k2, h / 2)
  local k4 = rates(s, x, k3, h)
  for i = 1, 4 do x[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) end
end

local function gained(s)
  local kinetic, potential = s.world:energy()
  return kinetic + potential - s.energy
end

-- The scale of the energy: the energy difference between hanging down and standing up [J].
local function scale(s) return 4 * s.rods[1].mass * G * LENGTH end

local function watch(s)
  s.drift = math.max(s.drift, math.abs(gained(s)))
  s.open = math.max(s.open, s.hinges[1].separation, s.hinges[2].separation)
  local apart = math.max(math.abs(s.rods[1].angle - s.state[1]), math.abs(s.rods[2].angle - s.state[2]))
  if s.world.time <= AGREE then s.apart = math.max(s.apart, apart) end
  return apart
end

function scene.update(s, dt)
  watch(s)
  advance(s, dt)
end

function scene.measure(s)
  local apart = watch(s)
  return { upper = s.rods[1].angle, lower = s.rods[2].angle, gained = gained(s), separation = s.open, apart = apart }
end

function scene.check(s)
  watch(s)
  if s.world.time < AGREE then return false, ("cannot be checked before %g s"):format(AGREE) end
  return s.apart < 1e-2,
    ("the rods are %.3g rad off the solution of the Lagrange equations within %g s, less than 0.01 rad "
      .. "expected"):format(s.apart, AGREE),
    s.drift < 0.01 * scale(s), ("the energy changed by %.4f of the difference between hanging and standing rods, "
      .. "less than 0.01 expected"):format(
      s.drift / scale(s)),
    s.open < 1e-3, ("the anchors of a hinge came %.3f mm apart, less than 1 expected"):format(1e3 * s.open)
end

-- Draw the path of the lower end, and the solution of the Lagrange equations.
function scene.draw(s, view)
  view:trail("end", s.rods[2]:world_point(0, -LENGTH / 2))
  local a1, a2 = s.state[1], s.state[2]
  local x, y = LENGTH * math.sin(a1), -LENGTH * math.cos(a1)
  view:polyline({ { 0, 0 }, { x, y }, { x + LENGTH * math.sin(a2), y - LENGTH * math.cos(a2) } }, "red")
end

return scene
