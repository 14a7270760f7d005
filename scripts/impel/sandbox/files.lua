-- The broker of a sandbox: the parent opens files for the child, which may read files below the scene's folder, and
-- write the files that the command line names.
--
--   local files = broker.new { folder = "scenes", may_write = function(path) return path == "out.csv" end, most = 1e9 }
--   local reply, over = files:serve { "module", "helper" }     -- { "ok", text, path }, or { "no", message }

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local system = require "impel.system"

local broker = {}
local Broker = {}
Broker.__index = Broker

local MOST_OPEN = 16    -- largest number of open files
local LONGEST_NAME = 4096 -- [B], longest module name or path: the limit of the system
local LONGEST = 8 << 20 -- [B], largest size of a file that is read as a whole

local LONGEST_HEAD = 65536 -- [B], largest part of a file that `head` returns

-- Extensions of file names. The child may read only files with these extensions as data.
local READABLE = {
  lua = true, csv = true, json = true, jsonl = true, txt = true, png = true, wav = true, ogg = true, ttf = true,
  otf = true,
}

--- Make the broker of a child's requests.
---@param options table  folder: may be read; may_write(path) -> boolean; most: largest sum of written data [B]
function broker.new(options)
  local folder = options.folder
  return setmetatable({
    folder = folder, root = system.real_path(folder), may_write = options.may_write, most = options.most, written = 0,
    open = {}, count = 0,
  }, Broker)
end

local function no(message, reason) return { "no", message, reason or "other" } end

-- Calls whose first argument is a file or module name.
local NAMED = { module = true, text = true, head = true, open = true, replace = true }

--- Return a message if a requested name is too long.
function broker.too_long(call, first)
  local name = NAMED[call] and tostring(first) or ""
  if #name <= LONGEST_NAME then return nil end
  return ("%s: a name of %d bytes; a sandbox allows %d"):format(arguments.short(name), #name, LONGEST_NAME)
end

-- Return whether a path without symbolic links is in the folder, or is the folder.
local function is_within(self, real)
  local root = self.root == "/" and "/" or self.root .. "/"
  return (real .. "/"):sub(1, #root) == root
end

-- Return whether a path, with symbolic links followed, leads to a regular file in the folder.
local function is_beneath(self, path)
  local real = system.real_path(path)
  return real and self.root and system.kind(real) == "file" and is_within(self, real)
end

local calls = {}

-- Call module(name) -> text, path.
function calls.module(self, name)
  if not name:find "^[%w_][%w_-]*$" and not name:find "^[%w_][%w_.-]*[%w_-]$" or name:find("..", 1, true) then
    return no(("module '%s': words separated by dots expected"):format(name))
  end
  local stem = self.folder .. "/" .. name:gsub("%.", "/")
  for _, path in ipairs { stem .. ".lua", stem .. "/init.lua" } do
    if is_beneath(self, path) then
      local text = system.read_file(path, LONGEST)
      if text then return { "ok", text, path } end
    end
  end
  return no(("module '%s' not found in '%s', the folder for modules of a sandbox"):format(name, self.folder))
end

-- Return the real path of a readable file; or nil, refusal. Outside of the folder the refusal must be the same for
-- existing and missing files.
local function readable(self, path)
  if path:find("\0", 1, true) then return nil, no(path .. ": a file name with a zero byte") end
  local real = system.real_path(path)
  local nearest = path
  while nearest and not real do -- if the file is missing, take the nearest existing folder above the file
    nearest = nearest:match "^(.+)/[^/]*$"
    real = nearest and system.real_path(nearest)
  end
  real = real or system.real_path "."
  if not real or not self.root or not is_within(self, real) then
    return nil, no(path .. ": outside of the scene's folder; a sandbox reads only files in it")
  end
  local kind = system.kind(path)
  if not kind then return nil, no(path .. ": No such file or directory", "missing") end
  if kind == "other" then return nil, no(path .. ": a device or a pipe, not a regular file") end
  if kind ~= "file" then return nil, no(path .. ": Is a directory") end
  if not READABLE[path:match "%.(%w+)$" or ""] then
    return nil, no(path .. ": a sandbox reads *.lua, *.csv, *.json, *.jsonl, *.txt, *.png, *.wav, *.ogg, *.ttf, *.otf")
  end
  return real
end

-- Call text(path) -> text.
function calls.text(self, path)
  local real, refusal = readable(self, path)
  if not real then return refusal end
  local text, message, reason = system.read_file(real, LONGEST)
  if not text then return no(message, reason) end
  return { "ok", text }
end

-- Call head(path, most) -> first bytes of the file, size of the file.
function calls.head(self, path, most)
  local count = math.tointeger(tonumber(most))
  if not count or count < 0 or count > LONGEST_HEAD then return no "a length expected" end
  local real, refusal = readable(self, path)
  if not real then return refusal end
  local head, size, reason = system.read_head(real, count)
  if not head then return no(size, reason) end
  return { "ok", head, tostring(size) }
end

-- Convert the result of a system call to a reply.
local function told(result, message, reason)
  if result then return { "ok", result == true and "true" or tostring(result) } end
  return no(message, reason)
end

local function refuse_writing(path)
  return no(("cannot write %s: a sandbox writes only files that the command line names"):format(path))
end

function calls.open(self, path, mode)
  if not self.may_write(path) or mode ~= "replace" and mode ~= "create" and mode ~= "append" then
    return refuse_writing(path)
  end
  if self.count >= MOST_OPEN then return no(("cannot write %s: too many files are open"):format(path)) end
  local descriptor, message, reason = system.open(path, mode)
  if descriptor then self.open[descriptor], self.count = true, self.count + 1 end
  return told(descriptor, message, reason)
end

-- Count written bytes. Return whether the limit is kept.
local function take(self, text)
  self.written = self.written + #text
  return self.written <= self.most
end

function calls.replace(self, path, text)
  if not self.may_write(path) then return refuse_writing(path) end
  if not take(self, text) then return nil end
  return told(system.replace(path, text))
end

-- Return the function of a request whose first argument is an open descriptor.
local function on_descriptor(call)
  return function(self, number, ...)
    local descriptor = math.tointeger(tonumber(number))
    if not descriptor or not self.open[descriptor] then return no "no such descriptor" end
    return call(self, descriptor, ...)
  end
end

calls.append = on_descriptor(function(self, descriptor, text)
  if not take(self, text) then return nil end
  return told(system.append(descriptor, text))
end)

calls.truncate = on_descriptor(function(self, descriptor, length)
  local size = math.tointeger(tonumber(length))
  if not size or size < 0 then return no "a length expected" end
  if size > self.most then return nil end -- truncate can also extend a file
  return told(system.truncate(descriptor, size))
end)

calls.sync = on_descriptor(function(_, descriptor) return told(system.sync(descriptor)) end)

calls.close = on_descriptor(function(self, descriptor)
  self.open[descriptor], self.count = nil, self.count - 1
  return told(system.close(descriptor))
end)

-- Number of arguments of each call.
local COUNT = { module = 1, text = 1, head = 2, open = 2, replace = 2, append = 2, truncate = 2, sync = 1, close = 1 }

--- Process a request. Return the reply, nil for too much output.
function Broker:serve(request)
  local call = calls[request[1]]
  if not call or #request ~= COUNT[request[1]] + 1 then return no "no such call" end
  local message = broker.too_long(request[1], request[2])
  if message then return no(message) end
  return call(self, table.unpack(request, 2))
end

--- Close the descriptors that the child has left open.
function Broker:close()
  for descriptor in pairs(self.open) do
    system.sync(descriptor)
    system.close(descriptor)
  end
  self.open = {}
end

return broker
