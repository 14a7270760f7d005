-- Data as Lua source: every number is read back to the bit, equal tables have the same text, and reading runs no code.
local impel = require "impel"
local decode = require("impel.data.text").decode
local program = require "support.program"
local text = (require "scripts.scene.same_world").text

local inf = math.huge


describe("data as text", function()
  local function round_trip(value)
    return assert(decode(impel.data.text { value }))[1]
  end

  it("gives every number back to the bit, in its type", function()
    local rng = impel.rng.new(1)
    for _ = 1, 2000 do
      local bits = string.unpack("d", string.pack("j", rng:random(0)))
      if bits == bits then assert.equal(bits, round_trip(bits)) end
    end
    for _, x in ipairs { 0, 1, -1, 1.0, -2.0, 0.1, 1 / 3, 1e300, 5e-324, inf, -inf, math.maxinteger,
                         math.mininteger } do
      assert.equal(x, round_trip(x))
      assert.equal(math.type(x), math.type(round_trip(x)))
    end
    assert.equal(-inf, 1 / round_trip(-0.0))
    local nan = round_trip(0 / 0)
    assert.is_true(nan ~= nan)
  end)

  it("has the fewest digits that read back exactly", function()
    assert.equal("return { 0.1, -9.81, 5, 5.0, 1e+22, 0.30000000000000004 }\n",
      impel.data.text { 0.1, -9.81, 5, 5.0, 1e22, 0.1 + 0.2 })
  end)

  it("gives strings and keys back", function()
    local t = { "a\nb\0c\r\"'\\--[[x]]", [1.5] = 1, [true] = 2, ["end"] = 3, ["1a"] = 4, [-1] = 5, a_b = "\xC3\xA9" }
    assert.same(t, round_trip(t))
  end)

  it("has lines of at most 120 bytes, and is the same for any insertion order of a table", function()
    local world = impel.world {}
    for i = 1, 20 do
      local points = {}
      for k = 1, 40 do points[k] = { -k / 3, (k % 3) / 7 } end
      world:body({ name = "b" .. i, type = "static" }):chain { points = points }
    end
    local source = text(world)
    for line in source:gmatch "[^\n]+" do assert.is_true(#line <= 120, line) end
    local function reversed(t)
      if type(t) ~= "table" then return t end
      local keys, r = {}, {}
      for key in pairs(t) do table.insert(keys, 1, key) end
      for _, key in ipairs(keys) do r[key] = reversed(t[key]) end
      return r
    end
    assert.equal(source, impel.data.text(reversed(world:export())))
    local head = 'return {\n  format = "impel.world", version = 1,\n  bodies = {\n    {\n      type = "static"'
    assert.equal(head, source:sub(1, #head))
  end)

  it("cannot be made of values other than plain data", function()
    for _, value in ipairs { print, io.stdout, setmetatable({}, {}) } do
      local ok, message = pcall(function() local _ = impel.data.text { a = value } end)
      assert.is_false(ok)
      assert.truthy(message:find("data_text_spec.lua:%d+: data%['a'%]: plain data expected, got "), message)
    end
    local deep = {}
    for _ = 1, 200 do deep = { deep } end
    assert.is_false(pcall(impel.data.text, deep))
  end)

  it("may contain arithmetic and comments", function()
    local source = "-- for x\nreturn { 2 * 3.5, --[==[ while\n]] f() ]==] x = 1 / 2, y = -2 ^ 3, s = [[a -- b]] }"
    assert.same({ 7.0, x = 0.5, y = -8.0, s = "a -- b" }, (assert(decode(source))))
  end)

  it("is refused with the line of code that data may not contain, before that code runs", function()
    local cases = {
      ["while true do end"] = "f:1: 'while' is not allowed in data",
      ["return {\n x = print }"] = "f:2: 'print' is not allowed in data",
      ["return {\n x = ('x'):rep(9) }"] = "f:2: 'rep' is not allowed in data",
      ["return {\n x = ('x') }"] = "f:2: '(' is not allowed in data",
      ["return { 'a' .. 'b' }"] = "f:1: '.' is not allowed in data",
      ["return { (function() end) }"] = "f:1: 'function' is not allowed in data",
      ["return { --[[ ]] os.exit() }"] = "f:1: 'os' is not allowed in data",
      ["return { '\\'', os.exit() }"] = "f:1: 'os' is not allowed in data",
      ["return { [==[ ]=] ]==], os.exit() }"] = "f:1: 'os' is not allowed in data",
      ["return { x\n== 1 }"] = "f:1: 'x' is not allowed in data",
      ["goto a ::a::"] = "f:1: 'goto' is not allowed in data",
      ["local t = {} return t"] = "f:1: 'local' is not allowed in data",
      ["return {"] = "f:1: ",
      ["return {} return {}"] = "f:1: ",
      ["return 3"] = "f: it returns 3, not a table of data",
      [""] = "f: it returns nil, not a table of data",
      ["return { 1 < {} }"] = "f:1: attempt to compare",
      ["\27Lua"] = "f:1: ",
    }
    for source, words in pairs(cases) do
      local data, message = decode(source, "f")
      assert.is_nil(data, source)
      assert.equal(words, message:sub(1, #words))
    end
  end)

  it("is written to files and read back, and reports failures", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local world = impel.world {}
    world:body({ name = "crate" }):box { 1, 1 }
    assert.is_true(impel.data.write(path, (world:export())))
    assert.equal(text(world), program.read(path))
    assert.same(world:export(), impel.data.read(path))
    local ok, message = impel.data.write("/nonexistent/x", {})
    assert.is_nil(ok)
    assert.truthy(message:find("cannot write /nonexistent/x", 1, true), message)
    ok, message = impel.data.read "/nonexistent/x"
    assert.is_nil(ok)
    assert.truthy(message:find("cannot read /nonexistent/x", 1, true), message)
    ok, message = impel.data.read "/"
    assert.is_nil(ok)
    assert.truthy(message:find("cannot read /", 1, true), message)
  end)
end)
