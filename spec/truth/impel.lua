-- Plays a plan (a scene of make truth, see plan.h) on impel: lua5.4 spec/truth/impel.lua SOLVER PLAN (called by
-- spec/truth/plan.lua). Settings that the plan does not specify have impel's defaults, except that sleep is off.
local impel = require "impel"

local solver, path = ...
local world
local damping
local bodies, joints = {}, {} -- bodies[0] is the ground

local add = {}

function add.world(gx, gy, dt, steps, c)
  world = impel.world { solver = solver, gravity = { gx, gy }, dt = dt, sleep = false }
  bodies[0] = world:body { type = "static" }
  damping = c
  return steps
end

function add.body(x, y, angle, vx, vy, w, mass, inertia)
  bodies[#bodies + 1] = world:body { position = { x, y }, angle = angle, velocity = { vx, vy }, angular_velocity = w,
    mass = mass > 0 and mass or nil, inertia = inertia > 0 and inertia or nil,
    fixed_rotation = mass > 0 and inertia == 0, linear_damping = damping, angular_damping = damping }
end

-- Set density, friction and restitution of a shape. The density has no effect on a body with a given mass.
local function material(options, density, friction, restitution)
  options.density, options.friction, options.restitution = density > 0 and density or 1, friction, restitution
  return options
end

function add.circle(body, radius, x, y, _, ...)
  bodies[body]:circle(material({ radius = radius, center = { x, y } }, ...))
end

function add.box(body, width, height, x, y, angle, ...)
  bodies[body]:box(material({ width, height, center = { x, y }, angle = angle }, ...))
end

function add.revolute(a, b, x, y, torque)
  joints[#joints + 1] = world:revolute(bodies[a], bodies[b], { anchor = { x, y },
    motor = torque > 0 and { speed = 0, max_force = torque } or nil })
end

function add.rod(a, b, ax, ay, bx, by)
  joints[#joints + 1] = world:distance(bodies[a], bodies[b], { anchor_a = { ax, ay }, anchor_b = { bx, by } })
end

function add.spring(a, b, ax, ay, bx, by, length, stiffness, c)
  joints[#joints + 1] = world:distance(bodies[a], bodies[b], { anchor_a = { ax, ay }, anchor_b = { bx, by },
    spring = { target = length, stiffness = stiffness, damping = c } })
end

function add.pulley(a, b, gax, gay, gbx, gby, ax, ay, bx, by)
  joints[#joints + 1] = world:pulley(bodies[a], bodies[b], { ground_a = { gax, gay }, ground_b = { gbx, gby },
    anchor_a = { ax, ay }, anchor_b = { bx, by } })
end

-- Apply a force that depends on the position, before every substep.
function add.attract(index, gm)
  local body = bodies[index]
  world:on("substep", function()
    local x, y = body:position()
    local pull = body.mass * gm / (x ^ 2 + y ^ 2) ^ 1.5
    body:apply_force(-pull * x, -pull * y)
  end)
end

local function show()
  local numbers = { "at" }
  for _, body in ipairs(bodies) do
    local x, y = body:position()
    local vx, vy = body:velocity()
    for _, number in ipairs { x, y, body.angle, vx, vy, body.angular_velocity } do
      numbers[#numbers + 1] = ("%.17g"):format(number)
    end
  end
  for _, joint in ipairs(joints) do
    local fx, fy = joint:reaction()
    numbers[#numbers + 1] = ("%.17g"):format(math.sqrt(fx ^ 2 + fy ^ 2))
  end
  print(table.concat(numbers, " "))
end

local function play()
  local steps
  for line in io.lines(path) do
    local word, numbers = line:match "^(%a+) (.*)$"
    local list = {}
    for number in numbers:gmatch "%S+" do list[#list + 1] = tonumber(number) end
    steps = add[word](table.unpack(list)) or steps
  end
  show()
  for _ = 1, steps do
    world:step()
    for _ in world:events "fault" do error("it became non-finite", 0) end
    show()
  end
end

local ok, message = pcall(play)
if not ok then print("refused: " .. tostring(message):gsub("\n.*", ""):gsub("^[^ ]*lua:%d+: ", "")) end
