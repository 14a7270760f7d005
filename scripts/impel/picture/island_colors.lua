-- Colours of islands. An island keeps its colour as long as its first body is the same. A new island gets the colour
-- that the fewest islands have.

local islands = {}
local Colors = {}
Colors.__index = Colors

-- Colours of different hue. An area of each colour contrasts with dark edges and with a light background.
islands.palette = {
  0x56b4e9ff, 0xe69f00ff, 0x2fae86ff, 0xcc79a7ff, 0xd9c822ff,
  0xe5704aff, 0x8f8fe0ff, 0x8fbf4dff, 0x4fc3c7ff, 0xb58a63ff,
}

local PALE = 0.6 -- fraction of white in the colours of sleeping bodies

function islands.new()
  return setmetatable({ known = {} }, Colors)
end

-- Mix a colour with white.
local function pale(color)
  local mixed = 0xff
  for shift = 8, 24, 8 do
    local part = color >> shift & 0xff
    mixed = mixed | math.floor(part + PALE * (255 - part)) << shift
  end
  return mixed
end

local pales = {}
for i, color in ipairs(islands.palette) do pales[i] = pale(color) end

-- Return, for each colour, the number of islands that had this colour in the previous picture.
local function used(self, list)
  local counts = {}
  for i = 1, #islands.palette do counts[i] = 0 end
  for _, bodies in ipairs(list) do
    local color = self.known[bodies[1].id]
    if color then counts[color] = counts[color] + 1 end
  end
  return counts
end

local function rarest(counts)
  local best = 1
  for i = 2, #counts do
    if counts[i] < counts[best] then best = i end
  end
  return best
end

--- Return the colours by body id, and the number of islands.
function Colors:of(world)
  local list, colors = world:islands(), {}
  local counts = used(self, list)
  for _, bodies in ipairs(list) do
    local first = bodies[1].id
    local index = self.known[first]
    if not index then
      index = rarest(counts)
      self.known[first], counts[index] = index, counts[index] + 1
    end
    for _, body in ipairs(bodies) do
      colors[body.id] = (body.awake and islands.palette or pales)[index]
    end
  end
  return colors, #list
end

return islands
