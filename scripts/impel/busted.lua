-- Physics assertions for busted: require "impel.busted" registers them with luassert.
--
--   assert.settles(world, seconds [, speed])      the world comes to rest; returns the time [s]
--   assert.energy_within(world, tolerance, seconds)  the energy stays within the tolerance of its present value [J];
--                                                 returns the largest deviation [J]
--   assert.reaches(world, seconds, value, target [, tolerance])  a value reaches a target; returns the time [s]
--   assert.same_hash(a, b [, steps])              two worlds, or the worlds of two functions, are equal bit for bit
--   assert.at(body, x, y, tolerance)              a body is at a position [m]
--   assert.no_overlap(world, tolerance)           no penetration is deeper than the tolerance [m]
--   assert.check_passes(file [, options])         a scene passes its checks; options of impel.evaluate, timeout [s]
--
-- Negations: assert.does_not.settle, assert.does_not.reach, assert.is_not.at, assert.not_same_hash.
-- The first four step the world. A body that diverges, an error in a scene and an invalid argument are errors in both
-- forms. The module returns impel.trial, which has the measurements.

local assert = require "luassert"
local say = require "say"

local json = require "impel.base.json"
local trial = require "impel.world.trial"

local OURS = "^[^\n]-impel/busted.lua:%d+: " -- prefix of messages that impel.trial raises at its caller's line

local function number(x)
  return ("%.6g"):format(x)
end

-- Register an assertion. `positive` is the message if the assertion fails, `negative` if its negation fails. judge(...)
-- returns whether the assertion holds, a list of its return values, and a list of values for the %s of the messages.
local function define(names, positive, negative, judge)
  for _, name in ipairs(names) do
    local key = ("assertion.impel.%s."):format(name)
    say:set(key .. "positive", positive)
    say:set(key .. "negative", negative)
    assert:register("assertion", name, function(_, arguments, level)
      local ok, holds, results, words = pcall(judge, table.unpack(arguments, 1, arguments.n))
      if not ok then
        -- Raise an error about an invalid argument at the caller's line.
        local message, ours = tostring(holds):gsub(OURS, "", 1)
        if ours == 1 then error(message, level + 1) end
        error(holds, 0)
      end
      arguments.nofmt = {}
      for i = 1, math.max(arguments.n, #words) do arguments[i], arguments.nofmt[i] = words[i], true end
      arguments.n = #words
      return holds, results
    end, key .. "positive", key .. "negative")
  end
end

local function need(name, value, lower, what)
  if type(value) ~= "number" or not (value >= lower and value < math.huge) then
    error(("%s: %s expected, got %s"):format(name, what, tostring(value)), 2)
  end
end

define({ "settles", "settle" },
  "Expected every body to be slower than %s m/s for at least the last %s s of %s s.\nGot: %s",
  "Expected a body to be faster than %s m/s in the last %s s of %s s.\nGot: %s",
  function(world, seconds, speed)
    local time, report = trial.settle(world, seconds, speed)
    local last = report.body and ("%s moved with %s m/s at t = %s s"):format(report.body, number(report.speed),
      number(report.time)) or "nothing moved"
    if report.body and time then last = last .. ", nothing afterwards" end
    return time ~= nil, { time }, { number(report.limit), number(report.hold), number(seconds), last }
  end)

define({ "energy_within" },
  "Expected the energy to stay within %s J of %s J for %s s.\nGot: %s",
  "Expected the energy to differ by more than %s J from %s J within %s s.\nGot: %s",
  function(world, tolerance, seconds)
    need("tolerance", tolerance, 0, "a number >= 0")
    local worst, report = trial.energy(world, seconds)
    return math.abs(worst) <= tolerance, { worst }, { number(tolerance), number(report.energy), number(seconds),
      ("a difference of %+.6g J at t = %s s; the kinetic energy was at most %s J"):format(worst, number(report.time),
        number(report.kinetic)) }
  end)

define({ "reaches", "reach" },
  "Expected to get from %s to %s%s within %s s.\nGot: %s",
  "Expected never to get from %s to %s%s within %s s.\nGot: %s",
  function(world, seconds, value, target, tolerance)
    local time, report = trial.reach(world, seconds, value, target, tolerance)
    local goal = type(target) == "table" and ("(%s, %s)"):format(number(target[1]), number(target[2])) or number(target)
    local got = time and ("there at t = %s s"):format(number(time))
      or ("at best %s from the target at t = %s s; %s at the end"):format(number(report.distance), number(report.time),
        report.last)
    return time ~= nil, { time }, { report.first, goal, tolerance and " +- " .. number(tolerance) or "",
      number(seconds), got }
  end)

define({ "same_hash" },
  "Expected the same hash.\nGot: %s",
  "Expected different hashes.\nGot: equal hashes%s",
  function(a, b, steps)
    local step, description = trial.difference(a, b, steps)
    return step == nil, { step }, { description or "" }
  end)

define({ "at" },
  "Expected %s at (%s, %s) within %s m.\nGot: %s",
  "Expected %s to be farther from (%s, %s) than %s m.\nGot: %s",
  function(body, x, y, tolerance)
    need("x", x, -math.huge, "a number")
    need("y", y, -math.huge, "a number")
    need("tolerance", tolerance, 0, "a number >= 0")
    local ok, px, py = pcall(function() return body:position() end)
    if not ok then error(("body: a valid body expected, got %s"):format(tostring(body)), 1) end
    local distance = math.sqrt((px - x) ^ 2 + (py - y) ^ 2)
    return distance <= tolerance, { body }, { tostring(body), number(x), number(y), number(tolerance),
      ("(%.9g, %.9g), %s m away"):format(px, py, number(distance)) }
  end)

define({ "no_overlap" },
  "Expected no overlap above %s m.\nGot: %s m",
  "Expected an overlap above %s m.\nGot: %s m",
  function(world, tolerance)
    need("tolerance", tolerance, 0, "a number >= 0")
    local ok, residual = pcall(function() return world:residual() end)
    if not ok then error(("world: a valid world expected, got %s"):format(tostring(world)), 1) end
    local deepest = residual.penetration
    return deepest <= tolerance, { deepest }, { number(tolerance), number(deepest) }
  end)

-- Run the scene in a separate process, because it may crash.
local function run_scene(file, options)
  local scenes, wire = require "impel.scene", require "impel.base.wire"
  local text, chunk = scenes.read(file)
  if not text then error(chunk, 2) end
  local ended = require("impel.processes").call(function()
    local settings = setmetatable({ check = true, score = false }, { __index = options })
    return wire.encode(require("impel.batch.evaluate").run({ text = text, chunk = chunk }, settings))
  end, options.timeout or 600)
  if not ended.values then return { status = ended.ended, message = ended.reason } end
  return wire.decode(ended.values[1])
end

define({ "check_passes" },
  "Expected the checks of %s to hold.\nGot: %s",
  "Expected at least one check of %s to fail.\nGot: %s",
  function(file, options)
    if type(file) ~= "string" then error(("file: a path expected, got %s"):format(tostring(file)), 1) end
    local outcome = run_scene(file, options or {})
    local ran = outcome.status == "ok" or outcome.status == "failed"
    if not ran then error(("%s (%s)"):format(outcome.message, outcome.status), 0) end
    if #outcome.verdicts == 0 then error(("%s has no check"):format(file), 1) end
    local got = outcome.message or ("all %d hold, t = %s s, hash %s"):format(#outcome.verdicts,
      json.number(outcome.time), outcome.hash)
    return outcome.status == "ok", { outcome }, { file, got }
  end)

return trial
