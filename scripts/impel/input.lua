-- impel.input: keys, mouse, gamepads and touches of the player.
--
--   local input = require "impel.input"
--   function scene.update(s)
--     if input.pressed "space" then s.hero:jump(5) end
--     s.hero.walk = input.down "right" and 4 or input.down "left" and -4 or 0
--   end
--
-- `pressed` and `released` report changes since the previous step, `down` reports held keys.
--
-- Keys are named by their label in the user's layout ("w", "space", "left", "left_shift", "keypad_1", "f5"), in the
-- functions scan_* by their position on a US keyboard. Without a window or a recording the input is empty.

local nearest = require "impel.base.nearest"
local states = require "impel.scene.input_state"

local input = {}

local AXES = { "left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger" }
local PAD_BUTTONS = {
  "a", "b", "x", "y", "back", "guide", "start", "left_stick", "right_stick", "left_shoulder", "right_shoulder",
  "up", "down", "left", "right",
}
local MOUSE_BUTTONS = { "left", "middle", "right", "back", "forward" }

-- Key names of more than one character.
local NAMED = [[
  space return escape tab backspace delete insert home end pageup pagedown left right up down
  left_shift right_shift left_ctrl right_ctrl left_alt right_alt left_gui right_gui capslock numlock scrolllock
  printscreen pause menu application
  f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24
  keypad_0 keypad_1 keypad_2 keypad_3 keypad_4 keypad_5 keypad_6 keypad_7 keypad_8 keypad_9
  keypad_+ keypad_- keypad_* keypad_/ keypad_. keypad_, keypad_= keypad_enter keypad_00 keypad_000
  audioplay audiostop audionext audioprev audiomute mute volumeup volumedown
]]

-- Names of keys in other programs, and their names in impel.
local FOREIGN = {
  lshift = "left_shift", rshift = "right_shift", lctrl = "left_ctrl", rctrl = "right_ctrl", lalt = "left_alt",
  ralt = "right_alt", lgui = "left_gui", rgui = "right_gui", esc = "escape", enter = "return", [" "] = "space",
  arrowleft = "left", arrowright = "right", arrowup = "up", arrowdown = "down", kpenter = "keypad_enter",
  control = "left_ctrl", shift = "left_shift", alt = "left_alt", del = "delete", ["page up"] = "pageup",
  ["page down"] = "pagedown", pgup = "pageup", pgdn = "pagedown", spacebar = "space", ins = "insert",
  shift_l = "left_shift", shift_r = "right_shift", control_l = "left_ctrl", control_r = "right_ctrl",
}
for digit = 0, 9 do FOREIGN["kp" .. digit] = "keypad_" .. digit end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

local named_list = {}
for name in NAMED:gmatch "%S+" do named_list[#named_list + 1] = name end

local KEYS, KNOWN_AXES, KNOWN_PAD_BUTTONS = set_of(named_list), set_of(AXES), set_of(PAD_BUTTONS)
local KNOWN_MOUSE_BUTTONS = set_of(MOUSE_BUTTONS)

-- Names of gamepad axes and buttons, mouse buttons, and keys of more than one character; foreign: key name of other
-- programs -> name in impel.
input.axes, input.buttons, input.mouse_buttons, input.keys = AXES, PAD_BUTTONS, MOUSE_BUTTONS, named_list
input.foreign = FOREIGN

local function check(call, name, known, names, what, level)
  if known[name] then return end
  error(("input.%s: no %s '%s'%s; there are %s"):format(call, what, tostring(name),
    type(name) == "string" and nearest.hint(name, names) or "", table.concat(names, ", ")), level or 3)
end

-- Return whether a name is a single character: UTF-8, no ASCII capital letter, no control character.
local function is_character(name)
  return name:find "^[\1-\127\194-\244][\128-\191]*$" ~= nil and not name:find "^[%c%sA-Z]$"
end

--- Return whether a name is a valid key name.
---@param name any
function input.is_key(name)
  return type(name) == "string" and (KEYS[name] or is_character(name)) or false
end

-- Return a hint for an unknown name: " (use 'left_shift')", " (did you mean 'space'?)" or "".
function input.hint(name)
  if type(name) ~= "string" then return "" end
  local lower = name:lower()
  local spaced = lower:gsub(" ", "_")
  local meant = FOREIGN[lower] or (input.is_key(lower) and lower) or (input.is_key(spaced) and spaced)
  return meant and (" (use '%s')"):format(meant) or nearest.hint(name, named_list)
end

-- Return the error message for an unknown key name.
local function unknown(call, name)
  if type(name) ~= "string" then
    return ("input.%s: a key's name expected, got %s"):format(call, type(name))
  end
  return ("input.%s: no key '%s'%s; a key is named by its character or one of %s"):format(call, name, input.hint(name),
    table.concat(named_list, ", "))
end

-- Raise for an unknown key name, for a key that the window uses, and for further arguments.
local function check_key(call, name, ...)
  if select("#", ...) > 0 then
    error(("input.%s: one key expected: input.%s(a) or input.%s(b)"):format(call, call, call), 3)
  end
  if not input.is_key(name) then error(unknown(call, name), 3) end
  local owner, in_play = nil, nil
  if states.reserved then owner, in_play = states.reserved(name) end
  if owner then
    error(("input.%s: the window uses the key '%s' (%s)%s"):format(call, name, owner, in_play and ""
      or (": write scene.keys = { \"%s\" }, or use impel play"):format(name)), 3)
  end
end


-- Keys ---------------------------------------------------------------------------------------------------------------

-- Return whether a key is in a list of the present step.
local function has_key(call, list, name, ...)
  check_key(call, name, ...)
  return states.seen[list][name] == true
end

--- Return whether a key is held, or was tapped since the previous step. Raises for an unknown name, as all functions of
--- keys do.
---@param name string  lower case: "w", "up", "return", "left_shift", ...
function input.down(name, ...) return has_key("down", "keys", name, ...) end

--- The same as input.down.
---@param name string
---@return boolean
function input.key(name, ...) return has_key("key", "keys", name, ...) end

--- Return whether a key went down since the previous step.
---@param name string
function input.pressed(name, ...) return has_key("pressed", "pressed", name, ...) end

--- Return whether a key was released since the previous step.
---@param name string
function input.released(name, ...) return has_key("released", "released", name, ...) end

--- Return whether the system has sent a repetition of a held key since the previous step, as for typing.
---@param name string
function input.repeated(name, ...) return has_key("repeated", "repeated", name, ...) end

--- Return whether a key, named by its position on a US keyboard, is held.
---@param name string
function input.scan_down(name, ...) return has_key("scan_down", "scancodes", name, ...) end

--- Return whether a key, named by its position on a US keyboard, went down since the previous step.
---@param name string
function input.scan_pressed(name, ...) return has_key("scan_pressed", "scan_pressed", name, ...) end

--- Return whether a key, named by its position on a US keyboard, was released since the previous step.
---@param name string
function input.scan_released(name, ...) return has_key("scan_released", "scan_released", name, ...) end

--- Return the text typed since the previous step, in UTF-8; "" without any.
function input.text()
  return states.seen.text
end


-- The mouse ----------------------------------------------------------------------------------------------------------

--- Return the position of the mouse in the world.
---@return number x  [m]
---@return number y  [m]
function input.mouse()
  return states.seen.x, states.seen.y
end

--- Return the position of the mouse in the window, from its top left corner, y down [points].
function input.mouse_pixels()
  return states.seen.px, states.seen.py
end

--- Return width and height of the window [points]; 0, 0 without a window.
function input.window_size()
  return states.seen.width, states.seen.height
end

local function check_button(call, name)
  check(call, name or "left", KNOWN_MOUSE_BUTTONS, MOUSE_BUTTONS, "button", 4)
  return name or "left"
end

--- Return whether a button of the mouse is held.
---@param name nil|"left"|"middle"|"right"|"back"|"forward"  "left" by default
function input.mouse_down(name)
  return states.seen.buttons[check_button("mouse_down", name)] == true
end

-- Return whether a button changed, and the position of the mouse when the button changed.
local function change(list, name)
  local place = list[name]
  if not place then return false end
  return true, place[1], place[2]
end

--- Return whether a mouse button went down since the previous step, and the position of the mouse at that moment.
---@param name nil|string
---@return boolean
---@return number|nil x  [m]; nil if it did not
---@return number|nil y
function input.mouse_pressed(name)
  return change(states.seen.button_pressed, check_button("mouse_pressed", name))
end

--- Return whether a mouse button was released since the previous step, and the position of the mouse at that moment.
---@param name nil|string
---@return boolean
---@return number|nil x  [m]; nil if it was not
---@return number|nil y
function input.mouse_released(name)
  return change(states.seen.button_released, check_button("mouse_released", name))
end

--- Return the turn of the wheel since the previous step [notches].
---@return number dy  > 0: away from the user
---@return number dx  > 0: to the right
function input.wheel()
  return states.seen.wheel_y, states.seen.wheel_x
end

--- Return the fingers on a touch screen in the order of their touch: { id, x, y [m] }.
function input.touches()
  local list = {}
  for i, finger in ipairs(states.seen.touch_order) do
    local touch = states.seen.touches[finger]
    list[i] = { id = touch.id, x = touch.x, y = touch.y }
  end
  return list
end


-- Gamepads -----------------------------------------------------------------------------------------------------------

--- Return the connected gamepads, in the order of their connection.
---@return table[]  each with id and name
function input.pads()
  local list = {}
  for i, number in ipairs(states.seen.pad_order) do
    list[i] = { id = number, name = states.seen.pads[number].name }
  end
  return list
end

-- Return the ids of the gamepads: the given one, or all.
local function each_pad(pad)
  if pad == nil then return states.seen.pad_order end
  return { pad }
end

--- Return the deflection of a stick, -1..1, or trigger, 0..1; the one of largest magnitude if several gamepads are
--- connected, 0 if none is.
---@param name string  name of an axis; sticks are positive to the right and up
---@param pad integer|nil  id of a gamepad; default: all
function input.axis(name, pad)
  check("axis", name, KNOWN_AXES, AXES, "axis")
  local most = 0
  for _, number in ipairs(each_pad(pad)) do
    local each = states.seen.pads[number]
    local value = each and each.axes[name] or 0
    if math.abs(value) > math.abs(most) then most = value end
  end
  return most
end

--- Return whether a gamepad's button is held.
---@param name string  "a", "start", "left_shoulder", ...
---@param pad integer|nil  id of a gamepad; default: all
function input.button(name, pad)
  check("button", name, KNOWN_PAD_BUTTONS, PAD_BUTTONS, "button")
  for _, number in ipairs(each_pad(pad)) do
    local each = states.seen.pads[number]
    if each and each.buttons[name] then return true end
  end
  return false
end

--- Return whether a button of any gamepad went down since the previous step.
---@param name string
function input.button_pressed(name)
  check("button_pressed", name, KNOWN_PAD_BUTTONS, PAD_BUTTONS, "button")
  return states.seen.pad_pressed[name] == true
end

--- Return whether a button of any gamepad was released since the previous step.
---@param name string
function input.button_released(name)
  check("button_released", name, KNOWN_PAD_BUTTONS, PAD_BUTTONS, "button")
  return states.seen.pad_released[name] == true
end

--- Make gamepads rumble. Without a gamepad this has no effect.
---@param low number      strength of the heavy motor, 0..1
---@param high number     strength of the light motor, 0..1
---@param seconds number  0..60
---@param pad integer|nil  id of a gamepad; default: all
function input.rumble(low, high, seconds, pad)
  local values = { low = low, high = high, seconds = seconds }
  for _, each in ipairs { { "low", 1 }, { "high", 1 }, { "seconds", 60 } } do
    local value = values[each[1]]
    if type(value) ~= "number" or not (value >= 0 and value <= each[2]) then
      error(("input.rumble: %s must be a number in 0..%d, got %s"):format(each[1], each[2], tostring(value)), 2)
    end
  end
  local rumble = states.seen.look and states.seen.look.rumble
  if not rumble then return end
  for _, number in ipairs(each_pad(pad)) do rumble(number, low, high, seconds) end
end

return setmetatable(input, {
  __index = function(_, name)
    -- not a tail call, because the stack level of the error would change
    local value = require("impel.scene.fields").missing("impel.input", input, name)
    return value
  end,
})
