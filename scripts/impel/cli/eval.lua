-- impel -e CODE [ARGS]: run a line of Lua with a scene's globals.

local console = require "impel.cli.console"
local environment = require "impel.scene.environment"
local scenes = require "impel.scene"
local show = require "impel.base.show"

local eval = {}

local DIGITS = 14 -- significant digits of printed numbers, as Lua's print has
local NAME = "(command line)"

--- Remove the options -e CODE and -v from the front of the arguments.
---@param arguments string[]
---@return table|nil options  command, chunks, arguments, verbose; nil if the first argument is not -e with code
function eval.split(arguments)
  local chunks, verbose, i = {}, false, 1
  while arguments[i] do
    if arguments[i] == "-e" and arguments[i + 1] then
      chunks[#chunks + 1] = arguments[i + 1]
      i = i + 2
    elseif arguments[i] == "-v" or arguments[i] == "--verbose" then
      verbose = true
      i = i + 1
    else
      break
    end
  end
  if #chunks == 0 then return nil end
  if arguments[i] == "--" then i = i + 1 end
  local rest = table.move(arguments, i, #arguments, 1, {})
  return { command = "eval", chunks = chunks, verbose = verbose, arguments = rest }
end

-- Print strings as they are, numbers as Lua prints them, tables and objects in readable form.
local function print_values(values)
  for i = 1, values.n do
    local value = values[i]
    local plain = type(value) == "string" or type(value) == "number"
    io.stdout:write(plain and tostring(value) or show.value(value, DIGITS), i < values.n and "\t" or "\n")
  end
end

-- Make the globals of the chunks. print writes to stdout.
local function globals_with(arguments)
  local globals = environment.new { print = environment.printer(function(...) io.stdout:write(...) end) }
  globals.impel = require "impel"
  globals.arg = arguments
  return globals
end

-- Run a chunk and print its results. Return a failure if the chunk raises.
local function run_chunk(chunk, arguments)
  -- A C function calls the chunk, so that errors do not name this line.
  local results = table.pack(scenes.guard(NAME, chunk, table.unpack(arguments)))
  local ok, problem = results[1], results[2]
  if ok then ok, problem = scenes.guard(NAME, print_values, table.pack(table.unpack(results, 2, results.n))) end
  return not ok and { kind = "scene", message = problem.message, traceback = problem.traceback } or nil
end

function eval.run(host, options)
  local globals = globals_with(options.arguments)
  console.raise_interrupts(host)
  for _, text in ipairs(options.chunks) do
    local chunk, message = environment.compile_line(text, "=" .. NAME, globals)
    local failure = not chunk and { kind = "scene", message = message } or run_chunk(chunk, options.arguments)
    if host.interrupted() then return console.EXIT.interrupted end
    if failure then return console.report(failure, options) end
  end
  return console.EXIT.ok
end

return eval
