-- Helpers of the specs of pictures and windows: golden pictures, and impel.window, which may be missing.
--   local pictures = require "support.pictures"
-- A picture that differs from its golden file is written to build/golden. A second picture there shows the differing
-- pixels in white.
-- IMPEL_GOLDEN=1 writes the golden files: look at them before you commit them.
local pictures = {}

local program = require "support.program"
require "impel"
local drawing = require "impel.drawing"

local found, window = pcall(require, "impel.window")
--- impel.window, or nil if it was not built.
pictures.window = found and window or nil
pictures.reason = "built without SDL2"

local function palette_of(background, default, styles)
  local palette = { background = background, styles = {} }
  for _, name in ipairs(drawing.styles) do
    local entry = {}
    for key, value in pairs(default) do entry[key] = value end
    for key, value in pairs(styles[name] or {}) do entry[key] = value end
    palette.styles[name] = entry
  end
  return palette
end

--- White on black: the value of a pixel is its coverage.
pictures.palette = palette_of(0x000000ff,
  { fill = 0xffffffff, line = 0xffffffff, width = 1, dot = 3, text = 10, head = 8 }, {})

--- Colours of the golden files, independent of impel.palette.
pictures.house = palette_of(0xf7f6f2ff,
  { fill = 0xe69f0090, line = 0x22272eff, width = 1.25, dot = 3, text = 13, head = 8 }, {
    static = { fill = 0xb9bec6ff, line = 0x6b727dff }, kinematic = { fill = 0x8fd0b8ff, line = 0x00694dff },
    dynamic = { fill = 0x9fcbeaff, line = 0x1c5a86ff }, asleep = { fill = 0xd3dce4ff, line = 0x7f93a6ff },
    sensor = { fill = 0xf0e44240, line = 0xa89b00ff }, disabled = { fill = 0xe8c3a8ff, line = 0xb34700ff, width = 2 },
    joint = { width = 1.5 }, spring = { line = 0x7a4f9aff, width = 1.5 }, center = { dot = 2.5 },
    contact = { line = 0xd55e00ff, dot = 2.5 },
    normal = { line = 0x009e73ff, head = 5 }, force = { line = 0xd55e00ff, width = 1.75 },
    box = { line = 0xcc79a7c0, width = 1 }, velocity = { line = 0x009e73ff, width = 1.5 },
    trail = { line = 0xe69f00ff, width = 1.5 }, grid = { line = 0x22272e18, width = 1 },
    mark = { fill = 0xe69f0050, line = 0xe69f00ff, width = 2.5 },
    panel = { fill = 0x1b2129e6, line = 0xd9dee5ff, width = 1 },
  })

--- Return a camera whose units are pixels, y down, with the origin in the top left corner.
function pictures.camera(width, height)
  return { x = width / 2, y = height / 2, ppm = 1, width_px = width, height_px = height, down = true, scale = 1 }
end

--- Paint what `fill(drawing)` adds, in white on black, on width x height pixels. Return a function at(x, y) and the
--- covered area [pixels]. at: red of the pixel, 0 to 255; the first pixel is (0, 0).
function pictures.coverage(width, height, fill, palette)
  local d, s = drawing.new(), window.surface(width, height)
  fill(d)
  s:clear(0x000000ff):paint(d, pictures.camera(width, height), palette or pictures.palette)
  local pixels, sum = s:pixels(), 0
  s:close()
  for i = 1, #pixels, 4 do sum = sum + pixels:byte(i) end
  return function(x, y) return pixels:byte(4 * (y * width + x) + 1) end, sum / 255
end

-- Return a picture that is white where two pictures of the same size differ.
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

--- Check that the surface has exactly the pixels of spec/golden/window/NAME.png.
---@return boolean
---@return string|nil message
function pictures.matches(surface, name)
  local golden, own = "spec/golden/window/" .. name .. ".png", "build/golden/" .. name .. ".png"
  if os.getenv("IMPEL_GOLDEN") then program.put(golden, surface:png()) end
  local width, height, pixels = assert(window.decode_png(program.read(golden)))
  local w, h = surface:size()
  if w ~= width or h ~= height then
    return false, ("%s is %d x %d, expected %d x %d"):format(name, w, h, width, height)
  end
  if pixels == surface:pixels() then return true end
  os.execute("mkdir -p build/golden")
  local count, where = difference(width, height, pixels, surface:pixels())
  program.put(own, surface:png())
  program.put(own:gsub("%.png$", "_differs.png"), where:png())
  return false, ("%d pixels differ from %s: see %s and %s"):format(count, golden, own,
    (own:gsub("%.png$", "_differs.png")))
end

return pictures
