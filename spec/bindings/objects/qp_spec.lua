-- impel.qp: quadratic programs from Lua. Solutions reach Lua complete, wrong input is rejected, and calls make no
-- garbage.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local inf = math.huge

-- Minimize (x1 - 3)^2 + (x2 - 2)^2 - 13 where x1 + x2 <= 3, x1 <= 1.5. Minimum: (1.5, 1.5).
local function corner()
  return { H = { 2, 0, 0, 2 }, g = { -6, -4 }, A = { 1, 1 }, upper = { 3 }, x_upper = { 1.5, inf } }
end

describe("impel.qp", function()
  it("finds a corner computed by hand, with its multipliers", function()
    local qp = impel.qp.new(2, 1)
    assert.same({ 2, 1, "new" }, { qp.variables, qp.rows, qp.state })
    local x = qp:solve(corner())
    assert.near(1.5, x[1], 1e-15) -- rounding
    assert.near(1.5, x[2], 1e-15)
    local rows, bounds = qp:multipliers()
    assert.near(-1, rows[1], 1e-14)
    assert.near(-2, bounds[1], 1e-14)
    assert.equal(0, bounds[2])
    assert.near(-10.5, qp.value, 1e-14)
    assert.is_true(qp.residual < 1e-14 and qp.iterations == 2 and qp.state == "solved")
  end)

  it("reads matrices row by row", function()
    local qp = impel.qp(2, 1)
    local x = qp:solve { H = { 4, 1, 1, 2 }, g = { -1, -1 }, A = { 1, 2 }, lower = { 5 }, upper = { 5 } }
    -- x1 + 2 x2 = 5 and (4 x1 + x2 - 1) / 1 = (x1 + 2 x2 - 1) / 2
    assert.near(1 / 7, x[1], 1e-14) -- rounding
    assert.near(17 / 7, x[2], 1e-14)
  end)

  it("has a constructor, and a function that solves a single program", function()
    assert.equal("qp", getmetatable(impel.qp(1)))
    local x, solver = impel.qp.solve(corner())
    assert.near(1.5, x[2], 1e-15)
    assert.is_true(solver.residual < 1e-14)
    assert.same({ 0.5 }, (impel.qp.solve { H = { 2 }, g = { -1 } }))
  end)

  it("gives nil and the reason if no solution exists", function()
    local qp = impel.qp.new(1, 1)
    local x, message = qp:solve { H = { 1 }, A = { 1 }, lower = { 2 }, x_upper = { 1 } }
    assert.is_nil(x)
    assert.equal("infeasible: no x satisfies all bounds", message)
    assert.same({ "infeasible", inf }, { qp.state, qp.residual })
    raises("qp:multipliers: no program was solved yet", function() qp:multipliers() end)
    x, message = qp:solve { H = { 0 }, A = { 1 } }
    assert.is_nil(x)
    assert.truthy(message:find "not convex")
    assert.same({ 1 }, qp:solve { H = { 0 }, g = { -1 }, A = { 1 }, regularise = 1 })
    x, message = impel.qp.new(2):solve { H = { 1, 0, 0, 1 }, x_lower = { 1, 1 }, max_iterations = 1 }
    assert.is_nil(x)
    assert.truthy(message:find "stopped")
    assert.is_nil((impel.qp.solve { H = { 1 }, x_lower = { 1 }, x_upper = { 0 } }))
  end)

  it("reports overflow, and finds a distant minimum", function()
    local x, message = impel.qp.solve { H = { 1e-300 }, g = { 1e300 } }
    assert.is_nil(x)
    assert.equal("overflow: the solution is too large for floating point", message)
    assert.near(1e-8, impel.qp.solve({ H = { 1e308 }, g = { -1e300 } })[1], 1e-22) -- rounding
    local row, bound, wall = 0.48905101506101478, -0.16445675715109309, -0.33627730458871496
    -- x = wall is the only feasible point
    assert.near(wall, impel.qp.solve({ H = { 1 }, g = { 20777481.271116044 }, A = { row }, lower = { bound },
      upper = { bound }, x_upper = { wall } })[1], 1e-15)
  end)

  it("refuses invalid programs, at the caller's line", function()
    local qp = impel.qp.new(2, 1)
    local function with(field, value)
      local program = corner()
      program[field] = value
      return function() qp:solve(program) end
    end
    raises("qp:solve: field 'H' must be a table of 4 numbers, got 3", with("H", { 1, 2, 3 }))
    raises("qp:solve: field 'g' must be a table of 2 numbers, got 'x' (string)", with("g", "x"))
    raises("qp:solve: A[2] must be a finite number, got nan", with("A", { 1, 0 / 0 }))
    raises("qp:solve: H[4] must be a finite number, got inf", with("H", { 1, 0, 0, inf }))
    raises("qp:solve: upper[1] must be a number, got nan", with("upper", { 0 / 0 }))
    raises("qp:solve: g[1] must be a finite number, got '1' (string)", with("g", { "1", 2 }))
    raises("bad field 'x_uper' in qp:solve (did you mean 'x_upper'?)", with("x_uper", { 1, 1 }))
    raises("bad field [1] in qp:solve", with(1, 1))
    raises("field 'regularise' must be", with("regularise", -1))
    raises("field 'max_iterations' must be", with("max_iterations", 0.5))
    raises("field 'H' is missing", function() qp:solve { A = { 1, 1 } } end)
    raises("field 'A' is missing", function() qp:solve { H = { 1, 0, 0, 1 } } end)
    raises("argument 'x' must be a table, got 1", function() qp:solve(corner(), 1) end)
    raises("a table of options, got nil", function() qp:solve() end)
    raises("argument 'n' must be an integer in [1, 1000], got 0", function() impel.qp.new(0) end)
    raises("argument 'm' must be an integer in [0, 10000], got ", function() impel.qp(1, 0 / 0) end)
    raises("field 'g' must be a table of 1 numbers, got 2", function() impel.qp.solve { H = { 1 }, g = { 1, 2 } } end)
    raises("x_upper[1] must be a number, got nan", function() impel.qp.solve { H = { 1 }, x_upper = { 0 / 0 } } end)
    raises("field 'H' must hold n * n numbers", function() impel.qp.solve { H = { 1, 2 } } end)
    raises("integers n in [1, 1000]", function() require "impel.core".qp("1", 0) end)
    assert.near(1.5, qp:solve(corner())[1], 1e-15) -- the program still works after the errors
  end)

  it("makes no garbage if it writes into given tables", function()
    local qp, program, x, rows, bounds = impel.qp.new(2, 1), corner(), {}, {}, {}
    program.regularise, program.max_iterations = 1e-9, 50
    assert.equal(0, flat(function()
      program.g[1] = program.g[1] + 0.001
      if not rawequal(qp:solve(program, x), x) then error "another table" end
      qp:multipliers(rows, bounds)
    end))
  end)

  it("releases its memory when it is collected", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 10 do weak[impel.qp.new(100, 100)] = true end
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(weak))
  end)
end)
