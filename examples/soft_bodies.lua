-- Soft discs fall on each other: rings of particles that keep their areas in any shape.
local impel = require "impel"

local scene = {
  title = "Soft bodies",
  about = "The inside of a disc is a single constraint on all particles of its skin: it keeps the area of their "
    .. "polygon. The multiplier of this constraint is the pressure. With a gas inside (--set bulk=5000) the lower "
    .. "discs are compressed; a gas of bulk=100 is too soft.",
  duration = 8, -- [s]
  view = { x = 0, y = 1.4, height = 4 },
  units = { area = "1", lowest = "N/m", highest = "N/m" },
}

scene.params = {
  discs = { 8, integer = true, min = 1, max = 12, help = "number of discs" },
  bulk = { 0.0, min = 0, max = 10000, help = "bulk modulus of the gas inside [N/m]; 0: incompressible" },
  skin = { 8.0, min = 3, max = 16, help = "frequency of the skin's springs [Hz]" },
}

local G, MASS = 9.81, 5 -- [m/s^2], [kg] of a disc

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local box = world:body { type = "static", name = "box" }
  box:box { 4, 1, center = { 0, -0.5 } }
  box:box { 0.4, 4, center = { -1.5, 2 } }
  box:box { 0.4, 4, center = { 1.5, 2 } }
  local discs = {}
  for i = 1, p.discs do
    local x, y = ((i - 1) % 2 - 0.5) * 1.1 + 0.1 * (world:random() - 0.5), 0.6 + 1.05 * ((i - 1) // 2)
    discs[i] = impel.rig.soft(world, { name = "disc " .. i, position = { x, y }, radius = 0.5, mass = MASS,
      skin = p.skin, bulk = p.bulk > 0 and p.bulk or nil })
  end
  return { world = world, p = p, box = box, discs = discs }
end

-- Return the largest relative error of a disc's area.
local function worst(s)
  local most = 0
  for _, disc in ipairs(s.discs) do most = math.max(most, math.abs(disc:area_now() / disc.rest_area - 1)) end
  return most
end

-- A disc of area A should have the pressure of a gas, K (A0 - A) / A0. Return the discs' largest relative error.
local function wrong_pressure(s)
  local most = 0
  for _, disc in ipairs(s.discs) do
    local law = s.p.bulk * (1 - disc:area_now() / disc.rest_area)
    most = math.max(most, math.abs(disc.area.force / law - 1))
  end
  return most
end

function scene.measure(s)
  local measured = { area = worst(s), highest = -math.huge, lowest = math.huge }
  for _, disc in ipairs(s.discs) do
    measured.highest = math.max(measured.highest, disc.area.force)
    measured.lowest = math.min(measured.lowest, disc.area.force)
  end
  return measured
end

function scene.check(s)
  local _, force = s.box:contact_force()
  local weight = MASS * G * #s.discs
  local low, high = s.discs[1].area.force, s.discs[#s.discs].area.force
  local off, gas = worst(s), s.p.bulk > 0 and wrong_pressure(s)
  local most = s.p.bulk > 0 and 25 or 1
  return off < most / 100, ("the area of a disc is wrong by %.2f %%, less than %g expected"):format(100 * off, most),
    not gas or gas < 0.02, ("the pressure of a disc differs by %.2f %% from the gas law, less than 2 "
      .. "expected"):format(100 * (gas or 0)),
    math.abs(-force / weight - 1) < 0.02, ("the box carries %.4f of the weight, 1 expected"):format(-force / weight),
    #s.discs < 3 or low > high, ("the pressure of the lowest disc, %.1f N/m, should be higher than that of the top "
      .. "disc, %.1f N/m"):format(low, high)
end

-- Draw the skins, filled with a colour by pressure.
function scene.draw(s, view)
  for _, disc in ipairs(s.discs) do
    local hx, hy = disc.hub:position()
    local x, y = disc.ring[#disc.ring]:position()
    for _, body in ipairs(disc.ring) do
      local nx, ny = body:position()
      view:polygon({ hx, hy, x, y, nx, ny }, "blue")
      x, y = nx, ny
    end
  end
end

return scene
