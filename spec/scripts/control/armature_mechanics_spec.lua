-- Armature, damping and friction of coordinates in impel.multibody, impel.reflected_inertia, and gains. Oracles:
-- kinetic energy, finite differences of accelerations, closed forms of one and two links.
local impel = require "impel"
local reflected_inertia = require "impel.reflected_inertia"

local L, MASS = 0.45, 1.3
local INERTIA = MASS * L * L / 12

local function free_of(joint) return joint:coordinate(joint.kind == "revolute" and "angle" or "x") end

-- Build a moving chain of n rods whose hinges differ in armature and damping. `root`: "ground" or "floating". With
-- `slides`, every second hinge is a slider.
local function chain(n, root, slides, solver)
  local world = impel.world { solver = solver or "reduced", dt = 1e-3, sleep = false, gravity = { 0.5, -9.81 } }
  local prev, first, joints, rng = world.ground, nil, {}, impel.rng.new(n)
  local forces, x = { 2, -1, 0.5, 1, -2 }, 0
  for i = 1, n + (root == "floating" and 1 or 0) do
    local body = world:body { position = { x + L / 2, 0 }, mass = MASS, inertia = INERTIA, linear_damping = 0.1 }
    if i > 1 or root ~= "floating" then
      local slide = slides and i % 2 == 0
      local options = { anchor = { x, 0 }, armature = 0.02 * 10 ^ (3 * rng:random() - 1), damping = rng:random() }
      if slide then options.axis = { 0.6, 0.8 } end
      local a, b = prev, body
      if i == 2 then a, b = b, a end -- one joint has its bodies in the opposite order
      joints[#joints + 1] = slide and world:prismatic(a, b, options) or world:revolute(a, b, options)
    end
    first = first or body
    prev, x = body, x + L
  end
  for i, joint in ipairs(joints) do free_of(joint):set_force(forces[i]) end
  world:step(200)
  for _, joint in ipairs(joints) do free_of(joint):set_force(0) end
  return world, impel.multibody(root == "floating" and first or world), joints
end

local function each_chain(f)
  for n = 1, 5 do
    for _, root in ipairs { "ground", "floating" } do
      for _, slides in ipairs { false, true } do f(n, chain(n, root, slides)) end
    end
  end
end

local function quadratic(M, v)
  local sum, n = 0, #v
  for i = 1, n do
    for k = 1, n do sum = sum + M[(i - 1) * n + k] * v[i] * v[k] end
  end
  return sum
end

describe("armature in impel.multibody", function()
  it("is on the diagonal of the mass matrix: the energy is that of bodies and rotors", function()
    each_chain(function(_, world, mb)
      local kinetic = (world:energy())
      assert.near(kinetic, quadratic(mb:mass_matrix(), mb.qd) / 2, 1e-12 * kinetic) -- rounding
    end)
  end)

  it("does not change the centre of mass and the momenta", function()
    each_chain(function(_, world, mb, joints)
      local before = { mb:center() }
      for _, v in ipairs { mb:momentum() } do before[#before + 1] = v end
      for _, joint in ipairs(joints) do free_of(joint).armature = 7 end
      mb:update()
      local after = { mb:center() }
      for _, v in ipairs { mb:momentum() } do after[#after + 1] = v end
      assert.same(before, after)
      assert.near((world:energy()), quadratic(mb:mass_matrix(), mb.qd) / 2, 1e-10)
    end)
  end)

  -- A step of length h has the acceleration a + O(h). Twice the result of h / 2 minus the result of h is a + O(h^2).
  it("accelerates chains with joint damping and joint forces as the core does", function()
    local worst = 0
    each_chain(function(_, world, mb)
      local n, tau = mb.size, {}
      for k = 1, n do
        tau[k] = mb.coordinates[k] and 3 * (k % 3 - 1) + 1 or 0
        if mb.coordinates[k] then mb.coordinates[k]:set_force(tau[k]) end
      end
      local qdd, most = mb:forward(tau, {}), 0
      local back = mb:inverse(qdd, {})
      for k = 1, n do
        assert.near(tau[k], back[k], 1e-10) -- rounding; the mass matrix has the condition number 1e4
        most = math.max(most, math.abs(qdd[k]))
      end
      local start = world:snapshot()
      local function rates(h)
        world:restore(start)
        local before = { table.unpack(mb:update().qd) }
        world.dt = h
        world:step()
        mb:update()
        for k = 1, n do before[k] = (mb.qd[k] - before[k]) / h end
        return before
      end
      local h = 2e-5
      local coarse, fine = rates(h), rates(h / 2)
      for k = 1, n do
        worst = math.max(worst, math.abs(2 * fine[k] - coarse[k] - qdd[k]) / most)
      end
    end)
    -- The tolerance is the error O(h^2), plus rounding divided by h.
    assert.is_true(worst < 1e-5, ("%g"):format(worst))
  end)

  it("leaves dry friction out of bias and dynamics", function()
    local _, mb, joints = chain(2, "ground", false)
    local before = { table.unpack(mb:bias()) }
    joints[1]:coordinate "angle".friction = 3
    assert.same(before, mb:update():bias())
  end)
end)


-- Return the inverse inertia of the listed coordinates, from the mass matrix, with all other coordinates free or
-- locked.
local function by_matrix(mb, list, held)
  local n, M, at = mb.size, mb:mass_matrix(), {}
  for i, coordinate in ipairs(list) do
    for k = 1, n do
      if mb.coordinates[k] == coordinate then at[i] = k end
    end
  end
  if held then -- reduce M to the floating base and the coordinates of `list`
    local kept = {}
    for k = 1, n do
      local asked = not mb.coordinates[k]
      for _, place in ipairs(at) do asked = asked or place == k end
      if asked then kept[#kept + 1] = k end
    end
    local small = {}
    for i, row in ipairs(kept) do
      for c, column in ipairs(kept) do small[(i - 1) * #kept + c] = M[(row - 1) * n + column] end
      for p, place in ipairs(at) do
        if place == row then at[p] = -i end
      end
    end
    for p, place in ipairs(at) do at[p] = -place end
    n, M = #kept, small
  end
  local w = {}
  -- Solve M x = e by Gauss elimination for the unit vector e of each listed coordinate. M is positive definite.
  for i in ipairs(list) do
    local a, x = {}, {}
    for k = 1, n * n do a[k] = M[k] end
    for k = 1, n do x[k] = k == at[i] and 1 or 0 end
    for p = 1, n do
      for r = p + 1, n do
        local f = a[(r - 1) * n + p] / a[(p - 1) * n + p]
        for c = p, n do a[(r - 1) * n + c] = a[(r - 1) * n + c] - f * a[(p - 1) * n + c] end
        x[r] = x[r] - f * x[p]
      end
    end
    for r = n, 1, -1 do
      for c = r + 1, n do x[r] = x[r] - a[(r - 1) * n + c] * x[c] end
      x[r] = x[r] / a[(r - 1) * n + r]
    end
    w[i] = {}
    for c in ipairs(list) do w[i][c] = x[at[c]] end
  end
  return w
end

describe("armature in impel.reflected_inertia", function()
  it("is added to the inertia of a rod about its hinge", function()
    local world = impel.world { gravity = { 0, 0 } }
    local rod = world:body { position = { L / 2, 0 }, mass = MASS, inertia = INERTIA }
    local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 } })
    for _, armature in ipairs { 0, 1e-3, 1, 1e3, 1e12 } do
      hinge:coordinate "angle".armature = armature
      local whole = MASS * L * L / 3 + armature
      assert.near(whole, reflected_inertia.of(hinge), 1e-12 * whole) -- rounding
    end
  end)

  it("enters the inverse mass matrix of any of the coordinates, with their neighbours free or held", function()
    each_chain(function(n, _, mb, joints)
      local lists = { joints, { joints[1] }, { joints[n] }, { joints[n], joints[1] } }
      for _, list in ipairs(lists) do
        local coordinates = {}
        for i, joint in ipairs(list) do coordinates[i] = free_of(joint) end
        if n == 1 then coordinates[2] = nil end
        for _, neighbours in ipairs { "free", "held" } do
          local expected = by_matrix(mb, coordinates, neighbours == "held")
          local w = reflected_inertia.mobility(coordinates, { neighbours = neighbours })
          for i in ipairs(coordinates) do
            for c in ipairs(coordinates) do
              local size = math.sqrt(expected[i][i] * expected[c][c])
              -- The mass matrix has the condition number 1e4.
              assert.near(expected[i][c], w[i][c], 1e-9 * size)
            end
          end
        end
      end
    end)
  end)

  it("places poles for the sum of inertia and armature, and autotune measures the same inertia", function()
    local world = impel.world { solver = "direct", gravity = { 0, 0 }, dt = 1e-3, sleep = false }
    local rod = world:body { position = { L / 2, 0 }, mass = MASS, inertia = INERTIA }
    local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, armature = 0.5, friction = 0.2 })
    local whole = MASS * L * L / 3 + 0.5
    local kp, kd, inertia = impel.gains.of(hinge, { hertz = 2, when = "continuous" })
    local w = 4 * math.pi
    assert.near(whole, inertia, 1e-12)
    assert.near(whole * w * w, kp, 1e-9)
    assert.near(2 * whole * w, kd, 1e-9)
    local measured = assert(impel.autotune.measure(hinge))
    -- autotune.measure compares the speeds after one step under two torques.
    assert.near(whole, measured.inertia, 1e-3 * whole)
    assert.near(0.2, measured.friction, 1e-3)
    local _, _, report = impel.autotune.gains(hinge, { hertz = 2, method = "rows" })
    assert.near(whole, report.inertia, 1e-12)
  end)

  -- q'' = -2 zeta w0 q' - w0^2 q. At critical damping q = q0 (1 + w0 t) e^(-w0 t).
  it("gives a PD law the requested frequency", function()
    local world = impel.world { solver = "reduced", gravity = { 0, 0 }, dt = 1e-3, sleep = false }
    local rod = world:body { position = { L / 2, 0 }, mass = MASS, inertia = INERTIA }
    local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, armature = 2 })
    impel.pd(hinge, { hertz = 1, target = 0.1 })
    world:step(300)
    local t = 2 * math.pi * 0.3
    -- The law does not act in the first substep.
    assert.near(0.1 - 0.1 * (1 + t) * math.exp(-t), hinge.value, 1e-3 * 0.1)
  end)

  it("counts in the stability bound of a law", function()
    local function most_of(armature)
      local world = impel.world { gravity = { 0, 0 } }
      local rod = world:body { position = { L / 2, 0 }, mass = MASS, inertia = INERTIA }
      local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, armature = armature })
      local law = impel.pd(hinge, { kp = 1, kd = 0.1 })
      local _, _, inertia = impel.stability.of(law)
      return inertia, impel.stability.radius { law }
    end
    assert.near(MASS * L * L / 3 + 3, most_of(3), 1e-9)
  end)

  it("adds to the torque by which impel.optimal reaches the target acceleration of a task", function()
    local world = impel.world { solver = "reduced", dt = 1e-3, sleep = false }
    local rod = world:body { position = { L / 2, 0 }, mass = MASS, inertia = INERTIA }
    local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, armature = 0.8, damping = 0.3 })
    local c = impel.optimal(world, {
      when = "never",
      tasks = { { kind = "joint", joint = hinge, stiffness = 0, damping = 0, target_acceleration = 2 } },
    })
    rod.angular_velocity = 1.5
    c:update()
    local expected = (MASS * L * L / 3 + 0.8) * 2 + MASS * 9.81 * L / 2 + 0.3 * hinge.speed
    assert.near(expected, c.tau[1], 1e-5 * expected) -- the cost of effort (weight 1e-6) changes the torque a little
  end)
end)
