-- Check that a number is within a tolerance of the expected one:
--
--   local near = require "support.near"
--   near(0.5, joint.value, 1e-9, "angle")

return function(expected, got, tolerance, what)
  if math.abs(expected - got) <= tolerance then return end
  error(("%s: expected %.17g, got %.17g"):format(what or "near", expected, got), 2)
end
