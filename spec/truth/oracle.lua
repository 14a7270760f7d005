-- Reference values for the accuracy tests (make truth): closed forms, and integration with fine steps.
local oracle = {}

oracle.G = 9.81 -- [m/s^2]

--- Return the period of a pendulum of any amplitude. `rate`: its angular frequency at small amplitudes [rad/s].
--- T = 2 pi / (rate agm(1, cos(amplitude / 2)))   source: Gauss; Cromer, Am. J. Phys. 63 (1995)
function oracle.period(rate, amplitude)
  local a, b = 1, math.cos(amplitude / 2)
  for _ = 1, 8 do a, b = (a + b) / 2, math.sqrt(a * b) end
  return 2 * math.pi / (rate * a)
end

--- Return the state after `time` for state' = f(state), by `steps` fourth-order Runge-Kutta steps. State and derivative
--- are lists of numbers. The given list is overwritten.
function oracle.rk4(f, state, time, steps)
  local h = time / steps
  local function moved(by, part)
    local out = {}
    for i, x in ipairs(state) do out[i] = x + part * by[i] end
    return out
  end
  for _ = 1, steps do
    local k1 = f(state)
    local k2 = f(moved(k1, h / 2))
    local k3 = f(moved(k2, h / 2))
    local k4 = f(moved(k3, h))
    for i, x in ipairs(state) do state[i] = x + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) end
  end
  return state
end

--- Return the zero of an increasing f between low and high, to the last bit.
function oracle.root(f, low, high)
  for _ = 1, 200 do
    local middle = (low + high) / 2
    if f(middle) < 0 then low = middle else high = middle end
  end
  return low
end

--- Return the position at the time t of a damped oscillator x'' = -rate^2 x - 2 zeta rate x', released at x = 1.
function oracle.oscillator(rate, zeta, t)
  local decay = zeta * rate
  if zeta == 1 then return (1 + rate * t) * math.exp(-rate * t) end
  if zeta < 1 then
    local w = rate * math.sqrt(1 - zeta ^ 2)
    return math.exp(-decay * t) * (math.cos(w * t) + decay / w * math.sin(w * t))
  end
  local w = rate * math.sqrt(zeta ^ 2 - 1)
  local slow, fast = decay - w, decay + w
  return (fast * math.exp(-slow * t) - slow * math.exp(-fast * t)) / (fast - slow)
end


-- Traces --------------------------------------------------------------------------------------------------------------

--- Return the mean period of f(sample), which oscillates about 0, from its zero crossings in a trace. Return infinity
--- for fewer than four crossings.
function oracle.measured_period(trace, f)
  local first, last, count = nil, nil, 0
  for i = 2, #trace do
    local before, now = f(trace[i - 1]), f(trace[i])
    if before * now < 0 or now == 0 then
      local t = trace[i].t - (trace[i].t - trace[i - 1].t) * now / (now - before)
      first, last, count = first or t, t, count + 1
    end
  end
  return count >= 4 and 2 * (last - first) / (count - 1) or math.huge
end

--- Return the largest value of f(sample) in a trace.
function oracle.worst(trace, f)
  local worst = 0
  for _, sample in ipairs(trace) do
    local value = f(sample)
    if value ~= value then return value end -- NaN
    worst = math.max(worst, value)
  end
  return worst
end

--- Return the energy of all bodies in a sample: the sum of 1/2 m v^2 + 1/2 I w^2 + m g y. `masses` and `inertias` are
--- in the order of the bodies.
function oracle.energy(sample, masses, inertias)
  local sum = 0
  for i, m in ipairs(masses) do
    local b = sample[i]
    sum = sum + m * (b.vx ^ 2 + b.vy ^ 2) / 2 + inertias[i] * b.w ^ 2 / 2 + m * oracle.G * b.y
  end
  return sum
end

function oracle.relative(got, expected) return math.abs(got - expected) / math.abs(expected) end

return oracle
