-- impel.sandbox: runs an untrusted script in a child process (child.lua).
--
--   local child, failure = sandbox.start { mode = "auto", folder = "scenes", work = function(link) return 0 end }
--   while not child:is_over() do child:listen(0.05) end
--   local outcome = child:finish()              -- { code = 0 }, or { failure = { kind = "quota", message = "..." } }
--
-- All data from the child are checked and escaped, because a hostile script may control the child.

require "impel.core" -- provides impel.system
local brokers = require "impel.sandbox.files"
local framing = require "impel.sandbox.framing"
local inside = require "impel.sandbox.child"
local pieces = require "impel.sandbox.pieces"
local printable = require "impel.base.printable"
local queue = require "impel.sandbox.queue"
local system = require "impel.system"

local sandbox = {}
local Child = {}
Child.__index = Child

--- Default quotas. memory: of Lua and worlds [MB]; time: wall time [s]; log: printed output [MB]; files: written to
--- files and standard output [MB].
sandbox.QUOTAS = { memory = 512, time = 60, log = 1, files = 256 }

local MEGABYTE = 1 << 20
-- largest number of unread replies; an honest child has at most one, because it waits for each reply
local MOST_UNREAD = 8
-- [s], time that the child has to report the end of its time quota before the parent kills it
local GRACE = 1
local LONGEST_LINE = 65536  -- [B], longest printed line
local LONGEST_WORD = 200    -- [B], longest text from the child about a layer
local LONGEST_MESSAGE = 64 << 20 -- [B], default limit on the length of a message
local LAST_WORDS = 1        -- [s], largest time for reading the remaining data of an ended child
local LAYERS_DUE = 10        -- [s], largest time in which the child must enable its layers
local EXIT_QUOTA = 6
-- Exit codes that options.work may return. Other codes are reported as internal failures.
local CODES = { [0] = true, true, true, true, true, true, true, [70] = true, [130] = true }


-- Sandbox layers -----------------------------------------------------------------------------------------------------

--- Possible layers, from the outermost to the innermost. The last three exist on every operating system.
sandbox.RINGS = { "rlimits", "no_new_privs", "landlock", "seccomp", "names", "memory", "time" }

local function missing_of(layers)
  local missing = {}
  for _, name in ipairs(sandbox.RINGS) do
    if not layers[name] then missing[#missing + 1] = ("no %s (%s)"):format(name, layers.why[name] or "not there") end
  end
  return missing
end

-- Parse the message "layers": after its first string, three strings for each layer: name; state ("on", "off" or a
-- version); reason if the state is "off", else "".
local function read_layers(parts)
  local layers = { why = {} }
  for i = 2, #parts - 2, 3 do
    local name, state, why = parts[i], parts[i + 1], parts[i + 2]
    if state == "off" then layers.why[name] = why:sub(1, LONGEST_WORD) end
    if state ~= "off" then layers[name] = state:sub(1, LONGEST_WORD) end
  end
  return layers
end

--- Describe the layers. Return also whether all are enabled.
function sandbox.text(child)
  local words, missing = {}, missing_of(child.layers)
  for _, name in ipairs { "rlimits", "no_new_privs", "landlock", "seccomp", "names" } do
    local state = child.layers[name]
    words[#words + 1] = state and (state == "on" and name or name .. " " .. state) or nil
  end
  words[#words + 1] = ("memory %g MB"):format(child.quotas.memory)
  words[#words + 1] = ("time %g s"):format(child.quotas.time)
  local text = table.concat(words, ", ")
  if missing[1] then text = ("%s; %s"):format(text, table.concat(missing, ", ")) end
  return printable(text), not missing[1]
end


-- Messages from the child --------------------------------------------------------------------------------------------

--- Kill the child, and store the failure to report. kind: "quota", "interrupted", ...
function Child:kill(kind, message)
  if self.failure then return end
  self.failure = { kind = kind, message = message }
  system.kill(self.id)
end

local function end_line(self)
  local line = self.line:whole()
  self.line = pieces.new()
  if self.options.say then self.options.say(printable(line)) end
end

-- Process lines of output. A child that prints more than its quota is killed.
local function take_log(self, text)
  self.logged = self.logged + #text
  if self.logged > self.quotas.log * MEGABYTE then
    return self:kill("quota", ("%s: quota: more than %g MB of messages"):format(self.name, self.quotas.log))
  end
  local at = 1
  while at <= #text do
    local stop = text:find("\n", at, true)
    local piece = text:sub(at, (stop or #text + 1) - 1)
    self.line:add(piece)
    if stop or self.line.size > LONGEST_LINE then end_line(self) end
    at = stop and stop + 1 or #text + 1
  end
end

local function too_much_written(self)
  self:kill("quota", ("%s: quota: more than %g MB of files"):format(self.name, self.quotas.files))
end

local function take_output(self, text)
  self.output:add(text)
  if self.output.size > self.quotas.files * MEGABYTE then return too_much_written(self) end
end

local function take_layers(self, parts)
  if self.layers then
    return self:kill("internal", self.name .. ": the child process reported its sandbox layers twice")
  end
  self.layers = read_layers(parts)
  local missing = missing_of(self.layers)
  if self.options.mode == "strict" and missing[1] then
    return self:kill("usage", ("--sandbox=strict: %s"):format(printable(table.concat(missing, ", "))))
  end
  if self.options.ready then self.options.ready(self) end
  self:extend()
  self:send("go")
end

local function take_message(self, parts)
  if parts[1] == "layers" then return take_layers(self, parts) end
  if parts[1] == "call" and self:waiting() > MOST_UNREAD then
    return self:kill("internal", self.name .. ": the sandbox sends requests and does not read the replies")
  end
  if parts[1] == "call" then
    local reply = self.files:serve(table.move(parts, 2, #parts, 1, {}))
    if not reply then return too_much_written(self) end
    return self:send(table.unpack(reply))
  end
  if self.options.message and not self.failure then self.options.message(self, parts) end
end

local function take_messages(self, text)
  local messages = self.reader:take(text)
  if not messages then return self:kill("internal", self.name .. ": the sandbox sent an invalid message") end
  for _, parts in ipairs(messages) do
    if self.failure then return end
    take_message(self, parts)
  end
end

local takers = { messages = take_messages, output = take_output, log = take_log }

-- Read from a pipe of the child.
local function receive(self, name)
  local text, _, reason = system.read(self.pipes[name])
  if not text and reason == "again" then return end
  if text and text ~= "" then
    if not self.failure or name == "log" then takers[name](self, text) end
    return
  end
  system.close(self.pipes[name])
  self.pipes[name] = nil
end


-- Messages to the child ----------------------------------------------------------------------------------------------

-- Write queued messages until the pipe is full.
local function push(self)
  while self:waiting() > 0 and self.to do
    local text = self.queue:peek()
    local count, _, reason = system.send(self.to, text, self.sent + 1)
    if not count then
      -- "again": the pipe is full; otherwise the child has exited
      if reason ~= "again" then self.queue = queue.new() end
      return
    end
    self.sent = self.sent + count
    if self.sent == #text then
      self.queue:take()
      self.sent = 0
    end
  end
end

--- Send a message.
function Child:send(...)
  self.queue:add(framing.encode(...))
  push(self)
end

--- Return the number of messages in the queue to the child.
function Child:waiting() return self.queue:count() end


-- End of the child ---------------------------------------------------------------------------------------------------

local function look_at_clock(self)
  local now = system.clock()
  if not self.layers and now > self.began + LAYERS_DUE then
    self:kill("internal", self.name .. ": the sandbox did not start")
  elseif self.deadline and now > self.deadline then
    self:kill("quota", ("%s: quota: the script did not end within %g s"):format(self.name, self.quotas.time))
  end
end

--- Restart the child's time quota.
function Child:extend()
  self.deadline = system.clock() + self.quotas.time + math.min(self.quotas.time, GRACE)
end

local function has_pipes(self)
  return (self.pipes.messages or self.pipes.output or self.pipes.log) ~= nil
end

--- Return whether the child was killed or all its pipes are closed.
function Child:is_over() return self.failure ~= nil or not has_pipes(self) end

--- Wait for data of the child, at most `seconds`, and process them. Return whether data came.
function Child:listen(seconds)
  push(self)
  local descriptors, names = {}, {}
  for _, name in ipairs { "messages", "output", "log" } do
    local pipe = self.pipes[name]
    if pipe then descriptors[#descriptors + 1], names[pipe] = pipe, name end
  end
  local ready = system.poll(descriptors, self:waiting() > 0 and math.min(seconds, 0.002) or seconds)
  for _, pipe in ipairs(ready) do receive(self, names[pipe]) end
  if not self.failure then look_at_clock(self) end
  return #ready > 0
end

-- Return the outcome of a child that was not killed by its parent.
local function judge(self, ended, detail)
  if ended == "exited" and detail == EXIT_QUOTA then return { code = EXIT_QUOTA } end
  if ended == "exited" and CODES[detail] then return { code = detail } end
  local signal = ended == "killed" and detail:match "^signal (%d+)"
  if signal == "24" then -- signal 24 is SIGXCPU on all supported systems
    return { failure = { kind = "quota", message = self.name .. ": quota: the processor time is used up" } }
  end
  local how = ended == "killed" and "was killed by " .. detail or "exited with status " .. tostring(detail)
  return { failure = { kind = "internal", message = ("%s: the sandbox %s"):format(self.name, how) } }
end

--- Kill the child, and return how it ended.
---@return table outcome  code: exit code; or failure: kind, message; output: text on standard output
function Child:finish()
  system.kill(self.id) -- a child may have closed its pipes without exiting
  local due = system.clock() + LAST_WORDS
  while has_pipes(self) and system.clock() < due do self:listen(0.05) end
  for name, pipe in pairs(self.pipes) do
    system.close(pipe)
    self.pipes[name] = nil
  end
  if self.line.size > 0 then end_line(self) end
  system.close(self.to)
  self.to = nil
  local ended, detail = system.wait(self.id)
  self.files:close()
  local outcome = self.failure and { failure = self.failure } or judge(self, ended, detail)
  outcome.output = self.output:whole()
  return outcome
end


-- Start --------------------------------------------------------------------------------------------------------------

-- Make the pipes of a child, or return nil, message.
local function make_pipes()
  local here, there = {}, {}
  for _, name in ipairs { "messages", "output", "log", "replies" } do
    local from, to = system.pipe()
    if not from then
      for _, list in ipairs { here, there } do
        for _, descriptor in pairs(list) do system.close(descriptor) end
      end
      return nil, to
    end
    if name == "replies" then here[name], there[name] = to, from else here[name], there[name] = from, to end
  end
  system.unblock(here.replies)
  return here, there
end

-- Return why strict mode is impossible, or nil.
local function lacking()
  if system.landlock_version() == 0 then return "no landlock (not supported by the kernel)" end
  if pcall(require, "impel.seccomp") then return nil end
  return "no seccomp (built without libseccomp; Debian: libseccomp-dev)"
end

--- Start a child.
---@param options table
---  mode: "auto" or "strict", which requires all layers
---  name
---  folder: may be read
---  may_write(path) -> boolean
---  quotas: default sandbox.QUOTAS
---  prepare(): called in the child before the layers are enabled
---  work(link) -> exit code: called in the child after that
---  say(line): receives printed lines
---  ready(child): called when the layers are enabled
---  message(child, parts): receives messages of the child other than its requests
---  longest: longest message [B]
---  endless: true: no limit on the processor time of the whole run. The caller restarts the time quota at each message:
---   child:extend() in the parent, link.restart_clock() in the child
---@return table|nil child
---@return table|nil failure
function sandbox.start(options)
  local lacks = options.mode == "strict" and lacking()
  if lacks then return nil, { kind = "usage", message = "--sandbox=strict: " .. lacks } end
  local here, there = make_pipes()
  if not here then return nil, { kind = "internal", message = there } end
  local quotas = setmetatable(options.quotas or {}, { __index = sandbox.QUOTAS })
  options.longest = options.longest or LONGEST_MESSAGE
  local id, problem = system.fork()
  if id == 0 then inside.serve(options, there, quotas) end
  for _, descriptor in pairs(there) do system.close(descriptor) end
  if not id then
    for _, descriptor in pairs(here) do system.close(descriptor) end
    return nil, { kind = "internal", message = problem }
  end
  local to = here.replies
  here.replies = nil
  return setmetatable({
    id = id, options = options, name = options.name, quotas = quotas, pipes = here, to = to,
    queue = queue.new(), sent = 0, began = system.clock(), reader = framing.reader(options.longest),
    line = pieces.new(), logged = 0, output = pieces.new(), files = brokers.new {
      folder = options.folder, may_write = options.may_write or function() return false end,
      most = quotas.files * MEGABYTE,
    },
  }, Child)
end

return sandbox
