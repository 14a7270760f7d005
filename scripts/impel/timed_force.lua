-- impel.timed_force: an external force on a point of a body for an exact duration.
--
--   impel.timed_force(cart, { force = { 50, 0 }, duration = 0.1 })                        a push of 5 N s
--   impel.timed_force(ship, { force = { 0, 20 }, point = { 0.4, -1 }, frame = "body", duration = 3, delay = 1.5 })
--   local push = impel.timed_force(box, { impulse = { 0, 2 }, duration = 0.05 })          an impulse of 2 N s
--   push.done

local arguments = require "impel.base.arguments"
local control = require "impel.control"

local timed_force = control.class("impel.timed_force", { "elapsed", "done" },
  { elapsed = "number", done = "boolean" })

local FIELDS = {
  force = { "point", optional = true },
  impulse = { "point", optional = true },
  torque = { "number", default = 0, unit = "N m" },
  point = { "point", optional = true },
  frame = { "choice", "world", "body", default = "world" },
  duration = { "number", above = 0, unit = "s" },
  delay = { "number", min = 0, default = 0, unit = "s" },
  enabled = control.ENABLED,
}

--- Apply a force to a body for a time. The impulse is force x duration up to rounding.
---@param body impel.body     dynamic or particle
---@param options table
---  force: { fx, fy } [N], or impulse: { ix, iy } [N s] in total
---  torque: torque during `duration` [N m], default 0
---  point: of the force, in the body's frame [m], default the centre of mass
---  frame of force and impulse: "world" or "body"
---  duration [s]
---  delay: time before the force begins [s], default 0
---  enabled: while false, `elapsed` does not increase and no force acts
---@return table push  elapsed: enabled time since creation, until done [s]; done: whether the force has ended
function timed_force.new(body, options)
  arguments.check("impel.timed_force: body", body, { "body" })
  local o = arguments.read("impel.timed_force", options, FIELDS)
  if (o.force == nil) == (o.impulse == nil) and (o.force or o.torque == 0) then
    arguments.fail("impel.timed_force takes force [N] or impulse [N s]%s",
      o.force and ", not both" or "; neither of them and no torque is given")
  end
  if not body:is_valid() then arguments.fail("impel.timed_force: attempt to use %s", tostring(body)) end
  if body.type ~= "dynamic" and body.type ~= "particle" then
    arguments.fail("impel.timed_force: forces do not act on a %s body: %s", body.type, tostring(body))
  end
  local force, scale = o.force or o.impulse or { 0, 0 }, o.impulse and 1 / o.duration or 1
  o.fx, o.fy = force[1] * scale, force[2] * scale
  o.px, o.py = o.point and o.point[1], o.point and o.point[2]
  o.local_frame = o.frame == "body"
  o.when = "substep"
  local self = control.new(timed_force, body, o)
  self.elapsed, self.done = 0, false
  return control.start(self)
end

--- Become passive. There is no force to remove, because each applied force lasts one substep.
function timed_force:rest() end -- luacheck: ignore self

-- Apply the part of the force within the next substep h [s].
function timed_force:apply(h)
  if self.done then return end
  local kind = self.subject.type
  if kind ~= "dynamic" and kind ~= "particle" then return end
  local from = self.elapsed
  local finish = self.delay + self.duration
  self.elapsed = from + h
  -- The tolerance covers rounding errors, because sums of h may end slightly before `finish`.
  local first, last = from > self.delay and from or self.delay, from + h
  if last > finish - 1e-9 * h then
    last, self.done = finish, true
  end
  if last <= first then return end
  local part, body = (last - first) / h, self.subject
  local fx, fy = part * self.fx, part * self.fy
  if self.local_frame then fx, fy = body:world_vector(fx, fy) end
  if self.px then
    body:apply_force(fx, fy, body:world_point(self.px, self.py))
  else
    body:apply_force(fx, fy)
  end
  if self.torque ~= 0 then body:apply_torque(part * self.torque) end
end

return timed_force
