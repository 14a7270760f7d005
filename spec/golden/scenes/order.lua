-- Features of scripts that must behave the same on every machine: the order of pairs and next for any keys,
-- math.random, text of numbers and objects, math, sort. All results become forces, so that the hash shows a difference.
local impel = require "impel"

local scene = { title = "Order", duration = 20 }

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  world:body({ type = "static", name = "floor" }):box { 40, 1, center = { 0, -0.5 } }
  local s = { world = world, by_name = {}, by_body = {} }
  for _, name in ipairs { "oslo", "lima", "rome", "cairo", "delhi", "quito", "accra", "tunis", "hanoi", "minsk" } do
    local body = world:body { name = name, position = { 20 * math.random() - 10, 1 + 3 * math.random() } }
    body:circle { radius = 0.3 }
    s.by_name[name], s.by_body[body] = body, #name
  end
  world:on("begin_contact", function(e) s.last = tostring(e.body_b) .. ("%.17g"):format(e.speed) end)
  return s
end

-- Return a number in [-1, 1) computed from a text.
local function of_text(text)
  local sum = 7
  for i = 1, #text do sum = (sum * 31 + text:byte(i)) % 65536 end
  return sum / 32768 - 1
end

function scene.update(s)
  local sum = 0
  for name, body in pairs(s.by_name) do -- the order decides the force on each body
    sum = (sum * 0.7 + of_text(name)) % 3
    body:apply_force(sum - 1 + math.sin(s.world.time * sum), 2 * math.random())
  end
  for body, weight in pairs(s.by_body) do
    sum = (sum * 0.9 + weight + of_text(tostring(body))) % 5
    body:apply_torque(0.1 * sum)
  end
  local first = next(s.by_name)
  s.by_name[first]:apply_force(of_text(s.last or first) + math.exp(-sum) + math.log(1 + sum), 0)
  local names = {}
  for name in pairs(s.by_name) do names[#names + 1] = name end
  table.sort(names, function(a, b) return of_text(a .. s.world.tick) < of_text(b .. s.world.tick) end)
  s.by_name[names[1]]:apply_impulse(0, 0.05 * math.random(3))
end

return scene
