-- The way back and forth: snapshots of a run's world before its latest steps, bounded in number and bytes.
--
--   local history = viewer_history.new(run)
--   history:keep(run)          -- before each step
--   history:back(run, 1)       -- where the run was one step ago; gives how many steps that were
--   history:seek(run, 120)     -- where it was at step 120; what came after is kept until the next step
--
-- Moments are counted from `first` to `last`. `at` is the moment that the last seek restored; nil: the run has made a
-- step since, or there was no seek. The undo of a moment holds the fields of tables that differ from the next moment:
-- exchanging them with the present fields leads back, and a second exchange forth.
--
-- A snapshot brings the world back to the bit, random numbers included; the tables of the scene's state come back with
-- it (state.lua says what does not). Rows of a trace that were written stay written.

local mirrors = require "impel.viewer.state"

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
  return (self.at or self.last + 1) - self.first
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

-- Forget the moments from one on.
local function cut(self, first)
  for i = first, self.last do drop(self, i) end
  self.last, self.at = first - 1, nil
end

-- Add the present as a moment.
local function keep(self, run)
  if self.last >= self.first then
    close_last(self)
  else
    self.mirror:look()
  end
  local bytes = run.world:snapshot()
  self.last = self.last + 1
  self[self.last] = { snapshot = bytes, step = run.count, time = run.world.time, bytes = #bytes }
  self.bytes = self.bytes + #bytes
end

--- Keep the present state of the run. After a seek the later moments are dropped.
---@param run table
---@param always boolean|nil  also where the last snapshots took too much of the time: single steps are all kept
function History:keep(run, always)
  local start = self.clock()
  if self.at then
    cut(self, self.at)
  elseif not always and start - self.ended < self.cost * (1 / SHARE - 1) then
    return
  end
  keep(self, run)
  while self:count() > 1 and (self:count() > self.most or self.bytes > self.most_bytes) do
    drop(self, self.first)
    self.first = self.first + 1
  end
  self.ended = self.clock()
  self.cost = self.ended - start
end

--- Restore the kept moment nearest to a step, an earlier or a later one. Later moments stay until the next `keep`.
--- Changes made since the last seek without a step are discarded.
---@param run table
---@param step integer
---@return integer steps  how many the run went forth; less than 0: back
function History:seek(run, step)
  if self.last < self.first then return 0 end
  local from = run.count
  if not self.at then
    keep(self, run) -- the present, to come back to
    self.at = self.last
  else
    self.mirror:undo((self.mirror:look()))
  end
  local target = self.at
  while target > self.first and self[target].step > step do target = target - 1 end
  while target < self.last and self[target].step < step do target = target + 1 end
  local before = self[target - 1]
  if before and target > self.first and step - before.step <= self[target].step - step then target = target - 1 end
  for i = self.at - 1, target, -1 do self.mirror:undo(self[i].undo) end
  for i = self.at, target - 1 do self.mirror:undo(self[i].undo) end
  self.at = target
  local entry = self[target]
  run.world:restore(entry.snapshot)
  self.mirror:look()
  run.count, run.time, run.fault = entry.step, run.world.time, nil
  return entry.step - from
end

--- Go back.
---@param run table
---@param steps integer  at least so many, if there are
---@return integer steps  how many it were; 0 where there is no way back
function History:back(run, steps)
  if self:count() == 0 then return 0 end
  local target = run.count - steps
  local at = (self.at or self.last + 1) - 1
  while at > self.first and self[at].step > target do at = at - 1 end
  return -self:seek(run, self[at].step)
end

--- The moments that `seek` reaches.
---@param run table
---@return table  first, last: their steps; from, to: their times [s]
function History:range(run)
  local oldest, latest = self[self.first], self.at and self[self.last]
  if self.last < self.first then oldest = nil end
  return {
    first = oldest and oldest.step or run.count, from = oldest and oldest.time or run.world.time,
    last = latest and latest.step or run.count, to = latest and latest.time or run.world.time,
  }
end

return history
