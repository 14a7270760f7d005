-- What the player does, for scenes: a gamepad's axes and buttons, and keys that the viewer leaves to the scene.
--
--   local input = require "impel.input"
--   function scene.update(s) s.car.motor_speed = 20 * input.axis "left_x" end
--
-- Only `impel view` feeds it. In every other run nothing is pressed, so that what comes of a run without a window
-- depends on its parameters and seed alone. In a window it depends on the player too.

local arguments = require "impel.arguments"
local nearest = require "impel.nearest"

local input = {}

local DEAD = 0.12 -- of a stick at rest, which never is quite at 0; what is beyond it begins at 0 again

local axis_names = { "left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger" }
local button_names = {
  "a", "b", "x", "y", "back", "guide", "start", "left_stick", "right_stick", "left_shoulder", "right_shoulder",
  "up", "down", "left", "right",
}

-- Buttons that SDL names otherwise.
local sdl_buttons = {
  leftstick = "left_stick", rightstick = "right_stick", leftshoulder = "left_shoulder",
  rightshoulder = "right_shoulder", dpup = "up", dpdown = "down", dpleft = "left", dpright = "right",
}

-- axes: by name a list of { pad, value }; buttons: by name a set of gamepads; keys: a set.
local axes, buttons, keys = {}, {}, {}

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

local known_axes, known_buttons = set_of(axis_names), set_of(button_names)

local function check(name, known, names, what)
  if known[name] then return end
  error(("input.%s: no %s '%s'%s; there are %s"):format(what, what, tostring(name),
    type(name) == "string" and nearest.hint(name, names) or "", table.concat(names, ", ")), 3)
end

--- A stick's or trigger's deflection. Of several gamepads, the largest.
---@param name string  "left_x", "left_y", "right_x", "right_y" (right and up are positive), "left_trigger",
---  "right_trigger" (0..1)
---@return number  in -1..1; 0 where there is no gamepad
function input.axis(name)
  check(name, known_axes, axis_names, "axis")
  local most = 0.0
  for _, value in ipairs(axes[name] or {}) do
    if math.abs(value.value) > math.abs(most) then most = value.value end
  end
  return most
end

--- Whether a gamepad's button is down.
---@param name string  "a", "b", "x", "y", "start", "back", "up", "left_shoulder", ...
---@return boolean
function input.button(name)
  check(name, known_buttons, button_names, "button")
  return next(buttons[name] or {}) ~= nil
end

--- Whether a key is down. Keys that the viewer takes for itself (`impel keys`) never are.
---@param name string  lower case: "w", "up", "return", ...
---@return boolean
function input.key(name)
  if type(name) ~= "string" then error(("input.key: a key's name expected, got %s"):format(type(name)), 2) end
  return keys[name] == true
end

--- The names of the axes and buttons that there are.
input.axes, input.buttons = axis_names, button_names

-- SDL's sticks are positive to the right and downwards.
local function deflection(name, value)
  if name:find "_y$" then value = -value end
  local size = math.abs(value)
  if size <= DEAD then return 0.0 end
  return (value > 0 and 1 or -1) * math.min((size - DEAD) / (1 - DEAD), 1.0)
end

-- The entry of a gamepad in a list by gamepads, in the order in which they came.
local function entry_of(list, pad)
  for _, entry in ipairs(list) do
    if entry.pad == pad then return entry end
  end
  list[#list + 1] = { pad = pad, value = 0.0 }
  return list[#list]
end

local feed = {}

function feed.axis(event)
  if not known_axes[event.axis] then return end
  axes[event.axis] = axes[event.axis] or {}
  entry_of(axes[event.axis], event.pad or 0).value = deflection(event.axis, event.value)
end

function feed.pad_button(event)
  local name = sdl_buttons[event.button] or event.button
  if not known_buttons[name] then return end
  buttons[name] = buttons[name] or {}
  buttons[name][event.pad or 0] = event.down or nil
end

function feed.pad_removed(event)
  for _, list in pairs(axes) do
    for i = #list, 1, -1 do
      if list[i].pad == event.pad then table.remove(list, i) end
    end
  end
  for _, pads in pairs(buttons) do pads[event.pad] = nil end
end

function feed.key(event)
  keys[event.key] = event.down or nil
end

--- Take an event of a window: for viewers.
---@param event table  of impel.window: "axis", "pad_button", "pad_removed" or "key"; others are let be
function input.feed(event)
  arguments.check("impel.input.feed: argument 'event'", event, { "table" })
  if feed[event.type] then feed[event.type](event) end
end

--- Let go of everything: the window lost the keyboard, or another run begins.
function input.release()
  axes, buttons, keys = {}, {}, {}
end

return input
