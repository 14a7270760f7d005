-- impel.sound: sounds of a game, from WAV and OGG Vorbis files in the scene's folder (impel.file).
--
--   local hit, engine = impel.sound "hit.wav", impel.sound "engine.ogg"
--   hit:play { volume = math.min(1, impulse / 5), pan = -0.3, pitch = 1.2 }
--   local running = engine:play { loop = true }
--   running.pitch = 0.5 + speed / 20
--   engine:stop()
--
-- Only the window of `impel view`, and programs that call impel.sound.listen, play sounds. Playing needs SDL2_mixer.
--
-- At most 32 voices play at a time. The quietest voice is replaced first. Pitch 2 is an octave higher and half as long.
-- Pan -1 plays only the left side, 1 only the right side.

local arguments = require "impel.base.arguments"
local files = require "impel.file"
local nearest = require "impel.base.nearest"
local parts = require "impel.base.parts"

---@class impel.sound
---@field volume number  of a voice or a sound, in [0, 1]
---@field pan number  of a voice, in [-1, 1]
---@field pitch number  of a voice, in [0.25, 4]
---@field loop boolean  of a voice: whether it begins again at its end
---@field paused boolean  of a voice

local sound = {}
local Sound, Voice = {}, {}

local HEAD = 65536     -- [B] length of a file's beginning that must contain the format
local MOST = 67108864  -- [B] largest size of a file

local VOLUME = { "number", min = 0, max = 1, default = 1 }
local PLAY = {
  volume = VOLUME, pan = { "number", min = -1, max = 1, default = 0 },
  pitch = { "number", min = 0.25, max = 4, default = 1 }, loop = { "boolean", default = false },
}
local OF_VOICE = { volume = VOLUME, pan = PLAY.pan, pitch = PLAY.pitch, loop = PLAY.loop, paused = { "boolean" } }
local NAMES_OF_VOICE = { "loop", "pan", "paused", "pitch", "stop", "volume" }

local mixer      -- impel.mixer while its device is open
local say        -- say(message): reports that the audio device cannot be opened; nil if playback is disabled
local held       -- whether all voices are paused
local groups = 0 -- number of the last group in the mixer; a group has the voices of one sound

-- Data of the mixer by sound or voice. A sound or voice has the same fields with and without a mixer.
local function weak() return setmetatable({}, { __mode = "k" }) end
local path_of, decoded_of, group_of, number_of = weak(), weak(), weak(), weak()
local checked = {} -- set of the paths of files that passed the check


-- Formats ------------------------------------------------------------------------------------------------------------

-- u16 reads a little-endian number of 2 bytes, u32 of 4 bytes; nil beyond the end.
local function u16(bytes, at)
  local a, b = bytes:byte(at, at + 1)
  return b and a + 256 * b
end

local function u32(bytes, at)
  local low, high = u16(bytes, at), u16(bytes, at + 2)
  return high and low + 65536 * high
end

local CUT_OFF = "the file is cut off"

-- Format codes of WAV files: PCM, ADPCM, float, A-law, mu-law, IMA ADPCM, extensible.
local WAV_FORMATS = { [1] = true, [2] = true, [3] = true, [6] = true, [7] = true, [0x11] = true, [0xFFFE] = true }

local function channels_problem(channels, rate)
  if not rate then return CUT_OFF end
  if channels < 1 or channels > 2 then return ("%d channels, 1 or 2 expected"):format(channels) end
  if rate < 1000 or rate > 384000 then return ("%d samples a second, 1000 to 384000 expected"):format(rate) end
end

local function wav_format_problem(head, at)
  local format, channels, rate = u16(head, at), u16(head, at + 2), u32(head, at + 4)
  if format and not WAV_FORMATS[format] then
    return ("samples of the format %d, which is not PCM, float, ADPCM, A-law or mu-law"):format(format)
  end
  return channels_problem(channels, rate)
end

-- Return the fault of a WAV file, or nil. A WAV file is a list of chunks.
local function wav_problem(head, size)
  local at, has_format = 13, false
  while at + 7 <= #head do
    local name, length = head:sub(at, at + 3), u32(head, at + 4)
    local problem = name == "fmt " and wav_format_problem(head, at + 8)
    if problem then return problem end
    has_format = has_format or name == "fmt "
    if name == "data" then
      if not has_format then return "its samples come before their format" end
      if length == 0 then return "no samples in it" end
      return at + 7 + length > size and CUT_OFF or nil
    end
    at = at + 8 + length + length % 2
    if at > size + 2 then return CUT_OFF end
  end
  return size > #head and "no samples in its first 64 KB" or has_format and "no samples in it" or CUT_OFF
end

-- Return the fault of an OGG file, or nil.
local function ogg_problem(head)
  local at = 28 + (head:byte(27) or 0)
  if #head < at + 29 then return CUT_OFF end
  if head:sub(at, at + 6) ~= "\1vorbis" then return "OGG without Vorbis in it" end
  return channels_problem(head:byte(at + 11), u32(head, at + 12))
end

local function file_problem(head, size)
  if size > MOST then return ("longer than %d MB"):format(MOST / 1048576) end
  if head:sub(1, 4) == "RIFF" and head:sub(9, 12) == "WAVE" then return wav_problem(head, size) end
  if head:sub(1, 4) == "OggS" then return ogg_problem(head) end
  if size == 0 then return "an empty file" end
  return "neither a WAV nor an OGG file"
end


-- The device ---------------------------------------------------------------------------------------------------------

-- Return the mixer with an open audio device, or nil. The first sound opens it; a failure is reported once.
local function open()
  if mixer or not say then return mixer end
  local tell = say
  say = nil
  local there, module = pcall(require, "impel.mixer")
  if not there then
    local missing = tostring(module):find("module 'impel.mixer' not found", 1, true)
    local left_out = parts.missing "VIEWER"
    tell("no sound: " .. (left_out or missing and "this impel was built without SDL2_mixer (Debian: libsdl2-mixer-dev)"
      or tostring(module)))
    return nil
  end
  local opened, message = module.open()
  if not opened then
    tell("no sound: " .. tostring(message))
    return nil
  end
  mixer = module
  mixer.pause(held == true)
  return mixer
end

-- Return the decoded sound. Raises if the file cannot be decoded.
local function decode(self)
  if decoded_of[self] then return decoded_of[self] end
  local found, message = mixer.load(path_of[self])
  if not found then arguments.fail("impel.sound: '%s': %s", path_of[self], tostring(message)) end
  groups = groups + 1
  decoded_of[self], group_of[self] = found, groups
  return found
end

-- Return the gains of the left and right side.
local function sides(voice)
  local volume, pan = rawget(voice, "_volume"), rawget(voice, "_pan")
  return volume * math.min(1, 1 - pan), volume * math.min(1, 1 + pan)
end


-- Sounds -------------------------------------------------------------------------------------------------------------

local function refuse_field(what, key, names)
  arguments.fail("no field '%s' in %s%s", arguments.called(key), what, nearest.hint(key, names))
end

--- Play the sound. Its other voices continue. Without playback the voice is silent.
---@param options table|nil
---  volume: [0, 1], default 1
---  pan: -1 left to 1 right, default 0
---  pitch: [0.25, 4], default 1
---  loop: whether to begin again at the end, default false
---@return table voice  volume, pan, pitch, loop and paused may change while it plays
function Sound:play(options)
  local o = arguments.read("sound:play", options, PLAY)
  local voice = setmetatable({
    _volume = o.volume, _pan = o.pan, _pitch = o.pitch, _loop = o.loop, _paused = false,
  }, Voice)
  if path_of[self] and open() then
    local samples, left, right = decode(self), sides(voice)
    number_of[voice] = mixer.play(samples, group_of[self], left, right, rawget(self, "_volume"), o.pitch, o.loop)
  end
  return voice
end

--- Stop all voices of the sound.
function Sound:stop()
  if mixer and group_of[self] then mixer.stop_group(group_of[self]) end
end

Sound.__index = function(self, key)
  if key == "volume" then return rawget(self, "_volume") end
  local method = Sound[key]
  if type(key) ~= "string" or key:sub(1, 1) == "_" or method == nil then
    refuse_field("sound", key, { "play", "stop", "volume" })
  end
  return method
end

Sound.__newindex = function(self, key, value)
  if key ~= "volume" then refuse_field("sound", key, { "volume" }) end
  rawset(self, "_volume", arguments.check("sound.volume", value, VOLUME))
  if mixer and group_of[self] then mixer.set_group(group_of[self], value) end
end

Sound.__tostring = function(self) return ("sound '%s'"):format(tostring(rawget(self, "_name"))) end


-- Voices -------------------------------------------------------------------------------------------------------------

--- Stop the voice. A second call does nothing.
function Voice:stop()
  if mixer and number_of[self] then mixer.stop(number_of[self]) end
end

Voice.__index = function(self, key)
  if OF_VOICE[key] then return rawget(self, "_" .. key) end
  if key ~= "stop" then refuse_field("voice", key, NAMES_OF_VOICE) end
  return Voice.stop
end

Voice.__newindex = function(self, key, value)
  if not OF_VOICE[key] then refuse_field("voice", key, NAMES_OF_VOICE) end
  rawset(self, "_" .. key, arguments.check("voice." .. key, value, OF_VOICE[key]))
  if not mixer or not number_of[self] then return end
  local left, right = sides(self)
  mixer.set(number_of[self], left, right, rawget(self, "_pitch"), rawget(self, "_loop"), rawget(self, "_paused"))
end


-- All sounds ---------------------------------------------------------------------------------------------------------

--- Set the master volume.
---@param volume number  in [0, 1]; 1 when a scene begins
function sound.master(volume)
  arguments.check("impel.sound.master: argument 'volume'", volume, VOLUME)
  if open() then mixer.set_volume(volume) end
end

--- Enable playback, for windows and programs in plain Lua. The first sound opens the audio device.
---@param tell function|nil  tell(message) is called once if the device cannot be opened; sounds are silent then
function sound.listen(tell)
  if tell ~= nil then arguments.check("impel.sound.listen: argument 'tell'", tell, { "function" }) end
  if not mixer then say = tell or function() end end
end

--- Stop all voices, set the master volume to 1, and read files again for sounds that are made later.
function sound.reset()
  checked = {}
  if not mixer then return end
  mixer.forget()
  mixer.stop_group()
  mixer.set_volume(1)
end

--- Pause or resume all voices.
---@param paused boolean
function sound.pause(paused)
  arguments.check("impel.sound.pause: argument 'paused'", paused, { "boolean" })
  if mixer and paused ~= held then mixer.pause(paused) end
  held = paused
end

--- Stop all voices and close the audio device. Sounds are silent afterwards.
function sound.close()
  sound.reset()
  if mixer then mixer.close() end
  mixer, say, held = nil, nil, nil
end

--- Make a sound from a file. Raises, with or without an audio device, if the file is missing, has another format or a
--- broken header, or is larger than 64 MB.
---@param name string  *.wav or *.ogg, relative to the scene's folder
---@return impel.sound
local function call(name)
  local path, head, size = files.head(name, 0, "impel.sound")
  if path and not checked[path] then path, head, size = files.head(name, HEAD, "impel.sound") end
  if not path then arguments.fail("impel.sound: %s", head) end
  if not checked[path] then
    local problem = file_problem(head, size)
    if problem then arguments.fail("impel.sound: '%s': %s", path, problem) end
    checked[path] = true
  end
  local self = setmetatable({ _name = name, _volume = 1 }, Sound)
  path_of[self] = path
  if open() then decode(self) end
  return self
end

return setmetatable(sound, {
  __call = function(_, name) return call(name) end,
  __index = function(_, name)
    -- not a tail call, because missing() counts stack levels
    local value = require("impel.scene.fields").missing("impel.sound", sound, name)
    return value
  end,
})
