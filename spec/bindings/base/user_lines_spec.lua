-- An error in a user's function names the line that raised or, for an invalid result, the function's first line.
local impel = require "impel"
local program = require "support.program"

local HERE = debug.getinfo(1, "S").short_src

local function line() return debug.getinfo(2, "l").currentline end

-- Two boxes on a floor, joined by a hinge.
local function scene()
  local world = impel.world {}
  local floor = world:body { type = "static" }
  local ground = floor:box { 20, 1, center = { 0, -0.5 } }
  local a = world:body { position = { 0, 0.49 }, allow_sleep = false }
  local b = world:body { position = { 3, 0.49 }, allow_sleep = false }
  local shape = a:box { 1, 1 }
  b:box { 1, 1 }
  return { world = world, a = a, b = b, shape = shape, ground = ground, hinge = world:revolute(a, b, {}) }
end

local kinds = {
  ["the law of a field, traced"] = function(s, f) s.world:field { kind = "custom", law = f } end,
  ["the law of impel.field.custom, traced"] = function(s, f) impel.field.custom(s.world, f) end,
  ["the law of a field, dynamic"] = function(s, f) s.world:field { kind = "custom", law = f, dynamic = true } end,
  ["the law of impel.field.custom, dynamic"] = function(s, f) impel.field.custom(s.world, f, { dynamic = true }) end,
  ["C of a constraint"] = function(s, f) s.world:constraint(s.a, { C = f }) end,
  ["C_dot of a constraint"] = function(s, f) s.world:constraint(s.a, { C_dot = f }) end,
  ["rows of a constraint"] = function(s, f) s.world:constraint(s.a, { rows = f }) end,
  ["a handler of steps"] = function(s, f) s.world:on("step", f) end,
  ["a handler of substeps"] = function(s, f) s.world:on("substep", f) end,
  ["a handler of events"] = function(s, f) s.world:on("begin_contact", f) end,
  ["a pre_solve handler"] = function(s, f)
    s.shape.pre_solve = true
    s.world:on("pre_solve", f)
  end,
  ["shape.filter"] = function(s, f) s.shape.filter = f end,
  ["a mix rule"] = function(s, f)
    s.world:mix_rule("friction", f)
    s.world:material("wood", {})
    s.shape.material, s.ground.material = "wood", "wood"
  end,
  ["the predicate of a query"] = function(s, f) s.world:raycast(0, 9, 0, -9, { predicate = f }) end,
  ["break_if of a joint"] = function(s, f) s.world:weld(s.world.ground, s.a, { break_if = f }) end,
  ["measure of impel.pid"] = function(s, f)
    impel.pid(s.hinge, { kp = 1, ki = 1, kd = 1, target = 0, measure = f })
  end,
  ["the load of impel.posture"] = function(s, f)
    impel.posture({ knee = s.hinge }, { stiffness = 1, damping = 1 }):bear("knee", f)
  end,
  ["enter of a state"] = function(s, f)
    impel.state_machine(s.world, { initial = "one", states = { one = { enter = f } } })
  end,
  ["update of a state"] = function(s, f)
    impel.state_machine(s.world, { initial = "one", states = { one = { update = f } } })
  end,
  ["exit of a state"] = function(s, f)
    impel.state_machine(s.world, { initial = "one",
      states = { one = { exit = f, { to = "two", when = function() return true end } }, two = {} } })
  end,
  ["a condition of a state"] = function(s, f)
    impel.state_machine(s.world, { initial = "one", states = { one = { { to = "two", when = f } }, two = {} } })
  end,
  ["where of a group"] = function(s, f) impel.group(s.world):where(f) end,
}
for _, class in ipairs { "pd", "pid", "stable_pd" } do
  for _, when in ipairs { "step", "substep" } do
    kinds[("feed_forward of impel.%s, when = '%s'"):format(class, when)] = function(s, f)
      impel[class](s.hinge, { kp = 1, kd = 1, ki = class == "pid" and 1 or nil, feed_forward = f, when = when })
    end
  end
end
for _, name in ipairs { "C", "C_dot", "rows" } do
  kinds[name .. " of a constraint, called in a step"] = function(s, f)
    local bad = false
    s.world:constraint(s.a, { dynamic = name ~= "rows" or nil, [name] = function(...)
      if bad then return f(...) end
      if name == "rows" then return (...) { J = { { 0, 1, 0 } } } end
      return name == "C" and (...).x or (...).vx
    end })
    bad = true
  end
end
for _, name in ipairs { "apply", "cost", "terminal", "save", "load" } do
  kinds[name .. " of impel.predictive"] = function(s, f)
    local options = { plant = s, model = scene(), lower = { -1 }, upper = { 1 }, apply = function() end,
      cost = function() return 1 end, horizon = 0.1, samples = 2, seed = 1 }
    options[name] = f
    impel.predictive(options)
  end
end

-- Kinds of functions for which a string is an invalid return value. The other kinds accept any value.
local words = { ["exit of a state"] = false }
for name in pairs(kinds) do
  words[name] = name:find "law" or name:find "^C" or name:find "filter" or name:find "mix" or name:find "feed_forward"
    or name:find "measure" or name:find "bears" or name:find "cost" or name:find "terminal" or false
end

local function failure(make, f)
  local s = scene()
  local ok, message = pcall(function()
    make(s, f)
    s.world:step(20)
  end)
  assert.is_false(ok)
  return message
end

describe("an error in a user's function names its line", function()
  for name, make in impel.pairs(kinds) do
    it("in " .. name, function()
      local where
      local message = failure(make, function()
        local options = {}
        where = line() + 1
        return options.missing.field
      end)
      local place = ("%s:%d: attempt to index a nil value"):format(HERE, where)
      assert.truthy(message:find(place, 1, true), message)
      -- The message names no line in impel's own files.
      for source in message:gsub("\n.*", ""):gmatch "([^%s]+)%.lua:%d+:" do
        assert.truthy((source .. ".lua"):find("user_lines_spec.lua", 1, true), message)
      end
    end)
  end
end)

describe("an invalid result of a user's function is reported at a user's line", function()
  for name, make in impel.pairs(kinds) do
    if words[name] then
      it("by " .. name, function()
        local from = line()
        local function word() return "word", "word", "word", "word" end
        local message = failure(make, word)
        local at = tonumber(message:match("^" .. HERE:gsub("%p", "%%%0") .. ":(%d+): "))
        assert.truthy(at, message)
        assert.truthy(message:find("'word' (string)", 1, true), message)
        local made = message:find("world:field", 1, true) or message:find("world:constraint", 1, true)
        local wrapped = name:find "called in a step" -- the error is in a function of `kinds` above, which calls `word`
        assert.truthy(made or wrapped and at < from or at == from + 1, message)
      end)
    end
  end

  it("also for nan", function()
    for _, name in ipairs { "feed_forward of impel.pd, when = 'step'", "measure of impel.pid" } do
      local from = line()
      local message = failure(kinds[name], function() return 0 / 0, 0 / 0 end)
      assert.equal(("%s:%d"):format(HERE, from + 1), message:match "^[^:]+:%d+", message)
    end
  end)
end)

describe("impel run", function()
  local HEAD = [[
local impel = require "impel"
local scene = { title = "Line", about = "A function of the user fails.", duration = 1 }
local function faulty() return FAULT end
function scene.setup()
  local world = impel.world {}
  local body = world:body { position = { 0, 0.49 } }
  local shape = body:box { 1, 1 }
  world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 } }
  local hinge = world:revolute(world.ground, body, {})
  MAKE
  return { world = world, body = body, shape = shape, hinge = hinge }
end
return scene
]]
  local makes = {
    law = "impel.field.custom(world, faulty, { dynamic = true })",
    C = "local n = 0 world:constraint(body, { dynamic = true, C = function(p) n = n + 1 "
      .. "if n > 1 then return faulty() end return p.x end })",
    filter = "shape.filter = faulty",
    feed_forward = "impel.pd(hinge, { kp = 1, kd = 1, feed_forward = faulty })",
    measure = "impel.pid(hinge, { kp = 1, ki = 1, kd = 1, target = 0, measure = faulty })",
  }
  for name, make in impel.pairs(makes) do
    it("names the scene's line: " .. name, function()
      for _, fault in ipairs { "(nil).field", "'word', 'word', 'word'" } do
        local path, err = os.tmpname(), os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write((HEAD:gsub("FAULT", fault):gsub("MAKE", make)))
        file:close()
        os.execute(("%s run %s </dev/null >/dev/null 2>%s"):format(program.quote(program.path), path, err))
        local text = program.read(err)
        os.remove(path)
        os.remove(err)
        local at = tonumber(text:match(path:gsub("%p", "%%%0") .. ":(%d+): "))
        local of = name == "C" and fault:find "word" and 10 or 3 -- the function that returns the word begins in line 10
        assert.equal(of, at, text)
        assert.falsy(text:match("^[^\n]*"):find("scripts/impel", 1, true), text)
      end
    end)
  end
end)
