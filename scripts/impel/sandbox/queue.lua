-- A first-in, first-out queue.
--
--   local waiting = queue.new()
--   waiting:add "a"
--   while waiting:count() > 0 do print(waiting:take()) end

local queue = {}
local Queue = {}
Queue.__index = Queue

-- Make a queue. Its items have the integer keys `first` to `last`.
function queue.new() return setmetatable({ first = 1, last = 0 }, Queue) end

--- Add an item at the end.
---@param item any  not nil
function Queue:add(item)
  self.last = self.last + 1
  self[self.last] = item
end

--- Put an item before all others.
---@param item any  not nil
function Queue:put_back(item)
  self.first = self.first - 1
  self[self.first] = item
end

--- Return the first item, or nil for an empty queue. The item stays in the queue.
function Queue:peek() return self[self.first] end

--- Remove and return the first item; nil for an empty queue.
function Queue:take()
  local item = self[self.first]
  if item ~= nil then
    self[self.first] = nil
    self.first = self.first + 1
  end
  return item
end

--- Return the number of items.
---@return integer
function Queue:count() return self.last - self.first + 1 end

return queue
