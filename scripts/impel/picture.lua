-- impel.picture: pictures of a world or a run as files: PNG, SVG, GIF, MP4.
--
--   assert(impel.picture.svg(world, "tower.svg"))
--   assert(impel.picture.png(world, "tower.png", { width = 960, height = 540, show = { "contacts" } }))
--
--   local film <close> = assert(impel.picture.film(world, "tower.gif", { fps = 25 }))
--   for _ = 1, 300 do
--     world:step()
--     assert(film:look())
--   end
--   assert(film:close())
--
-- Options of all functions:
--   width, height: [px], default 960 and 540
--   view: { x, y, height [m], angle [rad] }, default the scene's camera
--   show: names of additional overlays; "-joints" removes the overlay "joints"
-- Taking a picture does not change the world. Without the module impel.window only SVG is available: functions that
-- paint pixels return nil and a message.

require "impel.core" -- provides impel.drawing
local arguments = require "impel.base.arguments"
local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local movies = require "impel.picture.film"
local nearest = require "impel.base.nearest"
local palette = require "impel.picture.palette"
local parts = require "impel.base.parts"
local svg = require "impel.picture.svg"
local system = require "impel.system"

local picture = {}

--- Default size of a picture [px], largest side [px], and default pictures per second of a film.
picture.WIDTH, picture.HEIGHT, picture.LARGEST, picture.FPS = 960, 540, 16384, 30

local WINDOW_DT = 1 / 60 -- [s] time between two frames of a window

local OPTIONS = { "width", "height", "view", "show", "title", "fps" }
local VIEW = { "x", "y", "height", "angle" }


-- Checks -------------------------------------------------------------------------------------------------------------

local function check_names(what, given, known, level)
  for _, name in ipairs(nearest.keys(given)) do
    if not nearest.has(known, name) then
      error(("picture: unknown %s '%s'%s"):format(what, name, nearest.hint(name, known)), level + 1)
    end
  end
end

local function check_options(options, level)
  if type(options) ~= "table" then
    error(("picture: table of options expected, got %s"):format(type(options)), level + 1)
  end
  check_names("option", options, OPTIONS, level + 1)
  for _, name in ipairs { "width", "height" } do
    local value = options[name]
    if value ~= nil and not (math.type(value) == "integer" and value >= 1 and value <= picture.LARGEST) then
      error(("picture: %s of 1..%d pixels expected, got %s"):format(name, picture.LARGEST, tostring(value)), level + 1)
    end
  end
  local fps = options.fps
  if fps ~= nil and not (type(fps) == "number" and fps > 0 and fps <= 1000) then
    error(("picture: fps must be a number > 0 and <= 1000, got %s"):format(tostring(fps)), level + 1)
  end
  if options.title ~= nil then arguments.check("picture: title", options.title, { "string" }) end
  local view = options.view
  if view == nil then return end
  if type(view) ~= "table" then
    error(("picture: view { x, y, height, angle } expected, got %s"):format(type(view)), level + 1)
  end
  check_names("field of view", view, VIEW, level + 1)
  for _, name in ipairs(nearest.keys(view)) do
    local value = view[name]
    if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge or name == "height" and value <= 0 then
      error(("picture: view.%s: finite number%s expected, got %s"):format(name, name == "height" and " > 0" or "",
        tostring(value)), level + 1)
    end
  end
end

--- Return a set of overlays: the default overlays and those in `names`.
---@param names string[]|nil  "-joints" removes the overlay joints
---@return table|nil set
---@return string|nil message  if a name is unknown
function picture.overlays(names)
  arguments.list("picture: the names of overlays", names == nil and {} or names, { "string" })
  local set, known = frames.defaults(), {}
  for i, overlay in ipairs(frames.overlays) do known[i] = overlay.name end
  for _, word in ipairs(names or {}) do
    local sign, name = word:match "^(%-?)(.*)$"
    if not nearest.has(known, name) then
      return nil, ("no overlay '%s'%s; there are %s"):format(name, nearest.hint(name, known),
        table.concat(known, ", "))
    end
    set[name] = sign == "" or nil
  end
  return set
end

--- Return the module impel.window, which paints pixels.
---@return table|nil window
---@return string|nil message
function picture.window()
  local missing = parts.missing "VIEWER"
  if missing then return nil, "pictures in pixels: " .. missing end
  local ok, window = pcall(require, "impel.window")
  if ok then return window end
  if not tostring(window):find("module 'impel.window' not found", 1, true) then
    return nil, ("pictures in pixels: %s"):format(tostring(window))
  end
  return nil, "pictures in pixels need the module impel.window, which this build was made without: install SDL2, "
    .. "SDL2_ttf and libpng (Debian: libsdl2-dev libsdl2-ttf-dev libpng-dev) and build again; SVG needs none of these"
end


-- The subject of a picture -------------------------------------------------------------------------------------------

-- Return the run of a subject. If the subject is a world, make a run without a scene.
local function run_of(subject, level)
  if type(subject) == "table" and rawget(subject, "scene") and rawget(subject, "world") then return subject end
  local ok, tick = pcall(function() return subject.tick end)
  if type(subject) == "userdata" and ok and math.type(tick) == "integer" then
    return { world = subject, state = {}, scene = { file = "world", definition = {} } }
  end
  error(("picture: a world or a run expected, got %s"):format(tostring(subject)), level + 1)
end

local Studio = {}
Studio.__index = Studio

local function new_studio(subject, options, level)
  check_options(options, level + 1)
  local run = run_of(subject, level + 1)
  local overlays, message = picture.overlays(options.show)
  if not overlays then error("picture: " .. message, level + 1) end
  local self = setmetatable({
    run = run, overlays = overlays, drawn = -math.huge, frame = frames.new(run), drawing = drawings.new(),
    title = options.title or run.scene.definition.title,
  }, Studio)
  local width, height, view = options.width or picture.WIDTH, options.height or picture.HEIGHT, options.view
  self.camera = self.frame:camera(cameras, width, height)
  if view then
    self.camera = cameras.new { x = view.x, y = view.y, height = view.height, angle = view.angle, width_px = width,
      height_px = height }
    self.placed = true
  end
  return self
end

--- Make a studio: pictures of a world or a run with one camera.
---@param subject userdata|table  a world, or a run of impel.run
---@param options table|nil  width, height [px], view, show
---@return table studio  sample(): to be called after each step; svg(), surface(): the present picture
function picture.studio(subject, options)
  local studio = new_studio(subject, options or {}, 2) -- a tail call would remove the caller's line from errors
  return studio
end

-- Move the camera as the scene defines, unless the caller has placed the camera.
local function look(self)
  self.drawn = self.run.world.time
  if self.placed then return true end
  return self.frame:look(self.camera)
end

local function draw(self)
  local ok, failure = look(self)
  if not ok then return nil, failure end
  self.drawing:clear()
  return self.frame:fill(self.drawing, self.camera, self.overlays)
end

--- Record the positions of the bodies for trails; to be called after each step. The scene's draw and camera are called
--- as often as in a window.
---@return boolean|nil ok
---@return table|nil failure  of the scene's draw or camera
function Studio:sample()
  self.frame:sample()
  local run = self.run
  local draws = run.scene.definition.draw and self.overlays.scene
  if not draws and (self.placed or not self.frame:drives()) then return true end
  if run.world.time < self.drawn + WINDOW_DT - run.world.dt / 2 then return true end
  local take = draws and draw or look
  local ok, failure = take(self)
  return ok, failure
end

--- Return the present picture as SVG.
---@return string|nil text
---@return table|nil failure  of the scene's draw or camera
function Studio:svg()
  local ok, failure = draw(self)
  if not ok then return nil, failure end
  return svg.drawing(self.drawing, self.camera, palette, self.title)
end

--- Return the present picture as a surface, which the next picture overwrites; or nil and a failure.
function Studio:surface()
  if not self.paper then
    local window, message = picture.window()
    if not window then return nil, { kind = "usage", message = message } end
    self.paper = window.surface(self.camera.width_px, self.camera.height_px)
  end
  local ok, failure = draw(self)
  if not ok then return nil, failure end
  self.paper:clear(palette.background)
  self.paper:paint(self.drawing, self.camera, palette)
  return self.paper
end


-- Pictures and films -------------------------------------------------------------------------------------------------

--- Write a picture, "png" or "svg". Return true, or nil, failure.
function Studio:write(kind, path)
  arguments.check("studio:write: kind", kind, { "choice", "png", "svg" })
  arguments.check("studio:write: path", path, { "string" })
  local ok, result, failure
  if kind == "svg" then
    result, failure = self:svg()
    if not result then return nil, failure end
    ok, result = system.replace(path, result)
  else
    result, failure = self:surface()
    if not result then return nil, failure end
    ok, result = result:png(path)
  end
  if ok then return true end
  return nil, { kind = "damaged", message = result }
end

-- Write a picture to a file, or return the picture if no path is given.
local function write(kind, subject, path, options, level)
  if path ~= nil and type(path) ~= "string" then
    error(("picture.%s: path expected, got %s"):format(kind, type(path)), level + 1)
  end
  local studio = new_studio(subject, options or {}, level + 1)
  local ok, failure
  if path then
    ok, failure = studio:write(kind, path)
  elseif kind == "svg" then
    ok, failure = studio:svg()
  else
    ok, failure = studio:surface()
    if ok then return ok:png() end
  end
  if ok then return ok end
  return nil, failure.message
end

--- Make a PNG.
---@param subject userdata|table  a world or a run
---@param path string|nil     nil: return the bytes
---@param options table|nil   width, height [px], view, show
---@return boolean|string|nil ok  true, or the bytes
---@return string|nil message
function picture.png(subject, path, options)
  local ok, message = write("png", subject, path, options, 2)
  return ok, message
end

--- Make an SVG.
---@param subject userdata|table  a world or a run
---@param path string|nil     nil: return the text
---@param options table|nil   width, height [px], view, show, title
---@return boolean|string|nil ok  true, or the text
---@return string|nil message
function picture.svg(subject, path, options)
  local ok, message = write("svg", subject, path, options, 2)
  return ok, message
end

local Film = {}
Film.__index = Film

-- Return the step of the next picture: picture k is taken at the step nearest to k / fps seconds after the beginning.
local function due(self)
  return math.floor(self.count / (self.fps * self.world.dt) + 0.5)
end

-- Take the pictures that are due. If dt is longer than 1 / fps, several are due.
local function take(self)
  local surface, failure
  while self.steps >= due(self) do
    if not surface then
      surface, failure = self.studio:surface()
      if not surface then return nil, failure end
    end
    for _, sink in ipairs(self.sinks) do
      local ok, message = sink:add(surface)
      if not ok then return nil, { kind = "damaged", message = message } end
    end
    self.count = self.count + 1
  end
  return true
end

--- Begin a film with the present state. Call `look` after each step.
---@param studio table  result of picture.studio
---@param paths string[]  each ends in .gif or .mp4
---@param fps number  pictures per second of simulated time
---@return table|nil film
---@return table|nil failure
function picture.shoot(studio, paths, fps)
  if getmetatable(studio) ~= Studio then
    arguments.fail("picture.shoot: argument 'studio' must be a result of picture.studio, got %s", arguments.got(studio))
  end
  arguments.list("picture.shoot: argument 'paths'", paths, { "string" })
  arguments.check("picture.shoot: argument 'fps'", fps, { "number", above = 0, max = 1000 })
  local self = setmetatable({ studio = studio, world = studio.run.world, fps = fps, count = 0, steps = 0, sinks = {},
    paths = paths, first = studio.run.world.tick }, Film)
  for _, path in ipairs(paths) do
    local sink, message, damaged = movies.open(path, studio.camera.width_px, studio.camera.height_px, fps)
    if not sink then
      self:close()
      return nil, { kind = damaged and "damaged" or "usage", message = message }
    end
    self.sinks[#self.sinks + 1] = sink
  end
  local ok, failure = take(self)
  if ok then return self end
  self:close()
  return nil, failure
end

--- Return the paths of the films, or without ffmpeg the folders of the pictures.
function Film:places()
  local list = {}
  for i, sink in ipairs(self.sinks) do list[i] = sink.folder and sink.folder .. "/" or self.paths[i] end
  return list
end

--- Make a film: GIF or MP4 by ffmpeg, else numbered PNG files.
---@param subject userdata|table  a world, or a run of impel.run
---@param path string        ends in .gif or .mp4
---@param options table|nil  fps, default 30; width, height [px], view, show
---@return table|nil film  look(): to be called after each step; close(); count: number of pictures so far
---@return string|nil message
function picture.film(subject, path, options)
  if type(path) ~= "string" then error(("picture.film: path expected, got %s"):format(type(path)), 2) end
  options = options or {}
  local studio = new_studio(subject, options, 2)
  local film, failure = picture.shoot(studio, { path }, options.fps or picture.FPS)
  if film then return film end
  return nil, failure.message
end

--- Take the pictures that are due; to be called after each step.
---@return boolean|nil ok
---@return string|nil message
---@return table|nil failure
function Film:look()
  self.steps = self.world.tick - self.first
  local ok, failure = self.studio:sample()
  if ok then ok, failure = take(self) end
  if ok then return true end
  return nil, failure.message, failure
end

--- Finish the film. A second call does nothing.
---@return boolean|nil ok
---@return string|nil message  why it failed; or, if ok, what was written instead of a film
function Film:close()
  local sinks, notes = self.sinks, {}
  self.sinks = {}
  local good, problem = true, nil
  for _, sink in ipairs(sinks) do
    local ok, message = sink:close()
    if not ok then good, problem = nil, problem or message end
    if ok and message then notes[#notes + 1] = message end
  end
  if not good then return nil, problem end
  return true, notes[1] and table.concat(notes, "\n") or nil
end

Film.__close = Film.close

return picture
