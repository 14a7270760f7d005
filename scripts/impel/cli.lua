-- The command line. A command is a module with
--   name, about         its name, and its line of help
--   declare(parser)     adds its arguments and options
--   run(host, options)  executes it and returns the exit code

local console = require "impel.cli.console"
local impel = require "impel"
local nearest = require "impel.base.nearest"

local cli = {}

-- Commands in the order of the help.
local COMMANDS = {
  "run", "replay", "view", "play", "plot", "sweep", "tune", "test", "bisect", "compare", "bench", "doctor",
  "repl", "new", "list", "keys", "api",
}

local EXIT_CODES = "exit codes: 0 success, 1 a check failed, 2 wrong usage, 3 an error in the scene, 4 the simulation "
  .. "diverged, 5 a file is damaged or could not be written, or --check-determinism found a difference, 6 a quota "
  .. "was exceeded, 70 an internal error, 130 Ctrl-C, "
  .. "143 SIGTERM, 129 SIGHUP"

-- Make the parser with all commands, or with one named command, so that only its module is loaded.
local function make_parser(host, named)
  local argparse = require "argparse"
  local parser = argparse("impel", "2D rigid-body physics, scripted in Lua", EXIT_CODES)
  parser:command_target("command")
  parser:flag("-V --version", "print the version and exit"):action(function()
    print("impel " .. impel.version)
    os.exit(console.EXIT.ok)
  end)
  parser:option("-e", "run CODE with the globals of a scene; if CODE is an expression, print its value; ARGS are "
    .. "available as ...")
    :argname("CODE")
  parser:option("--completion", "print a script that makes the shell complete commands, options and scenes")
    :argname("SHELL"):choices { "bash", "zsh", "fish" }:action(function(_, _, shell)
      io.stdout:write(require("impel.cli.completion").text(make_parser(host), shell, host))
      os.exit(console.EXIT.ok, true)
    end)
  for _, name in ipairs(COMMANDS) do
    if not named or name == named then
      local command = require("impel.cli." .. name)
      command.declare(parser:command(command.name, command.about))
    end
  end
  return parser
end

local function never() return false end

-- Add the functions of impel.system to the host. Without a host, as in plain Lua, signals and examples are missing.
local function with_system(host)
  return setmetatable(host or { interrupted = never, terminated = never }, { __index = require "impel.system" })
end

-- Turn `impel FILE` into `impel view FILE`, if FILE is a scene or a folder and not a command.
local function with_command(arguments, host)
  local first = arguments[1]
  if not first or first:find "^%-" or nearest.has(COMMANDS, first) then return arguments end
  local find = require "impel.cli.find"
  local kind = host.kind(first)
  local there = kind == "folder" or kind == "link" or find.is_readable(first)
  there = there or nearest.has(find.examples(host), first)
  return there and table.move(arguments, 1, #arguments, 2, { "view" }) or arguments
end

-- Turn `impel help run` into `impel run --help`.
local function with_help(arguments)
  if arguments[1] ~= "help" then return arguments end
  return { arguments[2] or "--help", arguments[2] and "--help" }
end

-- Turn `--time -1` into `--time=-1`, and `--sandbox` into `--sandbox=auto`, for the parser.
local function join_values(arguments)
  local joined = {}
  for i, word in ipairs(arguments) do
    local mode = arguments[i + 1]
    if word == "--sandbox" and mode ~= "auto" and mode ~= "strict" then word = "--sandbox=auto" end
    local option = word:find("^%-%.?%d") and (joined[#joined] or ""):match("^%-%-%a[%w-]*$")
    if option then joined[#joined] = option .. "=" .. word else joined[#joined + 1] = word end
  end
  return joined
end

-- Parse the arguments into options, including `command`. For invalid arguments, print a message and return nil.
local function parse(arguments, host)
  arguments = with_help(with_command(arguments, host))
  local first = arguments[1]
  local options = (first == "-e" or first == "-v") and require("impel.cli.eval").split(arguments)
  if options then return options end
  local named = nearest.has(COMMANDS, first) and first or nil
  local ok, parsed = make_parser(host, named):pparse(join_values(arguments))
  if ok and not parsed.e then return parsed end
  if ok then parsed = "-e must come first and cannot be combined with a command" end
  console.say((parsed:gsub("\nDid you mean (.-)%?$", " (did you mean %1?)")))
  io.stderr:write("try 'impel --help'\n")
  return nil
end

-- Set the locale C until the returned value is closed, so that numbers have a decimal point.
local function in_locale_c()
  local before = os.setlocale()
  os.setlocale "C"
  return setmetatable({}, { __close = function() os.setlocale(before) end })
end

-- Scripts share the metatable of strings. If a script changed it and the program then fails, raise an error that names
-- the script's change.
local function guard_strings()
  local strings = debug.getmetatable ""
  local index = strings.__index
  return setmetatable({}, { __close = function(_, problem)
    local changed = debug.getmetatable "" ~= strings or rawget(strings, "__index") ~= index
    debug.setmetatable("", strings)
    strings.__index = index
    if not changed or type(problem) ~= "string" then return end
    error { code = console.EXIT.scene,
      message = problem:match "^[^\n]*" .. " (the script has changed the metatable of strings)" }
  end })
end

--- Run the command line in the locale C, and restore the host's locale.
---@param arguments string[]
---@param host table|nil  interrupted() -> boolean; terminated() -> boolean: SIGTERM or SIGHUP came; rearm(): clear the
---  interrupt; waiting(boolean): set whether the program waits for input; a signal ends a waiting program at once;
---  examples: folder of the example scenes or nil
---@return integer exit_code
function cli.main(arguments, host)
  host = with_system(host)
  local _ <close> = in_locale_c()
  local options = parse(arguments, host)
  if not options then return console.EXIT.usage end
  local _ <close> = guard_strings()
  local code = require("impel.cli." .. options.command).run(host, options)
  -- If a signal interrupts the reading of a file, the command calls the file unreadable. Return "interrupted" instead.
  if host.interrupted() and (code == console.EXIT.usage or code == console.EXIT.damaged) then
    code = console.EXIT.interrupted
  end
  local flushed, message = io.stdout:flush()
  if not flushed then
    console.say("cannot write to standard output: ", message)
    return console.EXIT.damaged
  end
  return code
end

return cli
