-- The recording of a run in a sandbox, sent after each step.

local rowfile = require "impel.base.rowfile"
local runner = require "impel.scene.run"

local records = {}
local Sent = {}
Sent.__index = Sent

local PIECE = 4 << 20 -- [B], largest message with a part of the recording

--- Send the data since the last flush to the parent. Return true, or nil and a message.
function Sent:flush()
  local bytes = self.recording:take()
  for at = 1, #bytes, PIECE do
    if self.problem then break end
    local ok, message = self.file:append(bytes:sub(at, at + PIECE - 1))
    if not ok then
      self.problem = message
      self.recording:close() -- if a part of the recording is missing, later data cannot be replayed
    end
  end
  if self.problem then return nil, self.problem end
  return true
end

--- End the recording and send the rest of its data. Return true, or nil and a message. A second call does nothing.
function Sent:close()
  if not self.file then return not self.problem or nil, self.problem end
  local ok, message = self.recording:close()
  self:flush()
  if not ok then self.problem = self.problem or message end
  local closed, why = self.file:close()
  self.file = nil
  if not closed then self.problem = self.problem or why end
  return not self.problem or nil, self.problem
end

--- In the child: open recordings that are sent to the parent.
function records.send()
  function runner.open_recording(world, path, options)
    local file, message = rowfile.open(path, "replace")
    if not file then return nil, message end
    local recording
    recording, message = world:record(nil, options)
    if not recording then return nil, message end
    local self = setmetatable({ recording = recording, file = file }, Sent)
    local ok, problem = self:flush()
    if not ok then return nil, problem end
    return self
  end
end

return records
