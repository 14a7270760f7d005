-- Describes a scene of the accuracy tests (make truth) for all engines, and reads their results: plan.new{...},
-- plan.run(...)
--
-- A plan is a list of lines (see plan.h). Every engine creates its world from these lines. The errors are computed from
-- the traces of the engines.
local plan = {}

local Plan = {}
Plan.__index = Plan

--- Create a plan without bodies. seconds: simulated time; gravity: acceleration along -y [m/s^2]; damping: linear and
--- angular damping of every body [1/s].
function plan.new(options)
  local dt = options.dt or 1 / 60
  local steps = math.floor(options.seconds / dt + 0.5)
  local self = setmetatable({ dt = dt, steps = steps, lines = {}, bodies = 0, joints = 0 }, Plan)
  self:line("world", 0, -(options.gravity or 9.81), dt, steps, options.damping or 0)
  return self
end

function Plan:line(word, ...)
  local parts = { word }
  for i, number in ipairs { ... } do parts[i + 1] = ("%.17g"):format(number) end
  self.lines[#self.lines + 1] = table.concat(parts, " ")
end

--- Add a body: position = { x, y }, velocity = { x, y }, angle, spin, mass, inertia. A body with a mass and no inertia
--- does not rotate. Without a mass, mass and inertia follow from the shapes. Return the number of the body.
function Plan:body(options)
  local p, v = options.position, options.velocity or { 0, 0 }
  self:line("body", p[1], p[2], options.angle or 0, v[1], v[2], options.spin or 0, options.mass or 0,
    options.inertia or 0)
  self.bodies = self.bodies + 1
  return self.bodies
end

local function material(options)
  return options.density or 0, options.friction or 0, options.restitution or 0
end

--- Add a shape to a body or to the ground (0). Options: `radius` of a circle; `width`, `height` and angle `turn` of a
--- box; centre `at` = { x, y } in the body; `density`, `friction`, `restitution`.
function Plan:circle(body, options)
  local at = options.at or { 0, 0 }
  self:line("circle", body, options.radius, at[1], at[2], 0, material(options))
end

function Plan:box(body, options)
  local at = options.at or { 0, 0 }
  self:line("box", body, options.width, options.height, at[1], at[2], options.turn or 0, material(options))
end

--- Add a joint between bodies a and b, where a may be the ground (0), at world points. The trace contains the magnitude
--- of the joint's force.
function Plan:joint(word, ...)
  self:line(word, ...)
  self.joints = self.joints + 1
  return self.joints
end

function Plan:revolute(a, b, x, y, hold) return self:joint("revolute", a, b, x, y, hold or 0) end
function Plan:rod(a, b, ax, ay, bx, by) return self:joint("rod", a, b, ax, ay, bx, by) end
-- Arguments: anchors ax ay bx by, length, stiffness, damping.
function Plan:spring(a, b, ...) return self:joint("spring", a, b, ...) end
-- Arguments: wheel_a, wheel_b, and anchors a, b, each as x, y.
function Plan:pulley(a, b, ...) return self:joint("pulley", a, b, ...) end
-- Attraction towards the origin: a force of gm / r^2 per kg.
function Plan:attract(body, gm) self:line("attract", body, gm) end


-- Runs ----------------------------------------------------------------------------------------------------------------

-- Read one line of a trace and return a sample: sample[i] = x, y, angle, vx, vy and w of body i; forces: forces of the
-- joints; t: time [s].
local function read_line(line, self, t)
  local numbers = {}
  for word in line:gmatch "%S+" do numbers[#numbers + 1] = tonumber(word) or 0 / 0 end -- "-nan" too
  local sample = { t = t, forces = {} }
  for i = 1, self.bodies do
    local x, y, angle, vx, vy, w = table.unpack(numbers, 6 * i - 5, 6 * i)
    sample[i] = { x = x, y = y, angle = angle, vx = vx, vy = vy, w = w }
  end
  for i = 1, self.joints do sample.forces[i] = numbers[6 * self.bodies + i] end
  return sample
end

local traces = {} -- all traces so far, by command and plan

--- Run an engine's command on a plan. Return the trace: a list of samples, the first at t = 0. If the engine cannot
--- play the plan, return nil and the reason.
function plan.run(self, command, path)
  local text = table.concat(self.lines, "\n") .. "\n"
  local key = command .. "\n" .. text
  if traces[key] then return table.unpack(traces[key]) end
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local pipe = assert(io.popen(("%s %s"):format(command, path)))
  local trace, why = {}, nil
  for line in pipe:lines() do
    why = why or line:match "^refused: (.*)$"
    if line:match "^at " then trace[#trace + 1] = read_line(line:sub(4), self, #trace * self.dt) end
  end
  if not pipe:close() then why = why or "it crashed" end
  traces[key] = why and { nil, why } or { trace }
  return table.unpack(traces[key], 1, 2)
end

return plan
