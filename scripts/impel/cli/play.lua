-- impel play: show a scene that fills the whole window.

local console = require "impel.cli.console"
local opt = require "impel.cli.options"
local system = require "impel.system"
local view = require "impel.cli.view"

local command = { name = "play", about = "play a scene in a window; the scene gets the mouse and all keys except F1 to "
  .. "F12 and those pressed with Ctrl" }

function command.declare(parser)
  opt.add_file(parser)
  parser:flag("--fullscreen", "fill the screen; Alt+Enter toggles it")
  parser:option("--record", "write the player's input to OUT; after a restart (Ctrl+R), OUT contains only the input "
    .. "since the restart; impel run FILE --input OUT replays it"):argname("OUT")
  view.declare_window(parser)
  opt.add_solver(parser)
  opt.add_common(parser)
end

function command.run(host, options)
  if options.record then
    local ok, message = system.can_replace(options.record)
    if options.record == options.file then ok, message = false, options.record .. ": this is the scene's file" end
    if options.record:find "%.lua$" then ok, message = false, options.record .. ": a Lua file is not overwritten" end
    if not ok then return console.refuse("--record: " .. message, options) end
  end
  local window, missing = view.window()
  if not window then return console.report(missing, options) end
  options.play = true
  return view.show(host, options, window, options.file, nil, view.finder(host, options))
end

return command
