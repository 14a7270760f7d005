-- Helpers of the specs that run the program or read its files. Specs are run from the top folder of the checkout:
--   local program = require "support.program"
local program = {}

--- Quote a path for the shell.
function program.quote(path)
  return "'" .. path:gsub("'", [['\'']]) .. "'"
end

--- Return the text of a file; raises if it cannot be read.
function program.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

--- Write a file; raises if it cannot be opened.
function program.put(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

--- Absolute path of the program: $IMPEL, or the program of the build.
program.path = os.getenv("IMPEL") or "build/impel"
if program.path:sub(1, 1) ~= "/" then program.path = io.popen("pwd"):read("l") .. "/" .. program.path end

--- Return a shell command that waits until a file has `count` lines, for one minute at most.
function program.until_lines(path, count)
  return ("n=0; until [ $(cat %s 2>/dev/null | wc -l) -ge %d ] || [ $n -gt 1200 ]; do sleep 0.05; n=$((n + 1)); done")
    :format(program.quote(path), count)
end

local made = {} -- paths of the temporary files

--- Return the name of a temporary file that program.clean removes.
---@param ending string|nil
function program.temporary(ending)
  local name = os.tmpname()
  made[#made + 1] = name
  if not ending then return name end
  made[#made + 1] = name .. ending
  return name .. ending
end

--- Write a temporary file with this text; return its path.
function program.write(text, ending)
  local path = program.temporary(ending or ".lua")
  program.put(path, text)
  return path
end

--- Run the program.
---@param arguments string
---@param input string|nil   its standard input
---@param before string|nil  shell text before the program
---@return integer exit_code  128 + number of the signal, if a signal killed the program
---@return string stdout
---@return string stderr
function program.run(arguments, input, before)
  local out, err = program.temporary(), program.temporary()
  local from = input and program.write(input) or "/dev/null"
  local _, ended, code = os.execute(("%s %s %s <%s >%s 2>%s"):format(before or "", program.quote(program.path),
    arguments, from, out, err))
  -- 128 + number of the signal that killed the program or the shell
  return ended == "signal" and 128 + code or code, program.read(out), program.read(err)
end

--- Return the command that runs busted under Lua 5.4. busted is a Lua script, or a shell script that runs a Lua script.
function program.busted()
  local path = io.popen("command -v busted"):read("l")
  local first = program.read(path):match("^[^\n]*")
  return first:find("lua", 1, true) and "lua5.4 " .. program.quote(path) .. " --ignore-lua" or program.quote(path)
end

--- Remove the temporary files.
function program.clean()
  for _, path in ipairs(made) do os.remove(path) end
  made = {}
end

return program
