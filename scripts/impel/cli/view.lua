-- impel view: show a running scene in a window.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local opt = require "impel.cli.options"
local parts = require "impel.base.parts"
local sandboxed = require "impel.cli.sandboxed"

local command = { name = "view", about = "run a scene in a window, where F1 lists the keys" }

--- Add the options of a window, for view and play.
function command.declare_window(parser)
  parser:option("--size", "size of the window [pixels] (default: as in the last session)"):argname("WxH")
    :convert(opt.size(64, "in 64..%d"))
  parser:flag("--software", "draw without graphics hardware")
  parser:option("--speed", "simulated seconds per real second, in 1/64..64 (default: 1)"):argname("X")
    :convert(opt.number("--speed", "a number in 0.015625..64", function(x) return x >= 1 / 64 and x <= 64 end))
  parser:option("--ui-scale", "scale of panels and their text, in 0.5..4 (default: as in the last session; Ctrl+= and "
    .. "Ctrl+- change it)")
    :argname("X"):convert(opt.number("--ui-scale", "a number in 0.5..4", function(x) return x >= 0.5 and x <= 4 end))
  parser:flag("--dark", "dark canvas (default: as in the last session; Ctrl+D toggles it)")
  parser:option("--frames", "close the window after N frames"):argname("N"):convert(opt.integer("--frames", 1))
end

function command.declare(parser)
  parser:argument("file", "a scene file, the name of an example, a folder of scenes, or - for standard input "
    .. "(default: the examples)"):argname("FILE"):args("?")
  parser:flag("--paused", "start paused; Space continues")
  command.declare_window(parser)
  parser:option("--trace", "write the scene's measures over time to OUT.csv or OUT.jsonl until the scene is restarted")
    :argname("OUT")
  parser:option("--every", "write a row of the trace every N steps (default: 1)"):argname("N")
    :convert(opt.integer("--every", 1))
  sandboxed.declare(parser)
  opt.add_solver(parser)
  opt.add_common(parser)
end

--- Return impel.window; or nil and a failure if the build has no viewer.
function command.window()
  local missing = parts.missing "VIEWER"
  if missing then return nil, { kind = "usage", message = "view: " .. missing } end
  local ok, window = pcall(require, "impel.window")
  if ok then return window end
  if not tostring(window):find("module 'impel.window' not found", 1, true) then
    return nil, { kind = "usage", message = "cannot load impel.window: " .. tostring(window) }
  end
  return nil, { kind = "usage", message = "this impel was built without its window: SDL2, SDL2_ttf and libpng were "
    .. "missing (Debian: libsdl2-dev libsdl2-ttf-dev libpng-dev); impel run needs none of these" }
end

-- Return the first scene and the folder of the scene browser; or nil and a failure.
local function target(host, name)
  local folder = name or host.examples
  if not folder then return nil, { kind = "usage", message = "view: FILE is missing" } end
  if name and host.kind(name) ~= "folder" and host.kind(name) ~= "link" then
    return name, name:match "^(.*)/[^/]*$" or (find.is_readable(name) and "." or host.examples)
  end
  local first = require("impel.viewer.panels.browser").scenes(folder, nil)[1]
  if not first then
    return nil, { kind = "usage", message = ("view: no scene files (*.lua) in '%s'"):format(folder) }
  end
  return first.path, folder
end

-- Run frames until the window is closed. Return nil, or the exit code after an interrupt or failure.
local function loop(host, viewer, options)
  while true do
    if host.interrupted() then return console.EXIT.interrupted end
    if not viewer:frame() then return nil end
    if options.frames and viewer.count >= options.frames then
      return viewer.failure and console.report(viewer.failure, options) or nil
    end
  end
end

-- Show the scene in a sandbox.
local function view_apart(host, options, window, file)
  local layers = require "impel.sandbox"
  local function say(text) io.stderr:write(text, "\n") end
  local text, chunk
  local function read()
    if file ~= "-" or not text then text, chunk = find.text(host, file) end -- standard input (-) can be read only once
    return text, chunk
  end
  local viewer, failure = require("impel.viewer.apart").new(host, opt.run_settings(options, {
    window = window, file = file, read = read, sandbox = options.sandbox, quota = options.quota,
    paused = options.paused, speed = options.speed, size = options.size, software = options.software, say = say,
    ready = function(child)
      local words, whole = layers.text(child)
      if not (options.quiet and whole) then say("sandbox: " .. words) end
    end,
  }))
  if not viewer then return console.report(failure, options) end
  local code = loop(host, viewer, options)
  local closed, problem = viewer:close()
  if not closed then return console.report(problem, options) end
  return code or console.EXIT.ok
end

function command.run(host, options)
  local wrong = sandboxed.clash(options)
  for _, name in ipairs { "trace", "ui_scale", "dark" } do
    local given = options.sandbox and options[name]
    wrong = wrong or given and ("--%s cannot be combined with --sandbox"):format((name:gsub("_", "-")))
  end
  if wrong then return console.refuse(wrong, options) end
  if options.every and not options.trace then
    return console.refuse("--every needs --trace OUT", options)
  end
  local window, missing = command.window()
  if not window then return console.report(missing, options) end
  local file, folder = target(host, options.file)
  if not file then return console.report(folder, options) end
  if options.sandbox then return view_apart(host, options, window, file) end
  return command.show(host, options, window, file, folder, command.finder(host, options))
end

--- Return a function that finds scenes by name, for command.show.
---@return fun(name: string, opened: function): function|nil, table|nil
function command.finder(host, options)
  local line, standard_input = console.progress(host, true), nil
  return function(name, opened)
    -- Store the loader of standard input, because standard input can be read only once.
    if name == "-" and standard_input then return standard_input end
    local open, problem = find.loader(host, { file = name, seed = options.seed, opened = opened }, line)
    if name == "-" then standard_input = open end
    return open, problem
  end
end

--- Show a scene in a window until the window is closed.
---@param window table    impel.window
---@param file string     scene to begin with
---@param folder string|nil  folder of the scene browser
---@param look fun(name: string, opened: function): function|nil, table|nil  returns the scene's loader, or nil and a
---  failure
---@return integer exit_code
function command.show(host, options, window, file, folder, look)
  local viewer, failure = require("impel.viewer").new(host, opt.run_settings(options, {
    window = window, file = file, folder = folder, paused = options.paused, speed = options.speed, size = options.size,
    software = options.software, trace = options.trace, every = options.every, find = look, play = options.play,
    inputs = options.record, fullscreen = options.fullscreen, ui_scale = options.ui_scale, dark = options.dark,
  }))
  if not viewer then return console.report(failure, options) end
  if file ~= options.file then viewer:toggle "browser" end
  local code = loop(host, viewer, options)
  local closed, problem = viewer:close()
  if not closed then return console.report(problem, options) end
  if problem then console.say(problem) end
  return code or console.EXIT.ok
end

return command
