-- The way back: snapshots of a run's world before its latest steps, bounded in number and bytes.
--
--   local history = viewer_history.new(run)
--   history:keep(run)          -- before each step
--   history:back(run, 1)       -- where the run was one step ago; gives how many steps that were
--
-- A snapshot brings the world back to the bit, random numbers included; the tables of the scene's state come back with
-- it (viewer_state.lua says what does not). Rows of a trace that were written stay written.

local mirrors = require "impel.viewer_state"

local history = {}
local History = {}
History.__index = History

local MOST = 600           -- snapshots: ten seconds of 60 Hz
local MOST_BYTES = 64 << 20
local FIELD_BYTES = 40     -- of a field in a table, by the size of Lua's nodes
local SHARE = 1 / 8        -- of the time since the last snapshot that the next one may take

--- Make the history of a run.
---@param run table          of impel.run
---@param options table|nil  most: snapshots; bytes; clock: function that gives seconds (os.clock)
function history.new(run, options)
  options = options or {}
  return setmetatable({
    most = options.most or MOST, most_bytes = options.bytes or MOST_BYTES, clock = options.clock or os.clock,
    mirror = mirrors.new(run.state), first = 1, last = 0, bytes = 0, cost = 0, ended = -math.huge,
  }, History)
end

--- How many moments there are to go back to.
function History:count()
  return self.last - self.first + 1
end

--- Whether the tables of the scene's state come back too: false where there are too many of them.
function History:is_whole()
  return not self.mirror.full
end

local function drop(self, at)
  self.bytes = self.bytes - self[at].bytes
  self[at] = nil
end

-- The mirror gives what changed since it last looked, which belongs to the last moment: the way back to it. There is
-- such a way already where the run went back to just after that moment; then older contents win.
local function close_last(self)
  local last = self[self.last]
  local undo, fields = self.mirror:look()
  if last.undo then mirrors.join(last.undo, undo) else last.undo = undo end
  last.bytes = last.bytes + FIELD_BYTES * fields
  self.bytes = self.bytes + FIELD_BYTES * fields
end

--- Keep the run as it is now.
---@param run table
---@param always boolean|nil  also where the last snapshots took too much of the time: single steps are all kept
function History:keep(run, always)
  local start = self.clock()
  if not always and start - self.ended < self.cost * (1 / SHARE - 1) then return end
  if self:count() > 0 then
    close_last(self)
  else
    self.mirror:look()
  end
  local bytes = run.world:snapshot()
  self.last = self.last + 1
  self[self.last] = { snapshot = bytes, step = run.count, bytes = #bytes }
  self.bytes = self.bytes + #bytes
  while self:count() > 1 and (self:count() > self.most or self.bytes > self.most_bytes) do
    drop(self, self.first)
    self.first = self.first + 1
  end
  self.ended = self.clock()
  self.cost = self.ended - start
end

--- Go back.
---@param run table
---@param steps integer  at least so many, if there are
---@return integer steps  how many it were; 0 where there is no way back
function History:back(run, steps)
  if self:count() == 0 then return 0 end
  local target, from = run.count - steps, run.count
  close_last(self)
  local entry
  repeat
    entry = self[self.last]
    self.mirror:undo(entry.undo)
    drop(self, self.last)
    self.last = self.last - 1
  until entry.step <= target or self:count() == 0
  run.world:restore(entry.snapshot)
  run.count, run.time, run.fault = entry.step, run.world.time, nil
  return from - entry.step
end

return history
