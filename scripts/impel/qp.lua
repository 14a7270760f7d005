-- impel.qp: small dense quadratic programs.
--
--   minimise    1/2 x'H x + g'x
--   subject to  lower <= A x <= upper,  x_lower <= x <= x_upper
--
--   local qp = impel.qp.new(2, 1)
--   local x, message = qp:solve {
--     H = { 2, 0, 0, 2 }, g = { -6, -4 },
--     A = { 1, 1 }, upper = { 3 }, x_upper = { 1.5, math.huge },
--   }
--
-- Matrices are flat lists, row by row. H must be positive definite; `regularise` is added to its diagonal.
--   source: Goldfarb and Idnani, "A Numerically Stable Dual Method for Solving Strictly Convex Quadratic Programs"
--   (1983)

local core = require "impel.core"
local arguments = require "impel.base.arguments"

local qp = {}

--- Make a solver for programs of one size.
---@param n integer     number of variables, 1..1000
---@param m integer|nil rows of A, 0..10000; default 0
---@return impel.qp
function qp.new(n, m)
  arguments.check("impel.qp.new: argument 'n'", n, { "integer", min = 1, max = 1000 })
  arguments.check("impel.qp.new: argument 'm'", m or 0, { "integer", min = 0, max = 10000 })
  return core.qp(n, m or 0)
end

--- Solve a program, whose size follows from its tables.
---@param program table  H, g, A, lower, upper, x_lower, x_upper, regularise, max_iterations
---@return number[]|nil x  nil if the bounds are infeasible or H is not positive definite
---@return impel.qp|string solver  the solver, with residual, iterations, multipliers; or a message
function qp.solve(program)
  arguments.check("impel.qp.solve: argument 'program'", program, { "table" })
  local H = arguments.check("impel.qp.solve: field 'H'", program.H, { "table" })
  local n = math.floor(math.sqrt(#H) + 0.5)
  if n * n ~= #H or n == 0 then
    arguments.fail("impel.qp.solve: field 'H' must hold n * n numbers, row by row, got %d numbers", #H)
  end
  local solver = qp.new(n, type(program.A) == "table" and #program.A // n or 0)
  local x, message = solver:solve(program)
  return x, x and solver or message
end

return setmetatable(qp, { __call = function(_, ...) return qp.new(...) end })
