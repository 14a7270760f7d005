-- What the specs that run the program or read its files share. They are run from the top of the checkout:
--   local program = dofile "spec/lua/program.lua"
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

--- The program itself, by its whole path: $IMPEL, else the build's.
program.path = os.getenv("IMPEL") or "build/impel"
if program.path:sub(1, 1) ~= "/" then program.path = io.popen("pwd"):read("l") .. "/" .. program.path end

return program
