-- A loaded four-bar linkage at rest: all solvers must find the forces of statics.
local impel = require "impel"

local scene = {
  title = "Four bars, forces",
  about = "The crank is welded to the ground, and a load pulls at the middle of the coupler. Each solver computes the "
    .. "forces in its own world. The balances of moments on coupler and on rocker give the expected force at the knee; "
    .. "the knee's force gives those at the other joints. With too few sweeps (--set iterations=1) the bars move.",
  duration = 3, -- [s]
  view = { x = 1, y = 0.7, height = 2.8 },
}

scene.params = {
  load = { 100.0, min = 0, max = 500, help = "downward force at the middle of the coupler [N]" },
  angle = { 60.0, min = 30, max = 90, help = "angle of the crank [degrees]" },
  iterations = { 20, integer = true, min = 1, max = 1000, help = "number of sweeps of the iterative solvers" },
}

local SOLVERS = { "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" }
-- gravity [m/s^2]; distance of the fixed hinges [m]; lengths [m] of three bars of 1 kg/m
local G, GROUND, CRANK, COUPLER, ROCKER = 9.81, 2, 0.5, 1.8, 1.2

-- Return the ends of the bars: crank a-b, coupler b-c, rocker d-c.
local function points(p)
  local angle = math.rad(p.angle)
  local bx, by = CRANK * math.cos(angle), CRANK * math.sin(angle)
  local dx, dy = GROUND - bx, -by
  local d = math.sqrt(dx ^ 2 + dy ^ 2)
  local along = (d ^ 2 + COUPLER ^ 2 - ROCKER ^ 2) / (2 * d)
  local up = math.sqrt(COUPLER ^ 2 - along ^ 2)
  return bx, by, bx + (along * dx - up * dy) / d, by + (along * dy + up * dx) / d
end

local function build(p, options)
  local world = impel.world(options)
  local bx, by, cx, cy = points(p)
  local function bar(x1, y1, x2, y2, length)
    return world:body { position = { (x1 + x2) / 2, (y1 + y2) / 2 }, angle = math.atan(y2 - y1, x2 - x1), mass = length,
      inertia = length ^ 3 / 12 }
  end
  local crank, coupler, rocker = bar(0, 0, bx, by, CRANK), bar(bx, by, cx, cy, COUPLER), bar(GROUND, 0, cx, cy, ROCKER)
  return { world = world, coupler = coupler, hinges = { world:weld(world.ground, crank, { anchor = { 0, 0 } }),
    world:revolute(crank, coupler, { anchor = { bx, by } }), world:revolute(coupler, rocker, { anchor = { cx, cy } }),
    world:revolute(world.ground, rocker, { anchor = { GROUND, 0 } }) } }
end

function scene.setup(p, seed)
  local own = build(p, { seed = seed, iterations = p.iterations, sleep = false })
  local s = { world = own.world, p = p, lanes = { own }, first = own.world.solver }
  for _, solver in ipairs(SOLVERS) do
    if solver ~= own.world.solver then
      s.lanes[#s.lanes + 1] = build(p, { solver = solver, iterations = p.iterations, sleep = false })
    end
  end
  return s
end

function scene.update(s)
  -- --solver and --dt change only the scene's own world. Adapt the other worlds: each keeps a different solver.
  for i = 2, s.world.tick == 0 and #s.lanes or 0 do
    local world = s.lanes[i].world
    if world.solver == s.world.solver then world.solver = s.first end
    world.dt = s.world.dt
  end
  for i, lane in ipairs(s.lanes) do
    lane.coupler:apply_force(0, -s.p.load)
    if i > 1 then lane.world:step() end
  end
end

-- Return the forces of statics on body b of each hinge, at the present pose. The force f between coupler and rocker
-- balances the moments of the rocker's weight about d, and of the coupler's weight and load about b.
local function expected(p, lane)
  local _, _, bx, by = lane.hinges[2]:anchors()
  local px, py, qx, qy = lane.hinges[3]:anchors()
  local _, _, dx, dy = lane.hinges[4]:anchors()
  local ux, uy, vx, vy = qx - dx, qy - dy, px - bx, py - by -- lever arms of rocker and coupler
  local down, rocker = COUPLER * G + p.load, ROCKER * G
  local about_d, about_b = ux / 2 * rocker, -vx / 2 * down -- = u x f, v x f
  local det = vx * uy - ux * vy
  local fx, fy = (ux * about_b - vx * about_d) / det, (uy * about_b - vy * about_d) / det
  return { { fx, fy + down + CRANK * G }, { fx, fy + down }, { fx, fy }, { -fx, rocker - fy } }
end

-- Return the largest relative error of the forces, and the knee's displacement [m].
local function off(p, lane)
  local worst = 0
  for i, force in ipairs(expected(p, lane)) do
    local x, y = lane.hinges[i]:reaction()
    worst = math.max(worst, math.sqrt(((x - force[1]) ^ 2 + (y - force[2]) ^ 2) / (force[1] ^ 2 + force[2] ^ 2)))
  end
  local _, _, cx, cy = points(p)
  local x, y = lane.hinges[3]:anchors()
  return worst, math.sqrt((x - cx) ^ 2 + (y - cy) ^ 2)
end

function scene.measure(s)
  local row = {}
  for _, lane in ipairs(s.lanes) do
    local solver = lane.world.solver
    row[solver .. "_knee_x"], row[solver .. "_knee_y"] = lane.hinges[3]:reaction()
    row[solver .. "_off"], row[solver .. "_sag"] = off(s.p, lane)
  end
  return row
end

function scene.check(s)
  if s.world.time < 2 then return false, "cannot be checked before 2 s, when the linkage rests" end
  local results = {}
  for _, lane in ipairs(s.lanes) do
    local error, sag = off(s.p, lane)
    results[#results + 1] = error < 1e-3 and sag < 0.01
    results[#results + 1] = ("%s: a force has a relative error of %.5f, and the knee moved by %.2f mm; at most 0.001 "
      .. "and 10 mm are allowed")
      :format(lane.world.solver, error, 1e3 * sag)
  end
  return table.unpack(results)
end

return scene
