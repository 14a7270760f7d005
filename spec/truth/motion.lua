-- Compares the motion of rigs (rigs.lua) under every solver with a Runge-Kutta integration of their equations of
-- motion. Also measures the drift of energy and angular momentum, the cost, and the largest mass ratios.
-- motion.lines(solvers, word, add) adds the tables to spec/truth/RESULTS.md.
local impel = require "impel"
local rigs = require "truth.rigs"

local motion = {}

local RATES = { 60, 120, 240, 480, 960 } -- [Hz]
local FINE = 9600 -- rate of the Runge-Kutta integration [Hz], whose relative error is below 1e-11
local FLOOR = 1e-10 -- relative errors below FLOOR may be rounding, or errors of the reference

local function rk4(rig, y, u, h)
  local function moved(k, part)
    local out = {}
    for i, x in ipairs(y) do out[i] = x + part * k[i] end
    return out
  end
  local k1 = rig.derivative(y, u)
  local k2 = rig.derivative(moved(k1, h / 2), u)
  local k3 = rig.derivative(moved(k2, h / 2), u)
  local k4 = rig.derivative(moved(k3, h), u)
  local out = {}
  for i, x in ipairs(y) do out[i] = x + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) end
  return out
end

-- Return the exact states of a rig at multiples of 1 / 60 s.
local function exact_motion(rig)
  local y, list = rig.state, { [0] = rig.state }
  for n = 1, rig.time * RATES[1] do
    local u = rig.control((n - 1) / RATES[1])
    for _ = 1, FINE / RATES[1] do y = rk4(rig, y, u, 1 / FINE) end
    list[n] = y
  end
  return list
end

local function world_of(solver, rate, gravity)
  return impel.world { solver = solver, dt = 1 / rate, sleep = false, gravity = { 0, -gravity } }
end

-- Return the largest error of any coordinate, divided by the largest change of any coordinate. At the rate RATES[1]
-- also return the relative error of the forces (root mean square).
local function errors_of(rig, exact, solver, rate)
  local world = world_of(solver, rate, rig.gravity)
  local model = rig.build(world)
  local every, worst, scale, off, whole = rate // RATES[1], 0, 0, 0, 0
  for step = 1, rig.time * rate do
    model.set(rig.control((step - 1) / rate))
    world:step()
    if step % every == 0 then
      local y, before = exact[step // every], exact[step // every - 1]
      for i, x in ipairs(model.coordinates()) do
        worst = math.max(worst, math.abs(x - y[i]))
        scale = math.max(scale, math.abs(y[i] - rig.state[i]))
      end
      if every == 1 then
        local px, py = rig.momentum(y)
        local qx, qy = rig.momentum(before)
        local ex, ey = (px - qx) * rate, (py - qy) * rate + rig.weight * rig.gravity
        local fx, fy = model.force()
        off, whole = off + (fx - ex) ^ 2 + (fy - ey) ^ 2, whole + ex ^ 2 + ey ^ 2
      end
    end
  end
  world:destroy()
  return worst / scale, math.sqrt(off / whole)
end

-- Return the slope of log error over log dt by least squares, from the three finest steps with an error above FLOOR.
-- Return nil if fewer than three errors remain.
local function slope(errors)
  local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
  for i = #errors, 1, -1 do
    if errors[i] > FLOOR and errors[i] < 1e9 and n < 3 then
      local x, y = -math.log(RATES[i]), math.log(errors[i])
      n, sx, sy, sxx, sxy = n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y
    end
  end
  return n == 3 and (n * sxy - sx * sy) / (n * sxx - sx ^ 2) or nil
end


-- Conservation --------------------------------------------------------------------------------------------------------

-- Return the largest change of the energy of a rod of 1 kg and 1 m in 10 s, divided by m g l / 2 [%]. The rod swings on
-- a hinge from the horizontal.
local function swing(solver)
  local rig = rigs.chain { links = { rigs.rod(1, 1) }, state = { math.pi / 2, 0 } }
  local world = world_of(solver, 60, 9.81)
  rig.build(world)
  local worst = 0
  local kinetic, potential = world:energy()
  local start = kinetic + potential
  for _ = 1, 600 do
    world:step()
    kinetic, potential = world:energy()
    local change = kinetic + potential - start
    if math.abs(change) > math.abs(worst) then worst = change end
  end
  world:destroy()
  return 100 * worst / (9.81 / 2)
end

-- Return the angular momentum of bodies about their centre of mass.
local function angular_momentum(bodies)
  local mass, x, y, vx, vy = 0, 0, 0, 0, 0
  for _, body in ipairs(bodies) do
    local m, px, py = body.mass, body:position()
    local ux, uy = body:velocity()
    mass, x, y, vx, vy = mass + m, x + m * px, y + m * py, vx + m * ux, vy + m * uy
  end
  local sum = 0
  for _, body in ipairs(bodies) do
    local px, py = body:position()
    local ux, uy = body:velocity()
    sum = sum + body.mass * ((px - x / mass) * (uy - vy / mass) - (py - y / mass) * (ux - vx / mass))
      + body.inertia * body.angular_velocity
  end
  return sum
end

-- Return the largest relative changes of angular momentum and energy of a chain of five links that flies freely for 10
-- s.
local function flight(solver)
  local rig = rigs.flight()
  local world = world_of(solver, 60, 0)
  local bodies = rig.build(world).bodies
  local turn, energy, spin_off, energy_off = angular_momentum(bodies), world:energy(), 0, 0
  for _ = 1, 600 do
    world:step()
    spin_off = math.max(spin_off, math.abs(angular_momentum(bodies) - turn))
    local change = world:energy() - energy
    if math.abs(change) > math.abs(energy_off) then energy_off = change end
  end
  world:destroy()
  return spin_off / math.abs(turn), energy_off / energy
end


-- Costs and loads -----------------------------------------------------------------------------------------------------

-- Return the processor time per joint and step [us] of a chain of ten links that swings from the horizontal: the
-- minimum of several runs.
local function cost(solver)
  local best = math.huge
  for _ = 1, 25 do
    local links, state = {}, {}
    for i = 1, 10 do links[i], state[i], state[10 + i] = rigs.rod(1, 0.5), math.pi / 2, 0 end
    local world = world_of(solver, 60, 9.81)
    rigs.chain({ links = links, state = state }).build(world)
    world:step(10)
    local start = os.clock()
    world:step(60)
    best = math.min(best, os.clock() - start)
    world:destroy()
  end
  return best / 60 / 10 * 1e6
end

-- Let a chain of ten links of 1 kg and 0.5 m hang with `load` kg at its end, which starts at 0.1 m/s. Return whether in
-- 10 s the chain stretches by at most 1 % and no body moves faster than 1 m/s.
local function holds(solver, load)
  local links, state = {}, {}
  for i = 1, 10 do links[i], state[i], state[10 + i] = rigs.rod(1, 0.5), 0, 0 end
  local world = world_of(solver, 60, 9.81)
  local bodies = rigs.chain({ links = links, state = state }).build(world).bodies
  local weight = world:body { position = { 0, -5 }, mass = load, inertia = load * 0.01, velocity = { 0.1, 0 } }
  world:revolute(bodies[10], weight, { anchor = { 0, -5 } })
  bodies[11] = weight
  local good = true
  for _ = 1, 600 do
    world:step()
    local x, y = weight:position()
    good = good and math.sqrt(x * x + y * y) <= 5.05
    for _, body in ipairs(bodies) do
      local vx, vy = body:velocity()
      good = good and vx * vx + vy * vy <= 1 and body.enabled
    end
    if not good then break end
  end
  world:destroy()
  return good
end

-- Return whether a box of 1 m and 1 kg carries a box of `load` kg for 10 s, with contacts at most 10 mm deep.
local function carries(solver, load)
  local world = world_of(solver, 60, 9.81)
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
  world:body({ position = { 0, 0.5 } }):box { 1, 1, density = 1 }
  world:body({ position = { 0, 1.5 } }):box { 1, 1, density = load }
  local good = true
  for _ = 1, 600 do
    world:step()
    good = good and world:residual().penetration <= 0.01
    if not good then break end
  end
  world:destroy()
  return good
end

-- Return the largest power of ten up to which a test succeeds, as text.
local function largest(test, solver)
  local most = "none"
  for exponent = 0, 6 do
    if not test(solver, 10 ^ exponent) then break end
    most = ("%d"):format(10 ^ exponent)
  end
  return most
end


-- The tables ----------------------------------------------------------------------------------------------------------

local function table_of(title, solvers, rows, add)
  add("| " .. title .. " | `" .. table.concat(solvers, "` | `") .. "` |")
  add("|---|" .. ("---|"):rep(#solvers))
  for _, row in ipairs(rows) do add("| " .. row.title .. " | " .. table.concat(row, " | ") .. " |") end
  add ""
end

local function number(x) return x and (x ~= x or x > 1e6) and "lost" or x and ("%.2g"):format(x) or "none" end

--- Measure and add the lines of Markdown.
---@param solvers string[]
---@param word string|nil  only rigs with it in their title
---@param add fun(line: string)
function motion.lines(solvers, word, add)
  local paths, forces, kept = {}, {}, {}
  for _, rig in ipairs(rigs.all()) do
    if not word or rig.title:find(word, 1, true) then
      local exact = exact_motion(rig)
      local path, force = { title = rig.title }, { title = rig.title }
      for i, solver in ipairs(solvers) do
        local errors = {}
        for k, rate in ipairs(RATES) do
          local off, force_off = errors_of(rig, exact, solver, rate)
          errors[k] = off
          if k == 1 then force[i] = number(force_off) end
        end
        local order = slope(errors)
        path[i] = number(errors[1]) .. (order and (" (%.1f)"):format(order) or "")
      end
      paths[#paths + 1], forces[#forces + 1] = path, force
      io.stderr:write(rig.title, "\n")
    end
  end
  for k, title in ipairs(word and {} or { "energy of a level rod, change [% of m g l / 2]",
    "free chain, angular momentum", "free chain, energy", "cost of a joint [µs a step]",
    "largest load of ten links [masses of a link]", "largest load of a box [masses of the box]" }) do
    kept[k] = { title = title }
  end
  for i, solver in ipairs(#kept > 0 and solvers or {}) do
    local spin, energy = flight(solver)
    kept[1][i], kept[2][i], kept[3][i] = number(swing(solver)), number(spin), number(energy)
    kept[4][i] = ("%.2f"):format(cost(solver))
    kept[5][i], kept[6][i] = largest(holds, solver), largest(carries, solver)
  end
  add [[
## Rigs in motion

Largest error of a coordinate at 60 Hz, divided by the largest change of a coordinate. The reference is a Runge-Kutta
integration of the equations of motion in minimal coordinates ([rigs.lua](rigs.lua)). In brackets: the order, the slope
of log error over log dt for dt = 1/240, 1/480, 1/960 s, or for the three finest of 1/60, 1/120, ... where the error is
above 1e-10. All solvers use their defaults.
]]
  table_of("path", solvers, paths, add)
  add [[
Error of the forces in motion at 60 Hz: the root mean square over the steps of `joint:reaction()` minus the mean force
of the step (change of momentum / dt, plus the weight), divided by the root mean square of that force. The force is that
of the ground for rigs on the ground (of the pole's hinge for the cart-pole), and that of the first hinge in flight.
]]
  table_of("force", solvers, forces, add)
  if #kept == 0 then return end
  add [[
Energy and angular momentum are the largest changes in 10 s at 60 Hz, of a rod of 1 kg and 1 m released level, and of a
chain of five links that flies and turns without gravity. The cost is that of a swinging chain of ten links, on the
machine named above. The load of links hangs on ten links of 1 kg and 0.5 m at 60 Hz and starts at 0.1 m/s sideways;
powers of ten up to 10^6 were tried. The chain holds a load if in 10 s it stretches by less than 1 % and no body is
faster than 1 m/s. The load of a box lies on a box of 1 m and 1 kg on the floor; the box carries it if no contact is
deeper than 10 mm in 10 s.
]]
  table_of("measured", solvers, kept, add)
end

return motion
