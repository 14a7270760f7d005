-- The keys of the window and their actions.
--
--   key                 in lower case
--   ctrl, shift, alt    modifiers that must be down; without `shift`, shift may be up or down
--   name, about, group, label  for the user
--   action(viewer)
--   mouse               mouse action such as "left drag", in entries without a key

local frame = require "impel.picture.frame"

local keys = {}

-- Make the entry of a key that opens and closes a panel.
local function panel(key, name, about)
  return { "Panels", key, name, about, function(v) v:toggle(name) end }
end

local fixed = {
  { "Time", "space", "pause", "pause or continue", function(v) v:pause() end },
  { "Time", "shift+right", "step_10", "ten steps", function(v) v:single(10) end },
  { "Time", "right", "step", "one step, and pause", function(v) v:single(1) end },
  { "Time", "shift+left", "back_10", "ten steps back", function(v) v:back(10) end },
  { "Time", "left", "back", "one step back", function(v) v:back(1) end },
  { "Time", "r", "restart", "restart with the same parameters and seed", function(v) v:restart() end },
  { "Time", "ctrl+r", "restart_too", "restart, also if the scene takes R", function(v) v:restart() end },
  { "Time", "ctrl+space", "pause_too", "pause, also if the scene takes Space", function(v) v:pause() end },
  { "Time", "-", "slower", "half the speed", function(v) v:change_speed(-1) end },
  { "Time", "=", "faster", "twice the speed", function(v) v:change_speed(1) end },
  { "View", "home", "fit", "show everything; if you moved the scene's camera, first reset it",
    function(v) v:fit() end },
  { "View", "f", "follow", "follow the selected body, else the fastest, or stop following",
    function(v) v:follow() end },
  { "View", "ctrl+d", "dark", "switch between the dark and the light canvas", function(v) v:toggle_dark() end },
  { "View", "shift+f12", "record", "start or end a film of the window, in the current folder",
    function(v) v:record() end },
  { "View", "f12", "screenshot", "PNG of the window, in the current folder", function(v) v:screenshot() end },
  { "View", ",", "shorter", "shorter arrows of forces and impulses", function(v) v:change_arrows(2 ^ -0.5) end },
  { "View", ".", "longer", "longer arrows of forces and impulses", function(v) v:change_arrows(2 ^ 0.5) end },
  { "Saved states", "shift+f5", "save_2", "save the state of the world in slot 2", function(v) v:save_slot(2) end },
  { "Saved states", "f5", "save_1", "save the state of the world in slot 1", function(v) v:save_slot(1) end },
  { "Saved states", "shift+f7", "load_2", "go back to the state in slot 2", function(v) v:load_slot(2) end },
  { "Saved states", "f7", "load_1", "go back to the state in slot 1", function(v) v:load_slot(1) end },
  { "Scene", "[", "previous", "the scene before this one", function(v) v:neighbour(-1) end },
  { "Scene", "]", "next", "the scene after this one", function(v) v:neighbour(1) end },
  { "Window", "escape", "dismiss", "select nothing; close the panel on top", function(v) v:dismiss() end },
  { "Window", "f10", "panels", "hide or show panels, toolbar and status line", function(v) v:toggle_panels() end },
  { "Window", "ctrl+=", "larger", "larger panels and texts", function(v) v:change_ui_scale(1) end },
  { "Window", "ctrl+-", "smaller", "smaller panels and texts", function(v) v:change_ui_scale(-1) end },
  { "Window", "ctrl+0", "usual", "default size of panels and texts", function(v) v:change_ui_scale(0) end },
  { "Window", "alt+return", "fullscreen", "fill the screen, or return to the window", function(v) v:fullscreen() end },
  { "Window", "ctrl+q", "quit", "close the window", function(v) v:quit() end },
  panel("p", "params", "parameters"), panel("o", "overlays", "overlays"), panel("i", "inspector", "inspector"),
  panel("m", "graphs", "graphs"), panel("f3", "profile", "profile"), panel("f6", "slots", "saved states"),
  panel("`", "console", "console"), panel("ctrl+o", "browser", "scenes: a gallery to choose from"),
  panel("f1", "help", "keys and mouse"),
}

local mouse = {
  { "left click", "select", "select a body, joint or contact" },
  { "click number", "graph", "plot a number of the inspector, or remove its graph" },
  { "left drag", "pull", "pull a body by a spring" },
  { "right drag", "pan", "move the picture; a middle drag also does" },
  { "wheel", "zoom", "zoom at the cursor" },
  { "drop file", "open", "open a scene or a folder" },
}

local shown = { space = "Space", right = "Right", left = "Left", home = "Home", escape = "Esc", ["return"] = "Enter" }

-- key -> key with the same action; plus is a separate key on some keyboards
local same = { ["+"] = "=", keypad_plus = "=", keypad_minus = "-" }

-- Parse "ctrl+o" into { ctrl = true, key = "o" }.
local function parse(text)
  local entry = {}
  local rest = text
  for word in text:gmatch "(%a+)%+" do
    entry[word] = true
    rest = rest:sub(#word + 2)
  end
  entry.key = rest
  return entry
end

-- Return the label of a key for the user: "Shift+Right", "Ctrl+O", "F1".
local function label_of(entry)
  local parts = {}
  if entry.ctrl then parts[1] = "Ctrl" end
  if entry.alt then parts[#parts + 1] = "Alt" end
  if entry.shift then parts[#parts + 1] = "Shift" end
  parts[#parts + 1] = shown[entry.key] or entry.key:upper()
  return table.concat(parts, "+")
end

local function add(list, group, key, name, about, action)
  local entry = parse(key)
  entry.group, entry.name, entry.about, entry.action = group, name, about, action
  entry.label = label_of(entry)
  list[#list + 1] = entry
end

local all

--- Return all entries.
---@return table[]
function keys.all()
  if all then return all end
  all = {}
  for _, each in ipairs(fixed) do add(all, table.unpack(each)) end
  for _, overlay in ipairs(frame.overlays) do
    add(all, "Overlays", overlay.key, overlay.name, overlay.about, function(v) v:toggle_overlay(overlay.name) end)
  end
  for _, each in ipairs(mouse) do
    all[#all + 1] = { group = "Mouse", mouse = each[1], label = each[1], name = each[2], about = each[3] }
  end
  return all
end

--- Return the entry for a key event.
---@param event table  key, ctrl, shift, alt
---@return table|nil
function keys.find(event)
  local key = same[event.key] or event.key
  for _, entry in ipairs(keys.all()) do
    local fits = entry.key == key and (entry.ctrl or false) == (event.ctrl or false)
      and (entry.alt or false) == (event.alt or false)
    if fits and (not entry.shift or event.shift) then return entry end
  end
  return nil
end

--- Return whether the scene instead of the window uses the key of an entry. taken: result of keys.taken, or nil.
function keys.gives_way(entry, taken)
  return taken ~= nil and entry.key ~= nil and not entry.ctrl and not entry.alt and taken(entry.key)
end

--- Return a function: key -> whether the scene uses the key. In `play`, the scene uses all keys except F1 to F12.
function keys.taken(definition, play)
  local set = {}
  for _, name in ipairs(definition.keys or {}) do set[name] = true end
  local every = set.all or play
  return function(name)
    return set[name] or every and not name:find "^f%d+$" or false
  end
end

--- Return what the window does for a key without Ctrl and Alt, or nil.
function keys.use_of(name)
  local about
  for _, entry in ipairs(keys.all()) do
    if entry.key == name and not (entry.ctrl or entry.alt or entry.shift and about) then about = entry.about end
  end
  return about
end

--- Return key -> description, for keys without Ctrl and Alt.
function keys.uses()
  local uses = {}
  for _, entry in ipairs(keys.all()) do
    if entry.key then uses[entry.key] = keys.use_of(entry.key) end
  end
  return uses
end

--- Return the table of keys as text for a terminal.
function keys.text()
  local lines, group = {}, nil
  for _, entry in ipairs(keys.all()) do
    if entry.group ~= group then
      group = entry.group
      lines[#lines + 1] = ("%s%s\n"):format(#lines > 0 and "\n" or "", group)
    end
    lines[#lines + 1] = ("  %-14s%s\n"):format(entry.label, entry.about)
  end
  return table.concat(lines)
end

--- Return the table of keys in Markdown.
function keys.markdown()
  local lines = { "| key | what it does |\n|---|---|\n" }
  for _, entry in ipairs(keys.all()) do
    local code = entry.mouse and entry.label or entry.key == "`" and "`` ` ``" or "`" .. entry.label .. "`"
    lines[#lines + 1] = ("| %s | %s |\n"):format(code, entry.about)
  end
  return table.concat(lines)
end

return keys
