-- Numbers with their first and second derivatives with respect to one variable. Arithmetic on x = jet.variable(x0) also
-- computes the derivatives.
local jet = {}
local Jet = {}

local function new(v, d, dd) return setmetatable({ v = v, d = d, dd = dd }, Jet) end
local function lift(x) return type(x) == "number" and new(x, 0, 0) or x end

-- Return g(a) by the chain rule. f, f1 and f2: values g(a.v), g'(a.v) and g''(a.v).
local function chain(a, f, f1, f2) return new(f, f1 * a.d, f1 * a.dd + f2 * a.d ^ 2) end

function Jet.__add(a, b)
  a, b = lift(a), lift(b)
  return new(a.v + b.v, a.d + b.d, a.dd + b.dd)
end

function Jet.__unm(a) return new(-a.v, -a.d, -a.dd) end
function Jet.__sub(a, b) return a + -b end

function Jet.__mul(a, b)
  a, b = lift(a), lift(b)
  return new(a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd)
end

function Jet.__div(a, b)
  b = lift(b)
  return a * chain(b, 1 / b.v, -1 / b.v ^ 2, 2 / b.v ^ 3)
end

--- Return the variable of differentiation at the value x: its derivative is 1, its second derivative 0.
function jet.variable(x) return new(x, 1, 0) end

function jet.sin(a) return chain(a, math.sin(a.v), math.cos(a.v), -math.sin(a.v)) end
function jet.cos(a) return chain(a, math.cos(a.v), -math.sin(a.v), -math.cos(a.v)) end

function jet.sqrt(a)
  local root = math.sqrt(a.v)
  return chain(a, root, 0.5 / root, -0.25 / root ^ 3)
end

--- Return the angle of (x, y). Its derivative is (x y' - y x') / (x^2 + y^2).
function jet.angle(y, x)
  local size, turn = x.v ^ 2 + y.v ^ 2, x.v * y.d - y.v * x.d
  local growth = 2 * (x.v * x.d + y.v * y.d)
  return new(math.atan(y.v, x.v), turn / size, (x.v * y.dd - y.v * x.dd) / size - turn * growth / size ^ 2)
end

return jet
