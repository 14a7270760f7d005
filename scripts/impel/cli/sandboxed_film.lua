-- Films of a run in a sandbox. The child sends pixels, and the parent makes the film with ffmpeg.
--
--   parent: local reel = reels.new(options, quotas)
--           local ok, failure = reel:take(parts)            -- a message of the child that begins with "film"
--           local failure = reel:close()                    -- after the end of the child
--   child:  reels.send(link)                                -- from now on impel.film sends to the parent

local film = require "impel.picture.film"
local nearest = require "impel.base.nearest"
local picture = require "impel.picture"

local reels = {}
local Reel = {}
Reel.__index = Reel

local KINDS = { "gif", "mp4" }
local CHANNELS = 4        -- bytes per pixel
local LARGEST = 60 << 20  -- [B], largest picture, which is sent as one message
local MEGABYTE = 1 << 20

local function size_of(options)
  local size = options.size or {}
  return size[1] or picture.WIDTH, size[2] or picture.HEIGHT
end

--- Return why films cannot be made from a sandbox, or nil.
---@param options table
---@return string|nil message
function reels.problem(options)
  for _, kind in ipairs(KINDS) do
    local width, height = size_of(options)
    if options[kind] and width * height * CHANNELS > LARGEST then
      return ("--size %dx%d: films from a sandbox have at most %d pixels"):format(width, height, LARGEST // CHANNELS)
    end
    if options[kind] and not film.has_ffmpeg() then
      return ("--%s: a sandbox needs ffmpeg, which is not installed; --png OUT.png --at T takes pictures"):format(kind)
    end
  end
  return nil
end

--- Make the receiver of the pictures that a child sends for films. Return nil if the options request no film.
---@param options table
---@param most number  total size of the films [MB]
---@return table|nil reel
function reels.new(options, most)
  local width, height = size_of(options)
  local self = setmetatable({ paths = {}, films = {}, width = width, height = height, most = most * MEGABYTE,
    fps = options.fps or picture.FPS }, Reel)
  for _, kind in ipairs(KINDS) do
    if options[kind] then self.paths[options[kind]] = true end
  end
  return next(self.paths) and self or nil
end

-- Return the present size of the films [B].
local function written(self)
  local size = 0
  for _, reel in pairs(self.films) do size = size + reel:length() end
  return size
end

local function too_much(self)
  return { kind = "quota", message = ("quota: more than %g MB of films"):format(self.most / MEGABYTE) }
end

--- Add a picture to its film.
---@param parts string[]  "film", path, pixels
---@return boolean|nil ok
---@return table|nil failure
function Reel:take(parts)
  local path, pixels = parts[2], parts[3]
  if #parts ~= 3 or not self.paths[path] or #pixels ~= self.width * self.height * CHANNELS then
    return nil, { kind = "internal", message = "the sandbox sent a picture of an unknown film or of a wrong size" }
  end
  if not self.films[path] then
    local opened, why = film.open(path, self.width, self.height, self.fps, self.most)
    if not opened then return nil, { kind = "damaged", message = why } end
    self.films[path] = opened
  end
  local ok, message = self.films[path]:add { pixels = function() return pixels end }
  if not ok and not self.films[path].over then return nil, { kind = "damaged", message = message } end
  if ok and written(self) <= self.most then return true end
  return nil, too_much(self)
end

--- Finish the films, and remove a film that exceeds the remaining size.
---@return table|nil failure
---@return string[] made  paths
function Reel:close()
  local failure, made, left = nil, {}, self.most
  for _, path in ipairs(nearest.keys(self.films)) do
    local reel = self.films[path]
    local ok, message = reel:close(left)
    if ok then
      made[#made + 1] = path
      left = left - reel:length()
    elseif reel.over then
      failure = too_much(self)
      failure.message = ("%s; %s was removed"):format(failure.message, path)
    else
      failure = failure or { kind = "damaged", message = message }
    end
  end
  return failure, made
end

--- In the child: send films to the parent.
---@param link table
function reels.send(link)
  function film.open(path)
    local sink = {}

    function sink.add(_, surface)
      link:send("film", path, surface:pixels())
      return true
    end

    function sink.close() return true end

    return sink
  end
end

return reels
