-- Test functions with a known minimum, 0 at the origin, for the specs of searches.

local function filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

local function sphere(x)
  local sum = 0
  for _, v in ipairs(x) do sum = sum + v * v end
  return sum
end

local function rastrigin(x)
  local sum = 10 * #x
  for _, v in ipairs(x) do sum = sum + v * v - 10 * math.cos(2 * math.pi * v) end
  return sum
end

return { filled = filled, sphere = sphere, rastrigin = rastrigin }
