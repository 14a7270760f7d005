-- Readers of files and of standard input: work is linear in the number of bytes, limits of nesting, JSON. Work is
-- counted, not timed.
local impel = require "impel"
local compiler = require "impel.base.compiler"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local source = require "impel.data.text"
local rows = require "impel.batch.sweep_rows"
local system = require "impel.system"

local program = require "support.program"
local readers = require "support.readers"
local work = require "support.work"

local SIZE = 256       -- length of the shorter text [B]; the longer text has four times this length
local GROWTH = 1.1 -- limit of (work per byte of the longer text) / (of the shorter text); tables grow by doubling
local START = 20000    -- allowed number of instructions, and of bytes of memory, that do not depend on the text
-- Allowance for an error message that only the longer text causes: additional instructions, or bytes of memory, per
-- byte of text.
local PASS = 100
local MOST = 20000000  -- largest number of Lua instructions for reading a text of SIZE bytes

-- If Lua's parser overflows, the column in its error depends on the depth of the caller.
local function without_column(text) return (text:gsub("column %d+: brackets", "column: brackets")) end

local function check(reader, kind, size)
  for number, frame in ipairs(reader.frames) do
    local what = ("%s: %s between frame %d"):format(reader.name, kind, number)
    local short = frame[1] .. work.bytes[kind](size) .. frame[2]
    local long = frame[1] .. work.bytes[kind](4 * size) .. frame[2]
    local spent, ok, told = work.of(MOST, reader.read, short)
    assert.is_false(spent.over, what)
    assert.is_true(ok, ("%s: %s"):format(what, told))
    -- Counting does not change the result.
    assert.equal(without_column(reader.read(short)), without_column(told), what)
    local times, beside = GROWTH * #long / #short, START + PASS * #long
    if reader.recompiles then beside = START + reader.most * #long end
    local more, is_fine, why = work.of(times * spent.instructions + beside, reader.read, long)
    assert.is_false(more.over, ("%s: more than %.1f times %d instructions"):format(what, times, spent.instructions))
    assert.is_true(is_fine, ("%s: %s"):format(what, why))
    assert.is_true(more.bytes <= times * spent.bytes + beside,
      ("%s: %d bytes of memory, then %d"):format(what, spent.bytes, more.bytes))
  end
end

describe("the readers", function()
  after_each(program.clean)

  for _, reader in ipairs(readers) do
    it(("take linear time for %s"):format(reader.name), function()
      for _, kind in ipairs(work.kinds) do check(reader, kind, SIZE) end
    end)
  end

  it("take linear time for many elements", function()
    local many = { "a wide table", "numbered lines", "numbered objects", "numbered tables", "numbered names" }
    for _, reader in ipairs(readers) do
      if not reader.name:find "^plot" then
        for _, kind in ipairs(many) do check(reader, kind, 1024) end
      end
    end
  end)

  it("show work that grows faster than linearly in the count", function()
    local function spent(f, n) return work.of(1e8, f, ("x"):rep(n)) end
    for _, f in ipairs {
      function(text) return text:match "([^\n]*)\n" end,
      function(text) return text:gsub("x+$y", "") end,
      function(text)
        while #text > 0 do text = text:sub(2) end
      end,
      function(text)
        for at = 1, #text do text:find("\n", at, true) end
      end,
      function(text)
        local list = {}
        for at = 1, #text do table.insert(list, 1, at) end
      end,
    } do
      local short, long = spent(f, SIZE), spent(f, 4 * SIZE)
      local beside = START + PASS * 4 * SIZE
      assert.is_true(long.instructions > 4 * GROWTH * short.instructions + beside
        or long.bytes > 4 * GROWTH * short.bytes + beside)
    end
  end)

  it("refuse deep nesting with the place and the limit", function()
    local none, message = json.decode("[\n" .. ("["):rep(200))
    assert.is_nil(none)
    assert.equal("line 2, column 100: arrays and objects are nested deeper than 100", message)
    assert(json.decode(("["):rep(100) .. ("]"):rep(100)))
    none, message = json.decode(('{"":'):rep(50000) .. "{}" .. ("}"):rep(50000))
    assert.is_nil(none)
    assert.equal("line 1, column 401: arrays and objects are nested deeper than 100", message)
    none, message = impel.trace.parse('{"x":1}\n{"x":' .. ("["):rep(1e5) .. "\n", "jsonl")
    assert.is_nil(none)
    assert.equal("line 2, column 105: arrays and objects are nested deeper than 100", message)
    for _, piece in ipairs { "{", "(", "- ", "1 .. ", "2 ^ " } do
      none, message = compiler.load("return\n" .. (piece):rep(1e4), "@deep.lua", {})
      assert.is_nil(none)
      local column = message:match "^deep.lua:2: column (%d+): brackets, operators and blocks are nested "
      assert.is_true(tonumber(column) <= 205 * #piece, message)
    end
  end)

  it("end if Lua's compiler takes too long", function()
    local chain = "return a" .. (" or a"):rep(1000)
    assert(compiler.load(chain, "@chain.lua", {}))
    local none, message = compiler.load(chain, "@chain.lua", {}, -1)
    assert.is_nil(none)
    assert.truthy(message:find("chain.lua:1: compiling up to this line took over -1 s", 1, true), message)
  end)

  it("quote the beginning of long words", function()
    local long = ("x"):rep(1e5)
    local texts = {
      { impel.trace.parse, "t\n" .. long .. '"\n', "csv" }, { impel.trace.parse, '{"' .. long .. '":[]}\n', "jsonl" },
      { impel.trace.parse, ("%s,%s\n"):format(long, long), "csv" }, { impel.trace.parse, long .. "\n", "jsonl" },
      { json.decode, long }, { impel.scene.parse, "return " .. ("7"):rep(1e5) .. "x", "=a scene" },
    }
    for _, call in ipairs(texts) do
      local none, message = call[1](call[2], call[3])
      assert.is_nil(none)
      assert.is_true(#message < 300, #message)
    end
    assert.is_nil(nearest.find(long, { long .. "y" }))
  end)

  it("do no work for missing runs when rows are merged", function()
    local read_file = system.read_file
    local spent, ok, text, gaps = work.of(100000, function()
      system.read_file = function() return "run,seed\n3,1\n1000000000,1\n5,1\n" end
      return rows.merge { "a file" }
    end)
    system.read_file = read_file
    assert.is_false(spent.over)
    assert.is_true(ok)
    assert.equal("run,seed\n3,1\n5,1\n1000000000,1\n", text)
    assert.equal("1..2, 4, 6..999999999", gaps)
  end)

  it("refuse numeric keys that collide in Lua's hash", function()
    local keys = {}
    for i = 1, 65535 do keys[i] = ("[%d]=1"):format(i * 65535) end
    local none, message = source.decode("return {\n" .. table.concat(keys, ",\n") .. "}", "data.lua")
    assert.is_nil(none)
    assert.equal("data.lua:10002: a table has more than 10000 numeric keys in brackets", message)
    local map = {}
    for i = 1, 10001 do map[2 * i] = i end
    assert.error_matches(function() impel.data.text { data = map } end,
      "a table has 10001 numeric keys outside of its list")
    map[2] = nil
    assert.same({ data = map }, assert(source.decode(impel.data.text { data = map })))
    for i = 1, 20000 do keys[i] = ("{[%d]=1, ['a b']=2}"):format(i) end
    assert(source.decode("return {" .. table.concat(keys, ",", 1, 20000) .. "}"))
    local read_file = system.read_file
    system.read_file = function() return "run,seed\n1000000001,1\n" end
    none, message = rows.read "a file"
    system.read_file = read_file
    assert.is_nil(none)
    assert.equal("a file:2: not a row of a sweep", message)
  end)

  it("refuse lines of JSON whose names all collide in Lua's hash", function()
    local lines = {}
    for i = 1, 2000 do lines[i] = ('{"n%d":1}\n'):format(i) end
    local none, message = impel.trace.parse(table.concat(lines), "jsonl")
    assert.is_nil(none)
    assert.equal("2000 names in 2000 lines, but on average a line has only 1 of them: too few for columns", message)
    -- A measure that appears late or once is a column, too.
    lines[1] = '{"n":1,"once":2}\n'
    for i = 2, 2000 do lines[i] = '{"n":1}\n' end
    assert.equal(2000, assert(impel.trace.parse(table.concat(lines), "jsonl")).count)
  end)

  it("end the program with exit code 5 and a sentence for damaged files", function()
    for _, text in ipairs { ("x"):rep(1e5), '{"time":0,"e":' .. ("["):rep(1e5) .. "}\n1\n", ('"'):rep(1e5) } do
      for _, ending in ipairs { ".csv", ".jsonl" } do
        local code, _, err = program.run("plot " .. program.write(text, ending) .. " -o /dev/null.svg")
        assert.equal(5, code, err)
        assert.is_true(err:find "^impel: trace " ~= nil and #err < 300 and not err:find "traceback", err)
      end
    end
  end)

  it("end an incomplete chunk at a prompt after 1000 lines", function()
    local code, _, err = program.run("repl", "x = {\n" .. ("1,\n"):rep(5000))
    assert.truthy(code ~= 70 and err:find("more than 1000 lines or 131072 bytes, still incomplete", 1, true), err)
    local out
    code, out, err = program.run("repl", "x = {\n" .. ("1,\n"):rep(900) .. "}\n#x\n")
    assert.equal(0, code, err)
    assert.equal("900\n", out)
  end)
end)

describe("JSON", function()
  local function draw(g, depth)
    local kind = g:random(1, depth > 0 and 7 or 5)
    if kind == 1 then return true, "true" end
    if kind == 2 then return json.null, "null" end
    if kind <= 4 then
      local number = kind == 3 and g:random(-1000000, 1000000) or g:normal() * 10 ^ g:random(-30, 30)
      return number, json.number(number)
    end
    if kind == 5 then
      local words = {
        [""] = "", ["a b"] = "a b", ['\\"'] = '"', ["\\u00e9"] = "\u{E9}", ["\\ud83d\\ude00"] = "\u{1F600}",
        ["\\n\\t\\/"] = "\n\t/", ["[{"] = "[{",
      }
      local keys = nearest.keys(words)
      local word = keys[g:random(1, #keys)]
      return words[word], ('"%s"'):format(word)
    end
    local value, parts = kind == 6 and json.list {} or {}, {}
    for i = 1, g:random(0, 4) do
      local space = (" "):rep(g:random(0, 2)) .. ("\n"):rep(g:random(0, 1))
      local item, text = draw(g, depth - 1)
      value[kind == 6 and i or "k" .. i] = item
      parts[i] = space .. (kind == 7 and ('"k%d" :'):format(i) or "") .. space .. text .. space
    end
    return value, (kind == 6 and "[%s]" or "{%s}"):format(table.concat(parts, ","))
  end

  it("reads back as it was written", function()
    local g = impel.rng.new(11)
    for _ = 1, 2000 do
      local expected, text = draw(g, 4)
      local value, message = json.decode(text)
      assert.is_nil(message, text)
      assert.same(expected, value, text)
      assert.equal(getmetatable(expected), getmetatable(value))
      if type(value) == "table" then assert.same(value, (json.decode(json.encode(value)))) end
    end
  end)

  it("reports errors with their position", function()
    local wrong = {
      [""] = "1: no valid JSON value", ["{a:1}"] = "1, column 2: no valid", ["[\0]"] = "1, column 2: no valid",
      ["nan"] = "1, column 1: no valid", ['"a'] = "1, column 1: unterminated string",
      ["[1,\n\n 2,\n x]"] = "4, column 2: no valid",
      ["1\n2"] = "2, column 1: nothing expected after the value, got '2'",
      ["{1:2}"] = "1: a name must be a string in quotes", ["{null:1}"] = "1: a name", ['["a":1]'] = "1: a name",
      ["{1}"] = "1: a name", ['/* " */' .. ("["):rep(200)] = "1, column 108: arrays",
      ['"\\"" ' .. ("["):rep(200)] = "1, column 106: arrays",
      ['// "\n' .. ("["):rep(200)] = "2, column 101: arrays",
      [("]"):rep(200) .. ("["):rep(200)] = "1, column 301: arrays",
    }
    for text, expected in pairs(wrong) do
      local none, message = json.decode(text)
      assert.is_nil(none, text)
      assert.truthy(message:find("line " .. expected, 1, true), ("%q: %s"):format(text, message))
    end
  end)

  it("is written in linear work at any depth", function()
    local function spent(depth)
      local value = {}
      for i = 1, depth do value = { i % 10, value } end
      return (work.of(1e8, json.encode, value))
    end
    local short, long = spent(250), spent(1000)
    assert.is_true(long.instructions <= 4 * GROWTH * short.instructions + START)
    assert.is_true(long.bytes <= 4 * GROWTH * short.bytes + START)
  end)

  it("accepts null, integers and a byte order mark", function()
    assert.equal(json.null, json.decode "null")
    assert.equal("null", json.encode(json.null))
    assert.equal("integer", math.type(json.decode "9223372036854775807"))
    assert.equal(2.0 ^ 63, json.decode "9223372036854775808")
    assert.equal(1, json.decode "\xEF\xBB\xBF 1 \r\n\t")
    assert.is_true(json.is_object(json.decode "{}"))
    assert.is_false(json.is_object(json.decode "[]"))
    assert.is_false(json.is_object(json.decode "null"))
    assert.same({ a = 2 }, json.decode '{"a":1,"a":2}')
  end)
end)
