-- Images and fonts of scenes: files in the scene's folder, each read once.
--
--   local loader = artwork.new("scenes")
--   local image = loader:image "ship.png"        -- may raise; the message has no source position
--   drawing:image("scene", nil, image.key, ...)
--
-- The key of an image or font is a checksum of its file. Items of a drawing refer to it by this key.

local file = require "impel.file"
local system = require "impel.system"

local artwork = {}
---@class impel.artwork
---@field loaded table<string, table>  by file name: kind, key, size
local Loader = {}
Loader.__index = Loader

local LARGEST = 8192          -- largest side of an image [px], as in image.h
local MOST_PIXELS = 64 << 20  -- [px], largest sum of the pixels of all images of a scene
local MOST_BYTES = 64 << 20   -- [B], largest file of an image or font
local HEAD = "\137PNG\r\n\26\n"

local known = setmetatable({}, { __mode = "v" }) -- key -> image; weak values

local function read(self, name)
  local bytes, message = file.bytes(self.folder, name, MOST_BYTES)
  return bytes or error(message, 0)
end

-- Return the width and height in the header of a PNG file.
local function size_of(name, bytes)
  if bytes:sub(1, #HEAD) ~= HEAD or #bytes < 24 then error(name .. ": not a PNG file", 0) end
  local width, height = (">I4I4"):unpack(bytes, 17)
  if width == 0 or height == 0 then error(name .. ": a broken PNG file", 0) end
  if width > LARGEST or height > LARGEST then
    error(("%s: %d x %d pixels; at most %d x %d are allowed"):format(name, width, height, LARGEST, LARGEST), 0)
  end
  return width, height
end

local function window()
  local ok, module = pcall(require, "impel.window")
  return ok and module or nil
end

--- Make the loader of a scene's folder.
---@param taken nil|fun(kind: string, entry: table, name: string)  receives each new image or font instead of
---  impel.window; an error that it raises is reported as an error of the file
function artwork.new(folder, taken)
  return setmetatable({ folder = folder, taken = taken, loaded = {}, pixels = 0 }, Loader)
end

--- Read a PNG file, with a path relative to the folder. Return a table with its key, width, height [px] and bytes.
function Loader:image(name)
  local bytes = read(self, name)
  local width, height = size_of(name, bytes)
  if self.pixels + width * height > MOST_PIXELS then
    error(("%s: the images of the scene have more than %d million pixels"):format(name, MOST_PIXELS >> 20), 0)
  end
  local key = ("%s %d png"):format(system.checksum(bytes), #bytes)
  local image = known[key]
  if not image then
    image = { kind = "image", key = key, width = width, height = height, bytes = bytes }
  end
  local module = not image.pixels and not self.taken and window()
  if self.taken then
    self.taken("image", image, name)
  elseif module then
    local pixels, message = module.image(key, bytes)
    if not pixels then error(("%s: %s"):format(name, message), 0) end
    image.pixels = pixels
  end
  self.loaded[name], known[key] = image, image
  self.pixels = self.pixels + width * height
  return image
end

--- Read a font file, with a path relative to the folder. Return a table with its key and bytes.
function Loader:font(name)
  local bytes = read(self, name)
  local font = { kind = "font", key = ("%s %d font"):format(system.checksum(bytes), #bytes), bytes = bytes }
  local module = not self.taken and window()
  if self.taken then
    self.taken("font", font, name)
  elseif module then
    local ok, message = module.add_font(font.key, bytes)
    if not ok then error(("%s: cannot read the font: %s"):format(name, message), 0) end
  end
  self.loaded[name] = font
  return font
end

--- Return the image with a key.
---@param key string
---@return table|nil image
function artwork.find(key)
  return known[key]
end

return artwork
