-- Pictures and films of a run: options of impel run, and the object that takes pictures.

local console = require "impel.cli.console"
local opt = require "impel.cli.options"

local pictures = {}
local Pictures = {}
Pictures.__index = Pictures

local FASTEST = 1000 -- largest rate of a film [1/s]
local KINDS = { "png", "svg", "gif", "mp4" }
local STILLS, FILMS, PAINTED = { "png", "svg" }, { "gif", "mp4" }, { "png", "gif", "mp4" }

-- Convert "contacts,forces" to a list of known names.
local function overlays(text)
  local list = {}
  for word in (text .. ","):gmatch "%s*([^,]-)%s*," do list[#list + 1] = word end
  local ok, message = require("impel.picture").overlays(list)
  return ok and list, message and "--show: " .. message
end

-- Return a converter for file names with an ending, or "-" if standard output is allowed.
local function file(kind, or_stdout)
  return function(text)
    if text:find("." .. kind, -#kind - 1, true) or or_stdout and text == "-" then return text end
    return nil, ("--%s %s: a name ending in .%s%s expected"):format(kind, text, kind, or_stdout and ", or -," or "")
  end
end

--- Add the options of pictures.
function pictures.declare(parser)
  parser:option("--png", "take a picture, at the end or --at T"):argname("OUT.png"):convert(file("png", true))
  parser:option("--svg", "take the picture as SVG, which every build can write"):argname("OUT.svg")
    :convert(file("svg", true))
  parser:option("--at", "time of the picture [s], rounded to whole steps; may be repeated: OUT_1.png, OUT_2.png, ...")
    :argname("T"):count("*"):convert(opt.number("--at", "seconds >= 0", opt.at_least(0)))
  parser:option("--gif", "make a film with ffmpeg; without ffmpeg: pictures in a folder"):argname("OUT.gif")
    :convert(file("gif"))
  parser:option("--mp4", "make the film as MP4"):argname("OUT.mp4"):convert(file("mp4"))
  parser:option("--fps", "pictures per second of simulated time (default: 30)"):argname("N")
    :convert(opt.number("--fps", ("more than 0, at most %d"):format(FASTEST), function(x)
      return x > 0 and x <= FASTEST
    end))
  parser:option("--size", "size of pictures and films [pixels] (default: 960x540)"):argname("WxH")
    :convert(opt.size(1, "of 1..%d pixels"))
  parser:option("--show", "overlays to show: contacts,forces,...; a minus hides one: --show=-joints")
    :argname("A,B,..."):convert(overlays)
end

local function asked(options, kinds)
  for _, kind in ipairs(kinds) do
    if options[kind] then return kind end
  end
end

--- Return a message for options that conflict, or that this build does not support.
---@param options table
---@return string|nil message
function pictures.clash(options)
  local kind = asked(options, KINDS)
  if #options.at > 0 and not asked(options, STILLS) then return "--at needs --png OUT or --svg OUT" end
  if options.fps and not asked(options, FILMS) then return "--fps needs --gif OUT or --mp4 OUT" end
  for _, name in ipairs { "size", "show" } do
    if options[name] and not kind then
      return ("--%s needs --png OUT, --svg OUT, --gif OUT or --mp4 OUT"):format(name)
    end
  end
  if options.row and kind then return ("--row and --%s cannot be combined"):format(kind) end
  if pictures.takes_stdout(options) then
    if options.png == options.svg then return "--png - and --svg - cannot be combined" end
    for _, name in ipairs { "hash", "json" } do
      if options[name] then return ("--%s and the picture cannot both go to standard output"):format(name) end
    end
    if #options.at > 1 then return "--at: only one picture can go to standard output" end
  end
  local film = require "impel.picture.film"
  for _, name in ipairs(FILMS) do
    local problem = options[name] and film.problem(options[name], options.fps or 0)
    if problem then return ("--%s: %s"):format(name, problem) end
  end
  local painted = asked(options, PAINTED)
  if not painted then return nil end
  local window, message = require("impel.picture").window()
  return not window and ("--%s: %s"):format(painted, message) or nil
end

--- Return whether a picture goes to standard output, which then takes no other text.
function pictures.takes_stdout(options)
  return options.png == "-" or options.svg == "-"
end

-- Return the stills sorted by step: { step, kind, path, last: whether it shows the run's end }.
local function stills_of(run, options)
  local list = {}
  for _, kind in ipairs(STILLS) do
    local path = options[kind]
    for number, time in ipairs(path and options.at or {}) do
      local step = math.floor(time / run.world.dt + 0.5)
      if step > run.steps then
        return nil, ("--at %g: the run ends at %g s"):format(time, run.steps * run.world.dt)
      end
      local name = #options.at > 1 and path:gsub("(%.%w+)$", ("_%d%%1"):format(number)) or path
      list[#list + 1] = { step = step, kind = kind, path = name }
    end
    if path and #options.at == 0 then list[#list + 1] = { step = run.steps, kind = kind, path = path, last = true } end
  end
  local order = {}
  for i, still in ipairs(list) do order[still] = i end
  table.sort(list, function(a, b)
    if a.step ~= b.step then return a.step < b.step end
    return order[a] < order[b]
  end)
  return list
end

--- Prepare the pictures of a run, and take the initial pictures.
---@param run table  before its first step
---@param options table
---@return table|nil pictures
---@return table|nil failure
function pictures.new(run, options)
  local self = setmetatable({ run = run, made = {}, next = 1, elsewhere = options.sandbox == false }, Pictures)
  if not asked(options, KINDS) then return self end
  local stills, message = stills_of(run, options)
  if not stills then return nil, { kind = "usage", message = message } end
  local picture = require "impel.picture"
  local width, height = table.unpack(options.size or {})
  self.stills, self.studio = stills, picture.studio(run, { width = width, height = height, show = options.show })
  local paths = {}
  for _, kind in ipairs(FILMS) do paths[#paths + 1] = options[kind] end
  if #paths > 0 then
    local film, failure = picture.shoot(self.studio, paths, options.fps or picture.FPS)
    if not film then return nil, failure end
    self.film, self.paths = film, paths
  end
  local ok, failure = self:look()
  if ok then return self end
  if self.film then self.film:close() end
  return nil, failure
end

local function print_still(self, kind)
  local text, failure
  if kind == "svg" then
    text, failure = self.studio:svg()
  else
    text, failure = self.studio:surface()
    text = text and text:png()
  end
  if not text then return nil, failure end
  io.stdout:write(text)
  return true
end

local function take(self, still)
  if still.path == "-" then return print_still(self, still.kind) end
  local ok, failure = self.studio:write(still.kind, still.path)
  if not ok then return nil, failure end
  self.made[#self.made + 1] = still.path
  return true
end

local function take_what_is_due(self)
  local ok, failure, _ = true, nil, nil
  if not self.film then
    ok, failure = self.studio:sample()
  elseif self.run.count > 0 then
    ok, _, failure = self.film:look()
    self.told = not ok and failure.message or nil
  end
  if not ok then return nil, failure end
  local still = self.stills[self.next]
  while still and still.step == self.run.count do
    self.next = self.next + 1
    ok, failure = take(self, still)
    if not ok then return nil, failure end
    still = self.stills[self.next]
  end
  return true
end

--- Take the pictures that are due; to be called after each step.
---@return boolean|nil ok
---@return table|nil failure
function Pictures:look()
  if not self.studio then return true end
  local ok, failure = take_what_is_due(self)
  if ok or not self.run:done() then return ok, failure end
  self.late, self.told = failure, nil -- the run is complete, so `finish` reports the failure
  return true
end

-- After an interrupt, take the picture of the run's end; print a message for each other picture that is not yet taken.
-- Return a failure or nil.
local function take_the_rest(self)
  for i = self.next, #self.stills do
    local still = self.stills[i]
    if still.last then
      local ok, failure = take(self, still)
      if not ok then return failure end
    else
      console.say(("%s was not written: the run stopped before the time of this picture"):format(still.path))
    end
  end
end

--- Report films that end early because the run stopped.
---@param paths string[]
function pictures.print_early(paths)
  console.say(table.concat(paths, ", ") .. ": shorter than requested, because the run stopped early")
end

--- Finish the films. After an interrupt, take also the picture of the run's end.
---@param code integer|nil  exit code of an incomplete run
---@return table|nil failure  that has not been printed
function Pictures:finish(code)
  if not self.studio then return nil end
  local failure = self.late
  if self.film then
    self.paths = self.film:places()
    local ok, note = self.film:close()
    if ok then
      table.move(self.paths, 1, #self.paths, #self.made + 1, self.made)
      for line in (note or ""):gmatch "[^\n]+" do console.say(line) end
    else
      failure = failure or { kind = "damaged", message = note }
    end
  end
  -- In a sandbox the parent reports the films that a quota has ended.
  local elsewhere = self.elsewhere and code == console.EXIT.quota
  if code and code ~= console.EXIT.interrupted and self.film and not failure and not elsewhere then
    pictures.print_early(self.paths)
  end
  if code == console.EXIT.interrupted then
    local problem = take_the_rest(self)
    local show = self.made[2] and "show" or "shows"
    local names = table.concat(self.made, ", ")
    if names ~= "" then console.say(("%s %s the run until the interrupt"):format(names, show)) end
    failure = failure or problem
  end
  return failure and failure.message ~= self.told and failure or nil
end


return pictures
