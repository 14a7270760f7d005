-- The command line: the parser, and which module of impel/cli does what. A command is a module with
--   name, about         what it is called, and its line of help
--   declare(parser)     adds its arguments and options to its own parser
--   run(host, options)  does it and gives the exit code

local console = require "impel.cli.console"
local impel = require "impel"

local cli = {}

local COMMANDS = { "run", "test", "sweep", "compare", "doctor", "list", "api" } -- in the order of the help

local function make_parser()
  local argparse = require "argparse"
  local parser = argparse("impel", "rigid-body physics from constraint rows, driven from Lua")
  parser:command_target("command")
  parser:flag("-V --version", "print the version and exit"):action(function()
    print("impel " .. impel.version)
    os.exit(console.EXIT.ok)
  end)
  parser:add_complete()
  for _, name in ipairs(COMMANDS) do
    local command = require("impel.cli." .. name)
    command.declare(parser:command(command.name, command.about))
  end
  return parser
end

-- What commands ask: of the program, and of the system. Under plain Lua there are no signals and no examples.
local function complete(host)
  return setmetatable(host or { interrupted = function() return false end }, { __index = require "impel.system" })
end

-- `--time -1` as `--time=-1`: the parser takes what begins with a hyphen for an option.
local function join_negatives(arguments)
  local joined = {}
  for _, word in ipairs(arguments) do
    local option = word:find("^%-%.?%d") and (joined[#joined] or ""):match("^%-%-%a[%w-]*$")
    if option then joined[#joined] = option .. "=" .. word else joined[#joined + 1] = word end
  end
  return joined
end

--- Run the command line.
---@param arguments string[]
---@param host table|nil  of the program: interrupted() -> boolean; examples: the folder of the example scenes or nil
---@return integer exit_code
function cli.main(arguments, host)
  local parser = make_parser()
  local ok, options = parser:pparse(join_negatives(arguments))
  if not ok then
    console.say((options:gsub("\nDid you mean (.-)%?$", " (did you mean %1?)")))
    io.stderr:write("try 'impel --help'\n")
    return console.EXIT.usage
  end
  local code = require("impel.cli." .. options.command).run(complete(host), options)
  local flushed, message = io.stdout:flush()
  if not flushed then
    console.say("cannot write to standard output: ", message)
    return console.EXIT.damaged
  end
  return code
end

return cli
