-- History of a run: snapshots of its world before the latest steps.
--
--   local history = viewer_history.new(run)
--   history:keep(run)          -- before each step
--   history:back(run, 1)       -- restore the state of one step ago
--   history:seek(run, 120)     -- restore the state at step 120
--
-- A moment has a snapshot of the world, and undo data: the table fields that differ from the next moment. `at` is the
-- moment of the last seek, nil after a step.

local mirrors = require "impel.viewer.state"

local history = {}
local History = {}
History.__index = History

local MOST = 600           -- limit of snapshots: ten seconds at 60 Hz
local MOST_BYTES = 64 << 20
local FIELD_BYTES = 40     -- [B] memory per field of a table: the size of a node in Lua
local SHARE = 1 / 8        -- largest share of the time that snapshots may take

--- Make the history of a run.
---@param options table|nil  most: largest number of snapshots; bytes: their largest total size [B]; clock() -> seconds,
---  default os.clock
function history.new(run, options)
  options = options or {}
  return setmetatable({
    most = options.most or MOST, most_bytes = options.bytes or MOST_BYTES, clock = options.clock or os.clock,
    mirror = mirrors.new(run.state), first = 1, last = 0, bytes = 0, cost = 0, ended = -math.huge,
  }, History)
end

--- Return the number of moments before the current one.
function History:count()
  return (self.at or self.last + 1) - self.first
end

--- Whether the tables of the scene's state are restored too: false if they are too many.
function History:is_whole()
  return not self.mirror.full
end

local function drop(self, at)
  self.bytes = self.bytes - self[at].bytes
  self[at] = nil
end

-- Add the changes of the tables since the last moment to its undo data. A field that has a value there keeps it.
local function close_last(self)
  local last = self[self.last]
  local undo, fields = self.mirror:look()
  if last.undo then mirrors.join(last.undo, undo) else last.undo = undo end
  last.bytes = last.bytes + FIELD_BYTES * fields
  self.bytes = self.bytes + FIELD_BYTES * fields
end

-- Delete the moments from `first` on.
local function cut(self, first)
  for i = first, self.last do drop(self, i) end
  self.last, self.at = first - 1, nil
end

-- Append the present state to the history, as a moment.
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

--- Store the present state. After a seek, delete the later moments first; otherwise store nothing if snapshots take too
--- much time and `always` is not set.
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

--- Restore the moment nearest to a step, and keep later moments. Changes since the last seek are lost if no step
--- followed them. Return the number of steps gone forward (negative: back); 0 if no moment is stored.
function History:seek(run, step)
  if self.last < self.first then return 0 end
  local from = run.count
  if not self.at then
    keep(self, run) -- store the present state, because a later seek may return to the present state
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

--- Go back by at least `steps`, or to the oldest moment. Return the number of steps gone back.
function History:back(run, steps)
  if self:count() == 0 then return 0 end
  local target = run.count - steps
  local at = (self.at or self.last + 1) - 1
  while at > self.first and self[at].step > target do at = at - 1 end
  return -self:seek(run, self[at].step)
end

--- Return the range of `seek` as a table: first, last: steps; from, to: times [s].
function History:range(run)
  local oldest, latest = self[self.first], self.at and self[self.last]
  if self.last < self.first then oldest = nil end
  return {
    first = oldest and oldest.step or run.count, from = oldest and oldest.time or run.world.time,
    last = latest and latest.step or run.count, to = latest and latest.time or run.world.time,
  }
end

return history
