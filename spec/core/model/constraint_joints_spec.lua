-- Every built-in joint against C(q): value, J and J'v.
local impel = require "impel"

local m = impel.math

-- Anchors and axis in body coordinates, used by the built-in joints and by the formulas C(q).
local A, B, U = { 0.31, -0.12 }, { -0.22, 0.41 }, { 0.6, 0.8 }
local REFERENCE = 0.17

local function along(a, b)
  local ax, ay = a:point(A[1], A[2])
  local bx, by = b:point(B[1], B[2])
  local ux, uy = a:vector(U[1], U[2])
  return ux * (bx - ax) + uy * (by - ay)
end

local function across(a, b)
  local ax, ay = a:point(A[1], A[2])
  local bx, by = b:point(B[1], B[2])
  local nx, ny = a:vector(-U[2], U[1])
  return nx * (bx - ax) + ny * (by - ay)
end

local function turned(a, b)
  return b.angle - a.angle - REFERENCE
end

local function planar(a, b)
  return along(a, b), across(a, b), turned(a, b)
end

local function length(ax, ay, bx, by)
  return m.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2)
end

local function distance(a, b)
  local ax, ay = a:point(A[1], A[2])
  return length(ax, ay, b:point(B[1], B[2]))
end

local frame = { local_anchor_a = A, local_anchor_b = B, local_axis = U, reference_angle = REFERENCE }

local function options(more)
  local all = { local_anchor_a = A, local_anchor_b = B }
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end

-- Return a copy of C for joints without the option local_axis: their axis is parallel to the world's x axis at
-- creation, when the first body has the angle 0.2.
local function level(C)
  return function(...)
    local axis = U
    U = { math.cos(-0.2), math.sin(-0.2) }
    local results = table.pack(C(...))
    U = axis
    return table.unpack(results, 1, results.n)
  end
end

-- For each kind of joint: `make` creates a joint, C computes its coordinates from its bodies. offset: the joint
-- measures from its pose at creation, so its values differ from C by a constant.
local kinds = {
  revolute = { C = level(planar), make = function(w, a, b)
    return w:revolute(a, b, options { reference_angle = REFERENCE })
  end },
  prismatic = { C = planar, make = function(w, a, b) return w:prismatic(a, b, frame) end },
  weld = { C = level(planar), make = function(w, a, b)
    return w:weld(a, b, options { reference_angle = REFERENCE })
  end },
  wheel = { C = planar, make = function(w, a, b) return w:wheel(a, b, frame) end },
  pin_slot = { C = planar, make = function(w, a, b) return w:pin_slot(a, b, frame) end },
  linear = { C = planar, make = function(w, a, b) return w:linear(a, b, frame) end },
  pose = { C = planar, make = function(w, a, b) return w:pose(a, b, frame) end },
  friction = {
    C = level(function(a, b)
      local x, y = planar(a, b)
      return x, y, b.angle - a.angle - (0.4 - 0.2) -- the angle is relative to the angle at creation
    end),
    make = function(w, a, b) return w:friction(a, b, options()) end,
  },
  distance = { C = distance, make = function(w, a, b) return w:distance(a, b, options()) end },
  rope = { C = distance, make = function(w, a, b) return w:rope(a, b, options { length = 9 }) end },
  ratchet = { C = turned, make = function(w, a, b)
    return w:ratchet(a, b, options { reference_angle = REFERENCE })
  end },
  pulley = {
    C = function(a, b)
      local ax, ay = a:point(A[1], A[2])
      return length(-1, 4, ax, ay) + 1.7 * length(2, 5, b:point(B[1], B[2]))
    end,
    offset = true,
    make = function(w, a, b)
      return w:pulley(a, b, options { ground_a = { -1, 4 }, ground_b = { 2, 5 }, ratio = 1.7 })
    end,
  },
  drag = {
    -- C depends on the pose of the ground body, because the joint's J has columns for the ground body.
    C = function(ground, b)
      local gx, gy = ground:point(0, 0)
      local bx, by = b:point(B[1], B[2])
      local ux, uy = ground:vector(1, 0)
      return ux * (bx - gx) + uy * (by - gy), -uy * (bx - gx) + ux * (by - gy)
    end,
    make = function(w, _, b) return w:drag(b, { local_anchor_b = B, target = { 3, -1 } }) end,
  },
  gear = {
    C = function(...)
      local a, b, c = ...
      return (b.angle - a.angle) - 2.5 * (c.angle - a.angle)
    end,
    offset = true,
    make = function(w, a, b, c)
      return w:gear { joint1 = w:revolute(a, b, {}), joint2 = w:revolute(a, c, {}), ratio = -2.5 }
    end,
  },
  rack = {
    C = function(a, b, c)
      return along(a, b) - 0.3 * (c.angle - a.angle)
    end,
    offset = true,
    make = function(w, a, b, c)
      return w:rack { joint1 = w:prismatic(a, b, frame), joint2 = w:revolute(a, c, {}), ratio = -0.3 }
    end,
  },
}

-- Tolerance for numbers near 1: far above the rounding of some tens of operations.
local TOLERANCE = 1e-10

local function near(expected, got, what)
  if math.abs(expected - got) <= TOLERANCE then return end
  error(("%s: built-in %.17g, constraint %.17g"):format(what, expected, got), 2)
end

local function body(world, x, y, angle)
  local it = world:body { position = { x, y }, angle = angle }
  it:box { 0.8, 0.5, center = { 0.2, 0.1 } }
  return it
end

describe("a joint as C(q)", function()
  local names = {}
  for name in pairs(kinds) do names[#names + 1] = name end
  table.sort(names)
  assert(#names >= 12)
  for _, name in ipairs(names) do
    it(name .. " has the value, J and J'v of the built-in joint at 100 random poses", function()
      local kind = kinds[name]
      local random = impel.rng.new(11)
      local function number(size) return size * (2 * random:random() - 1) end
      local world = impel.world { gravity = { 0, 0 } }
      local a, b, c = body(world, 0.3, -0.2, 0.2), body(world, 1.9, 0.6, 0.4), body(world, -0.8, 1.1, 0.1)
      local joint = kind.make(world, a, b, c)
      local bodies = { joint:bodies() }
      local arguments = { table.unpack(bodies) }
      arguments[#arguments + 1] = { C = kind.C }
      local constraint = world:constraint(table.unpack(arguments))
      local built_in = {}
      for coordinate in joint:coordinates() do built_in[#built_in + 1] = coordinate end
      local offsets = {}
      for i, coordinate in ipairs(built_in) do
        offsets[i] = kind.offset and coordinate.value - constraint:coordinate(i).value or 0
      end
      for _ = 1, 100 do
        for _, it_moves in ipairs { a, b, c } do
          it_moves.angle = number(7)
          it_moves:set_position(number(3), number(3))
          it_moves:set_velocity(number(2), number(2))
          it_moves.angular_velocity = number(2)
        end
        for i, coordinate in ipairs(built_in) do
          local ours = constraint:coordinate(i)
          near(coordinate.value, ours.value + offsets[i], coordinate.name .. " value")
          near(coordinate.speed, ours.speed, coordinate.name .. " speed")
          near(coordinate:curvature(), ours:curvature(), coordinate.name .. " curvature")
          near(coordinate.mass, ours.mass, coordinate.name .. " mass")
          local j, own = { coordinate:jacobian() }, { ours:jacobian() }
          assert.equal(#j, #own)
          for k = 1, #j do near(j[k], own[k], coordinate.name .. " J " .. k) end
        end
      end
    end)
  end

  it("covers every kind of joint of the engine", function()
    for _, entry in ipairs(impel.api().world) do
      if entry.signature and entry.signature:find "%-> joint" and entry.name ~= "constraint" then
        assert.truthy(kinds[entry.name], entry.name)
      end
    end
  end)
end)
