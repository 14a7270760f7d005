-- impel repl: a prompt with a running scene; or chunks from a pipe.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local opt = require "impel.cli.options"

local command = { name = "repl", about = "open a prompt with a running scene: step, inspect and change its world" }

local PROMPT, MORE = "> ", ">> "
local TERMINAL = "/dev/tty"

function command.declare(parser)
  opt.add_file(parser):args("?")
  opt.add_solver(parser)
  opt.add_common(parser)
end

-- Return the path of the line history, or nil without a home directory.
local function history_path()
  local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
  if state and state:sub(1, 1) == "/" then return state .. "/impel/history" end
  return home and home ~= "" and home .. "/.local/state/impel/history" or nil
end

-- Return a reader of lines from a terminal with libedit, or nil.
local function edited(session, path)
  local has_module, editline = pcall(require, "impel.editline")
  local editor = has_module and editline.open(path) or nil
  if not editor then return nil end
  local history = history_path()
  if history then editor:load(history) end
  return {
    read = function(prompt) return editor:read(prompt, function(text) return session:tab(text) end) end,
    close = function()
      if history then editor:save(history) end -- failing to save the history is not an error
      editor:close()
    end,
  }
end

local function plain(host, input, prompted)
  local waiting = host.waiting or function() end -- host.waiting is missing in plain Lua, which handles no signals
  return {
    read = function(prompt)
      if prompted then io.stdout:write(prompt):flush() end
      waiting(true)
      local line = input:read "l"
      waiting(false)
      if prompted and not line then io.stdout:write "\n" end
      return line
    end,
    close = function() end,
  }
end

-- Return the source of lines, and whether a person types them; nil if standard input is the scene and there is no
-- terminal.
local function lines_of(host, options, session)
  if options.file ~= "-" then
    if not host.isatty(0) then return plain(host, io.stdin, false), false end
    return edited(session) or plain(host, io.stdin, true), true
  end
  local terminal = io.open(TERMINAL, "r") -- standard input contains the scene, so lines come from the terminal
  if not terminal then return nil, false end
  return edited(session, TERMINAL) or plain(host, terminal, true), true
end

-- Feed the lines to the session until it ends. Return the exit code.
local function converse(host, options, session, lines, typed)
  local state = "done"
  while true do
    local line, why = lines.read(state == "incomplete" and MORE or PROMPT)
    if why == "interrupted" then
      session:forget()
      state = "done"
    elseif why == "terminated" or host.terminated() or not typed and host.interrupted() then
      return console.EXIT.interrupted
    elseif not line then
      if not session:forget() or typed then return console.EXIT.ok end
      return console.report({ kind = "scene", message = "standard input ends inside an incomplete chunk" }, options)
    else
      -- Clear an interrupt before the next chunk.
      if typed and host.rearm then host.rearm() end
      local failure
      state, failure = session:feed(line)
      io.stdout:flush()
      if failure and failure.kind == "quit" then return console.EXIT.ok end
      if failure then
        local code = console.report(failure, options)
        if not typed then return code end
      end
    end
  end
end

function command.run(host, options)
  local repl = require "impel.prompt.repl"
  local line = console.progress(host, true)
  local session, failure = repl.new(opt.run_settings(options, {
    write = function(...) io.stdout:write(...) end,
    file = options.file, interrupted = host.interrupted, clock = host.clock,
    numbered = not host.isatty(0), digits = host.isatty(1) and 6 or 14,
    find = function(name) return find.loader(host, { file = name, seed = options.seed }, line) end,
  }))
  if not session then return console.report(failure, options) end
  local lines, typed = lines_of(host, options, session)
  if not lines then
    session:close()
    return console.refuse("repl -: standard input is the scene, and there is no terminal for the session", options)
  end
  if typed and not options.quiet then
    local scene = session.run.scene
    io.stdout:write(("impel %s  %s  help() lists the functions\n"):format(require("impel").version,
      options.file and scene.definition.title or scene.name .. " world"))
  end
  local code = converse(host, options, session, lines, typed)
  lines.close()
  session:close()
  return code
end

return command
