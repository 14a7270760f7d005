-- The child of a sandbox: a fork of this process that enables the sandbox layers and runs a script. With the layers
-- enabled, the child cannot open files; it must read all files that it needs before.

require "impel.core" -- provides impel.system
local brokers = require "impel.sandbox.files"
local environment = require "impel.scene.environment"
local framing = require "impel.sandbox.framing"
local names = require "impel.sandbox.names"
local queue = require "impel.sandbox.queue"
local system = require "impel.system"

local child = {}
local Link = {}
Link.__index = Link

local STDOUT, STDERR = 1, 2
local EXIT_RAISED = 70
local MEGABYTE = 1 << 20
local LOOK = 0.01 -- [s], least time between two checks of the pipe if the child does not wait for a message
-- [B], address space besides twice the memory quota, for stacks and heaps of 64 threads
local ADDRESSES = 2 << 30
local FOR_EVER = 1 << 30 -- [s], limit on processor time for a run without end

-- Local copies of functions that will be removed from `system`.
local append, clock, exit, poll, read = system.append, system.clock, system.exit, system.poll, system.read


-- The link to the parent ---------------------------------------------------------------------------------------------

local function new_link(ends, longest)
  return setmetatable({
    up = ends.messages, down = ends.replies, reader = framing.reader(longest), longest = longest, came = queue.new(),
    looked = 0,
  }, Link)
end

--- Send a message. Raises if the message is longer than the parent accepts.
function Link:send(...)
  local text = framing.encode(...)
  if #text > self.longest then
    error(("too much data at once for a sandbox: %d bytes, at most %d"):format(#text, self.longest), 0)
  end
  if not append(self.up, text) then exit(EXIT_RAISED) end -- append fails if the parent has exited
end

-- Wait at most `seconds` for messages, and append them to the queue.
local function take(self, seconds)
  if #poll({ self.down }, seconds) == 0 then return end
  local text, _, reason = read(self.down)
  if not text and reason == "again" then return end
  if not text or text == "" then exit(EXIT_RAISED) end
  local messages = self.reader:take(text)
  if not messages then exit(EXIT_RAISED) end -- an invalid message is not from the parent
  for _, parts in ipairs(messages) do self.came:add(parts) end
end

--- Return the next message, or nil after `seconds`.
function Link:next(seconds)
  if self.came:count() == 0 then
    local now = clock()
    if seconds > 0 or now - self.looked > LOOK then
      self.looked = now
      take(self, seconds)
    end
  end
  return self.came:take()
end

-- Wait for a message of certain kinds (a set), and return it; nil after an hour. Other messages stay in the queue.
local function await(self, kinds)
  local others, parts = {}, nil
  repeat
    others[#others + 1] = parts
    parts = self:next(3600)
  until not parts or kinds[parts[1]]
  for i = #others, 1, -1 do self.came:put_back(others[i]) end
  return parts
end

local REPLIES, GO = { ok = true, no = true }, { go = true }

--- Request an operation from the parent. Return its results, or nil, message, reason.
function Link:call(...)
  local message = brokers.too_long(...)
  if message then return nil, message, "other" end
  self:send("call", ...)
  local parts
  repeat parts = await(self, REPLIES) until parts
  if parts[1] == "no" then return nil, parts[2], parts[3] end
  return table.unpack(parts, 2)
end

--- Return whether the parent has requested the end of the run. Other messages stay in the queue.
function Link:interrupted()
  if self.stopped then return true end
  local parts = self:next(0)
  if parts and parts[1] == "interrupt" then
    self.stopped = true
  elseif parts then
    self.came:put_back(parts)
  end
  return self.stopped == true
end


-- Preparation --------------------------------------------------------------------------------------------------------

-- Read the scripts in a folder of modules to `texts`, a table by module name.
local function read_scripts(folder, prefix, texts)
  for _, name in ipairs(system.files(folder)) do
    local path, stem = folder .. "/" .. name, name:match "^([%w_]+)%.lua$"
    if stem then
      texts[stem == "init" and prefix or prefix .. "." .. stem] = { text = assert(system.read_file(path)), path = path }
    elseif name:find "^%w+$" and system.kind(path) == "folder" then
      read_scripts(path, prefix .. "." .. name, texts)
    end
  end
end

--- Return text and path of the engine's scripts, by module.
function child.scripts()
  local init, texts = assert(package.searchpath("impel", package.path)), {}
  read_scripts(init:match "^(.*)/init%.lua$", "impel", texts)
  return texts
end


-- Names --------------------------------------------------------------------------------------------------------------

-- Members of Lua's modules that remain. All other members are removed.
local LEFT = {
  io = { stdout = true, stderr = true, write = true, type = true },
  os = { clock = true, time = true },
  debug = { getinfo = true, traceback = true, getmetatable = true },
  package = { loaded = true, preload = true, config = true, searchers = true },
}

local function keep_some(library, left)
  for name in pairs(library) do
    if not left[name] then library[name] = nil end
  end
end

-- Replace functions of impel.system by requests to the parent or by errors.
local function confine_system(link)
  local left = { clock = true, cpu = true, processors = true, compiler = true, left_out = true, exit = true }
  for name in pairs(system) do
    if not left[name] then
      system[name] = function(what)
        return nil, ("%s: not in a sandbox"):format(type(what) == "string" and what or name), "other"
      end
    end
  end
  function system.isatty() return false end

  function system.columns() return nil end

  function system.open(path, mode)
    local descriptor, message, reason = link:call("open", path, mode)
    return math.tointeger(tonumber(descriptor)), message, reason
  end

  function system.read_file(path) return link:call("text", path) end

  function system.read_head(path, most) return link:call("head", path, most) end

  for _, name in ipairs { "append", "truncate", "sync", "close", "replace" } do
    system[name] = function(...)
      local ok, message, reason = link:call(name, ...)
      return ok and true or nil, message, reason
    end
  end
end

-- Return a package searcher that loads modules of the engine from their texts.
local function searcher(texts)
  return function(name)
    local script = texts[name]
    if not script then return ("no module '%s' in a sandbox"):format(name) end
    return assert(load(script.text, "@" .. script.path, "t")), script.path
  end
end

-- Send rows of traces to the parent at once, because a child that is killed cannot flush buffers.
local function write_at_once()
  local rowfile = require "impel.base.rowfile"
  local open = rowfile.open
  function rowfile.open(path, mode) return open(path, mode, false) end
end

-- Remove or restrict, for all Lua code of the process, the library functions that access files, programs or bytecode,
-- such as io.open, os.execute and string.dump.
local function confine_names(link, texts, folder)
  confine_system(link)
  write_at_once()
  -- keep the first searcher, which searches package.preload
  package.searchers = { package.searchers[1], searcher(texts) }
  for name, left in pairs(LEFT) do keep_some(_G[name], left) end
  rawset(_G, "load", names.load_text)
  rawset(_G, "loadfile", nil)
  rawset(_G, "dofile", nil)
  rawset(string, "dump", nil)
  environment.new = names.maker(link, texts, folder)
end


-- Sandbox layers -----------------------------------------------------------------------------------------------------

local function open_descriptors()
  local set = {}
  for _, name in ipairs(system.files "/dev/fd") do set[tonumber(name) or -1] = true end
  return set
end

-- Call options.prepare, then close all descriptors except the pipes and those that options.prepare has opened.
local function prepare(options, ends)
  local before = open_descriptors()
  if options.prepare then options.prepare() end
  local kept = { ends.messages, ends.replies }
  for descriptor in pairs(open_descriptors()) do
    local there = not before[descriptor] and descriptor > STDERR and #kept < 16
    if there and pcall(poll, { descriptor }, 0) then kept[#kept + 1] = descriptor end
  end
  system.keep_descriptors(kept)
end

-- Enable the available layers. Return the message about them.
local function enable_layers(quotas, endless)
  local told = { "layers" }
  local function tell(name, state, why)
    table.move({ name, state or "off", why or "" }, 1, 3, #told + 1, told)
  end
  local has_seccomp, seccomp = pcall(require, "impel.seccomp")
  local seconds = endless and FOR_EVER or math.ceil(quotas.time + 2) * system.processors()
  local memory = math.tointeger(quotas.memory // 1) * MEGABYTE * 2 + ADDRESSES
  local ok, why = system.limit(math.tointeger(seconds), memory, not has_seccomp)
  tell("rlimits", ok and "on", why)
  ok, why = system.drop_privileges()
  tell("no_new_privs", ok and "on", why)
  local version = system.landlock_version()
  if version > 0 then
    ok, why = system.close_landlock()
  else
    ok, why = nil, "not supported by the kernel"
  end
  tell("landlock", ok and tostring(version), why)
  if has_seccomp then
    ok, why = seccomp.close()
  else
    ok, why = nil, "built without libseccomp"
  end
  tell("seccomp", ok and "on", why)
  tell("names", "on")
  tell("memory", "on")
  tell("time", "on")
  return told
end

-- Run the script of the sandbox. Return the exit code.
local function run(options, ends, quotas)
  local link = new_link(ends, options.longest)
  local texts = child.scripts()
  pcall(require, "dkjson") -- load the module for impel.json now, because the sandbox cannot open files
  local folder = system.real_path(options.folder) or options.folder
  prepare(options, ends)
  local set_quota = system.set_quota
  link.restart_clock, link.lacked_memory = system.restart_clock, system.lacked_memory
  local told = enable_layers(quotas, options.endless)
  confine_names(link, texts, folder)
  link:send(table.unpack(told))
  -- If an interrupt arrives before the message "go", it stays in the queue for `work`.
  if not await(link, GO) then return EXIT_RAISED end
  collectgarbage()
  set_quota(quotas.memory * MEGABYTE, quotas.time)
  return options.work(link)
end

--- Run the child. Does not return.
---@param ends table     pipes: messages, output, log, replies
function child.serve(options, ends, quotas)
  system.redirect(STDOUT, ends.output)
  system.redirect(STDERR, ends.log)
  local ok, code = xpcall(run, debug.traceback, options, ends, quotas)
  if not ok then
    io.stderr:write("impel: ", tostring(code), "\n")
    code = EXIT_RAISED
  end
  exit(code)
end

return child
