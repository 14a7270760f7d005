-- THE table of keys: the window acts by it, and F1, `impel keys` and the README are made from it.
--
-- An entry: key (lower case, as impel.window names it); ctrl, shift, alt: must be down; name; about; action(viewer).
-- Without `shift` it does not matter. Entries of the mouse have `mouse` instead of a key, and no action.

local frame = require "impel.frame"
local panels = require "impel.viewer_panels"

local keys = {}

local fixed = {
  { key = "space", name = "pause", about = "pause, or go on", action = function(v) v:pause() end },
  { key = "right", shift = true, name = "step_10", about = "ten steps", action = function(v) v:single(10) end },
  { key = "right", name = "step", about = "one step, and pause", action = function(v) v:single(1) end },
  { key = "left", shift = true, name = "back_10", about = "ten steps back", action = function(v) v:back(10) end },
  { key = "left", name = "back", about = "one step back: the latest ones are kept",
    action = function(v) v:back(1) end },
  { key = "r", name = "restart", about = "set up again: same parameters, same seed",
    action = function(v) v:restart() end },
  { key = "-", name = "slower", about = "half the speed", action = function(v) v:change_speed(-1) end },
  { key = "=", name = "faster", about = "twice the speed", action = function(v) v:change_speed(1) end },
  { key = "home", name = "fit", about = "show everything", action = function(v) v:fit() end },
  { key = "f", name = "follow", about = "follow the selected body, else the fastest; again: stay",
    action = function(v) v:follow() end },
  { key = "[", name = "previous", about = "the scene before this one", action = function(v) v:neighbour(-1) end },
  { key = "]", name = "next", about = "the scene after this one", action = function(v) v:neighbour(1) end },
  { key = "f12", name = "screenshot", about = "a PNG of the window in the current folder",
    action = function(v) v:screenshot() end },
  { key = "escape", name = "dismiss", about = "close the panel on top, or select nothing",
    action = function(v) v:dismiss() end },
  { key = "q", ctrl = true, name = "quit", about = "close the window", action = function(v) v:quit() end },
}

local mouse = {
  { mouse = "left click", name = "select", about = "select a body, joint or contact: the inspector tells of it" },
  { mouse = "left drag", name = "pull", about = "pull a body by a spring" },
  { mouse = "right or middle drag", name = "pan", about = "move the picture" },
  { mouse = "wheel", name = "zoom", about = "zoom at the cursor" },
  { mouse = "drop a .lua file", name = "open", about = "open it" },
}

-- "ctrl+o" as { ctrl = true, key = "o" }.
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

local function with_panels(list)
  for _, panel in ipairs(panels.all()) do
    if panel.key then
      local entry = parse(panel.key)
      entry.name, entry.about = panel.name, panel.about or panel.title
      entry.action = function(v) v:toggle(panel.name) end
      list[#list + 1] = entry
    end
  end
end

local function with_overlays(list)
  for _, overlay in ipairs(frame.overlays) do
    list[#list + 1] = { key = overlay.key, name = overlay.name, about = "show or hide " .. overlay.about,
      action = function(v) v:toggle_overlay(overlay.name) end }
  end
end

local all

--- All entries, in the order of the help.
---@return table[]
function keys.all()
  if all then return all end
  all = table.move(fixed, 1, #fixed, 1, {})
  with_panels(all)
  with_overlays(all)
  table.move(mouse, 1, #mouse, #all + 1, all)
  return all
end

--- The entry that a key's event asks for.
---@param event table  key, ctrl, shift, alt
---@return table|nil
function keys.find(event)
  for _, entry in ipairs(keys.all()) do
    local fits = entry.key == event.key and (entry.ctrl or false) == (event.ctrl or false)
      and (entry.alt or false) == (event.alt or false)
    if fits and (not entry.shift or event.shift) then return entry end
  end
  return nil
end

local shown = { ["`"] = "`", space = "Space", right = "Right", left = "Left", home = "Home", escape = "Esc" }

--- What people call the key of an entry: "Shift+Right", "Ctrl+O", "F1".
---@param entry table
---@return string
function keys.label(entry)
  if entry.mouse then return entry.mouse end
  local parts = {}
  if entry.ctrl then parts[1] = "Ctrl" end
  if entry.alt then parts[#parts + 1] = "Alt" end
  if entry.shift then parts[#parts + 1] = "Shift" end
  parts[#parts + 1] = shown[entry.key] or entry.key:upper()
  return table.concat(parts, "+")
end

--- The table as text for a terminal.
---@return string
function keys.text()
  local widest, lines = 0, {}
  for _, entry in ipairs(keys.all()) do widest = math.max(widest, #keys.label(entry)) end
  for _, entry in ipairs(keys.all()) do
    local label = keys.label(entry)
    lines[#lines + 1] = ("  %s%s  %s\n"):format(label, (" "):rep(widest - #label), entry.about)
  end
  return table.concat(lines)
end

--- The table in Markdown.
---@return string
function keys.markdown()
  local lines = { "| key | what it does |\n|---|---|\n" }
  for _, entry in ipairs(keys.all()) do
    local label = keys.label(entry)
    local code = entry.mouse and label or label == "`" and "`` ` ``" or "`" .. label .. "`"
    lines[#lines + 1] = ("| %s | %s |\n"):format(code, entry.about)
  end
  return table.concat(lines)
end

return keys
