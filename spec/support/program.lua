-- What the specs that run the program or read its files share. They are run from the top of the checkout:
--   local program = require "support.program"
local program = {}

--- A path as a word of the shell.
function program.quote(path)
  return "'" .. path:gsub("'", [['\'']]) .. "'"
end

--- The whole text of a file; raises when it cannot be read.
function program.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

--- Write a file; raises when it cannot be opened.
function program.put(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

--- The program itself, by its whole path: $IMPEL, else the build's.
program.path = os.getenv("IMPEL") or "build/impel"
if program.path:sub(1, 1) ~= "/" then program.path = io.popen("pwd"):read("l") .. "/" .. program.path end

--- What a shell does until a file has that many lines, a minute at most: how long that takes, the machine decides.
function program.until_lines(path, count)
  return ("n=0; until [ $(cat %s 2>/dev/null | wc -l) -ge %d ] || [ $n -gt 1200 ]; do sleep 0.05; n=$((n + 1)); done")
    :format(program.quote(path), count)
end

local made = {} -- files of the spec that runs

--- The name of a file that program.clean removes.
---@param ending string|nil
function program.temporary(ending)
  local name = os.tmpname()
  made[#made + 1] = name
  if not ending then return name end
  made[#made + 1] = name .. ending
  return name .. ending
end

--- A file with this text.
function program.write(text, ending)
  local path = program.temporary(ending or ".lua")
  program.put(path, text)
  return path
end

--- Run the program.
---@param arguments string
---@param input string|nil   its standard input
---@param before string|nil  stands before it in the shell
---@return integer exit_code  128 more than the signal that killed it
---@return string stdout
---@return string stderr
function program.run(arguments, input, before)
  local out, err = program.temporary(), program.temporary()
  local from = input and program.write(input) or "/dev/null"
  local _, ended, code = os.execute(("%s %s %s <%s >%s 2>%s"):format(before or "", program.quote(program.path),
    arguments, from, out, err))
  -- Killed by a signal: the shell says 128 more, or it was the shell's own process.
  return ended == "signal" and 128 + code or code, program.read(out), program.read(err)
end

--- The words that run busted under Lua 5.4, for specs of specs: Debian's is a Lua script, elsewhere it may be a shell
--- script around one.
function program.busted()
  local path = io.popen("command -v busted"):read("l")
  local first = program.read(path):match("^[^\n]*")
  return first:find("lua", 1, true) and "lua5.4 " .. program.quote(path) .. " --ignore-lua" or program.quote(path)
end

--- Remove the files that were made.
function program.clean()
  for _, path in ipairs(made) do os.remove(path) end
  made = {}
end

return program
