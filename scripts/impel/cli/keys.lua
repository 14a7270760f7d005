-- impel keys: print the keys and mouse actions of the window.

local command = { name = "keys", about = "print what the keys and the mouse do in the window" }

function command.declare(parser)
  parser:flag("--markdown", "print the list as a table in Markdown")
end

function command.run(_, options)
  local keys = require "impel.reference.keys"
  io.stdout:write(options.markdown and keys.markdown() or keys.text())
  return require("impel.cli.console").EXIT.ok
end

return command
