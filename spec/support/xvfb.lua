-- An X server without a screen, for specs that open windows.
--   local server, reason = require("support.xvfb").start()
--   os.execute("DISPLAY=" .. server.display .. " ...")
--   server:stop()
local xvfb = {}
local Server = {}
Server.__index = Server

local WAIT = 10 -- time for the server to start [s]

local function first_line(command)
  local pipe = io.popen(command)
  local line = pipe:read "l"
  pipe:close()
  return line
end

--- Start a server. The option -noreset is needed, because a server that resets rejects new clients.
---@return table|nil server  display: ":7"; pid
---@return string|nil reason
function xvfb.start()
  if not os.execute "command -v Xvfb >/dev/null 2>&1" then return nil, "Xvfb is not installed" end
  local path = os.tmpname()
  local command = "Xvfb -displayfd 3 -screen 0 1280x960x24 -nolisten tcp -noreset 3>%s >/dev/null 2>&1 & echo $!"
  local pid = first_line(command:format(path))
  for _ = 1, 20 * WAIT do
    local file = io.open(path)
    local number = file:read "l"
    file:close()
    if number then
      os.remove(path)
      return setmetatable({ display = ":" .. number, pid = pid }, Server)
    end
    os.execute "sleep 0.05"
  end
  os.remove(path)
  os.execute("kill " .. pid)
  return nil, "Xvfb does not start"
end

--- Stop the server; a second call does nothing.
function Server:stop()
  if self.pid then os.execute(("kill %s 2>/dev/null"):format(self.pid)) end
  self.pid = nil
end

return xvfb
