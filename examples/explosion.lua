-- A charge goes off between crates on posts and a wall of bricks.
local impel = require "impel"

local scene = {
  title = "Explosion",
  about = "A body at distance r from the charge gets an impulse proportional to 1 / r and to the width of the body as "
    .. "seen from the charge. Crates of the same size therefore leave radially, at speeds that fall about as 1 / r. "
    .. "The blast also hits the wall.",
  duration = 4, -- [s]
  view = { x = 0, y = 1.8, height = 7 },
  units = { near = "m/s", far = "m/s", fallen = "1" },
}

scene.params = {
  impulse = { 40.0, min = 30, max = 100, help = "impulse on a body 1 m wide at 1 m from the charge [N s]" },
  burn = { 0.0123, min = 0, max = 0.03, help = "burn time [s]; need not be a whole number of steps" },
  wall = { true, help = "build a wall of bricks on the right" },
}

local START, X, Y = 0.5, 1, 0.5 -- time [s] and place [m] of the explosion
local SIZE, MASS = 0.5, 2       -- [m], [kg] of a crate

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 } }
  world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
  local s = { world = world, p = p, crates = {}, bricks = {}, last = START + p.burn }
  for i = 1, 4 do -- the posts rise, so that no crate hides the next crate from the charge
    local x, y = X - 1.5 * i, 0.6 * i
    world:body({ type = "static", position = { x, y - SIZE / 2 - 0.1 } }):box { 0.1, 0.2 }
    local crate = world:body { position = { x, y }, mass = MASS }
    crate:box { SIZE, SIZE, friction = 0.2 }
    s.crates[i] = { body = crate, r = math.sqrt((x - X) ^ 2 + (y - Y) ^ 2) }
  end
  for row = 0, p.wall and 7 or -1 do
    for column = 0, 1 do
      local brick = world:body { position = { X + 2.2 + 0.6 * column + row % 2 * 0.3, 0.15 + 0.3 * row } }
      brick:box { 0.58, 0.3, density = 15 }
      s.bricks[#s.bricks + 1] = { body = brick, x = (brick:position()) }
    end
  end
  s.blast = impel.field.explosion(world, { center = { X, Y }, impulse = p.impulse, start = START, duration = p.burn,
    core = 0.3 })
  return s
end

-- Before every step: once the blast has ended, record the leftward speed of each crate.
function scene.update(s)
  if s.blast.progress < 1 then return end
  for _, crate in ipairs(s.crates) do crate.gained = crate.gained or -crate.body:velocity() end
end

local function fallen(s)
  local count = 0
  for _, brick in ipairs(s.bricks) do
    if math.abs(brick.body:position() - brick.x) > 0.3 then count = count + 1 end
  end
  return count
end

function scene.measure(s)
  return { near = s.crates[1].gained or 0, far = s.crates[4].gained or 0, fallen = fallen(s) }
end

function scene.check(s)
  local answers = {}
  for i, crate in ipairs(s.crates) do
    if not crate.gained then return false, "cannot be checked before the explosion" end
    local x, y = X - 1.5 * i, 0.6 * i
    local c, n = math.abs(x - X) / crate.r, math.abs(y - Y) / crate.r
    -- c + n: width of a square seen at this angle, relative to its side
    local speed = s.p.impulse / crate.r * SIZE * (c + n) / MASS
    -- The crate is slower than speed * c, because it moves away from the charge while the charge burns.
    local expected = speed * c / (1 + speed * s.p.burn / (6 * crate.r))
    answers[#answers + 1] = math.abs(crate.gained - expected) < 0.02 * expected + 0.01
    answers[#answers + 1] = ("crate %d left at %.3f m/s, %.3f expected"):format(i, crate.gained, expected)
  end
  local down = fallen(s)
  answers[#answers + 1] = not s.p.wall or down >= 6
  answers[#answers + 1] = ("%d bricks of the wall were displaced, at least 6 expected"):format(down)
  return table.unpack(answers)
end

-- Draw an expanding ring for decoration; the forces do not depend on it.
function scene.draw(s, view)
  view:point(X, Y, "red")
  local age = s.world.time - START
  if age > 0 and age < 0.3 then view:ring(X, Y, 0.3 + 20 * age, "orange") end
end

return scene
