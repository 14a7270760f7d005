-- The fields of a scene, and names from other engines.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local fields = {}

--- First lines of an example scene file. The other lines are the `example` texts of fields.list, in that order.
fields.EXAMPLE_HEAD = [[
local impel = require "impel"
local input = require "impel.input"
local scene = {}
]]

--- name, type
--- call: parameters and results of a function
--- range: text on the allowed values
--- called: when the field is called or read
--- about: description
--- example: source text
fields.list = {
  { name = "setup", type = "function", call = "(p, seed) -> s", required = true,
    called = "once for each run, and again after a restart",
    about = "Build the world. p: the values of scene.params by name; seed: integer, from --seed. The result is a table "
      .. "whose field `world` is the world; all other fields are the scene's own. All other functions get this table "
      .. "as s. From the first step on, snapshots of the world include s, and world:restore restores it. To restart "
      .. "a game, write start = start or s.world:snapshot() in scene.update, where start is a local variable of the "
      .. "file (not a field of s); s.world:restore(start) then restarts",
    example = [[
function scene.setup(p, seed)
  local world = impel.world { gravity = { 0, -9.81 }, seed = seed }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
  local cart = world:body { name = "cart", position = { 0, 0.25 } }
  cart:box { 1, 0.5, friction = 0.2 }
  return { world = world, cart = cart, p = p }
end]] },
  { name = "update", type = "function", call = "(s, dt)",
    called = "before each step, after the \"step\" handlers that setup registered",
    about = "Input, motors, rules of a game. dt: length of the step [s]",
    example = [[
function scene.update(s, dt)
  if input.pressed "space" then s.cart:apply_impulse(0, 4 * s.cart.mass) end
  s.fuel = (s.fuel or 10) - (input.down "right" and dt or 0)
end]] },
  { name = "substep", type = "function", call = "(s, h)",
    called = "before each substep, after the \"substep\" handlers that setup registered",
    about = "Apply forces that depend on position or speed here, because both change within a step: a step has several "
      .. "substeps (world.substeps). h: length of the substep [s]",
    example = [[
function scene.substep(s, h)
  local vx = s.cart:velocity()
  local push = input.down "right" and s.p.push or 0
  s.cart:apply_force(push - s.p.drag * vx, 0)
end]] },
  { name = "draw", type = "function", call = "(s, view)",
    called = "for each picture in a window, PNG or SVG file or film; never in a run without pictures",
    about = "Draw over or under the bodies. view: see impel api view. Must not change the world",
    example = [[
function scene.draw(s, view)
  local x, y = view:pose(s.cart)
  view:text(x, y + 0.6, "cart", "blue", "center")
  view.hud:text(10, 20, ("fuel %.1f s"):format(s.fuel or 10))
end]] },
  { name = "camera", type = "function", call = "(s) -> table",
    called = "for each picture",
    about = "The camera of the picture; its fields: impel api camera. If a scene has this "
      .. "function, scene.view does not set the camera",
    example = [[
function scene.camera(s)
  return { follow = s.cart, height = 6, dead_zone = { 2, 1 }, bounds = { -20, -2, 20, 20 } }
end]] },
  { name = "measure", type = "function", call = "(s) -> table",
    called = "before the first step, after each step that adds a row to a trace or graph, and at the end of a "
      .. "run of a sweep",
    about = "Numbers and booleans by name: the columns of --trace and --plot, the graphs of the window",
    example = [[
function scene.measure(s)
  local x = s.cart:position()
  return { x = x, speed = (s.cart:velocity()) }
end]] },
  { name = "check", type = "function", call = "(s) -> boolean, message",
    called = "at the end of a run with --check, and by impel test",
    about = "Whether the run was correct, and the message if it was not. For several checks: return ok1, message1, "
      .. "ok2, message2, ...",
    example = [[
function scene.check(s)
  local _, y = s.cart:position()
  return y > 0.24, ("the cart sank to %.3f m"):format(y)
end]] },
  { name = "checks", type = "table", range = "{ name = function(s) -> boolean, message }",
    called = "when the file is loaded; the functions in the table are called like scene.check",
    about = "More checks, by name",
    example = [[
scene.checks = {
  upright = function(s) return math.abs(s.cart.angle) < 0.1, "the cart is not level" end,
}]] },
  { name = "score", type = "function", call = "(s) -> number",
    called = "at the end of a run of impel sweep or impel tune",
    about = "Score of the run: the smaller, the better. impel tune searches for the parameters with the smallest "
      .. "score, with --maximize for those with the largest",
    example = [[
function scene.score(s)
  return math.abs((s.cart:position()) - 5)
end]] },
  { name = "params", type = "table", range = "{ name = default or { default, min =, max =, integer =, help = } }",
    called = "when the file is loaded",
    about = "Parameters: numbers or booleans. Users set them by the sliders of the window, --set, --grid and --param; "
      .. "setup gets their values as p. integer = true allows whole numbers only",
    example = [[
scene.params = {
  push = { 60.0, min = 0, max = 200, help = "force while Right is held [N]" },
  drag = 2.0,
}]] },
  { name = "title", type = "string", called = "when the file is loaded", about = "Name of the scene, shown to users",
    example = [[scene.title = "Cart"]] },
  { name = "about", type = "string", called = "when the file is loaded", about = "Description in a sentence or two",
    example = [[scene.about = "A cart is pushed along the floor."]] },
  { name = "duration", type = "number", range = "number >= 0 [s]", called = "when the file is loaded",
    about = "Simulated time of a run without --time or --steps; 10 by default. A window does not stop at this time",
    example = "scene.duration = 4" },
  { name = "view", type = "table", range = "fields of a camera, and pull",
    called = "for each picture",
    about = "The camera as a table instead of a function; its fields: impel api camera. Without scene.view and "
      .. "scene.camera the picture shows everything",
    example = "scene.view = { x = 0, y = 2, height = 6, pull = false }" },
  { name = "keys", type = "table", range = "{ name, ... }", called = "when the file is loaded",
    about = "The keys that the scene takes from the window of impel view; { \"all\" }: every key except F1 to F12. "
      .. "impel play gives the scene every key, with or without this field. Names: impel api keys",
    example = [[scene.keys = { "left", "right", "space" }]] },
  { name = "units", type = "table", range = "{ measure = unit }", called = "when a plot is drawn",
    about = "Units of the values of scene.measure, as strings, for plots",
    example = [[scene.units = { x = "m", speed = "m/s" }]] },
}

--- The fields by name.
fields.by_name = {}
for _, field in ipairs(fields.list) do fields.by_name[field.name] = field end

--- Names from other engines.
--- ours: counterpart in impel
--- see: chapter of the counterpart
--- names: in lower case without "_", separated by spaces
fields.foreign = {
  { ours = "scene.setup(p, seed)", see = "scene",
    names = "load init create start awake ready begin new main make build preload reset restart initialize" },
  { ours = "scene.update(s, dt)", see = "scene",
    names = "step tick fixedupdate lateupdate process physicsprocess loop think simulate enterframe prestep poststep "
      .. "love.timer" },
  { ours = "scene.draw(s, view)", see = "view",
    names = "render paint display drawgizmos love.graphics graphics" },
  { ours = "view.hud in scene.draw(s, view)", see = "view", names = "hud gui ui ongui overlay" },
  { ours = "scene.camera(s), scene.view", see = "camera",
    names = "zoom follow viewport updatecamera lookat love.graphics.translate love.graphics.scale "
      .. "love.graphics.rotate" },
  { ours = "input.pressed \"space\" in scene.update", see = "input",
    names = "keypressed keypress keydown onkey onkeydown keytyped getkeydown isactionjustpressed keyboard "
      .. "love.keyboard" },
  { ours = "input.released \"space\" in scene.update", see = "input",
    names = "keyreleased keyup onkeyup getkeyup isactionjustreleased" },
  { ours = "input.down \"space\" in scene.update", see = "input",
    names = "isdown iskeydown keyisdown getkey isactionpressed love.keyboard.isdown oninput unhandledinput "
      .. "controls" },
  { ours = "input.text() in scene.update", see = "input", names = "textinput textedited" },
  { ours = "input.mouse_pressed \"left\" in scene.update", see = "input",
    names = "mousepressed mousepress mousedown mouseclicked onmousedown onclick click getmousebuttondown mouse "
      .. "love.mouse" },
  { ours = "input.mouse_released \"left\" in scene.update", see = "input",
    names = "mousereleased mouseup onmouseup getmousebuttonup" },
  { ours = "input.mouse_down \"left\" in scene.update", see = "input", names = "mousedragged love.mouse.isdown" },
  { ours = "input.mouse() in scene.update", see = "input",
    names = "mousemoved mousemove mousex mousey getmouseposition mouseposition love.mouse.getposition love.mouse.getx "
      .. "love.mouse.gety" },
  { ours = "input.wheel() in scene.update", see = "input", names = "wheelmoved mousewheel scroll onscroll" },
  { ours = "input.button, input.axis in scene.update", see = "input",
    names = "gamepadpressed gamepadreleased gamepadaxis joystickpressed joystickreleased joystickaxis joystickhat "
      .. "gamepad joystick getaxis love.joystick" },
  { ours = "input.pads() in scene.update", see = "input", names = "joystickadded joystickremoved" },
  { ours = "input.touches() in scene.update", see = "input",
    names = "touchpressed touchreleased touchmoved touch tap love.touch" },
  { ours = "world:on(\"begin_contact\", fn) in scene.setup", see = "world:on",
    names = "begincontact endcontact presolve postsolve oncollisionenter oncollision collision "
      .. "ontriggerenter bodyentered setcallbacks" },
  { ours = "impel.world { gravity =, dt =, ... } in scene.setup", see = "impel.world",
    names = "gravity dt timestep fps substeps solver seed world bodies joints love.physics physics space" },
  { ours = "scene.measure(s)", see = "scene", names = "metrics observe observation outputs log trace columns graph" },
  { ours = "scene.check(s)", see = "scene", names = "test tests assert expect verify validate" },
  { ours = "scene.score(s)", see = "scene", names = "reward cost loss objective fitness" },
  { ours = "scene.params", see = "scene", names = "parameters options settings sliders" },
  { ours = "scene.title", see = "scene", names = "name settitle" },
  { ours = "scene.about", see = "scene", names = "description" },
  { ours = "scene.duration [s]", see = "scene", names = "time length steps maxtime timelimit" },
  { ours = "scene.title, scene.view, scene.duration", see = "scene", names = "conf config love.conf" },
  { ours = "view.width, view.height in scene.draw; input.window_size()", see = "view",
    names = "resize width height windowresized love.window getwidth getheight" },
  { ours = "sound(\"hit.wav\"):play() with sound = require \"impel.sound\"", see = "sound",
    names = "audio music sounds playsound love.audio love.sound newsource newaudio loadsound" },
  { ours = "file.text, file.data with file = require \"impel.file\"", see = "file",
    names = "assets files love.filesystem filesystem newfile newfiledata loadfile" },
  { ours = "view:image(\"ship.png\", x, y, { height = 1 }) in scene.draw", see = "view:image",
    names = "images sprites sprite newimage love.image drawimage" },
  { ours = "view:text(x, y, text, color)", see = "view:text",
    names = "print printf drawtext drawstring label love.graphics.print love.graphics.printf" },
  { ours = "view:text(x, y, text, { font = \"title.ttf\", size = 0.5 })", see = "view:text",
    names = "newfont setfont setnewfont font" },
  { ours = "view:image(name, x, y, options)", see = "view:image",
    names = "view.draw view.sprite blit newquad love.graphics.draw love.graphics.newimage" },
  { ours = "view:circle(x, y, radius, \"red\"): each call has its colour", see = "colours",
    names = "setcolor fill stroke fillstyle nofill nostroke love.graphics.setcolor background setbackgroundcolor" },
  { ours = "world:random(), or math.random, which uses the world's generator", see = "world:random",
    names = "rand randf randrange rnd love.math love.math.random" },
  { ours = "view:order(n) and look = { order = n }", see = "view:order",
    names = "zorder zindex depth layer layers setdepth sendtoback bringtofront" },
  { ours = "view:line(x1, y1, x2, y2, color, width): each call has its width", see = "view:line",
    names = "setlinewidth linewidth strokeweight love.graphics.setlinewidth" },
  { ours = "scene.setup, scene.update and scene.draw, functions of the table that the file returns", see = "scene",
    names = "love" },
}

--- Return a field, by its name, with its parameters: "scene.update(s, dt)".
function fields.title(name) return "scene." .. name .. (fields.by_name[name].call or "") end

local index -- function or object of another engine, such as "love.draw" -> entry of fields.foreign

local function plain(name) return (name:lower():gsub("[^%l%d.]", "")) end

--- Return the counterpart in impel of a name of another engine, such as "love.graphics.line", or nil.
function fields.ours(name)
  if #name > 64 then return nil end
  if not index then
    index = {}
    for _, entry in ipairs(fields.foreign) do
      for word in entry.names:gmatch "%S+" do index[word] = entry end
    end
  end
  local word = plain(name)
  local entry = index[word] or index[word:match "^love%.(.+)$"]
  while not entry and word:find(".", 1, true) do -- after "love.graphics.line" try "love.graphics"
    word = word:match "^(.*)%."
    entry = index[word]
  end
  return entry and ("%s; impel api %s"):format(entry.ours, entry.see)
end

--- Raise "impel.input has no function 'NAME'" at the line that reads the field NAME of the module. Return nil if the
--- name is not a string.
function fields.missing(module, t, name)
  if type(name) ~= "string" then return nil end
  local ours = fields.ours(name)
  error(("%s has no function '%s'%s"):format(module, name, ours and (" (in impel: %s)"):format(ours)
    or ("%s; impel api %s lists them"):format(nearest.hint(name, nearest.keys(t)), module:match "[^.]*$")), 3)
end

--- Return advice about an unknown field: " (in impel: ...)" if another engine uses its name; otherwise " (did you mean
--- 'NAME'?)" if its name is similar to that of the field NAME of a scene; otherwise "".
local function hint(name)
  local near = type(name) == "string" and nearest.find(name, nearest.keys(fields.by_name))
  local ours = type(name) == "string" and not (near and plain(near) == plain(name)) and fields.ours(name)
  if ours then return (" (in impel: %s)"):format(ours) end
  return near and (" (did you mean '%s'?)"):format(near) or ""
end

--- Check the names and types of a scene's fields; raises. Return the given fields in a new table.
function fields.read(returned)
  for _, name in ipairs(arguments.keys(returned)) do
    if not fields.by_name[name] then
      error(("bad field '%s' in scene%s; a scene has %s (impel api scene)"):format(arguments.called(name), hint(name),
        table.concat(nearest.keys(fields.by_name), ", ")), 0)
    end
  end
  local definition = {}
  for _, name in ipairs(nearest.keys(fields.by_name)) do
    local value, expected = returned[name], fields.by_name[name].type
    if value ~= nil and type(value) ~= expected then
      error(("scene.%s: %s expected, got %s (impel api scene.%s)"):format(name, expected, type(value), name), 0)
    end
    definition[name] = value
  end
  if not definition.setup then error("scene.setup: function expected, got nil (impel api scene)", 0) end
  return definition
end

return fields
