-- A platform level with a character mover, played by a list of actions.
local impel = require "impel"
local input = require "impel.input"

local scene = {
  title = "Platformer",
  about = "A crate to push into a pit, stairs, a slope of 40 degrees, a lift, a rocking plank, and one-way platforms "
    .. "up to the flag. Play it yourself: a, d, w (jump), s (drop). Try --set step_height=0.2.",
  duration = 10, -- [s]
  view = { x = 13.2, y = 2.6, height = 17.6 },
  units = { x = "m", y = "m", air = "s", slip = "mm/s" },
}

scene.params = {
  speed = { 6.0, min = 0, max = 8, help = "walking speed [m/s]" },
  jump = { 5.8, min = 0, max = 10, help = "take-off speed [m/s]" },
  step_height = { 0.3, min = 0, max = 1, help = "highest step that the mover climbs [m]; the stairs have 0.25" },
  max_slope = { 45.0, min = 0, max = 80, help = "steepest slope to walk on [degrees]" },
  lift = { 3.0, min = 0, max = 4, help = "largest speed of the lift [m/s]" },
}

local TOP = 1 + 2 * math.tan(math.rad(40)) -- height of the slope, of the lift and of the ledge behind the lift [m]
local SWING, COYOTE, GOAL = 1.35, 0.1, 27.3 -- amplitude of the lift [m], time for a late jump [s], x of the flag [m]

local function level(world, p)
  local ground = world:body { type = "static" }
  local function block(x1, y1, x2, y2, one_way)
    ground:box { x2 - x1, y2 - y1, center = { (x1 + x2) / 2, (y1 + y2) / 2 }, one_way = one_way }
  end
  block(-3, -2, 5, 0)
  block(5, -2, 6.2, -1) -- the pit into which the crate falls
  block(6.2, -2, 12, 0)
  for i = 1, 4 do block(8.6 + 0.4 * i, 0, 12, 0.25 * i) end
  ground:polygon { points = { { 12, -2 }, { 14, -2 }, { 14, TOP }, { 12, 1 } } }
  block(14, -2, 15.5, TOP)
  block(20, -2, 20.6, TOP)
  block(23.4, -2, 28.5, TOP)
  block(24, TOP + 1.2, 26, TOP + 1.3, { 0, 1 })
  block(25, TOP + 2.5, 28.5, TOP + 2.6, { 0, 1 })
  local lift = world:body { type = "kinematic", position = { 17.75, TOP } }
  lift:box { 1.6, 0.3, center = { 0, -0.15 } }
  local plank = world:body { type = "kinematic", position = { 22, TOP - 0.15 } }
  plank:box { 2.7, 0.3 }
  local crate = world:body { position = { 4.2, 0.5 }, mass = 30 }
  crate:box { 1, 1 }
  world:on("step", function()
    lift:set_velocity(p.lift * math.cos(p.lift / SWING * world.time), 0)
    plank.angular_velocity = 0.25 * math.cos(world.time) -- the plank tilts by 14 degrees each way
  end)
  return lift, crate
end

-- Actions of a game without a player: walk in a direction until a condition holds, and optionally jump.
local function stopped(s) return math.abs(s.hero:velocity()) < 0.01 end
local PLAY = {
  { walk = 1, till = function(s) return s.crate:position() > 5.25 end },
  { walk = 0, till = function(s) return select(2, s.crate:position()) < 0 end },
  { walk = 1, till = function(s) return s.x > 15 end },
  { walk = 0, till = function(s) return s.lift:position() < 17.75 - 0.98 * SWING end },
  { walk = 1, till = function(s) return s.x > s.lift:position() end },
  { walk = 0, till = function(s) return s.lift:position() > 17.75 + 0.98 * SWING end },
  { walk = 1, till = function(s) return s.x > 24.6 end },
  { walk = 0, till = stopped },
  { walk = 0, jump = true, till = function(s) return s.hero.grounded and s.y > TOP + 1.2 end },
  { walk = 1, till = function(s) return s.x > 25.3 end },
  { walk = 0, till = stopped },
  { walk = 0, jump = true, till = function(s) return s.hero.grounded and s.y > TOP + 2.5 end },
  { walk = 1, till = function(s) return s.x > GOAL end },
  { walk = 0, till = stopped },
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local lift, crate = level(world, p)
  local hero = world:mover { name = "hero", step_height = p.step_height, max_slope = math.rad(p.max_slope) }
  return { world = world, p = p, hero = hero, lift = lift, crate = crate, part = 1, side = 1, rides = 0, slip = 0 }
end

local function control(s, walk, jump, drop)
  s.hero.walk = s.p.speed * walk
  if walk ~= 0 then s.side = walk end
  if jump and s.hero.air_time < COYOTE then s.hero:jump(s.p.jump) end
  if drop then s.hero:drop_through() end
end

function scene.update(s, dt)
  s.x, s.y = s.hero:position()
  s.rides = s.hero.grounded and s.hero.ground.body == s.lift and s.hero.walk == 0 and s.rides + dt or 0
  local x = s.lift:local_point(s.x, s.y)
  if s.rides > 0.2 then s.slip = math.max(s.slip, 1000 * math.abs(x - s.stood) / dt) end -- the hero has stood for 0.2 s
  s.stood = x
  local left, right, up, down = input.key "a", input.key "d", input.key "w", input.key "s"
  s.played = s.played or left or right or up or down
  if s.played then return control(s, (right and 1 or 0) - (left and 1 or 0), up, down) end
  if PLAY[s.part].till(s) and s.part < #PLAY then s.part = s.part + 1 end
  control(s, PLAY[s.part].walk, PLAY[s.part].jump)
end

function scene.measure(s)
  local x, y = s.hero:position()
  return { x = x, y = y, air = math.min(s.hero.air_time, 9), slip = s.slip }
end

function scene.draw(s, view)
  local x, y = s.hero:position()
  view:circle(x + 0.12 * s.side, y + 1.5, 0.09, "blue") -- the eye shows the walking direction
  view:line(GOAL, TOP + 2.6, GOAL, TOP + 4.2, "grey")
  view:polygon({ { GOAL, TOP + 4.2 }, { GOAL, TOP + 3.6 }, { GOAL + 0.7, TOP + 3.9 } }, "red")
end

function scene.check(s)
  local x, y = s.hero:position()
  local _, pit = s.crate:position()
  return x > GOAL - 0.1 and y > TOP + 2.6, ("the hero came to (%.2f, %.2f) m; the flag is at x = %.1f "
    .. "m"):format(x, y, GOAL),
    pit < 0, ("the crate should be in the pit, below 0 m, but is at %.2f m"):format(pit),
    s.slip < 1, ("the hero slips on the lift at %.2g mm/s, less than 1 expected"):format(s.slip)
end

return scene
