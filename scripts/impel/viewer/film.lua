-- Films of the window in real time, at 30 pictures per second. Without ffmpeg the film is a folder of pictures.

local movies = require "impel.picture.film"
local system = require "impel.system"

local films = {}

local FPS = 30
local MOST = 8 -- largest number of copies of one picture, which fill the time of a slow frame

--- Return an unused name in the current folder, or nil. form: format with a number, as for string.format.
function films.free_name(form)
  for i = 1, 9999 do
    local name = form:format(i)
    if not system.kind(name .. ".mp4") and not system.kind(name) then return name end
  end
  return nil
end

--- Start a film, or end the current film.
---@param v table  the viewer
function films.toggle(v)
  if v.film then return films.finish(v) end
  local name = films.free_name(v.run.scene.name .. "-%d")
  if not name then return v:say "no free file name for a film: remove old films" end
  local encoded = movies.has_ffmpeg()
  v.film = { path = name .. ".mp4", name = encoded and name .. ".mp4" or name .. "/", began = v.clock(), count = 0 }
  v:say(encoded and ("recording %s: Shift+F12 ends it"):format(v.film.name)
    or ("ffmpeg not found: recording pictures into the folder %s"):format(v.film.name), "film")
  v:show_title()
end

--- End the film.
---@param v table
---@param why string|nil  the reason, if the user did not end it
function films.finish(v, why)
  local made = v.film
  if not made then return end
  v.film = nil
  v:show_title()
  if not made.film then return v:say(why or "nothing was painted: no film was written", "film") end
  local ok, note = made.film:close()
  if not ok then return v:say(note, "film") end
  v:say(("%swrote %s, %.1f s%s"):format(why and why .. ": " or "", made.name, made.count / FPS,
    note and ("; %d pictures, because ffmpeg was not found"):format(made.count) or ""), "film")
end

-- Open the file of the film. The size of the first picture is the size of the film.
local function open(made, width, height)
  made.width, made.height = width, height
  local message
  made.film, message = movies.open(made.path, width, height, FPS)
  return message
end

--- Add the painted frame to the film, once for each picture that is due.
---@param v table
function films.add(v)
  local made = v.film
  if not made then return end
  local due = math.floor((v.clock() - made.began) * FPS + 1e-6) + 1 - made.count
  if due <= 0 then return end
  local surface, message = v.window:screenshot()
  if not surface then return films.finish(v, message) end
  local width, height = surface:size()
  local why
  if not made.film then
    why = open(made, width, height)
  elseif width ~= made.width or height ~= made.height then
    why = "the window changed its size"
  end
  if why then
    surface:close()
    return films.finish(v, why)
  end
  -- A frame longer than MOST pictures is shortened in the film
  if due > MOST then made.began = made.began + (due - MOST) / FPS end
  local ok = true
  for _ = 1, math.min(due, MOST) do ok = ok and made.film:add(surface) end
  made.count = made.count + math.min(due, MOST)
  surface:close()
  if not ok then films.finish(v) end
end

--- Return the status line's text on the current film; nil without a film.
---@param v table
---@return string|nil
function films.text(v)
  local made = v.film
  return made and ("recording %s, %.1f s"):format(made.name, made.count / FPS) or nil
end

return films
