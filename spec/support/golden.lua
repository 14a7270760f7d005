-- Golden files: results of specs are compared with files in spec/golden.
--
--   golden.check("draw/circle.txt", text)
--
-- IMPEL_GOLDEN=write in the environment writes the golden files instead: read git diff before committing them.

local golden = {}

local FOLDER = "spec/golden/"

function golden.read(name)
  local file = assert(io.open(FOLDER .. name, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

--- Compare `got` with the golden file `name`. The error shows the first line that differs.
---@param name string  below spec/golden
---@param got string
function golden.check(name, got)
  if os.getenv "IMPEL_GOLDEN" == "write" then
    local file = assert(io.open(FOLDER .. name, "wb"))
    assert(file:write(got))
    assert(file:close())
  end
  local expected = golden.read(name)
  if got == expected then return end
  local line = 1
  local a, b = got:gmatch "([^\n]*)\n?", expected:gmatch "([^\n]*)\n?"
  local x, y = a(), b()
  while x == y do
    x, y, line = a(), b(), line + 1
  end
  error(("%s%s:%d:\n  expected %s\n  got      %s"):format(FOLDER, name, line, tostring(y), tostring(x)), 2)
end

return golden
