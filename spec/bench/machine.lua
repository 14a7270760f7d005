-- Describes the machine, system, commit and date of a measurement.

local machine = {}

-- Return the first line that a command prints, or nil if the command fails.
local function ask(command)
  local pipe = io.popen(command .. " 2>/dev/null")
  local line = pipe and pipe:read "l"
  return pipe and pipe:close() and line ~= "" and line or nil
end

local function model()
  local file = io.open "/proc/cpuinfo"
  local found = file and file:read("a"):match "model name%s*:%s*([^\n]+)"
  if file then file:close() end
  return found or ask "sysctl -n machdep.cpu.brand_string" or ask "uname -m" or "unknown"
end

-- Return the commit as "1a2b3c4", with "+" if the checkout has uncommitted changes.
local function commit()
  local hash = ask "git rev-parse --short HEAD"
  if not hash then return "unknown" end
  return ask "git status --porcelain --untracked-files=no" and hash .. "+" or hash
end

--- Describe the machine and the checkout.
---@return table  machine, system, processors, commit, date
function machine.describe()
  return {
    machine = model(), system = ask "uname -srm" or "unknown", commit = commit(),
    processors = math.tointeger(tonumber(ask "nproc" or ask "getconf _NPROCESSORS_ONLN")) or 1,
    date = os.date "!%Y-%m-%dT%H:%M:%SZ",
  }
end

return machine
