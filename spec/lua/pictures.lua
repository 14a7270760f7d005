-- What the specs of pictures and windows share: golden pictures, and the module that may be missing.
--   local pictures = dofile "spec/lua/pictures.lua"
-- A picture that differs from its golden is written to build/golden, beside one that shows where: white pixels differ.
-- IMPEL_GOLDEN=1 writes the goldens anew; look at them before they are committed.
local pictures = {}

local program = dofile "spec/lua/program.lua"
require "impel"
local drawing = require "impel.drawing"

local found, window = pcall(require, "impel.window")
--- impel.window, or nil where it was not built.
pictures.window = found and window or nil
pictures.reason = "built without SDL2"

-- All styles alike: colours stand in the items.
local style = { fill = 0xffffffff, line = 0xffffffff, width = 1, dot = 3, text = 10, head = 8 }
pictures.palette = { background = 0x000000ff, styles = {} }
for _, name in ipairs(drawing.styles) do pictures.palette.styles[name] = style end

--- A camera whose units are pixels, y down, the origin in the left top corner.
function pictures.camera(width, height)
  return { x = width / 2, y = height / 2, ppm = 1, width_px = width, height_px = height, down = true, scale = 1 }
end

--- What `fill(drawing)` adds, in white on black; the red of each pixel: at(x, y) from 0, 0, and their sum.
function pictures.coverage(width, height, fill, palette)
  local d, s = drawing.new(), window.surface(width, height)
  fill(d)
  s:clear(0x000000ff):paint(d, pictures.camera(width, height), palette or pictures.palette)
  local pixels, sum = s:pixels(), 0
  s:close()
  for i = 1, #pixels, 4 do sum = sum + pixels:byte(i) end
  return function(x, y) return pixels:byte(4 * (y * width + x) + 1) end, sum / 255
end

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

-- White where two pictures of the same size differ.
local function difference(width, height, a, b)
  local d, count, s = drawing.new(), 0, window.surface(width, height)
  for i = 1, #a, 4 do
    if a:sub(i, i + 3) ~= b:sub(i, i + 3) then
      local place = i // 4
      local x, y = place % width, place // width
      d:fill("scene", nil, 0, { x, y, x + 1, y, x + 1, y + 1, x, y + 1 })
      count = count + 1
    end
  end
  s:clear(0x000000ff):paint(d, pictures.camera(width, height), pictures.palette)
  return count, s
end

--- The surface has exactly the pixels of spec/golden/window/NAME.png.
---@return boolean
---@return string|nil message
function pictures.matches(surface, name)
  local golden, own = "spec/golden/window/" .. name .. ".png", "build/golden/" .. name .. ".png"
  if os.getenv("IMPEL_GOLDEN") then write(golden, surface:png()) end
  local width, height, pixels = assert(window.decode_png(program.read(golden)))
  local w, h = surface:size()
  if w ~= width or h ~= height then
    return false, ("%s is %d x %d, expected %d x %d"):format(name, w, h, width, height)
  end
  if pixels == surface:pixels() then return true end
  os.execute("mkdir -p build/golden")
  local count, where = difference(width, height, pixels, surface:pixels())
  write(own, surface:png())
  write(own:gsub("%.png$", "_differs.png"), where:png())
  return false, ("%d pixels differ from %s: see %s and %s"):format(count, golden, own,
    (own:gsub("%.png$", "_differs.png")))
end

return pictures
