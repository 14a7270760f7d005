-- Commands whose scene runs in a sandbox, in a child process.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local optional = require "impel.base.parts"
local pictures = require "impel.cli.pictures"
local printable = require "impel.base.printable"
local records = require "impel.cli.sandboxed_record"
local reels = require "impel.cli.sandboxed_film"

local sandboxed = {}

local INTERRUPT_GRACE = 3   -- [s] from an interrupt until a child that does not stop is killed
local TERMINATE_GRACE = 0.3 -- [s], instead of INTERRUPT_GRACE if the program itself must end within a second
local TICK = 0.05         -- [s], longest wait for messages of the child at a time
local LONGEST_PROGRESS = 400 -- [B], longest progress text
local PIECE = 65536 -- [B], size of a piece of standard output
local MOST_ODD = 16 -- largest number of printed pieces that are not plain text; their bytes are written as \xNN
local UNITS = { memory = "MB", time = "s", log = "MB", files = "MB" }
local MOST = 1e6

-- Convert "memory=256,time=10" to a table.
local function quotas(text)
  local set = {}
  for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
    local name, value = word:match "^(%a+)=(.+)$"
    local number = tonumber(value)
    if not name or not UNITS[name] then
      return nil, ("--quota %s: memory=MB, time=S, log=MB or files=MB expected, separated by commas"):format(text)
    end
    if not number or not (number > 0 and number <= MOST) or name == "memory" and number < 1 then
      return nil, ("--quota %s: %s: more than 0 %s expected, at most %g, got '%s'"):format(text, name, UNITS[name],
        MOST, value)
    end
    set[name] = number
  end
  return set
end

--- Add --sandbox and --quota.
function sandboxed.declare(parser)
  parser:option("--sandbox", "run the scene in a sandbox: a process that has quotas, reads only files in the scene's "
    .. "folder, has no network and starts no programs; without this option there is no sandbox. MODE auto (default): "
    .. "use the sandbox layers that this system has; strict: run only if the system has all layers"):argname("MODE")
    :choices { "auto", "strict" }
  parser:option("--quota", "limits of the sandbox, by default memory=512 [MB], time=60 [s], log=1 [MB], files=256 [MB]")
    :argname("NAME=X,..."):convert(quotas)
end

--- Return a message for options that conflict.
---@return string|nil message
function sandboxed.clash(options)
  if options.quota and not options.sandbox then return "--quota needs --sandbox" end
  if not options.sandbox then return nil end
  local missing = optional.missing "SANDBOX"
  return missing and "--sandbox: " .. missing or reels.problem(options)
end

-- Return a predicate for the files that the command writes.
local function writable(options)
  local paths = {}
  for _, name in ipairs { "trace", "plot", "save", "record", "png", "svg" } do
    local path = options[name]
    if path and path ~= "-" then paths[path] = true end
  end
  for _, name in ipairs { "png", "svg" } do
    for number in ipairs(options[name] and options.at or {}) do
      paths[(options[name]:gsub("(%.%w+)$", ("_%d%%1"):format(number)))] = true
    end
  end
  return function(path) return paths[path] == true end
end

-- Return the host object for a command in the child.
local function host_of(link)
  return setmetatable({
    interrupted = function() return link:interrupted() end, terminated = function() return false end,
    rearm = function() end,
  }, { __index = require "impel.system" })
end

-- In the child: send the progress to the parent, which has the terminal.
local function send_progress(link)
  local clock, due = require("impel.system").clock, 0
  function console.progress()
    return {
      show = function(text, ...)
        if clock() < due then return end
        due = clock() + 0.2
        link:send("progress", type(text) == "function" and text(...) or text)
      end,
      clear = function() end,
    }
  end
end

-- If a scene ran out of memory, report that it exceeded its quota.
local function report_quota(link)
  local report = console.report
  function console.report(failure, options)
    local message = tostring(failure.message)
    local told = message:find "not enough memory" or message:find "out of memory"
    if failure.kind == "scene" and told and link.lacked_memory() then
      failure.kind, failure.message = "quota", message .. " (raise it by --quota memory=MB)"
    end
    return report(failure, options)
  end
end

-- In the child: use the state that --load names, which the parent has read.
local function give_state(bytes)
  local runner = require "impel.scene.run"
  function runner.read_state() return bytes end
  function runner.load_state(world, path)
    local ok, message = pcall(world.restore, world, bytes)
    if ok then return true end
    return nil, ("%s: %s"):format(path, (message:gsub("^[^\n]-:%d+: ", ""):gsub("^world:restore: ", "")))
  end
  require("impel.system").kind = function() return "file" end -- the parent has checked the file
end

--- Return the function that the child calls. It runs the command on the scene's text, which the parent has read.
---@param command table
---@param options table
---@param text string
---@param chunk string
---@param state string|nil  bytes of --load
function sandboxed.work(command, options, text, chunk, state)
  local inner = setmetatable({ sandbox = false, quota = false }, { __index = options })
  return function(link)
    find.text = function() return text, chunk end
    send_progress(link)
    report_quota(link)
    if state then give_state(state) end
    reels.send(link)
    records.send()
    local code = command.run(host_of(link), inner)
    io.stdout:flush()
    return code
  end
end

--- Return a function that loads the modules that paint pictures, called before the sandbox layers are enabled.
function sandboxed.prepare(options)
  return function()
    require "impel.scene.run"
    if not (options.png or options.gif or options.mp4) then return end
    local window = require("impel.picture").window()
    if window then window.font() end
  end
end

--- Return the folder whose files a scene may read, from the scene's chunk name.
function sandboxed.folder(chunk) return chunk:sub(2):match "^(.*)/[^/]*$" or "." end

-- Handle the child's messages until it ends. Forward an interrupt, and give the child some seconds to stop.
local function attend(child, host)
  local told
  while not child:is_over() do
    child:listen(TICK)
    if host.interrupted() and not told then
      told = host.clock()
      child:send "interrupt"
    elseif told and host.clock() > told + (host.terminated() and TERMINATE_GRACE or INTERRUPT_GRACE) then
      child:kill("interrupted", "interrupted; the script did not stop and was killed")
    end
  end
  return child:finish()
end

-- Return the position of the last byte of the piece that begins at `at`. No piece ends within a UTF-8 character.
local function piece_end(text, at)
  local stop = at + PIECE - 1
  for _ = 1, 3 do
    if not text:find("^[\x80-\xBF]", stop + 1) then break end
    stop = stop + 1
  end
  return stop
end

-- Print the command's output, escaped and limited.
local function print_output(output, options)
  if options.png == "-" then return io.stdout:write(output) end
  local at, odd = 1, 0
  while at <= #output do
    local stop = piece_end(output, at)
    local piece = output:sub(at, stop)
    local text = printable(piece)
    odd = odd + (text == piece and 0 or 1)
    if odd > MOST_ODD then
      return nil, { kind = "quota", message = "quota: more than 1 MB of standard output that is not plain text" }
    end
    io.stdout:write(text)
    at = stop + 1
  end
  return true
end

--- Run a command's scene in a sandbox.
---@param command table
---@param host table
---@param options table  sandbox: "auto" or "strict", quota
---@return integer exit_code
function sandboxed.run(command, host, options)
  local text, chunk = find.text(host, options.file)
  if not text then return console.refuse(chunk, options) end
  local state, unread
  if options.load then
    state, unread = require("impel.system").read_file(options.load)
    if not state then
      local there = require("impel.system").kind(options.load) == "file"
      return console.report({ kind = there and "damaged" or "usage", message = unread }, options)
    end
  end
  local line = console.progress(host, options.quiet)
  local reel
  local child, failure = require("impel.sandbox").start {
    mode = options.sandbox, quotas = options.quota, name = printable(chunk:sub(2)), folder = sandboxed.folder(chunk),
    may_write = writable(options), prepare = sandboxed.prepare(options),
    work = sandboxed.work(command, options, text, chunk, state),
    say = function(words)
      line.clear()
      io.stderr:write(words, "\n")
    end,
    ready = function(child)
      local words, whole = require("impel.sandbox").text(child)
      if not (options.quiet and whole) then io.stderr:write("sandbox: ", words, "\n") end
    end,
    message = function(child, parts)
      if parts[1] == "progress" and parts[2] then line.show(printable(parts[2]:sub(1, LONGEST_PROGRESS))) end
      if parts[1] ~= "film" or not reel then return end
      local ok, wrong = reel:take(parts)
      if not ok then child:kill(wrong.kind, wrong.message) end
    end,
  }
  if not child then return console.report(failure, options) end
  reel = reels.new(options, child.quotas.files)
  local outcome = attend(child, host)
  local unfinished, made
  if reel then unfinished, made = reel:close() end
  line.clear()
  local ok, problem = print_output(outcome.output, options)
  local wrong = outcome.failure or unfinished or not ok and problem
  local by_quota = outcome.code == console.EXIT.quota
  if made and (outcome.failure or by_quota) and made[1] then pictures.print_early(made) end
  if not wrong then return outcome.code end
  if outcome.failure and unfinished then
    local same = unfinished.message:sub(1, #wrong.message) == wrong.message
    if same then wrong = unfinished else console.say(unfinished.message) end
  end
  return console.report(wrong, options)
end

return sandboxed
