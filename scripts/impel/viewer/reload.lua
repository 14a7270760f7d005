-- Detect changes of a scene's files on the disk by their contents. A change is reported when two successive checks find
-- the same contents, so that no half-written file is loaded.
--
--   local watch = viewer_reload.new { clock = clock }
--   watch:set { "scene.lua", "parts.lua" }
--   if watch:changed() then ... end      -- each frame

require "impel.core" -- provides impel.system
local system = require "impel.system"

local reload = {}
local Watch = {}
Watch.__index = Watch

local INTERVAL = 0.1 -- [s] least time between two checks
local SHARE = 50     -- ratio of the pause after a check to the duration of the check

--- Make a watch.
---@param options table  clock: function that returns seconds; read(path) -> text|nil: replaces reading from disk
function reload.new(options)
  return setmetatable({ clock = options.clock, read = options.read, texts = {}, paths = {}, due = -math.huge }, Watch)
end

local function read_file(path)
  if system.kind(path) ~= "file" then return nil end -- a pipe can be read only once
  return (system.read_file(path))
end

local function look(self)
  local texts = {}
  for _, path in ipairs(self.paths) do texts[path] = (self.read or read_file)(path) or false end
  return texts
end

local function same(self, a, b)
  for _, path in ipairs(self.paths) do
    if a[path] ~= b[path] then return false end
  end
  return true
end

--- Watch files. The present contents of the files are the reference.
---@param paths string[]
function Watch:set(paths)
  self.paths = paths
  self.texts, self.seen = look(self), nil
end

--- Return whether a file has changed and is stable again. Each change is reported once.
---@return boolean
function Watch:changed()
  local now = self.clock()
  if now < self.due then return false end
  local texts = look(self)
  self.due = now + math.max(INTERVAL, SHARE * (self.clock() - now))
  -- Store the contents of files that the scene opened after `set`. These files count as unchanged.
  for _, path in ipairs(self.paths) do
    if self.texts[path] == nil then self.texts[path] = texts[path] end
  end
  local settled = self.seen and same(self, texts, self.seen)
  self.seen = texts
  if not settled or same(self, texts, self.texts) then return false end
  self.texts = texts
  for _, path in ipairs(self.paths) do
    if texts[path] then return true end
  end
  return false
end

return reload
