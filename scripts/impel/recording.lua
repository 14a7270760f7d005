-- impel.recording: plays a file of world:record(path) without its script.
--
--   local recording <close> = assert(world:record("drop.rec"))
--   local played = assert(impel.recording "drop.rec")
--   print(played.frames, played.first, played.last, played.ending)
--   repeat local same, difference = played:step() until not same     -- nil: end; false: difference
--   if difference then print(impel.recording.text(difference)) end
--   played:seek(played.first + 100)

local arguments = require "impel.base.arguments"
local core = require "impel.core"
local difference = require "impel.world.difference"
local system = require "impel.system"

local recording = {}

--- Open a recording from its bytes, or return nil, message, "damaged" if no part of it can be played.
---@param bytes string
---@param name string|nil  its origin, for the message
---@return impel.playback|nil playback
function recording.play(bytes, name)
  if type(bytes) ~= "string" then
    arguments.fail("impel.recording.play: argument 'bytes' must be a string, got %s", arguments.got(bytes))
  end
  local playback, message = core.playback(bytes)
  if not playback then return nil, ("recording %s: %s"):format(name or "of bytes", message), "damaged" end
  return playback
end

--- Open a recording, or return nil, message, and "missing" if it cannot be read, or "damaged" if no part can be played.
---@return impel.playback|nil playback
function recording.open(path)
  if type(path) ~= "string" or path == "" or path:find("\0", 1, true) then
    arguments.fail("impel.recording: argument 'path' must be the name of a file, got %s", arguments.got(path))
  end
  local bytes, message = system.read_file(path)
  if not bytes then return nil, ("cannot read recording %s"):format(message), "missing" end
  return recording.play(bytes, path)
end

-- kind of object -> message for a difference that names only the kind
local AMONG = {
  world = "first difference in the clock, gravity or random number generator of the world",
  body = "first difference in properties of bodies",
  mover = "first difference in properties of movers", joint = "first difference in forces of joints",
  contact = "first difference in contacts",
}

-- Return the text about the pose d.now of a body in the replay, or "". The recording has no poses of the recorded run.
local function now(d)
  if not d.now then return "" end
  local turning = d.field == "pose" and "angle" or "angular"
  return (" first; the replay has x = %.9g, y = %.9g, %s = %.9g"):format(d.now.x, d.now.y, turning, d.now[turning])
end

--- Describe a difference (of playback:step or playback:seek) in a sentence.
function recording.text(d)
  if type(d) ~= "table" or type(d.tick) ~= "number" then
    arguments.fail("impel.recording.text: argument 'd' must be a difference that playback:step returned, got %s",
      arguments.got(d))
  end
  local parts = { ("tick %d"):format(d.tick) }
  if d.call then
    parts[#parts + 1] = ("%s succeeded when it was recorded, but fails in the replay: %s"):format(d.call, d.why)
  elseif d.why then
    parts[#parts + 1] = d.why
  end
  if d.got ~= d.expected then
    parts[#parts + 1] = ("hash %s expected, got %s"):format(d.expected, d.got)
  end
  if d.field then
    parts[#parts + 1] = difference.text(d, "in the replay", "in the recording") .. now(d)
  elseif d.object then
    parts[#parts + 1] = AMONG[d.object]
  end
  return table.concat(parts, ": ")
end

return setmetatable(recording, { __call = function(_, path) return recording.open(path) end })
