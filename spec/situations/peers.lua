-- Plays a situation on another engine. Writes the situation's world as a scene file of the benchmark
-- (spec/bench/scene_file.h) and runs the engine's program, which writes a trace of poses. Applies the situation's check
-- to the trace: before each step every body of the situation's world gets its pose and velocity from the trace.

local impel = require "impel"
local shell = require "impel.base.shell"

local peers = {}

local FORMAT_ERROR = 65 -- exit code of a benchmark program that rejects a scene file
local BODY_NUMBERS, ANGLE, TURN = 6, 3, 2 * math.pi -- numbers per body in a line of a trace: x y angle vx vy w
local SHELL_CANNOT_RUN, SHELL_NOT_FOUND = 126, 127 -- exit codes of the shell

-- Fields of a world, body, shape or joint that a scene file supports; any other field is reported as unsupported. slop
-- and push_speed are ignored, because each engine has its own values.
local WORLD_KEYS = {
  format = true, version = true, bodies = true, joints = true, gravity = true, dt = true, sleep = true, slop = true,
  push_speed = true, solver = true,
}
local DEFAULT_SUBSTEPS = 4
local BODY_KEYS = {
  angle = true, shapes = true, type = true, bullet = true, center = true, fixed_rotation = true, mass = true,
  position = true, velocity = true, angular_velocity = true, name = true, awake = true, allow_sleep = true,
  inertia = true,
}
local SHAPE_KEYS = {
  center = true, height = true, width = true, restitution = true, friction = true, density = true, type = true,
  angle = true, radius = true, points = true, from = true, to = true, loop = true, restitution_threshold = true,
  category = true, mask = true, group = true, name = true,
}
local JOINT_KEYS = {
  a = true, b = true, kind = true, local_anchor_a = true, local_anchor_b = true, local_axis = true,
  reference_angle = true, limit = true, motor = true, spring = true, name = true, angle = true,
}

local function refuse(what) error({ refused = what }, 0) end

-- Call f and return its results. If f calls refuse(), return nil and the reason. Other errors are raised again.
local function unless_refused(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if type(result) ~= "table" then error(result, 0) end
  return nil, result.refused
end

local function check_keys(what, data, allowed)
  for key in pairs(data) do
    if not allowed[key] then refuse(("%s with '%s'"):format(what, key)) end
  end
end

local function numbers(...)
  local words = { ... }
  for i, number in ipairs(words) do words[i] = number == math.huge and "inf" or ("%.17g"):format(number) end
  return table.concat(words, " ")
end

local shape_lines = {}

function shape_lines.box(shape)
  local center = shape.center or { 0, 0 }
  return "box " .. numbers(center[1], center[2], shape.width / 2, shape.height / 2, shape.angle or 0,
    shape.radius or 0)
end

function shape_lines.circle(shape)
  local center = shape.center or { 0, 0 }
  return "circle " .. numbers(center[1], center[2], shape.radius)
end

function shape_lines.capsule(shape)
  return "capsule " .. numbers(shape.from[1], shape.from[2], shape.to[1], shape.to[2], shape.radius)
end

function shape_lines.segment(shape)
  return "segment " .. numbers(shape.from[1], shape.from[2], shape.to[1], shape.to[2])
end

local function point_list(points)
  local flat = { #points }
  for _, point in ipairs(points) do
    flat[#flat + 1], flat[#flat + 2] = point[1], point[2]
  end
  return numbers(table.unpack(flat))
end

function shape_lines.polygon(shape)
  return ("polygon %s %s"):format(numbers(shape.radius or 0), point_list(shape.points))
end

function shape_lines.chain(shape)
  if not shape.loop then refuse "an open chain" end
  return "loop " .. point_list(shape.points)
end

-- Add lines for a shape and its surface. `density`: factor of the shape's density.
local function add_shape(lines, shape, density)
  check_keys("a " .. shape.type, shape, SHAPE_KEYS)
  local line = shape_lines[shape.type]
  if not line then refuse("a " .. shape.type) end
  lines[#lines + 1] = "surface " .. numbers(density * (shape.density or 1), shape.friction or 0.6,
    shape.restitution or 0, shape.restitution_threshold or -1, shape.category or 1, (shape.mask or 0xffff) & 0xffff,
    shape.group or 0)
  lines[#lines + 1] = line(shape)
end

-- Return mass and inertia of a body from the densities of its shapes.
local function mass_of_shapes(shapes)
  local world = impel.load_data { format = "impel.world", version = 1, bodies = { { shapes = shapes } } }
  local mass, inertia
  for body in world:bodies() do mass, inertia = body.mass, body.inertia end
  return mass, inertia
end

-- Return the factor of the shapes' densities that gives the body's mass and inertia.
local function density_factor(data, body)
  if not (data.mass or data.inertia) then return 1 end
  local mass, inertia = mass_of_shapes(data.shapes)
  local factor = body.mass / mass
  if not data.fixed_rotation and math.abs(body.inertia / (factor * inertia) - 1) > 1e-9 then
    refuse "a body whose inertia is not that of its shapes"
  end
  return factor
end

local function add_body(lines, data, body)
  check_keys("a body", data, BODY_KEYS)
  local type = data.type or "dynamic"
  if type == "particle" then refuse "a particle" end
  local position, velocity = data.position or { 0, 0 }, data.velocity or { 0, 0 }
  local words = { "body", type, numbers(position[1], position[2], data.angle or 0, velocity[1], velocity[2],
    data.angular_velocity or 0) }
  if data.awake == false then words[#words + 1] = "asleep" end
  if data.allow_sleep == false then words[#words + 1] = "restless" end
  if data.fixed_rotation then words[#words + 1] = "fixed_rotation" end
  if data.bullet then words[#words + 1] = "bullet" end
  lines[#lines + 1] = table.concat(words, " ")
  local factor = type == "dynamic" and density_factor(data, body) or 1
  for _, shape in ipairs(data.shapes or {}) do add_shape(lines, shape, factor) end
end

local function add_joint(lines, data)
  if data.kind ~= "revolute" and data.kind ~= "weld" then refuse("a joint of kind " .. data.kind) end
  check_keys("a " .. data.kind, data, JOINT_KEYS)
  local angle = data.angle
  -- only { free = true }: the coordinate has no drive
  if angle and not (angle.free and next(angle, next(angle)) == nil) then
    refuse(("a %s with drives in 'angle'"):format(data.kind))
  end
  local at_a, at_b = data.local_anchor_a or { 0, 0 }, data.local_anchor_b or { 0, 0 }
  local words = { "pin", data.kind, ("%d %d"):format(data.a, data.b), numbers(at_a[1], at_a[2], at_b[1], at_b[2],
    data.reference_angle or 0) }
  local limit, motor, spring = data.limit, data.motor, data.spring
  if limit then words[#words + 1] = ("limit=%.17g,%.17g"):format(limit.lower, limit.upper) end
  if motor then
    local most = motor.max_force or math.huge
    words[#words + 1] = ("motor=%.17g,%s"):format(motor.speed, most == math.huge and "inf" or ("%.17g"):format(most))
  end
  if spring then
    if not spring.hertz then refuse "a spring with a stiffness in N m/rad" end
    words[#words + 1] = ("spring=%.17g,%.17g,%.17g"):format(spring.hertz, spring.damping_ratio or 0,
      spring.target or 0)
  end
  lines[#lines + 1] = table.concat(words, " ")
end

local function add_steps(lines, dt)
  local last = dt[1]
  for i, length in ipairs(dt) do
    if math.abs(length / last - 1) > 1e-6 then
      lines[#lines + 1] = ("at %d dt %.17g"):format(i - 1, length)
      last = length
    end
  end
end

local function write_scene(world, dt)
  local data = world:export { partial = true }
  local gravity = data.gravity or { 0, -9.81 }
  if data.substeps == DEFAULT_SUBSTEPS then data.substeps = nil end
  check_keys("a world", data, WORLD_KEYS)
  local lines = {
    "gravity " .. numbers(gravity[1], gravity[2]), ("dt %.17g"):format(dt[1]),
    data.sleep == false and "sleep 0" or "sleep 1", "body static 0 0 0 0 0 0",
  }
  local bodies = {}
  for body in world:bodies() do bodies[#bodies + 1] = body end
  for i, body in ipairs(data.bodies or {}) do add_body(lines, body, bodies[i]) end
  for _, joint in ipairs(data.joints or {}) do add_joint(lines, joint) end
  add_steps(lines, dt)
  return table.concat(lines, "\n") .. "\n"
end

--- Format a world as a scene file. The ground is body 0.
---@param world userdata  before its first step
---@param dt number[]     length of each step [s]
---@return string|nil text
---@return string|nil why  the feature that the format lacks
function peers.scene_text(world, dt) return unless_refused(write_scene, world, dt) end

-- Return the lines of a trace as lists of numbers, with nan for a word that is not a number. Add whole turns to each
-- angle until the angle is nearest to the previous one, because some engines wrap angles.
local function read_trace(path)
  local trace = {}
  for line in io.lines(path) do
    local row, before = {}, trace[#trace]
    for word in line:gmatch "%S+" do row[#row + 1] = tonumber(word) or 0 / 0 end
    for i = ANGLE, before and #row or 0, BODY_NUMBERS do
      row[i] = row[i] + TURN * math.floor((before[i] - row[i]) / TURN + 0.5)
    end
    trace[#trace + 1] = row
  end
  return trace
end

local FARTHEST = 1e6 -- largest valid number in a trace [m, rad, m/s, rad/s]

-- Give all moving bodies the poses and velocities in a line of a trace.
local function put(world, row)
  local at = 0
  for body in world:bodies() do
    if body.type ~= "static" then
      local x, y, angle, vx, vy, w = table.unpack(row, at + 1, at + BODY_NUMBERS)
      for _, value in ipairs { x, y, angle, vx, vy, w } do
        local fits = value >= -FARTHEST and value <= FARTHEST -- `fits` is false for nan
        if not fits then refuse "a body left the world, or its pose is non-finite" end
      end
      body:set_pose(x, y, angle)
      body:set_velocity(vx, vy)
      if not body.fixed_rotation then body.angular_velocity = w end
      at = at + BODY_NUMBERS
    end
  end
end

-- Run an engine's program on a scene file. Return the trace that it writes, or nil and a verdict.
local function trace_of(command, text, steps, file)
  local scene, trace = file .. ".scene", file .. ".trace"
  local out = assert(io.open(scene, "w"))
  out:write(text)
  out:close()
  local words = { command, shell.word(scene), 0, steps, "trace=" .. shell.word(trace), "2>&1" }
  local pipe = assert(io.popen(table.concat(words, " ")))
  local said = pipe:read "a"
  local ended, _, code = pipe:close()
  local message = said:match "[^\n]+" or "the program crashed"
  if code == SHELL_CANNOT_RUN or code == SHELL_NOT_FOUND then error(("peer: %s"):format(message), 0) end
  if code == FORMAT_ERROR then return nil, { refused = message } end
  if not ended then return nil, { passed = false, message = message, measured = "" } end
  return read_trace(trace)
end

--- Play a variant of a situation on an engine's program, and check it.
---@param runner table     spec/situations/runner.lua
---@param situation table  result of runner.load
---@param variant table    an element of runner.runs
---@param own table        verdict of the same run on impel
---@param command string   the engine's program
---@param file string      name of the files to write, without extension
---@return table           a verdict, see runner.play; refused: why the engine cannot play it
function peers.play(runner, situation, variant, own, command, file)
  if own.substeps_change then return { refused = "the number of substeps changes" } end
  local state, world = situation.scene:setup(assert(situation.scene:values(variant.set)))
  if not state then error(world, 0) end
  local text, why = peers.scene_text(world, own.dt)
  world:destroy()
  if not text then return { refused = why } end
  local trace, ending = trace_of(command, text, #own.dt, file)
  if not trace then return ending end
  local verdict, problem = unless_refused(runner.play, situation, variant, function(now, step)
    if step > 0 then put(now, trace[step + 1]) end
  end)
  return verdict or { passed = false, message = problem, measured = "" }
end

return peers
