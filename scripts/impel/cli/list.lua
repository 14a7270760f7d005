-- impel list: the example scenes.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local nearest = require "impel.nearest"
local scenes = require "impel.scene"

local command = { name = "list", about = "list the example scenes" }

function command.declare(parser)
  parser:flag("-v --verbose", "print what each is about and its parameters")
end

local function describe(scene)
  local about = scene.definition.about
  if about then io.stdout:write("  ", about, "\n") end
  for _, name in ipairs(nearest.keys(scene.params)) do
    local param = scene.params[name]
    local range = (param.min or param.max)
      and (" (%s..%s)"):format(param.min or -math.huge, param.max or math.huge) or ""
    io.stdout:write(("  --set %s=%s%s%s\n"):format(name, tostring(param.default), range,
      param.help and "  " .. param.help or ""))
  end
end

function command.run(host, options)
  if not host.examples then
    return console.report({ kind = "usage", message = "no examples found beside the program" }, options)
  end
  local code = console.EXIT.ok
  for _, name in ipairs(find.examples(host)) do
    local scene, message, traceback = scenes.load(host.examples .. "/" .. name .. ".lua")
    if scene then
      io.stdout:write(("%-14s %s\n"):format(name, scene.definition.title or ""))
      if options.verbose then describe(scene) end
    else
      code = console.report({ kind = "scene", message = message, traceback = traceback }, options)
    end
  end
  return code
end

return command
