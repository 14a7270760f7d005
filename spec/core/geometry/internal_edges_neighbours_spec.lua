-- Which neighbours hide the corner of a tile.
local impel = require "impel"

-- A box stands on one corner, its tip. tip_at returns the position of the box for a tip at (x, y).
local turn = math.pi / 4 + 0.1

local function tip_at(x, y)
  local c, s = math.cos(turn), math.sin(turn)
  return { x + 0.5 * (c - s), y + 0.5 * (c + s) }
end

-- A tile left of x = 0, and a box whose tip is 1 mm below the tile's top and 0.5 mm right of the tile's corner. Without
-- a neighbour the corner touches the side of the box; beside a neighbour of equal height only the tile's top can touch.
local function scene(o)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local ground = world:body { type = o.kind or "static" }
  local tile = { 1, 1, center = { -0.5, -0.5 } }
  for key, value in pairs(o.tile or {}) do tile[key] = value end
  local left = ground:box(tile)
  if o.more then ground:box { 0.2, 0.2, center = { -0.3, -0.1 } } end -- a second tile of the same body
  local body = world:body { position = tip_at(5e-4, -1e-3), angle = turn }
  local mine = { 1, 1, category = 4 }
  for key, value in pairs(o.box or {}) do mine[key] = value end
  body:box(mine)
  return world, ground, left, body
end

local function add_neighbour(body, options, x, y)
  local tile = { 1, 1, center = { x or 0.5, y or -0.5 } }
  for key, value in pairs(options or {}) do tile[key] = value end
  return body:box(tile)
end

-- Make one more step and return whether the neighbour hides the corner.
local function is_hidden(world, left, body)
  world:step()
  for contact in body:contacts() do
    if contact.shape_a == left then
      local nx, ny = contact:normal()
      assert.near(1, nx * nx + ny * ny, 1e-12)
      if math.abs(nx) < 1e-9 then return true end -- the normal of the tile's top, up to rounding
      assert.near(math.cos(turn), nx, 1e-2) -- the normal of the box's side; the box may have turned a little
      return false
    end
  end
  error "the tile does not touch"
end

local function hides(o)
  local world, ground, left, body = scene(o)
  add_neighbour(o.other and world:body { type = o.kind or "static" } or ground, o.neighbour)
  return is_hidden(world, left, body)
end

describe("a corner beside a box that does not move", function()
  it("is hidden by a new tile, and exposed again if the tile is destroyed", function()
    for _, other in ipairs { false, true } do
      local world, ground, left, body = scene {}
      local owner = other and world:body { type = "static" } or ground
      assert.is_false(is_hidden(world, left, body))
      local right = add_neighbour(owner)
      assert.is_true(is_hidden(world, left, body))
      right:destroy()
      assert.is_false(is_hidden(world, left, body))
    end
  end)
  it("is hidden by a body of tiles that is teleported there, and exposed if it is teleported away", function()
    local world, _, left, body = scene {}
    local wall = world:body { type = "static", position = { 30, 0 } }
    add_neighbour(wall)
    assert.is_false(is_hidden(world, left, body))
    wall:set_position(0, 0)
    assert.is_true(is_hidden(world, left, body))
    wall:set_position(0, -10)
    assert.is_false(is_hidden(world, left, body))
  end)
  it("is exposed if the tile beside it becomes one-way", function()
    local world, ground, left, body = scene {}
    local right = add_neighbour(ground)
    assert.is_true(is_hidden(world, left, body))
    right:set_one_way(0, 1)
    assert.is_false(is_hidden(world, left, body))
    right:set_one_way(0, 0)
    assert.is_true(is_hidden(world, left, body))
  end)
  it("is exposed if the tile beside it no longer collides with the body, or gets a callback", function()
    for _, kind in ipairs { "static", "other", "kinematic" } do
      local other = kind == "other"
      local world, ground, left, body = scene { kind = other and "static" or kind, box = { mask = 1, group = -1 } }
      local owner = other and world:body { type = "static" } or ground
      local right = add_neighbour(owner)
      local function changed(how, change, undo)
        assert.is_true(is_hidden(world, left, body), how)
        change()
        assert.is_false(is_hidden(world, left, body), how)
        undo()
        assert.is_true(is_hidden(world, left, body), how .. " undone")
      end
      changed("category", function() right.category = 2 end, function() right.category = 1 end)
      changed("group", function() right.group = -1 end, function() right.group = 0 end)
      changed("pre_solve", function() right.pre_solve = true end, function() right.pre_solve = false end)
      changed("sensor", function() right.sensor = true end, function() right.sensor = false end)
      local function refuse() return false end
      changed("filter", function() right.filter = refuse end, function() right.filter = nil end)
      if other then
        local joint
        changed("joint", function() joint = world:revolute(owner, body, {}) end, function() joint:destroy() end)
      end
    end
  end)
end)

describe("a flush tile hides a corner", function()
  it("if both tiles belong to one body or to two static bodies, not to two kinematic bodies", function()
    assert.is_true(hides {})
    assert.is_true(hides { other = true })
    assert.is_true(hides { kind = "kinematic" })
    assert.is_false(hides { kind = "kinematic", other = true, more = true })
  end)
  it("if the body collides with the tile, so not if sensor, category, group, filter or a joint prevents it", function()
    assert.is_false(hides { neighbour = { sensor = true } })
    assert.is_false(hides { neighbour = { category = 2 }, box = { mask = 1 } })
    assert.is_false(hides { neighbour = { mask = 2 } })
    assert.is_false(hides { neighbour = { group = -3 }, box = { group = -3 } })
    assert.is_true(hides { neighbour = { group = 3 }, box = { group = 3 } })
    assert.is_false(hides { neighbour = { filter = function() return false end } })
    assert.is_true(hides { neighbour = { filter = function() return true end } })
    local world, _, left, body = scene {}
    local other = world:body { type = "static" }
    add_neighbour(other)
    local joint = world:revolute(other, body, {})
    assert.is_false(is_hidden(world, left, body))
    joint:destroy()
    assert.is_true(is_hidden(world, left, body))
  end)
  it("if both tiles or neither have a callback", function()
    assert.is_false(hides { neighbour = { pre_solve = true } })
    assert.is_false(hides { tile = { pre_solve = true } })
    assert.is_true(hides { neighbour = { pre_solve = true }, tile = { pre_solve = true } })
  end)
  it("if both tiles have the same one-way direction in the world, at any angle of their bodies", function()
    local up = { one_way = { 0, 1 } }
    assert.is_false(hides { neighbour = up })
    assert.is_true(hides { neighbour = up, tile = up })
    for _, o in ipairs { { turn = math.pi, ny = -1, hidden = true }, { turn = math.pi, ny = 1, hidden = false } } do
      local world, _, left, body = scene { tile = up }
      local other = world:body { type = "static", position = { 0.5, -0.5 }, angle = o.turn }
      add_neighbour(other, { one_way = { 0, o.ny } }, 0, 0)
      assert.equal(o.hidden, is_hidden(world, left, body))
    end
  end)
  it("if the radii of both tiles differ by less than 1 mm", function()
    local r = 2e-3
    local c, sn = math.cos(turn), math.sin(turn)
    for other, hidden in pairs { [r] = true, [2 * r] = false, [0] = false, [1.2 * r] = true, [0.8 * r] = true } do
      local world = impel.world { gravity = { 0, 0 }, sleep = false }
      local ground = world:body { type = "static" }
      local left = ground:box { 1, 1, center = { -0.5, -0.5 }, radius = r }
      add_neighbour(ground, { radius = other })
      -- A side of the box overlaps the tile's rounded corner by 1 mm, at 0.5 mm from the tip of the box.
      local depth, beside = r - 1e-3, 5e-4
      local body = world:body { position = tip_at(c * depth + sn * beside, sn * depth - c * beside), angle = turn }
      body:box { 1, 1 }
      assert.equal(hidden, is_hidden(world, left, body), ("%g beside %g"):format(other, r))
    end
  end)
end)
