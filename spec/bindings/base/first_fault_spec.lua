-- A table with several faults gives the same fault in every run.
local program = require "support.program"

after_each(program.clean)

local function fails(text, message, arguments)
  local code, out, err = program.run(("run %s %s"):format(program.write(text), arguments or "--steps 2"))
  assert.equal(3, code, err)
  assert.equal("", out)
  assert.truthy(err:find(message, 1, true), err)
end

local function trace() return "--steps 1 --trace " .. program.temporary ".csv" end

describe("the first of several errors is reported", function()
  it("in a scene and its fields", function()
    for _ = 1, 4 do
      fails("return { zeta = 1, alpha = 1, mid = 1, [{}] = 1 }", "bad field 'a table' in scene")
      fails("return { zeta = 1, alpha = 1, mid = 1 }", "bad field 'alpha' in scene")
      fails("return { setup = print, view = { c = 1, a = 1, b = 1 } }", "bad field 'a' in scene.view")
      fails("return { setup = print, params = { n = { 1, c = 1, a = 1, b = 1 } } }", "bad field 'a' in params.n")
      fails("return { setup = print, params = { c = {}, a = {}, b = {} } }", "params.a: a number or boolean")
      fails("return { setup = print, params = { c = 1, [{}] = 1, [2] = 1 } }", "names expected, got the key 2")
      fails("return { setup = print, units = { c = 1, a = 1, b = 1 } }", "expected, got a = number")
      fails("return { setup = print, checks = { c = 1, a = 1, b = 1 } }", "expected, got a = number")
    end
  end)

  it("in measures", function()
    local scene = [[
      local impel = require "impel"
      return { setup = function() return { world = impel.world {} } end, measure = function() return %s end }]]
    for _ = 1, 4 do
      fails(scene:format "{ c = {}, a = {}, b = {} }", "column 'a': number or boolean expected, got table", trace())
      fails(scene:format "{ c = {}, a = 1, [{}] = 1 }", "the name of a measure must be a string, got a table", trace())
    end
  end)

  it("in columns that the first row of a trace lacks, and in poses", function()
    local recorder, blend = require "impel.recorder", require "impel.blend"
    local rows = assert(recorder.open(program.temporary ".csv"))
    rows:row(0, { x = 1 })
    local ok, message = pcall(rows.row, rows, 1, { x = {}, c = 1, a = 1, b = 1 })
    assert.truthy(not ok and message:find("column 'a' was not in the first row", 1, true), message)
    rows:close()
    ok, message = pcall(blend.mix, { c = {}, x = 1, a = {}, b = {} }, {}, 0.5)
    assert.truthy(not ok and message:find("'a' must be a number in both tables", 1, true), message)
  end)
end)
