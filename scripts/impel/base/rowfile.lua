-- A file to which whole lines are appended. A line that cannot be written completely is removed again. If the process
-- is killed, at most one incomplete last line remains, which rowfile.read leaves out.
--
--   local file = assert(rowfile.open("out.csv", "create"))
--   assert(file:add("1,2,3"))      -- written to the operating system at once
--   assert(file:close())

require "impel.core" -- also registers impel.system
local system = require "impel.system"

local rowfile = {}
local Rowfile = {}
Rowfile.__index = Rowfile

local open_files = {} -- set of open descriptors

local BUFFER = 32768 -- [B], size at which buffered lines are written

local function cannot_write(path, message, reason)
  return nil, ("cannot write %s: %s"):format(path, (message:gsub("^cannot %a+: ", ""))), reason
end

--- Open a file for lines, and lock it against other processes that open it with this function.
---@param path string
---@param mode "create"|"replace"|"append"  create: fail if the file exists; replace: empty it; append: keep its text
---@param buffered boolean|nil  whether lines are collected in a buffer; default: each line is written at once
---@return table|nil file
---@return string|nil message
---@return string|nil reason  "exists", "locked", "missing", "space" or "other"
function rowfile.open(path, mode, buffered)
  local descriptor, message, reason = system.open(path, mode)
  if not descriptor then return nil, message, reason end
  open_files[descriptor] = true
  return setmetatable({
    path = path, descriptor = descriptor, waiting = {}, size = 0, limit = buffered and BUFFER or 0,
  }, Rowfile)
end

--- Write all bytes or none.
---@param bytes string
---@return boolean|nil ok
---@return string|nil message
---@return string|nil reason
function Rowfile:append(bytes)
  local ok, message, reason = system.append(self.descriptor, bytes)
  if ok then return true end
  return cannot_write(self.path, message, reason)
end

--- Write the buffered lines, or on a full disk the first lines that fit.
---@return boolean|nil ok
---@return string|nil message
---@return string|nil reason
function Rowfile:flush()
  local lines = self.waiting
  if #lines == 0 then return true end
  self.waiting, self.size = {}, 0
  if system.append(self.descriptor, table.concat(lines)) then return true end
  for _, line in ipairs(lines) do
    local ok, message, reason = self:append(line)
    if not ok then return nil, message, reason end
  end
  return true
end

--- Add a line.
---@param line string  without a newline
---@return boolean|nil ok
---@return string|nil message
---@return string|nil reason
function Rowfile:add(line)
  self.waiting[#self.waiting + 1] = line .. "\n"
  self.size = self.size + #line + 1
  if self.size <= self.limit then return true end
  return self:flush()
end

--- Write the buffered lines and close the file. A second call does nothing.
---@return boolean|nil ok
---@return string|nil message
---@return string|nil reason
function Rowfile:close()
  local descriptor = self.descriptor
  if not descriptor then return true end
  local ok, message, reason = self:flush()
  self.descriptor, open_files[descriptor] = nil, nil
  local synced, problem, why = system.sync(descriptor)
  local closed, last = system.close(descriptor)
  if not ok then return nil, message, reason end
  if not synced then return cannot_write(self.path, problem, why) end
  if not closed then return cannot_write(self.path, last) end
  return true
end

--- Close the files inherited from the parent, in a child after fork: an inherited descriptor would keep the lock.
function rowfile.close_inherited()
  for descriptor in pairs(open_files) do system.close(descriptor) end
  open_files = {}
end

--- Read the lines of a file, except an incomplete last line.
---@param path string
---@return string[]|nil lines  without their newlines; nil if the file cannot be read
---@return integer|string size_or_message  number of bytes of these lines with their newlines, or a message
---@return boolean|nil torn  whether an incomplete line was left out
function rowfile.read(path)
  local text, message = system.read_file(path)
  if not text then return nil, "cannot read " .. message end
  local lines, at = {}, 1
  while true do
    local stop = text:find("\n", at, true)
    if not stop then break end
    lines[#lines + 1] = text:sub(at, stop - 1)
    at = stop + 1
  end
  return lines, at - 1, at <= #text
end

--- Shorten the open file to its first `size` bytes.
---@param size integer
function Rowfile:truncate(size)
  local ok, message, reason = system.truncate(self.descriptor, size)
  if ok then return true end
  return cannot_write(self.path, message, reason)
end

return rowfile
