-- A spout pours small discs into a vessel: 2000 discs, which are reused and never created or destroyed.
local impel = require "impel"

local scene = {
  title = "Fluid",
  about = "The discs are a pool: a disc appears at the spout and freezes when it lies still; when all discs are in "
    .. "use, the oldest ones are poured again. No step creates or destroys bodies. The discs pack nearly as densely as "
    .. "possible. With --set pour=6 the lowest discs are poured again too early, and the packing becomes loose.",
  duration = 8, -- [s]
  view = { x = 0, y = 2.2, height = 6.5 },
  units = { inside = "1", lying = "1", frozen = "1", height = "m" },
}

scene.params = {
  count = { 2000, integer = true, min = 1000, max = 2500, help = "number of discs" },
  pour = { 4, integer = true, min = 2, max = 6, help = "number of discs that leave the spout in each step" },
  freeze = { 0.02, min = 0, max = 1, help = "speed below which a disc freezes after 2 s [m/s]; 0: no disc freezes" },
}

local RADIUS, WIDTH, SPOUT_X, SPOUT_Y = 0.04, 4, -1.6, 4.2 -- [m]
local G, FALL, OLD = 9.81, 5, 120 -- gravity [m/s^2], terminal velocity [m/s], age at which a disc may freeze [steps]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  local vessel, w = world:body { type = "static" }, WIDTH / 2
  vessel:box { WIDTH + 1, 0.5, center = { 0, -0.25 }, friction = 0.1 }
  for _, x in ipairs { -w - 0.25, w + 0.25 } do vessel:box { 0.5, 5, center = { x, 2.5 }, friction = 0.1 } end
  local s = { world = world, vessel = vessel, p = p, discs = {}, born = {}, next = 1, frozen = 0,
    random = impel.rng.new(seed) }
  for i = 1, p.count do -- unused discs lie below the vessel as static bodies
    local disc = world:body { position = { 0.2 * (i % 40) - 4, -3 - 0.2 * (i // 40) }, type = "static" }
    disc:circle { radius = RADIUS, friction = 0.05 }
    s.discs[i] = disc
  end
  s.mass = math.pi * RADIUS ^ 2 -- mass of a disc of density 1 [kg]
  impel.field.drag(world, { quadratic = s.mass * G / FALL ^ 2 })
  return s
end

local function pour(s)
  for k = 1, s.p.pour do
    local disc = s.discs[s.next]
    if disc.type == "static" and s.born[s.next] then s.frozen = s.frozen - 1 end
    disc.type = "dynamic"
    disc:set_position(SPOUT_X + 2.2 * RADIUS * (k - 1), SPOUT_Y + 0.01 * s.random:random())
    disc:set_velocity(1, -FALL) -- fast enough to make room for the next row of discs
    s.born[s.next] = s.world.tick
    s.next = s.next % s.p.count + 1
  end
end

-- Freeze (make static) discs that are old and slow. Each step checks an eighth of the discs.
local function freeze(s)
  local first = s.world.tick % 8 + 1
  for i = first, s.p.count, 8 do
    local disc, born = s.discs[i], s.born[i]
    if born and disc.type == "dynamic" and s.world.tick - born > OLD then
      local vx, vy = disc:velocity()
      if vx * vx + vy * vy < s.p.freeze ^ 2 then
        disc.type = "static"
        s.frozen = s.frozen + 1
      end
    end
  end
end

function scene.update(s)
  pour(s)
  freeze(s)
end

-- Return the numbers of discs poured, inside and still, and their mean height [m].
local function survey(s)
  local poured, inside, lying, sum = 0, 0, 0, 0
  s.motion = s.world:read(s.discs, s.motion, "position velocity") -- one call for all bodies: x, y, vx, vy of each
  for i = 1, #s.discs do
    if s.born[i] then
      local x, y, vx, vy = table.unpack(s.motion, 4 * i - 3, 4 * i)
      poured = poured + 1
      if math.abs(x) < WIDTH / 2 and y > 0 then inside = inside + 1 end
      if vx * vx + vy * vy < 1 then lying, sum = lying + 1, sum + y end
    end
  end
  return poured, inside, lying, lying > 0 and sum / lying or 0
end

function scene.measure(s)
  local _, inside, lying, height = survey(s)
  return { inside = inside, lying = lying, frozen = s.frozen, height = height }
end

function scene.check(s)
  local poured, inside, lying, height = survey(s)
  local half = lying * 4 * RADIUS ^ 2 * math.sqrt(3) / 2 / WIDTH / 2 -- mean height in the densest packing of discs [m]
  return inside == poured, ("%d of %d discs are in the vessel, all expected"):format(inside, poured),
    lying > 0.8 * poured, ("%d of %d discs lie still, at least 80 %% expected"):format(lying, poured),
    height > 0.98 * half and height < 1.25 * half,
    ("the mean height of the discs is %.3f m; 0.98 to 1.25 times %.3f m, the mean height in the densest packing, "
      .. "expected"):format(height, half),
    s.world:counts().bodies == s.p.count + 1, "a disc was created or destroyed"
end

return scene
