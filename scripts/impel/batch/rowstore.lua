-- A file of rows. Store:close sorts the rows by number. A sweep can be resumed from the file.

local fail = require "impel.batch.failure"
local rowfile = require "impel.base.rowfile"
local rows = require "impel.batch.sweep_rows"

require "impel.core" -- provides impel.system
local system = require "impel.system"

local rowstore = {}
local Store = {}
Store.__index = Store

-- Return the file's rows by number, and its size without an incomplete last line [B]; or nil and a message.
local function read(path, layout)
  local file, message = rows.read(path, layout.header)
  if not file then return nil, message end
  local done = {}
  for i, line in ipairs(file.lines) do
    local index, problem = layout:read(line)
    if not index then return nil, ("%s:%d: %s"):format(path, i + 1, problem) end
    if done[index] and done[index] ~= line then
      return nil, ("%s:%d: run %d appears twice, with different rows"):format(path, i + 1, index)
    end
    done[index] = line
  end
  return done, file.header and file.size or 0
end



-- Streams ------------------------------------------------------------------------------------------------------------

local Stream = {}
Stream.__index = Stream

--- Make a store that emits rows in the order of their numbers; each row waits until all earlier rows are emitted.
---@param layout table   of impel.sweep_rows
---@param first integer  number of the first row
---@param step integer  difference between successive row numbers
---@param emit fun(line: string): boolean|nil, string|nil
---@param close nil|fun(): boolean|nil, string|nil
---@return table|nil store  as from rowstore.open; `done` is empty
---@return table|nil failure
function rowstore.stream(layout, first, step, emit, close)
  local ok, message = emit(layout.header)
  if not ok then return fail("damaged", "%s", message) end
  return setmetatable({
    done = {}, waiting = {}, due = first, step = step, emit = emit, finish = close or function() return true end,
  }, Stream)
end

function Stream:add(index, line)
  self.waiting[index] = line
  while self.waiting[self.due] do
    local ok, message = self.emit(self.waiting[self.due])
    if not ok then return nil, message end
    self.waiting[self.due], self.due = nil, self.due + self.step
  end
  return true
end

function Stream:leave()
  return self.finish()
end

--- Emit the rows that are still stored because the sweep was not completed.
function Stream:close()
  for _, index in ipairs(rows.numbers(self.waiting)) do
    local ok, message = self.emit(self.waiting[index])
    if not ok then return nil, message end
  end
  return self.finish()
end

function Stream.verify()
  return true
end

-- Open a named device or pipe.
local function open_named_stream(options, layout, first, step)
  if options.resume then return fail("usage", "--resume: %s is not a file", options.output) end
  local file, message = rowfile.open(options.output, "append")
  if not file then return fail("usage", "%s", message) end
  return rowstore.stream(layout, first, step, function(line) return file:add(line) end, function()
    return file:close()
  end)
end


-- Files --------------------------------------------------------------------------------------------------------------

--- Open a file for rows, or a device or pipe as a stream. An incomplete last line is dropped.
---@param options table  output: name of the file; resume: keep existing rows; force: replace the file
---@param layout table   of impel.sweep_rows
---@param first integer  number of the first row
---@param step integer  difference between successive row numbers
---@return table|nil store  done: text of the existing rows by number
---@return table|nil failure
function rowstore.open(options, layout, first, step)
  local path = options.output
  local kind = system.kind(path)
  if kind == "folder" or kind == "link" then return fail("usage", "cannot write %s: it is a folder", path) end
  if kind == "other" then return open_named_stream(options, layout, first, step) end
  local resumed = options.resume and kind ~= nil
  local file, message, reason = rowfile.open(path, resumed and "append" or options.force and "replace" or "create")
  if not file then
    if reason == "exists" then
      message = path .. " exists already: --resume continues it, --force replaces it"
    end
    return fail("usage", "%s", message)
  end
  local self = setmetatable({
    path = path, file = file, layout = layout, done = {}, in_order = not resumed, last = 0,
  }, Store)
  local size = 0
  if resumed then
    local done
    done, size = read(path, layout)
    local ok, problem = done, size
    if done then ok, problem = file:truncate(size) end
    if not ok then
      file:close()
      return fail("damaged", "%s", problem)
    end
    self.done = done
  end
  if size == 0 then
    local ok, problem = file:add(layout.header)
    if not ok then
      file:close()
      return fail("damaged", "%s", problem)
    end
  end
  return self
end

--- Append a row, which is in the file when the function returns.
---@return boolean|nil ok
---@return string|nil message
function Store:add(index, line)
  local ok, message = self.file:add(line)
  if not ok then return nil, message end
  self.in_order, self.last = self.in_order and index > self.last, index
  return true
end

--- Repeat one of the runs in the file, if one succeeded, and check that its row is the same.
---@param again fun(index: integer): string|nil  repeats a run and returns its row, or nil if it failed
---@return boolean|nil ok
---@return table|nil failure
function Store:verify(again)
  local first
  for index, line in pairs(self.done) do
    local _, status = self.layout:read(line)
    if status == "ok" and index < (first or math.huge) then first = index end
  end
  if not first then return true end
  local line = again(first)
  if line and self.layout:agree(line, self.done[first]) then return true end
  return fail("damaged", "%s: run %d gives a different result than before; did the scene or the program "
    .. "change?", self.path,
    first)
end

--- Close the file without sorting.
function Store:leave()
  return self.file:close()
end

--- Sort the rows and close the file. The rows are kept if sorting fails.
---@return boolean|nil ok
---@return string|nil message
function Store:close()
  local ok, message = self.file:close()
  if not ok then return nil, message end
  if self.in_order then return true end
  local all, problem = rows.read(self.path, self.layout.header)
  if not all then return nil, problem end
  local by_number, sorted = {}, true
  for i, line in ipairs(all.lines) do
    by_number[all.numbers[i]] = line
    sorted = sorted and (i == 1 or all.numbers[i] > all.numbers[i - 1])
  end
  if sorted then return true end
  local replaced, why = system.replace(self.path, rows.text(self.layout.header, by_number))
  if replaced then return true end
  return nil, ("%s contains all rows, but they cannot be sorted: %s"):format(self.path, why)
end

return rowstore
