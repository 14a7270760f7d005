-- impel.arguments: strict options of Lua modules, and their errors.

local arguments = require "impel.base.arguments"

local function message_of(...)
  local ok, message = pcall(arguments.read, ...)
  assert(not ok)
  return message
end

describe("options", function()
  it("have defaults, and optional ones may be omitted", function()
    local fields = { kp = { "number", default = 2 }, on = { "function", optional = true } }
    assert.same({ kp = 2 }, arguments.read("it", nil, fields))
    assert.same({ kp = 3, on = print }, arguments.read("it", { kp = 3, on = print }, fields))
  end)

  it("that are required and missing are named in the error, with the allowed kind", function()
    for _, case in ipairs {
      { { "number", min = 0, unit = "N" }, "it needs the field 'x', a finite number >= 0 [N]" },
      { { "choice", "a", "b" }, "it needs the field 'x', one of 'a', 'b'" },
      { { "any", what = "a number or { name = number }" }, "it needs the field 'x', a number or { name = number }" },
      { { "any" }, "it needs the field 'x'" }, -- a field of any type: no type is named
    } do
      assert.equal(case[2], message_of("it", {}, { x = case[1] }):match "it needs.*")
    end
  end)

  it("of a wrong kind are refused with the given value; `what` replaces the description of the allowed kind", function()
    assert.equal("it: field 'x' must be an integer in [1, 9], got 2.5",
      message_of("it", { x = 2.5 }, { x = { "integer", min = 1, max = 9 } }):match "it:.*")
    assert.equal("it: field 'x' must be a body or a joint, got a table",
      message_of("it", { x = {} }, { x = { "body", what = "a body or a joint" } }):match "it:.*")
    assert.equal("bad field 'kpp' in it (did you mean 'kp'?)",
      message_of("it", { kpp = 1 }, { kp = { "number" } }):match "bad.*")
    assert.equal("bad field 1 in it", message_of("it", { 5 }, {}):match "bad.*")
  end)

  it("slightly out of range are printed with enough digits to differ from the bound", function()
    local function told(value, field)
      return message_of("it", { x = value }, { x = field }):match "it: field 'x' must be (.*)"
    end
    assert.equal("a finite number in [0.0001, 1], got 9.999999999999999e-05",
      told(0x1.a36e2eb1c432cp-14, { "number", min = 1e-4, max = 1.0 }))
    assert.equal("a finite number in [0, 1000001], got 1000001.0000000001",
      told(0x1.e848200000001p+19, { "number", min = 0, max = 1000001 }))
    assert.equal("a finite number <= 1e+16, got 10000000000000002", told(1e16 + 2, { "number", max = 1e16 }))
  end)
end)
