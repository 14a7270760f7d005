-- Helpers of the mechanics specs: near() compares a value and names it in failures; with IMPEL_SHOW=1 it prints the
-- value. both() adds a test with the solver soft and a test with si:
--   local measure = require "support.measure"
local show = os.getenv "IMPEL_SHOW"
local measure = {}

function measure.near(expected, got, tolerance, what)
  local off = math.abs(expected - got)
  if show then print(("%-62s %.10g, expected %.10g, off %.2g of %.2g"):format(what, got, expected, off, tolerance)) end
  if off <= tolerance then return end
  error(("%s: expected %.17g, got %.17g"):format(what, expected, got), 2)
end

-- Add a test for soft, which computes with floats, and for si, which computes with doubles. f gets the solver and its
-- relative tolerance for rounding.
function measure.both(it, name, f)
  it(name .. " (soft)", function() f("soft", 1e-5) end)
  it(name .. " (si)", function() f("si", 1e-9) end)
end

return measure
