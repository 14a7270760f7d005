-- Mechanisms with their equations of motion in minimal coordinates: rigs.all(), rigs.flight(), rigs.chain{...}
--
-- A rig is { title, time [s], state, control(t), derivative(y, u), momentum(y), weight, gravity, build(world) }:
--   state           coordinates, then their speeds, at the start
--   control(t)      the input from time t on [N m or N], constant in a step; it changes only at multiples of 0.1 s
--   derivative      of the state, by the equations of motion
--   momentum        (px, py) of all bodies that are held by the hinges whose force is measured; `weight` is the mass of
--                   these bodies [kg]. The mean force in a step is the change of momentum divided by the length of the
--                   step, plus weight * gravity
--   build(world)    the rig in a world: { coordinates() -> list, force() -> fx, fy of these hinges, set(u) }
-- Angles of chains and poles are measured from hanging, angles of cranks from the x axis, all counter-clockwise.
local jet = require "truth.jet"

local rigs = {}
local G = 9.81

-- Solve matrix x = right by elimination with pivoting.
local function solve(matrix, right)
  local n = #right
  for k = 1, n do
    local pivot = k
    for i = k + 1, n do
      if math.abs(matrix[i][k]) > math.abs(matrix[pivot][k]) then pivot = i end
    end
    matrix[k], matrix[pivot], right[k], right[pivot] = matrix[pivot], matrix[k], right[pivot], right[k]
    for i = k + 1, n do
      local factor = matrix[i][k] / matrix[k][k]
      for j = k, n do matrix[i][j] = matrix[i][j] - factor * matrix[k][j] end
      right[i] = right[i] - factor * right[k]
    end
  end
  for k = n, 1, -1 do
    for j = k + 1, n do right[k] = right[k] - matrix[k][j] * right[j] end
    right[k] = right[k] / matrix[k][k]
  end
  return right
end

-- Return a square wave: +u and -u in turns of the length `period`.
local function square(u, period)
  return function(t) return math.floor(t / period + 1e-9) % 2 == 0 and u or -u end
end


-- Chains of links ----------------------------------------------------------------------------------------------------
--
-- Link i has the angle a_i; its centre is at half its length along e(a_i), with e(a) = (sin a, -cos a). The centres r_i
-- are linear in these vectors:
--   r_i = sum_j B_ij e(a_j)      B_ij = l_j before the link, l_i / 2 for itself; minus the centre of mass if free
--   H_jk = sum_i m_i B_ij B_ik + I_j (j = k)
--   sum_k H_jk cos(a_j - a_k) w_k' = Q_j - g sin(a_j) sum_i m_i B_ij + sum_k H_jk sin(a_k - a_j) w_k^2
-- by Lagrange's equations, where Q_j is the torque of the drive. Gravity does not turn a free chain.

local function levers(links, free)
  local b, mean, mass = {}, {}, 0
  for i, link in ipairs(links) do
    b[i] = {}
    for j = 1, #links do b[i][j] = j < i and links[j].length or j == i and link.length / 2 or 0 end
    mass = mass + link.mass
  end
  for j = 1, #links do
    mean[j] = 0
    for i, link in ipairs(links) do mean[j] = mean[j] + link.mass * b[i][j] / mass end
    for i = 1, free and #links or 0 do b[i][j] = b[i][j] - mean[j] end
  end
  return b
end

local function place_links(world, links, free, y)
  local bodies, joints, n = {}, {}, #links
  local x0, y0, vx, vy = 0, 0, 0, 0 -- position and velocity of the hinge at the start of the link
  for i, link in ipairs(links) do
    local a, w, half = y[i], y[n + i], link.length / 2
    local sin, cos = math.sin(a), math.cos(a)
    bodies[i] = world:body { position = { x0 + half * sin, y0 - half * cos }, angle = a, mass = link.mass,
      inertia = link.inertia, velocity = { vx + half * w * cos, vy + half * w * sin }, angular_velocity = w }
    if i > 1 or not free then
      joints[#joints + 1] = world:revolute(bodies[i - 1] or world.ground, bodies[i], { anchor = { x0, y0 } })
    end
    x0, y0 = x0 + 2 * half * sin, y0 - 2 * half * cos
    vx, vy = vx + 2 * half * w * cos, vy + 2 * half * w * sin
  end
  return bodies, joints
end

--- Return a rig: a chain of links { mass, length, inertia }. The input is the torque at the hinge before the link
--- number `driven`. The force is measured at the first hinge.
function rigs.chain(rig)
  local links, n, free = rig.links, #rig.links, rig.free
  local b, driven, first = levers(links, free), rig.driven, free and 2 or 1
  local h, load = {}, {}
  for j = 1, n do
    h[j], load[j] = {}, 0
    for k = 1, n do
      h[j][k] = j == k and links[j].inertia or 0
      for i, link in ipairs(links) do h[j][k] = h[j][k] + link.mass * b[i][j] * b[i][k] end
    end
    for i, link in ipairs(links) do load[j] = load[j] + (free and 0 or link.mass * G * b[i][j]) end
  end
  rig.control, rig.gravity, rig.weight = rig.control or function() return 0 end, free and 0 or G, 0
  for i = first, n do rig.weight = rig.weight + links[i].mass end
  function rig.derivative(y, u)
    local matrix, right, out = {}, {}, {}
    for j = 1, n do
      matrix[j], right[j] = {}, -load[j] * math.sin(y[j])
      for k = 1, n do
        matrix[j][k] = h[j][k] * math.cos(y[j] - y[k])
        right[j] = right[j] + h[j][k] * math.sin(y[k] - y[j]) * y[n + k] ^ 2
      end
    end
    if driven then
      right[driven] = right[driven] + u
      if driven > 1 then right[driven - 1] = right[driven - 1] - u end
    end
    local turn = solve(matrix, right)
    for j = 1, n do out[j], out[n + j] = y[n + j], turn[j] end
    return out
  end
  function rig.momentum(y)
    local px, py = 0, 0
    for i = first, n do
      for j = 1, n do
        local p = links[i].mass * b[i][j] * y[n + j]
        px, py = px + p * math.cos(y[j]), py + p * math.sin(y[j])
      end
    end
    return px, py
  end
  function rig.build(world)
    local bodies, joints = place_links(world, links, free, rig.state)
    local drive = driven and joints[driven - first + 1]:coordinate()
    return {
      bodies = bodies, joints = joints,
      coordinates = function()
        local list = {}
        for i, body in ipairs(bodies) do list[i] = body.angle end
        return list
      end,
      force = function() return joints[1]:reaction() end,
      set = function(u) if drive then drive:set_force(u) end end,
    }
  end
  return rig
end

local function rod(mass, length) return { mass = mass, length = length, inertia = mass * length ^ 2 / 12 } end
rigs.rod = rod


-- Cart and pole ------------------------------------------------------------------------------------------------------
--
--   (M + m) x'' + m c cos(a) a'' = F + m c sin(a) a'^2
--   m c cos(a) x'' + (I + m c^2) a'' = -m g c sin(a)

local function cart_pole()
  local cart, m, c = 1, 0.1, 0.5
  local inertia = m * (2 * c) ^ 2 / 12
  local rig = { title = "cart-pole, pushed", time = 1, state = { 0, math.pi - 0.05, 0, 0 }, control = square(10, 0.2),
    gravity = G, weight = m }
  function rig.derivative(y, u)
    local sin, cos = math.sin(y[2]), math.cos(y[2])
    local turn = solve({ { cart + m, m * c * cos }, { m * c * cos, inertia + m * c ^ 2 } },
      { u + m * c * sin * y[4] ^ 2, -m * G * c * sin })
    return { y[3], y[4], turn[1], turn[2] }
  end
  function rig.momentum(y) return m * (y[3] + c * math.cos(y[2]) * y[4]), m * c * math.sin(y[2]) * y[4] end
  function rig.build(world)
    local a = rig.state[2]
    local slide = world:body { mass = cart, inertia = 1 }
    local pole = world:body { position = { c * math.sin(a), -c * math.cos(a) }, angle = a, mass = m, inertia = inertia }
    local rail = world:prismatic(world.ground, slide, { axis = { 1, 0 } })
    local hinge = world:revolute(slide, pole, { anchor = { 0, 0 } })
    local push = rail:coordinate "x"
    return {
      coordinates = function() return { (slide:position()), pole.angle } end,
      force = function() return hinge:reaction() end,
      set = function(u) push:set_force(u) end,
    }
  end
  return rig
end


-- Loops of one degree of freedom --------------------------------------------------------------------------------------
--
-- Poses of all bodies are functions of the crank's angle q (with derivatives from jet.lua). With J = d(x, y, a)/dq
--   q'' = -(sum m g J_y + q'^2 sum (m (J_x J_x' + J_y J_y') + I J_a J_a')) / sum (m (J_x^2 + J_y^2) + I J_a^2)
-- The measured force is the sum over all joints on the ground.

local function loop(rig)
  rig.gravity, rig.weight, rig.control = G, 0, function() return 0 end
  for _, body in ipairs(rig.parts) do rig.weight = rig.weight + body.mass end
  function rig.derivative(y)
    local above, below = 0, 0
    for i, p in ipairs(rig.poses(jet.variable(y[1]))) do
      local m, inertia = rig.parts[i].mass, rig.parts[i].inertia
      below = below + m * (p[1].d ^ 2 + p[2].d ^ 2) + inertia * p[3].d ^ 2
      above = above + m * G * p[2].d
        + y[2] ^ 2 * (m * (p[1].d * p[1].dd + p[2].d * p[2].dd) + inertia * p[3].d * p[3].dd)
    end
    return { y[2], -above / below }
  end
  function rig.momentum(y)
    local px, py = 0, 0
    for i, p in ipairs(rig.poses(jet.variable(y[1]))) do
      px, py = px + rig.parts[i].mass * p[1].d * y[2], py + rig.parts[i].mass * p[2].d * y[2]
    end
    return px, py
  end
  function rig.build(world)
    local bodies = { [0] = world.ground }
    local q, speed = rig.state[1], rig.state[2]
    for i, p in ipairs(rig.poses(jet.variable(q))) do
      bodies[i] = world:body { position = { p[1].v, p[2].v }, angle = p[3].v, mass = rig.parts[i].mass,
        inertia = rig.parts[i].inertia, velocity = { p[1].d * speed, p[2].d * speed },
        angular_velocity = p[3].d * speed }
    end
    local grounded = rig.connect(world, bodies)
    return {
      coordinates = function() return { q + bodies[1].angle - rig.poses(jet.variable(q))[1][3].v } end,
      force = function()
        local fx, fy = 0, 0
        for _, joint in ipairs(grounded) do
          local x, y = joint:reaction()
          fx, fy = fx + x, fy + y
        end
        return fx, fy
      end,
      set = function() end,
    }
  end
  return rig
end

-- Return the pose of a bar between two points: its middle, and its angle from the x axis.
local function bar(x1, y1, x2, y2)
  return { (x1 + x2) / 2, (y1 + y2) / 2, jet.angle(y2 - y1, x2 - x1) }
end

local ZERO = jet.variable(0) * 0

local function slider_crank()
  local r, l = 0.3, 1
  local function points(q)
    local bx, by = r * jet.cos(q), r * jet.sin(q)
    return bx, by, bx + jet.sqrt(l ^ 2 - by * by)
  end
  return loop { title = "slider-crank", time = 1, state = { 1, 4 },
    parts = { rod(1, r), rod(2, l), { mass = 1.5, inertia = 0.01 } },
    poses = function(q)
      local bx, by, px = points(q)
      return { { bx / 2, by / 2, q }, bar(bx, by, px, ZERO), { px, ZERO, ZERO } }
    end,
    connect = function(world, bodies)
      local bx, by, px = points(jet.variable(1))
      world:revolute(bodies[1], bodies[2], { anchor = { bx.v, by.v } })
      world:revolute(bodies[2], bodies[3], { anchor = { px.v, 0 } })
      return { world:revolute(bodies[0], bodies[1], { anchor = { 0, 0 } }),
        world:prismatic(bodies[0], bodies[3], { axis = { 1, 0 } }) }
    end }
end

local function four_bar()
  local ground, crank, coupler, rocker = 2, 0.5, 1.8, 1.2
  local function points(q)
    local bx, by = crank * jet.cos(q), crank * jet.sin(q)
    local dx, dy = ground - bx, -by
    local d = jet.sqrt(dx * dx + dy * dy)
    local along = (d * d + (coupler ^ 2 - rocker ^ 2)) / (2 * d)
    local up = jet.sqrt(coupler ^ 2 - along * along)
    return bx, by, bx + (along * dx - up * dy) / d, by + (along * dy + up * dx) / d
  end
  return loop { title = "four-bar", time = 1, state = { 1, 5 },
    parts = { rod(crank, crank), rod(coupler, coupler), rod(rocker, rocker) },
    poses = function(q)
      local bx, by, cx, cy = points(q)
      return { { bx / 2, by / 2, q }, bar(bx, by, cx, cy), bar(ZERO + ground, ZERO, cx, cy) }
    end,
    connect = function(world, bodies)
      local bx, by, cx, cy = points(jet.variable(1))
      world:revolute(bodies[1], bodies[2], { anchor = { bx.v, by.v } })
      world:revolute(bodies[2], bodies[3], { anchor = { cx.v, cy.v } })
      return { world:revolute(bodies[0], bodies[1], { anchor = { 0, 0 } }),
        world:revolute(bodies[0], bodies[3], { anchor = { ground, 0 } }) }
    end }
end

-- Three equal cranks, one of them redundant, carry a beam. The cranks swing by 30 degrees to both sides of the hanging
-- position.
local function parallel_cranks()
  local r, start = 0.5, math.rad(-30)
  local hinges = { -1, 0, 1 }
  return loop { title = "three parallel cranks", time = 1, state = { start, 0 },
    parts = { rod(1, r), rod(1, r), rod(1, r), rod(3, 2) },
    poses = function(q)
      local x, y, list = r * jet.cos(q), r * jet.sin(q), {}
      for i, at in ipairs(hinges) do list[i] = { at + x / 2, y / 2, q } end
      list[4] = { x, y, ZERO }
      return list
    end,
    connect = function(world, bodies)
      local x, y, list = r * math.cos(start), r * math.sin(start), {}
      for i, at in ipairs(hinges) do
        list[i] = world:revolute(bodies[0], bodies[i], { anchor = { at, 0 } })
        world:revolute(bodies[i], bodies[4], { anchor = { at + x, y } })
      end
      return list
    end }
end


-- All -----------------------------------------------------------------------------------------------------------------

function rigs.all()
  return {
    rigs.chain { title = "pendulum, driven", time = 2, links = { rod(1, 1) }, driven = 1, state = { math.pi - 0.5, 0 },
      control = square(2, 0.5) },
    cart_pole(),
    rigs.chain { title = "acrobot, driven", time = 2, driven = 2, state = { 0.1, 0, 0, 0 }, control = square(1, 1),
      links = { { mass = 1, length = 1, inertia = 1 }, { mass = 1, length = 1, inertia = 1 } } },
    rigs.chain { title = "double pendulum", time = 1, links = { rod(1, 1), rod(1, 1) },
      state = { 2 * math.pi / 3, 5 * math.pi / 6, 0, 0 } },
    rigs.chain { title = "hopper in flight, driven", time = 1, free = true, driven = 2, control = square(1, 0.2),
      links = { rod(5, 0.5), rod(1.5, 0.4), rod(0.5, 0.3) }, state = { 0.3, -0.4, 0.5, 1, 2, -1 } },
    slider_crank(), four_bar(), parallel_cranks(),
  }
end

--- Return a chain of five links, initially bent and rotating, in free flight without gravity.
function rigs.flight()
  local r = rod(1, 0.5)
  return rigs.chain { free = true, links = { r, r, r, r, r }, state = { 0, 0.5, 1, 0.3, -0.4, 3, 2, 2, 1, 4 } }
end

return rigs
