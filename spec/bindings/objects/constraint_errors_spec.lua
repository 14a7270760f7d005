-- Errors of world:constraint name the caller's line and the constraint. A failed call creates no constraint.
local impel = require "impel"
local raises = require "support.raises"

local m = impel.math
local nan, inf = 0 / 0, math.huge

local world, body, other
before_each(function()
  world = impel.world { gravity = { 0, 0 } }
  body = world:body { name = "crate", position = { 0.7, 0.4 }, angle = 0.5 }
  body:box { 1, 1 }
  other = world:body { position = { 2, 1 } }
  other:box { 1, 1 }
end)

local function refuses(words, options, ...)
  local message = raises(words, function(...) world:constraint(body, ...) end, options, ...)
  assert.equal(0, world:counts().joints)
  return message
end

-- Check that a function C is rejected with an error that names the constraint and suggests a fix.
local function refuses_C(words, C, more)
  local options = { name = "wire", C = C }
  for key, value in pairs(more or {}) do options[key] = value end
  local message = refuses(words, options)
  assert.truthy(message:find("world:constraint 'wire': ", 1, true), message)
  return message
end

describe("a function that cannot be traced", function()
  local cases = {
    ["<"] = function(p) if p.x < 0 then return p.x end return p.y end,
    ["> on the other side"] = function(p) if 3 > p.x then return p.x end return p.y end,
    ["<="] = function(p) if p.x <= p.y then return p.x end return p.y end,
    ["=="] = function(p) if p.x == p.y then return p.x end return p.y end,
    ["a branch on time"] = function(p, t) if t > 0 then return p.x end return p.y end,
    ["tostring"] = function(p) local s = tostring(p.x) return p.x + #s end,
    ["concatenation"] = function(p) local s = "x = " .. p.x return p.x + #s end,
    ["concatenation on the left"] = function(p) local s = p.x .. "" return p.x + #s end,
    ["string.format"] = function(p) local s = ("%g"):format(p.x) return p.x + #s end,
    ["indexing"] = function(p) return p.x.y end,
    ["assignment to a field"] = function(p) local x = p.x x.y = 1 return x end,
    ["a call"] = function(p) return p.x(1) end,
    ["length"] = function(p) return p.x + #p.y end,
    ["%"] = function(p) return p.x % 2 end,
    ["//"] = function(p) return p.x // 2 end,
    ["&"] = function(p) return p.x & 1 end,
    ["|"] = function(p) return 1 | p.x end,
    ["~"] = function(p) return p.x ~ p.y end,
    ["~ of one"] = function(p) return ~p.x end,
    ["<<"] = function(p) return p.x << 1 end,
    [">>"] = function(p) return p.x >> 1 end,
    ["math.sin"] = function(p) return math.sin(p.x) end,
    ["math.floor"] = function(p) return math.floor(p.x) end,
    ["impel.math.floor"] = function(p) return m.floor(p.x) end,
    ["impel.math.ceil"] = function(p) return m.ceil(p.x) end,
    ["impel.math.fmod"] = function(p) return m.fmod(p.x, 2) end,
    ["impel.math.modf"] = function(p) return (m.modf(p.x)) end,
    ["impel.math.ult"] = function(p) return m.ult(1, p.x) and p.x or p.y end,
    ["impel.math.type"] = function(p) return m.type(p.x) and p.x or p.y end,
    ["impel.math.tointeger"] = function(p) return m.tointeger(p.x) or p.y end,
    ["impel.value"] = function(p) return impel.value(p.x) + p.y end,
    ["a loop to a traced value"] = function(p) local s = p.x for i = 1, p.x + 3 do s = s + i end return s end,
    ["where with an invalid condition"] = function(p) return impel.where(nil, p.x, p.y) end,
  }
  for what, C in pairs(cases) do
    it("because of " .. what .. " gets an error with an alternative", function()
      local message = refuses_C("", C)
      local way = message:find("impel.where", 1, true) or message:find("impel.math", 1, true)
      assert.truthy(way, message)
    end)
  end

  it("gets the names of the functions that replace Lua's own", function()
    local message = refuses_C("number expected, got traced value", function(p) return math.sin(p.x) end)
    assert.truthy(message:find("sqrt, abs, min, max of impel.math", 1, true), message)
    assert.truthy(message:find("dynamic = true", 1, true), message)
  end)

  it("is too long with more than 100000 operations", function()
    refuses_C("a constraint's function does more than 100000 operations", function(p)
      local sum = p.x
      for i = 1, 60000 do sum = sum + i * p.y end
      return sum
    end)
  end)

  it("gets an error for values other than numbers", function()
    refuses_C("'+': a number or a traced value is expected, got nil", function(p) return p.x + nil end)
    refuses_C("'*': a number or a traced value is expected, got '2' (string)", function(p) return "2" * p.x end)
    refuses_C("impel.math.min: a number or a traced value is expected, got nil", function(p) return m.min(p.x, nil) end)
    refuses_C("impel.where: argument 'b': a number", function(p) return impel.where(p.x, p.y) end)
    refuses_C("p:point: a number or a traced value is expected, got nil", function(p) return (p:point(1)) end)
  end)
end)

describe("a branch outside the trace", function()
  it("is found by a call with plain numbers; the message names the result, the traced and the plain value", function()
    local message = refuses_C("C: result 2 is 0.4 by the traced operations, but 0.7 with plain numbers", function(p)
      return p.x, type(p.x) == "number" and p.x or p.y
    end)
    assert.truthy(message:find("use impel.where(c, a, b) or impel.math.min, max, abs; or set dynamic = true", 1,
      true), message)
  end)

  it("is found if only another state than the present one takes it", function()
    refuses_C("the function branches on the state", function(p)
      if p.x == 0.7 or type(p.x) ~= "number" then return p.x end
      return p.x + 1e-6
    end)
  end)

  it("is found if the function returns other results when it is called again", function()
    local calls = 0
    local words = "did not perform the same operations when it was called again: result 1 was 0.7, then 1.4"
    local message = refuses_C(words, function(p) calls = calls + 1 return p.x * calls end)
    assert.truthy(message:find("dynamic = true", 1, true), message)
    calls = 0
    refuses_C("returned 2 results, but 1 in an earlier call", function(p)
      calls = calls + 1
      if calls % 2 == 0 then return p.x, p.y end
      return p.x
    end)
  end)

  it("is not reported for differences by rounding", function()
    world:constraint(body, { C = function(p) return (p.x + 3) ^ 0.37 * 1e6 - (p.y + 3) ^ 2.9 * 1e6 end })
  end)
end)

describe("results", function()
  it("must exist and be numbers", function()
    refuses_C("C returned nothing: it must return a number for each constraint row", function() end)
    refuses_C("C: result 1 must be a number, got nil", function(p) return nil, p.x end)
    refuses_C("C: result 2 must be a number, got nil", function(p) return p.x, nil end)
    refuses_C("C: result 1 must be a number, got 'abc' (string)", function() return "abc" end)
    refuses_C("C: result 1 must be a number, got true", function() return true end)
    refuses_C("C: result 1 must be a number, got a body of a constraint", function(p) return p end)
    refuses_C("at most 64 are allowed", function(p)
      local many = {}
      for i = 1, 65 do many[i] = p.x + i end
      return table.unpack(many)
    end)
  end)

  it("must be finite at the present state", function()
    refuses_C("C: result 2 is inf for the present poses and velocities", function(p) return p.x, p.x / (p.y - p.y) end)
    refuses_C("for the present poses and velocities", function(p) return m.sqrt(p.x - 5) end)
    refuses_C("for the present poses and velocities", function(p) return p.x * nan end)
    refuses_C("the derivative of result 1 is not finite", function(p) return m.sqrt(p.x - 0.7) end)
  end)

  it("must depend on a body", function()
    refuses_C("no motion of a dynamic body changes result 1 at the present poses", function() return 3 end)
    refuses_C("no motion of a dynamic body changes result 2", function(p, t) return p.x, t end)
    refuses_C("no motion of a dynamic body changes result 1", function(p) return (p.x - 0.7) ^ 2 end)
    local ok, message = pcall(world.constraint, world, world.ground, { name = "wire", C = function(p) return p.x end })
    assert.is_false(ok)
    assert.truthy(message:find("world:constraint 'wire': at least one of its bodies must be dynamic", 1, true), message)
  end)
end)

describe("an error in the function itself", function()
  it("has the line that calls world:constraint and the line that raised it", function()
    local message = refuses_C("C: ", function(p) return p.nothing end)
    assert.truthy(message:find("constraint_errors_spec%.lua:%d+: world:constraint 'wire': C: .*errors_spec%.lua:%d+: "),
      message)
    local ok, value = pcall(world.constraint, world, body, { C = function() error { code = 7 } end })
    assert.is_true(not ok and value.code == 7)
  end)

  it("leaves no constraint and a valid world", function()
    refuses_C("boom", function() error "boom" end)
    refuses_C("C: attempt to yield", function() coroutine.yield() end)
    refuses_C("world:step: called inside a constraint's function", function(p) world:step() return p.x end)
    refuses_C("world:destroy: called inside a constraint's function", function(p) world:destroy() return p.x end)
    world:step()
    assert.equal(1, world.tick)
  end)

  it("names missing fields of a body", function()
    refuses_C("(did you mean 'angle'?)", function(p) return p.agnle end)
    refuses_C("unknown field 'position' on a body of a constraint (use p.x, p.y)", function(p) return p:position() end)
    refuses_C("unknown field 'world_point' on a body of a constraint (use p:point(lx, ly))", function(p)
      return (p:world_point(1, 1))
    end)
    refuses_C("has no field 1", function(p) return p[1] end)
    refuses_C("a body of a constraint is read-only: field 'x' (string) cannot be set", function(p) p.x = 1 end)
    refuses_C("a body of a constraint is expected before the ':', got 0.5", function(p) return (p.point(0.5, 1)) end)
    refuses_C("the function C cannot read field 'vx' of a body: C depends on poses and time only", function(p)
      return p.vx
    end)
  end)

  it("names missing parameters", function()
    local param = { param = { gain = 2 } }
    refuses_C("unknown param 'gian' of the constraint (did you mean 'gain'?)", function(p, _, q)
      return q.gian * p.x
    end, param)
    refuses_C("'param' is read-only", function(_, _, q) q.gain = 3 end, param)
    refuses_C("the constraint was made without option 'param'", function(p, _, q) return q.gain * p.x end)
  end)
end)

describe("a value from a traced call", function()
  it("is valid inside that call only", function()
    local x, p
    world:constraint(body, { C = function(a) x, p = a.x, a return a.x end })
    raises("a body that the function of a constraint gets is valid only during the call", function() return p.x end)
    local value
    world:constraint(body, { C = function(a)
      if type(a.x) ~= "number" then value = value or a.x end
      return a.y
    end })
    raises("a traced value of an earlier call is used", function() return value + 1 end)
    raises("a traced value of an earlier call is used", function() return m.sin(value) end)
    assert.equal("traced value of an earlier call", tostring(value))
    assert.is_number(x) -- the last call of C got plain numbers, which stay valid
    raises("got a traced value", function() body:set_position(value, 0) end)
    world:constraint(body, { C = function(a)
      if type(a.x) == "number" then return a.x end
      local ok, message = pcall(function() return a.x + value end)
      assert(not ok and message:find "of an earlier call", message)
      return a.x
    end })
  end)
end)

describe("options", function()
  local function x(p) return p.x end

  it("are strict", function()
    refuses("bad field 'Cdot' in world:constraint (did you mean 'C_dot'?)", { Cdot = x })
    refuses("world:constraint: field 'C' must be a function, got 1", { C = 1 })
    refuses("world:constraint needs a function C, C_dot or rows", {})
    refuses("world:constraint takes one of C, C_dot and rows, got C and rows", { C = x, rows = x })
    refuses("field 'dynamic' must be true or false", { C = x, dynamic = 1 })
    refuses("field 'max_rows' needs field 'rows'", { C = x, max_rows = 2 })
    refuses("field 'max_rows' must be an integer in [1, 64]", { rows = x, max_rows = 65 })
    refuses("field 'break_if'", { C = x, break_if = 1 })
    refuses("world:constraint: motor: field 'speed' is missing", { C = x, motor = {} })
    refuses("limit: field 'lower' must be a number [m or rad], got nan", { C = x, limit = { nan, 1 } })
    refuses("world:constraint: spring takes stiffness or hertz, not both",
      { C = x, spring = { stiffness = 1, hertz = 1 } })
    refuses("field 'max_force' has no effect on 'force', which is constant", { C = x, force = 1, max_force = 3 })
    refuses("field 'max_force' must be a number >= 0", { C = x, max_force = -1 })
    refuses("lower", { name = "wire", C = x, limit = { 2, 1 } })
    refuses("with 'rows', leave out drives and max_force", { rows = x, limit = { 0, 1 } })
    refuses("with 'rows', leave out drives and max_force", { rows = x, max_force = 1 })
    refuses("leave 'dynamic' out: a function 'rows' is always called", { rows = x, dynamic = true })
    refuses("field 'param' must be a table { name = number, ... }, got 3", { C = x, param = 3 })
    refuses("field 'param.k' must be a finite number, got inf", { C = x, param = { k = inf } })
    refuses("field 'param.k' must be a finite number, got '1' (string)", { C = x, param = { k = "1" } })
    refuses("field 'param' must be { name = number, ... }, got the key 1", { C = x, param = { 5 } })
  end)

  it("come after the bodies", function()
    raises("world:constraint needs at least one body", function() world:constraint { C = x } end)
    raises("world:constraint expects bodies and then a table of options, got a body", function()
      world:constraint(body)
    end)
    raises("world:constraint expects bodies and then a table of options", function() world:constraint() end)
    raises("world:constraint: body 2 must be a body, got 3", function() world:constraint(body, 3, { C = x }) end)
    raises("world:constraint: bodies 1 and 3 are the same", function()
      world:constraint(body, other, body, { C = x })
    end)
    raises("world:constraint: body 1 is a body of another world", function()
      world:constraint(impel.world {}:body {}, { C = x })
    end)
    other:destroy()
    raises("attempt to use destroyed body", function() world:constraint(body, other, { C = x }) end)
  end)

  it("take only a C_dot that is linear in the velocities", function()
    refuses("a velocity function must be linear in the velocities", { C_dot = function(p) return p.vx * p.vy end })
    refuses("C_dot: result 1", { C_dot = function(p) return type(p.vx) == "number" and p.vx or p.vy end })
  end)
end)

describe("constraint.param and retrace", function()
  it("report wrong arguments", function()
    local constraint = world:constraint(body, { name = "wire", param = { gain = 2 }, C = function(p, _, q)
      return q.gain * p.x
    end })
    raises("unknown param 'gian' of the constraint (did you mean 'gain'?)", function() constraint.param.gian = 3 end)
    raises("unknown param 'stiffness' of the constraint", function() return constraint.param.stiffness end)
    raises("a constraint has no param 1", function() return constraint.param[1] end)
    raises("constraint.param.gain must be a finite number, got nan", function() constraint.param.gain = nan end)
    raises("constraint.param.gain must be a finite number, got 'x' (string)", function()
      constraint.param.gain = "x"
    end)
    raises("joint.param is read-only", function() constraint.param = {} end)
    assert.equal(2, constraint.param.gain)
    local param = constraint.param
    constraint:destroy()
    raises("attempt to use destroyed joint", function() return param.gain end)
    raises("attempt to use destroyed joint", function() return constraint.param end)
    raises("attempt to use destroyed joint", function() constraint:retrace() end)
  end)

  it("are for constraints only", function()
    local joint = world:revolute(body, other, { name = "elbow" })
    raises("a revolute is not a constraint (world:constraint creates one)", function() return joint.param end)
    raises("a revolute is not a constraint (world:constraint creates one)", function() joint:retrace() end)
  end)

  it("keep the previous trace if the function is refused", function()
    local mode = "good"
    local constraint = world:constraint(body, { name = "wire", C = function(p)
      if mode == "two" then return p.x, p.y end
      if mode == "nan" then return p.x * nan end
      return p.x - 0.5
    end })
    mode = "two"
    raises("joint:retrace on 'wire': C returned 2 results, but 1 in an earlier call", function()
      constraint:retrace()
    end)
    mode = "nan"
    raises("joint:retrace on 'wire': C: result 1 is", function() constraint:retrace() end)
    assert.is_true(math.abs(constraint.value - 0.2) < 1e-15)
  end)
end)
