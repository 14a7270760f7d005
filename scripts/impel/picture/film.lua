-- Write pictures as a film: a GIF or MP4 file by ffmpeg, or numbered PNG files if ffmpeg is not found.
--
--   local film = assert(film.open("drop.gif", 960, 540, 30))
--   assert(film:add(surface))           -- a surface of impel.window
--   local ok, note = assert(film:close())
--
-- A film gets its name when it is complete; until then, and after an error, an existing file of that name is unchanged.

require "impel.core" -- provides impel.system
local shell = require "impel.base.shell"
local system = require "impel.system"

local film = {}

local STDIN, STDOUT, STDERR = 0, 1, 2
local FASTEST_GIF = 50 -- [1/s], largest rate of a GIF, because many programs show a frame shorter than 0.02 s for 0.1 s
local BLOCK = 512      -- [B], unit of the shell command ulimit -f
-- The shell exits with 128 + signal; 25 is SIGXFSZ.
local SIGNALLED, FILE_TOO_LONG = 128, 25
local SAID = 2000      -- [B], number of last bytes of ffmpeg's messages that are reported
local FFMPEG = "exec ffmpeg -nostdin -hide_banner -loglevel error -y "

-- Pipes to ffmpeg, which each child must close, because ffmpeg ends only when all copies of its pipe are closed.
local open_pipes = {}

local function ends_in(path)
  return path:match "%.(%w+)$"
end


-- Programs -----------------------------------------------------------------------------------------------------------

-- In the child: run the command.
local function become(command, frames, messages, limit)
  for pipe in pairs(open_pipes) do system.close(pipe) end
  if frames then system.redirect(STDIN, frames) end
  system.redirect(STDOUT, messages)
  system.redirect(STDERR, messages)
  if limit then command = ("ulimit -f %d; %s"):format(math.ceil(limit / BLOCK), command) end
  local _, how, code = os.execute(command)
  system.exit(how == "signal" and SIGNALLED + code or code or 1)
end

-- Start a command, whose files have at most `limit` bytes.
local function start(command, piped, limit)
  local frames, frames_end, why
  if piped then
    frames, frames_end = system.pipe()
    if not frames then return nil, frames_end end
    open_pipes[frames_end] = true
  end
  local messages, messages_end = system.pipe()
  local id
  if messages then id, why = system.fork() else why = messages_end end
  if id == 0 then become(command, frames, messages_end, limit) end
  if frames then system.close(frames) end
  if messages then system.close(messages_end) end
  if id then return { id = id, frames = frames_end, messages = messages, said = "" } end
  if messages then system.close(messages) end
  if frames_end then
    open_pipes[frames_end] = nil
    system.close(frames_end)
  end
  return nil, why
end

-- Read the messages of a process. Return true if the process has ended.
local function listen(process, seconds)
  while #system.poll({ process.messages }, seconds) > 0 do
    local text, _, reason = system.read(process.messages)
    if text == "" or not text and reason ~= "again" then return true end
    process.said = (process.said .. (text or "")):sub(-SAID)
  end
  return false
end

-- Wait until a process ends. If it fails, return nil, a message, and whether a file reached the limit. Otherwise
-- return true.
local function finish(process)
  if process.frames then
    open_pipes[process.frames] = nil
    system.close(process.frames)
    process.frames = nil
  end
  repeat until listen(process, 1)
  system.close(process.messages)
  local ended, detail = system.wait(process.id)
  if ended == "exited" and detail == 0 then return true end
  if detail == SIGNALLED + FILE_TOO_LONG then return nil, "the file is larger than allowed", true end
  local words = process.said:gsub("%s+$", ""):gsub("\n", "; ")
  if words ~= "" then return nil, "ffmpeg: " .. words end
  if ended == "killed" then return nil, "ffmpeg was ended by " .. detail end
  return nil, ("ffmpeg ended with exit code %s"):format(detail)
end

local function run(command, limit)
  local process, message = start(command, false, limit)
  if not process then return nil, message end
  return finish(process)
end


-- Films by ffmpeg ----------------------------------------------------------------------------------------------------

local Encoded = {}
Encoded.__index = Encoded

-- Quote a path for ffmpeg.
local function word(path)
  return shell.word("file:" .. path)
end

-- Output options of ffmpeg: for GIF, a lossless intermediate file; for MP4, even width and height.
local KEPT = {
  gif = "-c:v qtrle -f mov ",
  mp4 = "-vf 'crop=trunc(iw/2)*2:trunc(ih/2)*2' -pix_fmt yuv420p -movflags +faststart -f mp4 ",
}

local function remove(paths)
  for _, path in ipairs(paths) do os.remove(path) end
end

local function open_encoded(path, width, height, fps, limit)
  local kind, part = ends_in(path), path .. ".part"
  -- check now whether the file can be written, because ffmpeg reports this late
  local probe, message = system.open(part, "replace")
  if not probe then return nil, (message:gsub("%.part: ", ": ", 1)), true end
  system.close(probe)
  local command = "%s-f rawvideo -pixel_format rgba -video_size %dx%d -framerate %.17g -i pipe:0 %s%s"
  local process, why = start(command:format(FFMPEG, width, height, fps, KEPT[kind], word(part)), true, limit)
  if not process then
    os.remove(part)
    return nil, why
  end
  return setmetatable({ path = path, part = part, kind = kind, process = process, count = 0,
    limit = limit }, Encoded)
end

--- Add a surface of the film's size. Return true, or nil, message.
function Encoded:add(surface)
  local sent = not listen(self.process, 0) and system.append(self.process.frames, surface:pixels())
  if sent then
    self.count = self.count + 1
    return true
  end
  local _, message, over = finish(self.process)
  self.process, self.over = nil, over
  self.problem = ("cannot write %s: %s"):format(self.path, message or "ffmpeg ended too soon")
  return nil, self.problem
end

-- Make the GIF from the lossless file: compute the palette, and convert the pictures.
local function make_gif(part, limit)
  local colors, whole = part .. ".png", part .. ".gif"
  local ok, message, over = run(("%s-f mov -i %s -vf palettegen=reserve_transparent=0 -frames:v 1 %s"):format(FFMPEG,
    word(part), word(colors)), limit)
  if ok then
    ok, message, over = run(("%s-f mov -i %s -i %s -lavfi paletteuse=dither=none:diff_mode=rectangle -f gif %s"):format(
      FFMPEG, word(part), word(colors), word(whole)), limit)
  end
  if ok then ok, message = os.rename(whole, part) end
  if not ok then os.remove(whole) end
  os.remove(colors)
  return ok, message, over
end

-- Write a file to the disk with fsync. Return nil and the system's message if fsync fails.
local function sync(path)
  local descriptor, message = system.open(path, "append")
  local ok = descriptor ~= nil
  if ok then
    ok, message = system.sync(descriptor)
    system.close(descriptor)
  end
  return ok, not ok and message:match "[^:]*$":sub(2) or nil
end

--- Return the present size of the film on the disk [B].
function Encoded:length()
  local head, length = system.read_head(self.closed and self.path or self.part, 0)
  return head and length or 0
end

--- Finish the film. A second call returns the same result.
---@param limit integer|nil  largest size of the film [B], default the limit given to film.open
---@return boolean|nil ok
---@return string|nil message
function Encoded:close(limit)
  if self.closed then return not self.problem or nil, self.problem end
  self.limit = limit or self.limit
  local ok, message, over = not self.problem, nil, self.over
  if ok then ok, message, over = finish(self.process) end
  if ok and self.kind == "gif" then ok, message, over = make_gif(self.part, self.limit) end
  if ok and self.limit and self:length() > self.limit then
    ok, message, over = nil, "the file is larger than allowed", true
  end
  self.closed, self.over = true, over
  if ok then ok, message = sync(self.part) end
  if ok then ok, message = os.rename(self.part, self.path) end
  if ok then return true end
  remove { self.part }
  self.problem = self.problem or ("cannot write %s: %s"):format(self.path, message)
  return nil, self.problem
end


-- Pictures in a folder -----------------------------------------------------------------------------------------------

local Numbered = {}
Numbered.__index = Numbered

local function open_numbered(path, fps)
  local folder = path:gsub("%.%w+$", "")
  local name = folder:match "[^/]*$"
  if not os.execute("mkdir -p -- " .. shell.word(folder) .. " 2>/dev/null") then
    return nil, ("cannot create the folder %s"):format(folder), true
  end
  return setmetatable({ path = path, folder = folder, pattern = ("%s/%s_%%04d.png"):format(folder:gsub("%%", "%%%%"),
    name:gsub("%%", "%%%%")), fps = fps, count = 0 }, Numbered)
end

function Numbered:add(surface)
  local ok, message = surface:png(self.pattern:format(self.count + 1))
  if not ok then
    self.problem = message
    return nil, message
  end
  self.count = self.count + 1
  return true
end

-- Remove pictures of an earlier, longer film from the folder.
function Numbered:close()
  if self.problem then return nil, self.problem end
  local number = self.count + 1
  while os.remove(self.pattern:format(number)) do number = number + 1 end
  return true, ("ffmpeg not found: wrote %d pictures instead of %s; to make the film: ffmpeg -framerate %g -i %s "
    .. "%s"):format(self.count, self.path, self.fps, shell.word(self.pattern), shell.word(self.path))
end


-- Public functions ---------------------------------------------------------------------------------------------------

--- Return whether ffmpeg can be started.
function film.has_ffmpeg()
  return os.execute "command -v ffmpeg >/dev/null 2>&1" == true
end

--- Return why a film cannot have this name and rate, or nil.
function film.problem(path, fps)
  local kind = ends_in(path)
  if not KEPT[kind or ""] then return ("film '%s': a name ending in .gif or .mp4 expected"):format(path) end
  if kind == "gif" and fps > FASTEST_GIF then
    return ("a GIF has at most %d pictures per second, got %g; MP4 allows more"):format(FASTEST_GIF, fps)
  end
end

--- Begin a film.
---@param path string     ends in .gif or .mp4
---@param width integer   [px]
---@param height integer  [px]; an MP4 of odd width or height lacks the last column or row
---@param fps number      pictures per second
---@param limit nil|number  largest size of the film and of each temporary file [B]; a larger film is removed, and its
---  field `over` is true
---@return table|nil film
---@return string|nil message
function film.open(path, width, height, fps, limit)
  local problem = film.problem(path, fps)
  if problem then return nil, problem end
  if film.has_ffmpeg() then return open_encoded(path, width, height, fps, limit) end
  return open_numbered(path, fps)
end

return film
