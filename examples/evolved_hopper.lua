-- One leg learns to hop: a genetic algorithm finds the 24 weights of a network.
local impel = require "impel"

local scene = {
  title = "Evolved hopper",
  about = "A genetic algorithm runs in setup: 40 networks per generation, each tried for 6 s. The score of a network "
    .. "is the distance from the start to the footprint where its last hop began (a hop lifts the foot by 5 cm), plus "
    .. "0.3 m for each second upright. Falling forward adds nothing. The scene then shows the best network. A bar like "
    .. "that of a tightrope walker makes the hopper fall more slowly.",
  duration = 6, -- [s]
  view = { x = 5.5, y = 1.5, height = 7.2 },
  units = { hopped = "m", tilt = "rad" },
}

scene.params = {
  generations = { 30, min = 0, max = 100, integer = true, help = "number of generations after the first one" },
  population = { 40, min = 4, max = 200, integer = true, help = "number of networks in each generation" },
}

local STEPS = 360                -- number of steps of 1/60 s in an episode
local LENGTH, RADIUS = 0.6, 0.08 -- [m]: length of the leg, radius of the foot
local CLEAR = 0.05               -- clearance under the foot that counts as a hop [m]
local UPRIGHT = 0.3              -- [m/s] score for each second without a fall

local function build(seed)
  local world, hip_y = impel.world { seed = seed, sleep = false }, LENGTH + RADIUS
  world:body({ type = "static" }):box { 200, 1, center = { 0, -0.5 }, friction = 1 }
  local torso = world:body { name = "torso", position = { 0, hip_y }, mass = 5, inertia = 2 }
  torso:box { 0.5, 0.25, group = -1 }
  torso:box { 2, 0.05, mask = 0 } -- mask 0: collides with nothing
  local leg = world:body { name = "leg", position = { 0, hip_y - 0.15 }, mass = 0.5 }
  leg:capsule { from = { 0, 0.15 }, to = { 0, -0.2 }, radius = 0.05, group = -1 }
  local foot = world:body { name = "foot", position = { 0, RADIUS }, mass = 0.5 }
  foot:circle { radius = RADIUS, friction = 1, group = -1 }
  foot:capsule { from = { 0, 0 }, to = { 0, 0.3 }, radius = 0.03, density = 0.1, group = -1 }
  local hip = world:revolute(torso, leg, { anchor = { 0, hip_y }, limit = { -1, 1 },
    spring = { stiffness = 100, damping = 8, max_force = 60 } })
  local slide = world:prismatic(leg, foot, { axis = { 0, -1 }, -- positive value: the foot is below the hip
    local_anchor_a = { 0, 0.15 }, local_anchor_b = { 0, 0 }, limit = { LENGTH - 0.25, LENGTH + 0.15 },
    spring = { target = LENGTH, stiffness = 2500, damping = 10 } })
  local net = impel.network { layers = { 7, 3 }, seed = seed }
  return { world = world, torso = torso, foot = foot, hip = hip, slide = slide, net = net, sensed = {}, done = {} }
end

local function begin(s, genome)
  s.net:set_weights(genome)
  s.hopped, s.upright, s.prints, s.flying, s.fallen = 0, 0, {}, false, false
end

local function judge(s)
  local _, height = s.torso:position()
  local x, y = s.foot:position()
  s.fallen = math.abs(s.torso.angle) > 0.8 or height < 0.4
  if s.fallen then return end
  s.upright = s.world.time
  if not s.flying and y > RADIUS + CLEAR then
    s.flying, s.hopped = true, s.prints[#s.prints] or 0
  elseif s.flying and y < RADIUS + 0.01 then
    s.flying, s.prints[#s.prints + 1] = false, x
  end
end

local function act(s)
  if not s.fallen then judge(s) end
  if s.fallen then return end
  local sensed, vx, vy = s.sensed, s.torso:velocity()
  sensed[1], sensed[2], sensed[3] = 2 * s.torso.angle, 0.3 * s.torso.angular_velocity, 2 * s.hip.value
  sensed[4], sensed[5], sensed[6] = 10 * (s.slide.value - LENGTH), 0.5 * vx, 0.5 * vy
  local _, y = s.foot:position()
  sensed[7] = y < RADIUS + 0.01 and 1 or 0
  local place, push, thrust = table.unpack(s.net:respond(sensed, s.done))
  s.hip.target = sensed[7] == 1 and s.hip.value + 0.5 * push or 0.8 * place - s.torso.angle
  s.slide.target = LENGTH + 0.06 * (1 + thrust)
end

local function fitness(s) return s.hopped + UPRIGHT * s.upright end

function scene.setup(p, seed)
  local trial = build(seed)
  local best, value, report = impel.evolve.run {
    start = trial.net:weights(), sigma = 0.5, seed = seed, population = p.population, generations = p.generations,
    crossover = "uniform", mutation = "decay", decay = 0.97, mutation_rate = 0.3, world = trial.world,
    evaluate = function(genome)
      begin(trial, genome)
      for _ = 1, STEPS do
        act(trial)
        if trial.fallen then break end
        trial.world:step()
      end
      return fitness(trial)
    end,
  }
  local s = build(seed)
  s.history, s.best, s.value = report.history, best, value
  begin(s, best)
  return s
end

scene.update = act

function scene.measure(s) return { hopped = s.hopped, hops = #s.prints, tilt = s.torso.angle } end

function scene.draw(s, view)
  for _, x in ipairs(s.prints) do view:arrow(x, -0.5, x, 0, "red") end
  view:text(0, 3.4, ("first generation %.2f, last %.2f"):format(s.history[1].best, s.value), "grey", "left")
  view:text(0, 3, ("hopped %.2f m"):format(s.hopped), "red", "left")
end

function scene.check(s)
  local first = s.history[1].best
  return fitness(s) == s.value, ("the network scores %.6g, but %.6g in training"):format(fitness(s), s.value),
    s.value >= 3 * first,
    ("the best score is %.2f; at least %.2f expected (3 times the best score of the first "
      .. "generation)"):format(s.value, 3 * first),
    s.hopped >= 3 and #s.prints >= 3, ("it hopped %.2f m with %d prints, 3 and 3 expected"):format(s.hopped, #s.prints)
end

return scene
