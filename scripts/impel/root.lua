-- impel.root: controls the position and the angle of a body by external forces.
--
--   local hand = impel.root(torso, { hertz = 4, damping_ratio = 1 })           holds the present pose
--   hand:set_target(2, 1.5, 0.3)
--   impel.root(torso, { x = false, y = false, angle = { kp = 2000, kd = 150, target = 0.3 } })    x and y are free
--   hand.enabled = false
--
--   force on x = kp (x* - x) + kd (vx* - vx), the same on y; torque = kp (angle* - angle) + kd (w* - w)
--   source: Laszlo, van de Panne, Fiume, "Limit Cycle Control and its Application to the Animation of Balancing and
--   Walking" (SIGGRAPH 1996)
--
-- `hand.x`, `hand.y` and `hand.angle` are impel.stable_pd, or impel.pd with law = "pd".

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"
local pd = require "impel.pd"
local reflected_inertia = require "impel.reflected_inertia"
local stable_pd = require "impel.stable_pd"

local root = control.class "impel.root"

local LAWS = { pd = pd, stable_pd = stable_pd }

local FIELDS = {
  point = { "point", optional = true },
  target = { "point", optional = true },
  target_angle = { "number", optional = true, unit = "rad" },
  hertz = { "number", above = 0, default = 4, unit = "Hz" },
  damping_ratio = { "number", min = 0, default = 1, unit = "1" },
  x = { "any", optional = true },
  y = { "any", optional = true },
  angle = { "any", optional = true },
  law = { "choice", "stable_pd", "pd", default = "stable_pd" },
  when = control.WHEN,
  enabled = control.ENABLED,
}

-- Return the controller of the coordinate `name`, or false if o[name] is false. Options in o[name] override those in o.
local function part(self, name, o, target)
  local given = o[name]
  if given == false then return false end
  if given ~= nil and type(given) ~= "table" then
    arguments.fail("impel.root: field '%s' must be a table of options or false, got %s", name, arguments.got(given))
  end
  local options = { target = target }
  for key, value in next, given or options do options[key] = value end -- any order, because the keys are distinct
  if not options.kp and not options.hertz then
    options.hertz, options.damping_ratio = o.hertz, options.damping_ratio or o.damping_ratio
  end
  local coordinate = self.joint:coordinate(name)
  if options.hertz then
    local inertia = reflected_inertia.of(coordinate)
    -- A coordinate that cannot move now has infinite inertia, but it may move later. Its effective mass ignores the
    -- other joints of the body.
    if inertia == math.huge then inertia = coordinate.mass end
    options.kp, options.kd = gains.of(coordinate, {
      hertz = options.hertz, damping_ratio = options.damping_ratio, inertia = inertia,
      when = o.law == "pd" and o.when ~= "never" and o.when or "continuous",
    })
    options.hertz, options.damping_ratio = nil, nil
  end
  options.when, options.enabled = "never", true
  local one = LAWS[o.law](coordinate, options)
  one.sampled = o.when -- event at which the laws run ("step", ...), for the check of gains by impel.stability
  return one
end

--- Make a root controller of a body.
---@param body impel.body     dynamic
---@param options table|nil
---  target: { x, y } [m], default: present position
---  target_angle [rad], default: present angle
---  point: controlled point in the body's coordinates [m], default: centre of mass
---  hertz (default 4), damping_ratio (default 1): of all three controllers
---  x, y, angle: false: no force on this coordinate; a table: options of its controller: kp, kd, target, max_force, ...
---  law: "stable_pd" (default) or "pd"
---  when: "substep" (default), "step", or "never": the owner calls update(h)
---  enabled: false removes all forces
---@return table hand        x, y, angle: controllers or false; joint: the weld to the ground
function root.new(body, options)
  arguments.check("impel.root: body", body, { "body" })
  if not body:is_valid() then arguments.fail("impel.root: attempt to use %s", tostring(body)) end
  local o = arguments.read("impel.root", options, FIELDS)
  if body.type ~= "dynamic" then
    arguments.fail("impel.root: a dynamic body expected, got a %s body: %s", body.type, tostring(body))
  end
  local px, py = body:center()
  if o.point then px, py = body:world_point(o.point[1], o.point[2]) end
  local lx, ly = body:local_point(px, py)
  local free = { free = true }
  local world = body.world
  local joint = world:weld(world.ground, body, {
    local_anchor_a = { 0, 0 }, local_anchor_b = { lx, ly }, axis = { 1, 0 }, reference_angle = 0, collide = true,
    x = free, y = free, angle = free, name = body.name and body.name .. " root" or nil,
  })
  local self = setmetatable({ joint = joint }, root)
  local target = o.target or { px, py }
  local ok, x, y, angle = pcall(function()
    return part(self, "x", o, target[1]), part(self, "y", o, target[2]),
      part(self, "angle", o, o.target_angle or body.angle)
  end)
  if not ok then -- destroy the parts created so far
    joint:destroy()
    error(x, 0)
  end
  control.new(root, joint, self)
  self.when, self.enabled = o.when, o.enabled
  self.x, self.y, self.angle = x, y, angle
  return control.start(self)
end

--- Set the targets that are not nil.
---@param x number|nil      [m]
---@param y number|nil      [m]
---@param angle number|nil  [rad]
function root:set_target(x, y, angle)
  if x and self.x then self.x.target = arguments.number("root:set_target: x", x) end
  if y and self.y then self.y.target = arguments.number("root:set_target: y", y) end
  if angle and self.angle then self.angle.target = arguments.number("root:set_target: angle", angle) end
end

--- Return fx, fy [N] and torque [N m] that act in addition to the springs of the joint; with law = "pd" all the forces.
function root:forces()
  return self.x and self.x.force or 0, self.y and self.y.force or 0, self.angle and self.angle.force or 0
end

-- Run the three controllers. h: time for which the forces act [s].
function root:apply(h)
  local x, y, angle = self.x, self.y, self.angle
  if x then x.act(h) end
  if y then y.act(h) end
  if angle then angle.act(h) end
end

--- Become passive: remove all forces.
function root:rest()
  for _, name in ipairs { "x", "y", "angle" } do
    local one = self[name]
    if one and one.acting then
      one.acting = false
      one:rest()
    end
  end
end

--- Destroy the controller and its joint.
function root:destroy()
  control.destroy(self)
  if self.joint:is_valid() then self.joint:destroy() end
end

return root
