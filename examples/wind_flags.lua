-- Three flags of different cloth on their poles, in steady wind and then in gusts.
local impel = require "impel"

local scene = {
  title = "Flags",
  about = "In a steady wind every piece of a flag leans at the angle a at which a stiff plate would: weight sin a = "
    .. "pressure cos^2 a. Heavy cloth hangs, light cloth flies. Then gusts come, which depend only on the seed.",
  duration = 10, -- [s]
  view = { x = 3.5, y = 2.2, height = 7 },
  units = { light = "rad", middle = "rad", heavy = "rad" },
}

scene.params = {
  wind = { 8.0, min = 4, max = 9, help = "wind speed to the right [m/s]" },
  gust = { 0.6, min = 0, max = 1, help = "amplitude of the gusts, as a fraction of the wind" },
  calm = { 7.0, min = 0, max = 9, help = "time of steady wind before the gusts [s]" },
  links = { 8, integer = true, min = 1, max = 16, help = "pieces of a flag" },
}

-- density of air [kg/m^2], drag coefficient [1], length of a flag [m], height of a pole [m]
local AIR, COEFFICIENT, LENGTH, TOP = 1.2, 1, 2, 4
local CLOTH = { light = 1.5, middle = 4, heavy = 12 } -- [kg/m]

-- Return the angle a between the vertical and a piece in equilibrium: c g sin a = p cos^2 a, where c [kg/m] is the
-- cloth's mass per length, and p [N/m] the wind's force per length on a vertical piece.
local function lean(cloth, wind)
  local ratio = 0.5 * AIR * COEFFICIENT * wind ^ 2 / (cloth * 9.81)
  local sine = (math.sqrt(1 + 4 * ratio ^ 2) - 1) / (2 * ratio) -- ratio (1 - sine^2) = sine
  return math.asin(sine)
end

local function add_flag(world, p, name, x)
  world:body({ type = "static", position = { x, TOP / 2 } }):box { 0.06, TOP }
  local flag, last, length = { name = name, pieces = {} }, world.ground, LENGTH / p.links
  for i = 1, p.links do
    local piece = world:body { position = { x + 0.05, TOP - (i - 0.5) * length }, mass = CLOTH[name] * length,
      -- damping of the cloth as it bends
      inertia = CLOTH[name] * length ^ 3 / 12, linear_damping = 1, angular_damping = 1 }
    piece:segment { from = { 0, length / 2 }, to = { 0, -length / 2 }, mask = 0 }
    world:revolute(last, piece, { anchor = { x + 0.05, TOP - (i - 1) * length } })
    flag.pieces[i], last = piece, piece
  end
  return flag
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 }, substeps = 8, sleep = false }
  world:body({ type = "static" }):box { 20, 1, center = { 3, -0.5 } }
  local s = { world = world, p = p, flags = {}, least = {}, most = {} }
  for i, name in ipairs { "light", "middle", "heavy" } do s.flags[i] = add_flag(world, p, name, 2.6 * (i - 1)) end
  s.wind = impel.field.wind(world, { velocity = { p.wind, 0 }, density = AIR, coefficient = COEFFICIENT, seed = seed,
    gust_hertz = 0.8 })
  return s
end

-- Return the mean angle between the vertical and a flag's pieces [rad].
local function angle(flag)
  local sum = 0
  for _, piece in ipairs(flag.pieces) do sum = sum + piece.angle end
  return sum / #flag.pieces
end

function scene.update(s)
  if s.world.time < s.p.calm then return end
  for i, flag in ipairs(s.flags) do
    local a = angle(flag)
    s.least[i], s.most[i] = math.min(s.least[i] or a, a), math.max(s.most[i] or a, a)
    flag.rest = flag.rest or a
  end
  s.wind.gust = s.p.gust
end

function scene.measure(s)
  return { light = angle(s.flags[1]), middle = angle(s.flags[2]), heavy = angle(s.flags[3]) }
end

function scene.check(s)
  local answers = {}
  for i, flag in ipairs(s.flags) do
    if not flag.rest then return false, "cannot be checked before the gusts come" end
    local expected = lean(CLOTH[flag.name], s.p.wind)
    answers[#answers + 1] = math.abs(flag.rest - expected) < 0.02
    answers[#answers + 1] = ("the %s flag leans by %.3f rad, %.3f expected"):format(flag.name, flag.rest, expected)
    local swing = s.most[i] - s.least[i]
    answers[#answers + 1] = s.p.gust == 0 or swing > 0.1 * s.p.gust
    answers[#answers + 1] = ("gusts should move the %s flag, but moved it only by %.3f rad"):format(flag.name, swing)
  end
  return table.unpack(answers)
end

return scene
