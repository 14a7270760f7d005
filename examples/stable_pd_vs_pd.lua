-- Two PD controllers with equal gains: one uses the arm's present angle, the other its angle after the substep.
local impel = require "impel"

local scene = {
  title = "PD against stable PD",
  about = "Two arms have the same gains. If kp is above the stability bound, the explicit controller overshoots within "
    .. "one substep, and by more in every substep, until the torque alternates between its two limits. The implicit "
    .. "controller is a spring in the solver and holds its arm still.",
  duration = 3, -- [s]
  view = { x = 1.1, y = -0.1, height = 1.8 },
  units = { explicit = "rad", implicit = "rad", bound = "N m/rad" },
}

scene.params = {
  part = { 1.2, min = 0.2, max = 100, help = "kp relative to the stability bound of the explicit controller" },
  kd = { 2.0, min = 0.5, max = 20, help = "gain on the angular velocity [N m s/rad]" },
  torque = { 400.0, min = 100, max = 1000, help = "torque limit of each arm [N m]" },
}

local MASS, LENGTH, G = 2, 0.8, 9.81
local INERTIA = MASS * LENGTH ^ 2 / 3 -- moment of inertia about the hinge [kg m^2]

local function arm(world, name, x)
  local body = world:body { name = name, position = { x + LENGTH / 2, 0 }, mass = MASS, inertia = INERTIA / 4 }
  body:capsule { from = { -LENGTH / 2, 0 }, to = { LENGTH / 2, 0 }, radius = 0.05 }
  return world:revolute(world.ground, body, { anchor = { x, 0 }, name = name })
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local bound = impel.stability.bound { inertia = INERTIA, kd = p.kd, period = world.dt / world.substeps }
  local gains = { kp = p.part * bound, kd = p.kd, max_force = p.torque }
  local s = { world = world, p = p, bound = bound, warned = false, swing = 0,
    explicit = arm(world, "explicit", 0), implicit = arm(world, "implicit", 1.3) }
  s.pd = impel.pd(s.explicit, gains)
  s.pd.on_warning = function(text) s.warned = text end -- called for gains above 0.95 of the stability bound
  s.stable = impel.stable_pd(s.implicit, gains)
  return s
end

-- Record the extremes of each angle during the last second: their difference is the swing.
function scene.substep(s)
  if s.world.time < 2 then return end
  local q, i = s.explicit.value, s.implicit.value
  s.low, s.high = math.min(s.low or q, q), math.max(s.high or q, q)
  s.least, s.most = math.min(s.least or i, i), math.max(s.most or i, i)
end

function scene.measure(s)
  return { explicit = s.explicit.value, implicit = s.implicit.value, bound = s.bound }
end

function scene.draw(s, view)
  view:text(LENGTH / 2, 0.45, ("pd: %.0f of %.0f N m/rad"):format(s.pd.kp, s.bound), "grey", "center")
  view:text(1.3 + LENGTH / 2, 0.45, ("stable_pd: %.0f"):format(s.stable.kp), "grey", "center")
  view:text(LENGTH / 2, 0.3, ("%.0f N m"):format(s.pd.force), "red", "center")
  for i, x in ipairs { 0, 1.3 } do
    view:line(x, 0, x + LENGTH, 0, "green")
    local hinge = i == 1 and s.explicit or s.implicit
    local a = hinge.value
    view:trail(i, x + LENGTH * math.cos(a), LENGTH * math.sin(a), i == 1 and "red" or "blue")
  end
end

function scene.check(s)
  if not s.high then return false, "cannot be checked before 2 s" end
  local part, sag = s.p.part, -MASS * G * LENGTH / 2 / s.stable.kp
  local swing, still = s.high - s.low, s.most - s.least
  local unstable = part > 1
  return (swing > 1e-3) == unstable, ("the explicit arm swings by %.2g rad with kp = %.2f times the stability "
    .. "bound; it should swing only if kp is above the bound"):format(swing, part),
    still < 1e-5, ("the implicit arm swings by %.2g rad, 0 expected"):format(still),
    math.abs(s.implicit.value - sag) < 1e-5, ("the arm is at %.6f rad, %.6f expected"):format(s.implicit.value, sag),
    (s.warned ~= false) == (part >= 0.95), ("impel.pd should warn if kp is at least 0.95 of the stability bound, and "
      .. "only then; its warning: %s"):format(tostring(s.warned))
end

return scene
