-- Sees when a scene's files change on the disk: the file itself, the modules that it requires, what it loads.
--
--   local watch = viewer_reload.new { clock = clock }
--   watch:set { "scene.lua", "parts.lua" }
--   if watch:changed() then ... end      -- each frame
--
-- The contents are compared, not times: a file that is only touched is no news, and one that is written twice in the
-- same tick of the file system is. A file that is being written is waited for until it is the same at two looks.

require "impel.core" -- brings impel.system
local system = require "impel.system"

local reload = {}
local Watch = {}
Watch.__index = Watch

local INTERVAL = 0.1 -- [s] between two looks
local SHARE = 50     -- a look that takes long is made less often: 1/50 of the time at most

--- Make a watch.
---@param options table  clock: function that gives seconds; read(path) -> text|nil: instead of the disk
function reload.new(options)
  return setmetatable({ clock = options.clock, read = options.read, texts = {}, paths = {}, due = -math.huge }, Watch)
end

local function read_file(path)
  if system.kind(path) ~= "file" then return nil end -- a pipe gives its text once
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

--- Watch these files from now on, as they are now.
---@param paths string[]
function Watch:set(paths)
  self.paths = paths
  self.texts, self.seen = look(self), nil
end

--- Whether one of them is another than it was, and stays so. Says it once.
---@return boolean
function Watch:changed()
  local now = self.clock()
  if now < self.due then return false end
  local texts = look(self)
  self.due = now + math.max(INTERVAL, SHARE * (self.clock() - now))
  for _, path in ipairs(self.paths) do -- a file that the scene has opened since is what it was then
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
