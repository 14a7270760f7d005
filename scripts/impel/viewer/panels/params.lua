-- The viewer's panel of parameters.

local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local panels = require "impel.viewer.panels.panel"

local params, Panel = panels.class("params", "Parameters")

-- Return a slider's range. A missing limit is chosen around the default; the range includes the present value.
local function range(param, value)
  local default = param.default
  local size = math.max(math.abs(default), math.abs(value), param.integer and 10 or 1)
  local min = param.min or (default < 0 or value < 0) and -2 * size or 0
  local max = param.max or 2 * size
  if min == -math.huge then min = -2 * size end
  if max == math.huge then max = 2 * size end
  return math.min(min, value), math.max(max, value)
end

--- Return the parameters that differ from their defaults as options, "--set kp=90 --set fast=true", or "".
function params.command_line(specs, values)
  local words = {}
  for _, name in ipairs(nearest.keys(specs)) do
    local value = values[name]
    if value ~= specs[name].default then
      words[#words + 1] = ("--set %s=%s"):format(name, json.exact(value))
    end
  end
  return table.concat(words, " ")
end

local function is_whole(param)
  return param.integer or math.type(param.default) == "integer"
end

local function show_value(value)
  return math.tointeger(value) and ("%d"):format(value) or ("%.5g"):format(value)
end

local function draw_slider(self, ui, name, param, value)
  local whole = is_whole(param)
  local min, max = range(param, value)
  local label = value == param.default and name or name .. " *"
  local chosen, changed = ui:slider(name, label, value, min, max, whole and 1 or nil, show_value)
  if changed then self.viewer:set(name, whole and math.tointeger(chosen) or chosen) end
end

local function bounds_text(param)
  if not (param.min or param.max) then return "" end
  local function show(x, none) return x and ("%.14g"):format(x) or none end
  return (", %s to %s"):format(show(param.min, "any"), show(param.max, "any"))
end

-- Draw the slider or switch of a parameter, with a tooltip.
local function draw_param(self, ui, name, param)
  local value, top = self.viewer.run.values[name], ui.panel.y
  if type(param.default) == "boolean" then
    local label = value == param.default and name or name .. " *"
    local on, changed = ui:toggle(name, label, value)
    if changed then self.viewer:set(name, on) end
  else
    draw_slider(self, ui, name, param, value)
  end
  local hover = ui:touch(name .. ".about", ui.panel.x, top, ui.panel.width, ui.panel.y - top)
  if hover then
    ui:tooltip(("%s%sdefault %s%s"):format(param.help or name, param.help and "\n" or ": ",
      type(param.default) == "number" and ("%.14g"):format(param.default) or tostring(param.default),
      bounds_text(param)))
  end
  ui:space(4)
end

local function reset(self, names, specs)
  for _, name in ipairs(names) do
    if self.viewer.run.values[name] ~= specs[name].default then self.viewer:set(name, specs[name].default) end
  end
end

local function copy(self, specs)
  local text = params.command_line(specs, self.viewer.run.values)
  if text == "" then return self.viewer:say "nothing to copy: every parameter has its default" end
  self.viewer.window:clipboard(text)
  self.viewer:say("copied: " .. text)
end

-- Draw the parameters that differ from their default, each as a button that restores the default.
local function draw_changed(self, ui, names, specs)
  local changed = {}
  for _, name in ipairs(names) do
    if self.viewer.run.values[name] ~= specs[name].default then changed[#changed + 1] = name end
  end
  if #changed == 0 then return end
  if ui:fold("changed", ("Changed: %d of %d"):format(#changed, #names)) then
    for _, name in ipairs(changed) do
      local default = specs[name].default
      local shown = type(default) == "number" and ("%.6g"):format(default) or tostring(default)
      if ui:link("back." .. name, "reset " .. name, "to " .. shown) then reset(self, { name }, specs) end
    end
  end
end

--- Return why the panel is empty; nil if the scene has parameters.
function Panel:nothing()
  return not next(self.viewer.run.scene.params) and "this scene has no parameters" or nil
end

function Panel:draw(ui)
  local specs = self.viewer.run.scene.params
  if self:nothing() then return end
  local names = nearest.keys(specs)
  self:begin(ui, ui:place(params.name, "left", 208))
  for _, name in ipairs(names) do draw_param(self, ui, name, specs[name]) end
  draw_changed(self, ui, names, specs)
  ui:space(4)
  ui:columns(2)
  if ui:button("reset", "Reset all") then reset(self, names, specs) end
  if ui:button("copy", "Copy as --set") then copy(self, specs) end
  ui:end_columns()
  ui:finish_panel()
end

return params
