-- impel api: the reference of the Lua API.

local console = require "impel.cli.console"

local command = { name = "api", about = "print the reference of the Lua API" }

function command.declare(parser)
  local what = "a class (world), member (world:revolute, body.angle, angle), option (anchor), table of options "
    .. "(motor), module in Lua (pd, rig.car) or function of one (multibody:jacobian); everything by default"
  parser:argument("name", what):argname("NAME"):args("?")
  parser:flag("--annotations --meta", "print annotations for editors (LuaLS) instead, of everything")
end

function command.run(_, options)
  if options.annotations and options.name then
    return console.report({ kind = "usage", message = "--annotations: of everything; NAME is too much" }, options)
  end
  local text, message
  if options.annotations then
    text = require("impel.annotations").text()
  else
    text, message = require("impel.api").text(options.name)
  end
  if not text then return console.report({ kind = "usage", message = message }, options) end
  io.stdout:write(text)
  return console.EXIT.ok
end

return command
