-- The viewer's panel for the selected object, or the world. A click on a number adds or removes its graph.

local address = require "impel.viewer.panels.address"
local api = require "impel.reference.api"
local fields = require "impel.viewer.panels.fields"
local json = require "impel.base.json"
local panels = require "impel.viewer.panels.panel"
local selections = require "impel.viewer.panels.selection"
local show = require "impel.base.show"
local theme = require "impel.viewer.ui.theme"

local inspector, Panel = panels.class("inspector", "Inspector")

local MOST = 100 -- largest number of objects listed per iterator

--- Getters that the inspector does not call, because they take too long.
inspector.left_out = {
  world = { nullspace = true, mobility = true, doctor = true, snapshot = true, convergence = true, options = true,
    hash = true, ground = true },
}

local SELECTABLE = { body = true, joint = true, shape = true, contact = true, row = true }

-- Call a function. If the function raises, display the error message.
local function try(self, f, ...)
  local ok, message = pcall(f, ...)
  if not ok then self.viewer:say((tostring(message):gsub("^[^\n]-:%d+: ", "", 1))) end
end

local function show_object(self, object)
  local class = show.class(object)
  if SELECTABLE[class] then self.viewer:select { kind = class, object = object } end
end


-- Graphs -------------------------------------------------------------------------------------------------------------

-- Return the name of an object in the title of a graph.
local function title_of(object)
  local class = show.class(object)
  if class == "world" then return "world" end
  if class == "row" then return ("%s %s"):format(title_of(object.owner), fields.row_name(object)) end
  if class == "coordinate" then return ("%s.%s"):format(title_of(object.joint), object.name) end
  local ok, name = pcall(function() return object.name end)
  if ok and name then return name end
  if class == "contact" then return ("contact %d-%d"):format(object.shape_a.id, object.shape_b.id) end
  return ("%s %d"):format(class, object.id)
end

-- Add or remove the graph of the numbers in a text line of the panel, after a click on the line.
--   top: upper edge of the line; parts: names of the numbers; read(object) -> numbers
local function graph_line(self, ui, object, top, name, unit, parts, read, editable)
  local graphs, panel = self.viewer.panels and self.viewer.panels.graphs, ui.panel
  if not graphs then return end
  local width = editable and 0.45 * panel.width or panel.width
  local hover, _, clicked = ui:touch(("graph.%s %g"):format(name, top), panel.x, top, width, theme.LINE)
  if not hover and #graphs.fields == 0 then return end
  local where = address.of(object)
  if not where then return end
  local key = address.text(where) .. ":" .. name
  local shown = graphs:field(key)
  if shown or hover then
    local x, y, s = panel.x - 7, top + theme.LINE / 2, 3
    local color = shown and theme.focus or theme.faint
    ui:polyline({ x, y + s, x + 1.5, y - s, x + 3.5, y + 0.6 * s, x + 5.5, y - 0.6 * s }, color)
  end
  if hover then ui:tooltip(shown and "click: remove the graph" or "click: add a graph") end
  if not clicked then return end
  local added = graphs:toggle_field { key = key, title = ("%s.%s"):format(title_of(object), name), unit = unit or "",
    parts = parts, address = where, read = read }
  if added and self.viewer.is_open and not self.viewer:is_open "graphs" then self.viewer:toggle "graphs" end
end

local ONE, JACOBIAN = { "" }, { "x", "y", "angle" }


-- Properties ---------------------------------------------------------------------------------------------------------

local function draw_boolean(self, ui, object, entry, value)
  if not entry.writable then return ui:row(entry.name, value and "yes" or "no", "") end
  if ui:link(entry.name, entry.name, value and "yes" or "no", "") then
    try(self, function() object[entry.name] = not value end)
  end
end

local function draw_choice(self, ui, object, class, entry, value)
  local choices = entry.writable and api.choices(class, entry)
  if not choices then return ui:row(entry.name, value, "") end
  if not ui:link(entry.name, entry.name, value, "") then return end
  for i, word in ipairs(choices) do
    if word == value then try(self, function() object[entry.name] = choices[i % #choices + 1] end) end
  end
end

-- Draw a number or a name. The user can edit a writable value.
local function draw_value(self, ui, object, entry, value, unit)
  local text = type(value) == "number" and theme.number(value) or tostring(value)
  local top, entered = ui.panel.y, nil
  if entry.writable then
    entered = ui:field(entry.name, entry.name, text, json.exact(value), unit)
  else
    ui:row(entry.name, text, unit)
  end
  if type(value) == "number" then
    graph_line(self, ui, object, top, entry.name, unit, ONE, function(o) return o[entry.name] end, entry.writable)
  end
  if not entered then return end
  local new = entered
  if entry.type ~= "string" then
    new = tonumber(entered)
    if not new then return self.viewer:say(("%s: a number expected, got '%s'"):format(entry.name, entered)) end
  end
  try(self, function() object[entry.name] = new end)
end

-- Draw an entry that has no value now. A tooltip gives the reason.
local function draw_missing(ui, entry, reason)
  local top = ui.panel.y
  ui:row(entry.name, "-", "", theme.faint)
  if reason and ui:touch(entry.name, ui.panel.x, top, ui.panel.width, ui.panel.y - top) then ui:tooltip(reason) end
end

local function draw_property(self, ui, object, class, entry)
  local ok, value = pcall(function() return object[entry.name] end)
  if not ok then return draw_missing(ui, entry, (tostring(value):gsub("^[^\n]-:%d+: ", "", 1))) end
  if value == nil then return draw_missing(ui, entry) end
  if show.class(value) then
    if ui:link(entry.name, entry.name, tostring(value), "") then show_object(self, value) end
  elseif entry.type == "boolean" or type(value) == "boolean" then
    draw_boolean(self, ui, object, entry, value)
  elseif entry.type == "choice" then
    draw_choice(self, ui, object, class, entry, value)
  elseif type(value) == "table" then
    ui:row(entry.name, show.value(value):gsub("%s+", " "), "")
  else
    draw_value(self, ui, object, entry, value, fields.unit(object, class, entry.unit, entry.name))
  end
end


-- Getters ------------------------------------------------------------------------------------------------------------

-- Return the name of the method (x, y) that sets the two values of a getter, or nil.
local function setter_of(class, entry)
  for _, each in ipairs(api.tables()[class]) do
    if each.name == "set_" .. entry.name and each.signature == "(x, y)" then return each.name end
  end
  return nil
end

local function draw_pair(self, ui, object, class, entry, x, y)
  local unit = fields.unit(object, class, entry.unit)
  local text = ("%s, %s"):format(theme.number(x), theme.number(y))
  local setter, top, entered = setter_of(class, entry), ui.panel.y, nil
  if setter then
    entered = ui:field(entry.name, entry.name, text, json.exact(x) .. ", " .. json.exact(y), unit or "")
  else
    ui:row(entry.name, text, unit or "")
  end
  local names = fields.result_names(entry)
  graph_line(self, ui, object, top, entry.name, unit, { names[1] or "x", names[2] or "y" }, function(o)
    return o[entry.name](o)
  end, setter ~= nil)
  if not entered then return end
  local first, second = entered:match "^%s*%(?%s*([^,%s]+)[%s,]+([^,%s]-)%s*%)?%s*$"
  local new_x, new_y = tonumber(first), tonumber(second)
  if not new_y or not new_x then
    return self.viewer:say(("%s: two numbers expected, got '%s'"):format(entry.name, entered))
  end
  try(self, function() object[setter](object, new_x, new_y) end)
end

-- Draw several results, each in a line of its own with the name and unit from the signature.
local function draw_results(self, ui, object, class, entry, results)
  if results.n == 2 and type(results[1]) == "number" then
    return draw_pair(self, ui, object, class, entry, results[1], results[2])
  end
  local names, units = fields.result_names(entry), fields.split(entry.unit or "")
  for i = 1, results.n do
    local value, name = results[i], results.n == 1 and entry.name or ("%s %s"):format(entry.name, names[i] or i)
    if show.class(value) then name = ("%s %d"):format(entry.name, i) end
    if show.class(value) then
      if ui:link(entry.name .. i, name, tostring(value), "") then show_object(self, value) end
    elseif type(value) == "number" then
      local top, result_unit = ui.panel.y, fields.unit(object, class, units[i] or units[1]) or ""
      ui:row(name, value, result_unit)
      graph_line(self, ui, object, top, name, result_unit, ONE, function(o)
        return (select(i, o[entry.name](o)))
      end)
    else
      ui:row(name, tostring(value), "")
    end
  end
end

-- Draw a Jacobian: three numbers for each body, in the order of the bodies.
local function draw_jacobian(self, ui, object, results)
  ui:heading "jacobian"
  local ok, bodies = pcall(function() return table.pack(object:bodies()) end)
  for i = 1, results.n, 3 do
    local body = ok and bodies[(i + 2) // 3]
    ui:label(body and tostring(body) or ("body %d"):format((i + 2) // 3), theme.dim)
    for k, part in ipairs(JACOBIAN) do
      local top, unit = ui.panel.y, part == "angle" and fields.angular or ""
      ui:row("  " .. part, results[i + k - 1], unit)
      graph_line(self, ui, object, top, ("jacobian %d %s"):format((i + 2) // 3, part), unit, ONE, function(o)
        return (select(i + k - 1, o:jacobian()))
      end)
    end
  end
end

local function draw_getter(self, ui, object, class, entry)
  local results = table.pack(pcall(function() return object[entry.name](object) end))
  if not results[1] then return draw_missing(ui, entry, (tostring(results[2]):gsub("^[^\n]-:%d+: ", "", 1))) end
  results = table.pack(table.unpack(results, 2, results.n))
  if entry.name == "jacobian" then return draw_jacobian(self, ui, object, results) end
  if results.n == 0 then return draw_missing(ui, entry) end
  draw_results(self, ui, object, class, entry, results)
end


-- Lists and tables ---------------------------------------------------------------------------------------------------

-- By class of an object: the property that a list displays beside the object, and the property's unit.
local BESIDE = { row = { "force", "N or N m" }, coordinate = { "value", "m or rad" } }

local function beside(object)
  local class = show.class(object)
  local what = BESIDE[class]
  if not what then return "", nil end
  return theme.number(object[what[1]]), fields.unit(object, class, what[2]), what[1]
end

-- Return the name of an object without its owner's name.
local function short_name(object)
  local class = show.class(object)
  if class == "coordinate" then return object.name end
  return class == "row" and fields.row_name(object) or tostring(object)
end

local function draw_object(self, ui, entry, i, object)
  local name, top = short_name(object), ui.panel.y
  local value, unit, field = beside(object)
  if SELECTABLE[show.class(object)] then
    if ui:link(entry.name .. i, name, value, unit) then show_object(self, object) end
  else
    ui:row(name, value, unit)
    if field then graph_line(self, ui, object, top, field, unit, ONE, function(o) return o[field] end) end
  end
end

-- Values of a contact point besides its position: separation and impulses.
local POINT = { { "separation", "m" }, { "normal impulse", "N s" }, { "tangent impulse", "N s" } }

local function draw_point(self, ui, contact, i, values)
  local top = ui.panel.y
  ui:row(("%d  at"):format(i), ("%s, %s"):format(theme.number(values[1]), theme.number(values[2])), "m")
  graph_line(self, ui, contact, top, ("point %d"):format(i), "m", { "x", "y" }, function(o) return o:point(i) end)
  for k, part in ipairs(POINT) do
    top = ui.panel.y
    ui:row("    " .. part[1], values[k + 2], part[2])
    graph_line(self, ui, contact, top, ("point %d %s"):format(i, part[1]), part[2], ONE, function(o)
      return (select(k + 2, o:point(i)))
    end)
  end
end

-- Return the first MOST items of an iterator, and their total number.
local function collect(object, entry)
  local ok, iterator, state, control = pcall(function() return object[entry.name](object) end)
  local items, count = {}, 0
  while ok do
    local values = table.pack(iterator(state, control))
    control = values[1]
    if control == nil then break end
    count = count + 1
    if count <= MOST then items[count] = values end
  end
  return items, count
end

local function draw_items(self, ui, object, entry, items, count)
  for i, values in ipairs(items) do
    if show.class(values[1]) then
      draw_object(self, ui, entry, i, values[1])
    else
      draw_point(self, ui, object, values[1], table.pack(table.unpack(values, 2, values.n)))
    end
  end
  if count > MOST then ui:label(("... and %d more"):format(count - MOST), theme.faint) end
end

-- Draw a foldable list of a world's bodies, joints or other objects; the iterator `entry` returns them.
local function draw_world_list(self, ui, world, entry)
  local count = world:counts()[entry.name]
  if count == 0 or not ui:fold("world." .. entry.name, ("%s: %d"):format(entry.name, count)) then return end
  draw_items(self, ui, world, entry, collect(world, entry))
end

local function draw_iterator(self, ui, object, entry)
  if show.class(object) == "world" then return draw_world_list(self, ui, object, entry) end
  local items, count = collect(object, entry)
  if count == 0 then return end
  if ui:fold("list." .. entry.name, ("%s: %d"):format(entry.name, count), count <= 24) then
    draw_items(self, ui, object, entry, items, count)
  end
end

local function draw_table(ui, object, entry)
  if not ui:fold("table." .. entry.name, entry.name) then return end
  local ok, value = pcall(function() return object[entry.name](object) end)
  if not ok then return end
  for line in (show.value(value):gsub("^{\n?", ""):gsub("\n?}$", "") .. "\n"):gmatch "(.-),?\n" do
    if line:find "%S" then ui:label(line, theme.dim) end
  end
end

-- Draw the methods of a class whose results are of the kind `wanted`: "values", "iterator" or "table".
local function draw_methods(self, ui, object, class, wanted)
  local left_out = inspector.left_out[class] or {}
  for _, entry in ipairs(api.tables()[class]) do
    if entry.kind == "method" and not left_out[entry.name] and fields.gives(entry) == wanted then
      if wanted == "values" then draw_getter(self, ui, object, class, entry)
      elseif wanted == "iterator" then draw_iterator(self, ui, object, entry)
      else draw_table(ui, object, entry) end
    end
  end
end


-- The panel ----------------------------------------------------------------------------------------------------------

local function draw_object_whole(self, ui, object, class)
  ui:label(tostring(object):gsub(":? %(?0x%x+%)?$", ""), theme.accent)
  ui:space(4)
  draw_methods(self, ui, object, class, "values")
  ui:space(4)
  local left_out = inspector.left_out[class] or {}
  for _, entry in ipairs(api.tables()[class]) do
    if entry.kind == "property" and not left_out[entry.name] then draw_property(self, ui, object, class, entry) end
  end
  ui:space(4)
  draw_methods(self, ui, object, class, "iterator")
  draw_methods(self, ui, object, class, "table")
end

local function draw_selection(self, ui)
  local viewer = self.viewer
  if not viewer.run then return ui:label("No scene.", theme.dim) end
  local selected = viewer.selection
  if not selected then
    ui:label("The world (nothing is selected). Click on a body, joint or contact to select it.", theme.dim)
    return draw_object_whole(self, ui, viewer.run.world, "world")
  end
  local object = selections.object(selected, viewer.run.world)
  if not object then
    return ui:label(selected.kind == "contact" and "The shapes do not touch now."
      or selected.kind == "row" and "This row is not active now." or ("The %s was destroyed."):format(selected.kind),
      theme.warning)
  end
  draw_object_whole(self, ui, object, show.class(object) or selected.kind)
end

function Panel:draw(ui)
  if self.viewer.selection ~= self.shown then ui:rewind(inspector.name) end
  self.shown = self.viewer.selection
  self:begin(ui, ui:place(inspector.name, "right", 256))
  draw_selection(self, ui)
  ui:finish_panel()
end

return inspector
