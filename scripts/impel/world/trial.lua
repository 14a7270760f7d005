-- Measurements while a world is stepped: rest, energy, reached targets, differences. Times are seconds from the call. A
-- measurement raises an error if a body diverges.

local json = require "impel.base.json"

local trial = {}

local SPEED, HOLD = 0.05, 0.5 -- [m/s], [s]: a body that is slower than SPEED for the time HOLD is at rest
local STEPS = 600             -- number of steps for which two worlds are compared


-- Arguments ----------------------------------------------------------------------------------------------------------

local Misuse = {}

local function bad(name, expected, got)
  local shown = type(got) == "number" and json.number(got) or got == nil and "nothing" or tostring(got)
  error(setmetatable({ message = ("%s: %s expected, got %s"):format(name, expected, shown) }, Misuse))
end

local function settle(ok, problem, ...)
  if ok then return problem, ... end
  if getmetatable(problem) == Misuse then error(problem.message, 3) end
  error(problem, 0)
end

-- Wrap a function of the module, so that its errors name the caller's line.
local function public(f)
  return function(...)
    local results = table.pack(settle(pcall(f, ...)))
    return table.unpack(results, 1, results.n)
  end
end

local function need_number(name, value, lower, what)
  if type(value) ~= "number" or not (value >= lower and value < math.huge) then bad(name, what, value) end
end

local function is_world(value)
  if type(value) ~= "userdata" then return false end
  local ok, tick = pcall(function() return value.tick end)
  return ok and type(tick) == "number"
end

local function need_world(value)
  if not is_world(value) then bad("world", "a valid world", value) end
end

local function need_seconds(world, seconds)
  need_number("seconds", seconds, 0, "seconds > 0")
  local steps = math.tointeger(math.floor(seconds / world.dt + 0.5))
  if not steps or steps < 1 then bad("seconds", ("at least one step of %g s"):format(world.dt), seconds) end
  return steps
end


-- Steps --------------------------------------------------------------------------------------------------------------

-- Step the world and call look(elapsed) after each step, until `look` returns true. Return the elapsed time.
local function watch(world, steps, look)
  local fault
  local handler = world:on("fault", function(event)
    fault = fault or ("%s diverged in stage '%s' at t = %.6g s"):format(tostring(event.body), event.stage, world.time)
  end, { outside = true })
  local ok, problem, count = true, nil, 0
  local began = world.time
  while ok and not fault and count < steps do
    ok, problem = pcall(world.step, world, 1)
    count = count + 1
    if ok and look(world.time - began) then break end
  end
  handler:destroy()
  if fault then error(fault, 0) end
  if not ok then error(problem, 0) end
  return world.time - began
end

-- Return the fastest body and its speed sqrt(2 E / m), with the kinetic energy E and mass m; nil if no body can move.
local function fastest(world)
  local most, which = -1, nil
  for body in world:bodies() do
    local kind = body.type
    if kind == "dynamic" or kind == "particle" then
      local speed = body.awake and math.sqrt(2 * body:kinetic_energy() / body.mass) or 0
      if speed > most then most, which = speed, body end
    end
  end
  return which, most
end

--- Run the world and find whether it comes to rest. At rest every dynamic body sleeps, or has a speed sqrt(2 E / m) of
--- at most `speed`, with kinetic energy E and mass m. The rest must last until the end of the run, and at least
--- min(0.5 s, seconds / 2).
---@param world userdata
---@param seconds number     time to run [s], rounded to whole steps
---@param speed number|nil   [m/s], default 0.05
---@return number|nil time   from the call until the rest begins [s]; nil if the world does not come to rest
---@return table report      body: name of the last body faster than `speed`, or nil; speed [m/s]: its last speed above
---  `speed`; time [s]: of that speed; limit: `speed`; hold [s]: how long the rest must last
trial.settle = public(function(world, seconds, speed)
  need_world(world)
  local steps = need_seconds(world, seconds)
  if speed ~= nil then need_number("speed", speed, 0, "m/s >= 0") end
  speed = speed or SPEED
  if not fastest(world) then bad("world", "a world with a dynamic body", "none") end
  local report = { time = 0, speed = 0, limit = speed, hold = math.min(HOLD, seconds / 2) }
  local resting
  local total = watch(world, steps, function(elapsed)
    local body, now = fastest(world)
    if now > speed then
      report.body, report.speed, report.time, resting = tostring(body), now, elapsed, nil
    else
      resting = resting or elapsed
    end
  end)
  local rest = report.body and resting or resting and 0
  if rest and total - rest >= report.hold - 1e-9 then return rest, report end -- 1e-9: rounding of summed steps
  return nil, report
end)

--- Run the world and measure the deviation of its energy from the present value.
---@param world userdata
---@param seconds number  [s]
---@return number worst   largest deviation, with its sign [J]
---@return table report   time [s]: of the largest deviation; energy [J]: at the start; kinetic [J]: largest kinetic
---  energy
trial.energy = public(function(world, seconds)
  need_world(world)
  local steps = need_seconds(world, seconds)
  local kinetic, potential = world:energy()
  local report = { time = 0, energy = kinetic + potential, kinetic = kinetic }
  local worst = 0
  watch(world, steps, function(elapsed)
    kinetic, potential = world:energy()
    local off = kinetic + potential - report.energy
    report.kinetic = math.max(report.kinetic, kinetic)
    if math.abs(off) > math.abs(worst) then worst, report.time = off, elapsed end
  end)
  return worst, report
end)


-- Reaching a target --------------------------------------------------------------------------------------------------

-- Return a function that returns the followed value: one number, or the two coordinates of a body.
local function follow(value)
  if type(value) == "function" then
    return function()
      local x = value()
      if type(x) ~= "number" then error(("value: a number expected, got %s"):format(tostring(x)), 0) end
      return x
    end
  end
  if type(value) == "userdata" then
    if pcall(function() return value.value + 0 end) then return function() return value.value end end
    if pcall(value.position, value) then return function() return value:position() end end
  end
  bad("value", "a function, joint, coordinate or body", value)
end

-- Return the distance of p = (x, y) from the segment ab, and two positions on ab as fractions of its length: the point
-- nearest to p, and the first point within `tolerance` of p.
local function approach(ax, ay, bx, by, x, y, tolerance)
  local dx, dy = bx - ax, by - ay
  local length_sq = dx * dx + dy * dy
  local foot = length_sq > 0 and ((x - ax) * dx + (y - ay) * dy) / length_sq or 0
  local nearest = math.max(0, math.min(1, foot))
  local function distance_sq(part) return (ax + part * dx - x) ^ 2 + (ay + part * dy - y) ^ 2 end
  -- Square of half the chord that the line ab cuts from the circle of radius `tolerance` about (x, y).
  local chord_sq = tolerance ^ 2 - distance_sq(foot)
  local entry = length_sq > 0 and foot - math.sqrt(math.max(0, chord_sq) / length_sq) or 0
  return math.sqrt(distance_sq(nearest)), nearest, math.max(0, math.min(nearest, entry))
end

--- Run the world until a value or a body reaches a target, or a value passes it between two steps.
---@param world userdata
---@param seconds number         longest time to run [s]
---@param value function|userdata  function that returns a number; joint or coordinate, whose value is used; or body,
---  whose position is used
---@param target number|table    { x, y } for a body [m]
---@param tolerance number|nil   distance from the target that counts as reached; required for a body; otherwise 0
---@return number|nil time       [s], interpolated between two steps; nil if the target is not reached
---@return table report          distance: smallest distance from the target; time [s]: of the smallest distance;
---  first, last: value or position at the start and at the end
trial.reach = public(function(world, seconds, value, target, tolerance)
  need_world(world)
  local steps = need_seconds(world, seconds)
  local get = follow(value)
  local x, y = target, 0
  local last_x, last_y = get()
  if last_y then
    if type(target) ~= "table" then bad("target", "{ x, y } [m] for a body", target) end
    x, y = target[1], target[2]
    if type(y) ~= "number" then bad("target", "{ x, y } [m] for a body", y) end
    if tolerance == nil then bad("tolerance", "a number [m] for a body", nil) end
  end
  if type(x) ~= "number" then bad("target", "a number", x) end
  tolerance = tolerance or 0
  need_number("tolerance", tolerance, 0, "a number >= 0")
  local function place(px, py) return py and ("(%.9g, %.9g)"):format(px, py) or ("%.9g"):format(px) end
  local report = { distance = approach(last_x, last_y or 0, last_x, last_y or 0, x, y, 0), time = 0 }
  report.first = place(last_x, last_y)
  report.last = report.first
  if report.distance <= tolerance then return 0, report end
  local reached
  watch(world, steps, function(elapsed)
    local now_x, now_y = get()
    local distance, nearest, entry = approach(last_x, last_y or 0, now_x, now_y or 0, x, y, tolerance)
    if distance < report.distance then
      report.distance, report.time = distance, elapsed - (1 - nearest) * world.dt
    end
    -- A number that changes sides has passed the target.
    local passed = not now_y and (last_x < x) ~= (now_x < x)
    if passed or distance <= tolerance then reached = elapsed - (1 - entry) * world.dt end
    last_x, last_y, report.last = now_x, now_y, place(now_x, now_y)
    return reached
  end)
  return reached, report
end)


-- Comparison of two worlds -------------------------------------------------------------------------------------------

local function state_of(body)
  local x, y = body:position()
  local vx, vy = body:velocity()
  return {
    { "x", x }, { "y", y }, { "angle", body.angle }, { "vx", vx }, { "vy", vy },
    { "angular_velocity", body.angular_velocity }, { "awake", tostring(body.awake) },
  }
end

-- Describe the first body that differs between two worlds with different hashes, and the property that differs.
local function first_body(a, b)
  local next_b, state, body_b = b:bodies()
  for body in a:bodies() do
    body_b = next_b(state, body_b)
    if not body_b then break end
    local of_b = state_of(body_b)
    for i, entry in ipairs(state_of(body)) do
      local name, mine, other = entry[1], entry[2], of_b[i][2]
      if mine ~= other then
        if type(mine) == "number" then mine, other = json.number(mine), json.number(other) end
        return ("first difference in %s: %s is %s in the first world and %s in the "
          .. "second"):format(tostring(body), name, mine, other)
      end
    end
  end
  local in_a, in_b = a:counts(), b:counts()
  for _, name in ipairs { "bodies", "joints", "contacts" } do
    if in_a[name] ~= in_b[name] then return ("%d %s and %d"):format(in_a[name], name, in_b[name]) end
  end
  return "the poses, velocities and awake flags of all bodies are equal; another part of the state differs, such as a "
    .. "joint, a contact, the time or a setting"
end

local function build(f, name)
  local made = f()
  local world = type(made) == "table" and made.world or made
  if not is_world(world) then bad(name, "a function that builds a world", made) end
  return world
end

--- Find the first difference of two worlds or hashes. If a and b are functions, each must return a world, or a table
--- whose field `world` is one; these two worlds are stepped side by side.
---@param a userdata|string|function
---@param b userdata|string|function
---@param steps integer|nil      number of steps of the returned worlds, default 600
---@return integer|nil step      number of steps after which the hashes first differ; nil if they do not differ
---@return string|nil description
trial.difference = public(function(a, b, steps)
  if type(a) ~= "function" and type(b) ~= "function" then
    local hashes = {}
    for i, value in ipairs { a, b } do
      if type(value) ~= "string" and not is_world(value) then bad("hash", "a world, its hash or a function", value) end
      hashes[i] = type(value) == "string" and value or value.hash
    end
    if hashes[1] == hashes[2] then return nil end
    local both = type(a) ~= "string" and type(b) ~= "string"
    return 0, ("%s and %s%s"):format(hashes[1], hashes[2], both and "; " .. first_body(a, b) or "")
  end
  if type(a) ~= type(b) then
    bad("hash", "two functions, or for each argument a world or its hash,", type(a) .. " and " .. type(b))
  end
  if steps ~= nil then need_number("steps", math.tointeger(steps), 1, "an integer >= 1") end
  local world_a, world_b = build(a, "a"), build(b, "b")
  for step = 0, steps or STEPS do
    if step > 0 then
      watch(world_a, 1, function() end)
      watch(world_b, 1, function() end)
    end
    if world_a.hash ~= world_b.hash then
      return step, ("%s and %s after step %d, t = %.6g s; %s"):format(world_a.hash, world_b.hash, step, world_a.time,
        first_body(world_a, world_b))
    end
  end
  return nil
end)

return trial
