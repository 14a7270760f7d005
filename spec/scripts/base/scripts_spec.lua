-- Pure Lua modules: ordered pairs, generator, elementary functions, traces, scenes.

local impel = require "impel"

local read = require("support.program").read
local raises = require "support.raises"

describe("impel", function()
  it("loads its script modules on first use", function()
    assert.equal(require "impel.rng", impel.rng)
    assert.equal(require "impel.math", impel.math)
  end)

  it("names the nearest field for a mistyped one", function()
    assert.error_matches(function() return impel.wrold end, "no field 'wrold' in impel %(did you mean 'world'%?%)")
    assert.error_matches(function() return impel.recoder end, "did you mean 'recorder'")
  end)

  it("changes no global of plain Lua", function()
    assert.not_equal(impel.pairs.pairs, pairs)
    assert.not_equal(impel.math.sin, math.sin)
  end)
end)

describe("nearest", function()
  local nearest = require "impel.base.nearest"

  it("finds a word with one edit or swap, and none that differs in more than a third of its letters", function()
    assert.equal("density", nearest.find("densty", { "friction", "density" }))
    assert.equal("run", nearest.find("rnu", { "list", "run" }))
    assert.equal("steps", nearest.find("STEPS", { "steps" }))
    assert.is_nil(nearest.find("colour", { "density", "friction" }))
    assert.equal("", nearest.hint(3, { "3" }))
  end)
end)

describe("pairs", function()
  local pairs = impel.pairs

  local function keys(t)
    local list = {}
    for key in pairs(t) do list[#list + 1] = key end
    return list
  end

  it("visits numbers ascending, then strings by bytes, then false and true", function()
    local t = { [true] = 1, b = 1, [2.5] = 1, a = 1, [-1] = 1, [false] = 1, [1] = 1, B = 1, [10] = 1, ["a\0b"] = 1 }
    assert.same({ -1, 1, 2.5, 10, "B", "a", "a\0b", "b", false, true }, keys(t))
  end)

  it("gives keys with their values", function()
    local sum = 0
    for key, value in pairs { 10, 20, x = 30 } do sum = sum + value + (key == "x" and 1 or 0) end
    assert.equal(61, sum)
    for _ in pairs {} do error "an empty table has no keys" end
  end)

  it("gives the same order for any order of insertion", function()
    local forward, backward = {}, {}
    for i = 1, 200 do forward["k" .. i] = i end
    for i = 200, 1, -1 do backward["k" .. i] = i end
    assert.same(keys(forward), keys(backward))
  end)

  it("sees keys that were added and removed since the last walk", function()
    local t = { a = 1, b = 2 }
    assert.same({ "a", "b" }, keys(t))
    t.b, t.c = nil, 3
    assert.same({ "a", "c" }, keys(t))
    t[1] = 1
    assert.same({ 1, "a", "c" }, keys(t))
  end)

  it("allows changing and clearing fields during the walk", function()
    local t, seen = { a = 1, b = 2, c = 3, 4, 5 }, {}
    for key in pairs(t) do
      seen[#seen + 1] = key
      t[key] = nil
      t.c = nil
      t.b = t.b and 7
    end
    assert.same({ 1, 2, "a", "b" }, seen)
    assert.is_nil(next(t))
  end)

  it("honours __pairs", function()
    local t = setmetatable({ 1 }, { __pairs = function() return function(_, k) return not k and "only" or nil end end })
    assert.same({ "only" }, keys(t))
  end)

  it("ignores __index and __len", function()
    local t = setmetatable({ 5 }, { __index = { 1, 2, 3 }, __len = function() return 9 end })
    assert.same({ 1 }, keys(t))
  end)

  it("gives a hint for keys without a fixed order", function()
    for _, key in ipairs { {}, print, coroutine.create(print), io.stdout } do
      assert.error_matches(function() pairs { [key] = 1 } end, "has no order that is the same in every run")
    end
    assert.error_matches(function() pairs(nil) end, "table expected, got nil")
    local ordered_next = impel.pairs.next
    raises("has no order", function() ordered_next({ 1 }, {}) end)
    raises("has no order", function() ordered_next({ [print] = 1, [1] = 2 }, 1) end)
  end)

  it("orders bodies by their creation, including destroyed ones", function()
    local world <close> = impel.world {}
    local bodies, t = {}, {}
    for i = 1, 20 do bodies[i] = world:body {} end
    for i = 20, 1, -1 do t[bodies[i]] = i end
    bodies[5]:destroy()
    local order = {}
    for _, i in pairs(t) do order[#order + 1] = i end
    for i = 1, 20 do assert.equal(i, order[i]) end
  end)

  it("lets the garbage collector free the table", function()
    local weak = setmetatable({ { a = 1 } }, { __mode = "v" })
    keys(weak[1])
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak[1])
  end)

  it("next visits keys in the order of pairs, also if fields are cleared or pairs runs meanwhile", function()
    local ordered_next = impel.pairs.next
    local t = { b = 1, a = 1, [3] = 1, [1] = 1, c = 1 }
    local seen, key = {}, ordered_next(t)
    while key ~= nil do
      seen[#seen + 1] = key
      t[key] = nil
      keys(t) -- sorts the remaining keys
      key = ordered_next(t, key)
    end
    assert.same({ 1, 3, "a", "b", "c" }, seen)
    assert.is_nil(ordered_next({}))
    assert.is_nil(ordered_next({ 1 }, 1))
  end)
end)

describe("rng", function()
  local rng = impel.rng

  it("is xoshiro256**: the state 1, 2, 3, 4 gives the published first outputs", function()
    local g = rng.restore { 1, 2, 3, 4 }
    assert.same({ 11520, 0, 1509978240, 1215971899390074240 }, { g:bits(), g:bits(), g:bits(), g:bits() })
  end)

  it("is seeded by splitmix64: seed 0 gives its published first outputs", function()
    assert.same({ 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC }, rng.new(0):state())
  end)

  it("draws the same numbers as Lua's math.random in the same state", function()
    local g = rng.restore { 42, 0xff, 0, 0 } -- Lua's seeding: (n, 0xff, 0, 0), then 16 draws
    for _ = 1, 16 do g:bits() end
    math.randomseed(42, 0)
    for _ = 1, 100 do
      assert.equal(math.random(), g:random())
      assert.equal(math.random(6), g:random(6))
      assert.equal(math.random(-5, 1000), g:random(-5, 1000))
      assert.equal(math.random(math.mininteger, math.maxinteger), g:random(math.mininteger, math.maxinteger))
      assert.equal(math.random(0), g:random(0))
    end
  end)

  it("continues from a saved state", function()
    local g = rng.new(3)
    g:random()
    local copy = rng.restore(g:state())
    for _ = 1, 10 do assert.equal(g:bits(), copy:bits()) end
  end)

  it("draws normal numbers of the given mean and standard deviation", function()
    local g, n, sum, squares = rng.new(1), 20000, 0, 0
    for _ = 1, n do
      local x = g:normal(3, 2)
      sum, squares = sum + x, squares + (x - 3) ^ 2
    end
    assert.near(3, sum / n, 4 * 2 / math.sqrt(n)) -- four standard errors of the mean
    assert.near(4, squares / n, 4 * 4 * math.sqrt(2 / n)) -- four standard errors of the variance
  end)

  it("refuses invalid seeds, states and ranges", function()
    assert.error_matches(function() rng.new(1.5) end, "seed: integer expected, got 1.5")
    assert.error_matches(function() rng.restore { 0, 0, 0, 0 } end, "not all zero")
    assert.error_matches(function() rng.new(1):random(0.5) end, "integer bounds expected")
    assert.error_matches(function() rng.new(1):random(2, 1) end, "lower bound 2 is above upper bound 1")
  end)
end)

describe("math", function()
  local m = impel.math

  -- Each library may have errors of 2 ulp.
  local function close(expected, got)
    if expected ~= expected then return assert.is_true(got ~= got) end
    if expected == got then return end
    assert.near(expected, got, 4 * 2 ^ -52 * math.max(math.abs(expected), 1e-300))
  end

  it("agrees with the functions of the C library", function()
    local g = impel.rng.new(5)
    for _ = 1, 2000 do
      local x, y = 20 * g:random() - 10, 20 * g:random() - 10
      close(math.sin(x), m.sin(x))
      close(math.cos(x), m.cos(x))
      close(math.tan(x), m.tan(x))
      close(math.atan(y, x), m.atan(y, x))
      close(math.atan(y), m.atan(y))
      close(math.exp(x), m.exp(x))
      close(math.log(math.abs(x)), m.log(math.abs(x)))
      close(math.asin(x / 10), m.asin(x / 10))
      close(math.acos(x / 10), m.acos(x / 10))
    end
    assert.near(3, m.log(8, 2), 1e-15)
    assert.near(2, m.log(100, 10), 1e-15)
  end)

  it("gives the exact results at edge cases", function()
    close(math.pi / 2, m.asin(1))
    close(math.pi, m.acos(-1))
    close(0 / 0, m.asin(1.1))
    assert.equal(-math.huge, m.log(0))
  end)

  it("has every function of Lua 5.4's math library except the random functions", function()
    for name in ("abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi rad "
      .. "sin sqrt tan tointeger type ult"):gmatch("%a+") do
      assert.truthy(m[name], name)
    end
  end)
end)

describe("json", function()
  local json = require "impel.base.json"

  it("writes a shared table twice, and refuses a table that contains itself", function()
    local twice, ring, deep = { 1 }, {}, { b = { {} } }
    assert.equal("[[1],[1]]", json.encode { twice, twice })
    ring[1] = ring
    deep.b[1].c = deep
    assert.equal([["\u001b \u009b \ufeff \u202e \ufffd\ufffd \ufffd \\x41 é\u007f\n"]],
      json.encode "\27 \u{9b} \u{feff} \u{202e} \xff\xc0 \xc3 \\x41 é\127\n")
    raises("json.encode: a table contains itself", json.encode, ring)
    raises("json.encode: a table contains itself", json.encode, deep)
  end)

  it("refuses keys other than strings", function()
    raises("json.encode: a key must be a string, got 2", json.encode, { [2] = 1, x = 1 })
    raises("json.encode: a key must be a string, got true", json.encode, { a = { [true] = 1 } })
  end)
end)

describe("recorder", function()
  local recorder = impel.recorder
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function()
    for _, ending in ipairs { "", ".csv", ".jsonl" } do os.remove(path .. ending) end
  end)

  it("writes numbers that read back to the same bits", function()
    local values = { 0.1, 1 / 3, 1e-320, -0.0, 2 ^ 53, math.pi, 12345678901234567 }
    do
      local trace <close> = assert(recorder.open(path .. ".csv"))
      for i, x in ipairs(values) do assert(trace:row(i, { x = x })) end
    end
    local i = 0
    for line in io.lines(path .. ".csv") do
      if i > 0 then assert.equal(string.pack("n", values[i]), string.pack("n", tonumber(line:match(",(.*)")))) end
      i = i + 1
    end
    assert.equal(#values + 1, i)
  end)

  it("writes nan and inf in CSV, null in JSON, and quotes names", function()
    local row = { a = 0 / 0, b = math.huge, ['c,"'] = -math.huge, d = false }
    for _, ending in ipairs { ".csv", ".jsonl" } do
      local trace = assert(recorder.open(path .. ending))
      assert(trace:row(0, row))
      assert(trace:row(0.5, { a = 1 }))
      assert(trace:close())
      assert(trace:close())
    end
    assert.equal('time,a,b,"c,""",d\n0,nan,inf,-inf,0\n0.5,1,nan,nan,nan\n', read(path .. ".csv"))
    assert.equal('{"time":0,"a":null,"b":null,"c,\\"":null,"d":false}\n'
      .. '{"time":0.5,"a":1,"b":null,"c,\\"":null,"d":null}\n', read(path .. ".jsonl"))
  end)

  it("keeps the decimal point in a locale with a decimal comma", function()
    if not os.setlocale("de_DE.UTF-8", "numeric") then return pending "no German locale here" end
    local text = require("impel.base.json").number(0.5)
    os.setlocale("C", "numeric")
    assert.equal("0.5", text)
  end)

  it("refuses changed columns and non-numeric values", function()
    local trace <close> = assert(recorder.open(path .. ".csv"))
    trace:row(0, { tilt = 1 })
    assert.error_matches(function() trace:row(1, { tlit = 1 }) end, "column 'tlit' was not in the first row")
    assert.error_matches(function() trace:row(1, { tilt = "x" }) end, "number or boolean expected, got string")
    local other <close> = assert(recorder.open(path .. ".jsonl"))
    assert.error_matches(function() other:row(0, { time = 1 }) end, "'time' is reserved")
    assert.error_matches(function() other:row(0, { 1 }) end, "name of a column must be a string")
    raises("recorder:row: time must be a finite number [s], got nil", other.row, other, nil, { tilt = 1 })
    raises("recorder:row: values must be a table, got 1", other.row, other, 0, 1)
  end)

  it("reports that it is closed", function()
    local trace = assert(recorder.open(path .. ".csv"))
    assert(trace:close())
    raises("recorder:row: the trace " .. path .. ".csv is closed", trace.row, trace, 0, { tilt = 1 })
    raises("recorder:flush: the trace " .. path .. ".csv is closed", trace.flush, trace)
  end)

  it("returns nil and a message for a path that cannot be written", function()
    local trace, message = recorder.open("/nonexistent/x.csv")
    assert.is_nil(trace)
    assert.truthy(message:find("/nonexistent/x.csv", 1, true))
    trace, message = recorder.open("x.txt")
    assert.is_nil(trace)
    assert.truthy(message:find(".csv or .jsonl expected", 1, true))
  end)
end)

describe("scene", function()
  local function parse(text, options)
    return impel.scene.parse(text, "=test", options)
  end

  local function setup_scene(body)
    return ("local impel = require 'impel'\nreturn { params = { k = { 2, min = 0, max = 9 }, on = true },\n"
      .. "setup = function(p, seed) %s return { world = impel.world { seed = seed } } end }"):format(body)
  end

  it("returns the defaults and refuses unknown parameters", function()
    local scene = assert(parse(setup_scene("")))
    local values = assert(scene:values())
    assert.equal(2, values.k)
    assert.equal(true, values.on)
    assert.error_matches(function() return values.kk end, "unknown param 'kk'")
    assert.equal(5, scene:values({ k = 5 }).k)
    assert.equal("integer", math.type(scene:values({ k = 5.0 }).k))
    assert.equal(5.5, scene:values({ k = 5.5 }).k)
    local whole = assert(parse((setup_scene(""):gsub("{ 2, min", "{ 2, integer = true, min"))))
    assert.is_nil(whole:values { k = 5.5 })
    assert.equal("integer", math.type(whole:values({ k = 5.0 }).k))
    local floating = assert(parse((setup_scene(""):gsub("{ 2, min", "{ 2.0, min"))))
    assert.equal("float", math.type(floating:values({ k = 5 }).k))
    assert.equal(5.5, floating:values({ k = 5.5 }).k)
    local none, message = scene:values { k = 10 }
    assert.is_nil(none)
    assert.truthy(message:find("'10' is out of range 0..9", 1, true))
    assert.is_nil(scene:values { k = 0 / 0 })
    assert.is_nil(scene:values { on = 1 })
  end)

  it("runs in its own globals", function()
    local scene = assert(parse(setup_scene("leak = 1; string.leak = nil")))
    assert(scene:setup(scene:values(), 0))
    assert.is_nil(rawget(_G, "leak"))
  end)

  it("provides ordered pairs, impel's math, text-only load and a seeded math.random", function()
    local printed = {}
    local text = setup_scene([[
      local order = {}
      for k in pairs { z = 1, a = 2, 3 } do order[#order + 1] = k end
      print(table.concat(order), next { y = 1, x = 2 })
      print(math.sin == impel.math.sin, require "math" == math, _G.pairs == pairs)
      print(load(string.dump(function() end)))
      print(load("return pairs == ...")(pairs), pcall(load("return x", "=x", "t", { x = 5 })))
      print(pcall(math.randomseed, 1))
      print(pcall(os.exit, 0))
      print(math.random(1000000))
    ]])
    local scene = assert(parse(text, { print = function(...)
      local words = table.pack(...)
      for i = 1, words.n do words[i] = tostring(words[i]) end
      printed[#printed + 1] = table.concat(words, " ")
    end }))
    assert(scene:setup(scene:values(), 11))
    assert.equal("1az x 2", printed[1])
    assert.equal("true true true", printed[2])
    assert.truthy(printed[3]:find("binary chunk", 1, true))
    assert.equal("true true 5", printed[4])
    assert.truthy(printed[5]:find("the seed of a scene is set by --seed N", 1, true))
    assert.truthy(printed[6]:find("false", 1, true))
    assert.equal(tostring(impel.rng.new(11):random(1000000)), printed[7])
  end)

  it("is read once, when it is loaded, including fields from __index", function()
    local scene = assert(parse([[
      local base = { title = "base", setup = function() return {} end }
      local scene = setmetatable({ duration = 2 }, { __index = base })
      base.check = function() scene.title, scene.duration = 3, "late" end
      return scene]]))
    scene.definition.check()
    assert.equal("base", scene.definition.title)
    assert.equal(2, scene.definition.duration)
  end)

  it("draws random numbers from the world once it exists", function()
    local scene = assert(parse([[
      local impel = require 'impel'
      return {
        setup = function(_, seed) return { world = impel.world { seed = seed } } end,
        measure = function() return { x = math.random() } end,
      }]]))
    local state = assert(scene:setup(scene:values(), 4))
    local other <close> = impel.world { seed = 4 }
    assert.equal(other:random(), scene.definition.measure().x)
    assert.equal(other:random(), state.world:random())
  end)

  it("shares its globals with the modules that it requires, and loads each module once", function()
    local dir = os.tmpname()
    os.remove(dir)
    assert(os.execute("mkdir " .. dir))
    local function write(name, text)
      local file = assert(io.open(dir .. "/" .. name, "w"))
      file:write(text)
      file:close()
    end
    write("part.lua", "return { pairs = pairs, name = ..., globals = _G }")
    write("main.lua", [[
      local part = require "part"
      assert(part == require "part" and part.pairs == pairs and part.name == "part" and part.globals == _G)
      assert(not pcall(require, "no_such_module"))
      return { setup = function() return {} end }]])
    local scene, message = impel.scene.load(dir .. "/main.lua")
    os.execute("rm -r " .. dir)
    assert.is_nil(message)
    assert.equal("main", scene.name)
    assert.is_nil(package.loaded.part)
  end)

  it("accepts a byte order mark and then a first line that starts with #", function()
    assert(parse("\xEF\xBB\xBF#!/usr/bin/env impel\nreturn { setup = function() end }"))
  end)

  it("gives nil and a message for an unreadable file", function()
    local scene, message = impel.scene.load("/nonexistent.lua")
    assert.is_nil(scene)
    assert.truthy(message:find("cannot read scene /nonexistent.lua", 1, true))
  end)
end)
