-- The viewer's panel of graphs over time, with one ring of samples per column. Samples are taken after each step, even
-- while the panel is closed.

local address = require "impel.viewer.panels.address"
local csv = require "impel.base.csv"
local nearest = require "impel.base.nearest"
local panels = require "impel.viewer.panels.panel"
local rings = require "impel.viewer.panels.ring"
local rowfile = require "impel.base.rowfile"
local theme = require "impel.viewer.ui.theme"

local graphs, Panel = panels.class("graphs", "Graphs")

local HEIGHT = 120            -- [screen points] height of a graph
local WIDTH, GAP = 232, 24    -- [screen points] least width of a graph, and gap between graphs
local TALL = 1000             -- [screen points] least height of the window for two rows of graphs
local SPANS = { 5, 20, 0 }    -- [s] selectable time spans of the graphs; 0: all samples
local FILES = 999             -- number of file names tried before giving up

local NAN = 0 / 0

-- Columns of every world: name, unit.
local BASE = {
  { "kinetic", "J" }, { "potential", "J" }, { "total", "J" }, { "residual", "m/s" }, { "penetration", "m" },
  { "separation", "m" },
}


-- Samples ------------------------------------------------------------------------------------------------------------

local function add_column(self, name, unit)
  local column = { name = name, unit = unit, ring = rings.new() }
  for n = self.first, self.last do column.ring:put(n, NAN) end
  self.columns[#self.columns + 1] = column
  self.by_name[name] = column
  return column
end

-- Return the scene's measures, by column name. A name that another column has becomes "measure.NAME".
local function measured(self)
  if self.problem then return {} end
  local values, failure = self.viewer.run:measure()
  if not values then
    self.problem = failure.message
    return {}
  end
  local named = {}
  for _, name in ipairs(nearest.keys(values)) do
    local value, column = values[name], self.base[name] and "measure." .. name or name
    if type(value) == "boolean" then value = value and 1 or 0 end
    named[column] = value
    if not self.by_name[column] then add_column(self, column) end
  end
  return named
end

-- Remove the samples whose time is `time` or later. They exist if the run went back.
local function forget_from(self, time)
  local last = self.last
  while last >= self.first and self.times:at(last) >= time do last = last - 1 end
  if last == self.last then return end
  self.last = last
  if last < self.first then return end
  for _, column in ipairs(self.columns) do column.ring:take_back(last) end
end

-- Add the columns of a field.
local function add_field(self, field)
  field.columns = {}
  for i, part in ipairs(field.parts) do
    local name = part == "" and field.title or field.title .. " " .. part
    while self.by_name[name] do name = name .. "'" end
    field.columns[i] = name
    add_column(self, name, field.unit).field = field
  end
end

-- Read the present values of the fields; skip the fields of objects that do not exist.
local function read_fields(self, values)
  for _, field in ipairs(self.fields) do
    local object = address.find(field.address, self.viewer.run.world)
    local results = object and table.pack(pcall(field.read, object)) or { false }
    for i, name in ipairs(field.columns) do
      local value = results[1] and results[i + 1]
      values[name] = type(value) == "number" and value or nil
    end
  end
end

--- Return the field with a key, or nil if the field has no graph.
function Panel:field(key)
  for i, field in ipairs(self.fields) do
    if field.key == key then return field, i end
  end
  return nil
end

--- Add or remove the graph of a field. Return whether it was added. The graph stays when the scene is set up again.
---@param field table  { key: identifies the object and the field, title, unit, address: the object's (address.lua),
---  read(object): returns the field's numbers, parts: a name for each number; { "" } if there is one number }
function Panel:toggle_field(field)
  local known, at = self:field(field.key)
  if not known then
    self.fields[#self.fields + 1] = field
    add_field(self, field)
    if self.last >= self.first and self.times:at(self.last) == self.viewer.run.world.time then
      local values = {}
      read_fields(self, values)
      for _, name in ipairs(field.columns) do self.by_name[name].ring:put(self.last, values[name] or NAN) end
    end
    return true
  end
  table.remove(self.fields, at)
  for i = #self.columns, 1, -1 do
    if self.columns[i].field == known then
      self.by_name[self.columns[i].name] = nil
      table.remove(self.columns, i)
    end
  end
  return false
end

--- Take a sample after a step.
function Panel:step()
  local world = self.viewer.run.world
  forget_from(self, world.time)
  local values = measured(self)
  values.kinetic, values.potential = world:energy()
  values.total = values.kinetic + values.potential
  self.residual = world:residual(self.residual)
  values.residual, values.penetration = self.residual.velocity, self.residual.penetration
  values.separation = self.residual.separation
  read_fields(self, values)
  self.last = self.last + 1
  self.first = math.max(self.first, self.last - rings.SIZE + 1)
  self.times:put(self.last, world.time)
  for _, column in ipairs(self.columns) do column.ring:put(self.last, values[column.name] or NAN) end
end

--- Clear all samples after a restart of the run, and take a sample before the first step.
function Panel:reset()
  self.first, self.last, self.times, self.columns, self.by_name, self.problem = 1, 0, rings.new(), {}, {}, nil
  for _, each in ipairs(BASE) do add_column(self, each[1], each[2]) end
  local file = self.viewer.run and self.viewer.run.scene.file
  if file ~= self.file then self.fields = {} end
  self.file = file
  for _, field in ipairs(self.fields) do add_field(self, field) end
  if self.viewer.run then self:step() end
end


-- CSV ----------------------------------------------------------------------------------------------------------------

--- Return all samples as the text of a CSV file, numbers with 17 digits.
---@return string
function Panel:csv()
  local names = { "time" }
  for i, column in ipairs(self.columns) do names[i + 1] = column.name end
  local lines = { csv.line(names, #names) }
  for n = self.first, self.last do
    local fields = { self.times:at(n) }
    for i, column in ipairs(self.columns) do fields[i + 1] = column.ring:at(n) end
    lines[#lines + 1] = csv.line(fields, #names)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Write a text to a new file: NAME.csv, NAME-2.csv, ...
local function write_new(name, text)
  for i = 1, FILES do
    local path = i == 1 and name .. ".csv" or ("%s-%d.csv"):format(name, i)
    local file, message, reason = rowfile.open(path, "create")
    if file then
      local ok, problem = file:add(text:sub(1, -2))
      local closed, why = file:close()
      if ok and closed then return path end
      os.remove(path)
      return nil, problem or why
    end
    if reason ~= "exists" then return nil, message end
  end
  return nil, ("no free file name: %s-%d.csv exists already"):format(name, FILES)
end

--- Write all samples to a new file in the current folder, and report it.
---@return string|nil path
function Panel:export()
  local name = self.viewer.run.scene.name:gsub("[^%w_.-]", "_") .. "-graphs"
  local path, message = write_new(name, self:csv())
  self.viewer:say(path and ("%d samples written to %s"):format(self.last - self.first + 1, path) or message)
  return path
end

--- Export on Ctrl+E.
function Panel:event(event)
  if event.type ~= "key" or not event.down or event.key ~= "e" or not event.ctrl then return false end
  self:export()
  return true
end


-- The panel ----------------------------------------------------------------------------------------------------------

-- Return the first sample within the displayed span.
local function first_shown(self)
  local span = SPANS[self.span]
  if span == 0 or self.last < self.first then return self.first end
  local from = self.times:at(self.last) - span - 1e-9
  local low, high = self.first, self.last
  while low < high do
    local middle = (low + high) // 2
    if self.times:at(middle) >= from then high = middle else low = middle + 1 end
  end
  return low
end

-- Return the graphs: { title, unit, column names, labels of the curves (nil: the names) }.
local function list_of(self)
  local list = {}
  for _, field in ipairs(self.fields) do
    list[#list + 1] = { field.title, field.unit, field.columns, field.parts[1] ~= "" and field.parts or nil }
  end
  list[#list + 1] = { "energy", "J", { "kinetic", "potential", "total" } }
  list[#list + 1] = { "residual", "m/s", { "residual" } }
  list[#list + 1] = { "penetration", "m", { "penetration" } }
  for i = #BASE + 1, #self.columns do
    local name = self.columns[i].name
    if not self.columns[i].field then list[#list + 1] = { name, nil, { name } } end
  end
  if self.viewer.run.world:counts().joints > 0 then
    list[#list + 1] = { "separation of joints", "m", { "separation" } }
  end
  return list
end

local function draw_graph(self, ui, graph, first, offset)
  local series = {}
  for i, name in ipairs(graph[3]) do
    local column = self.by_name[name]
    local color = theme.series[(offset + i - 2) % #theme.series + 1]
    series[i] = { name = graph[4] and graph[4][i] or name, color = color, ring = column.ring }
  end
  ui:plot(graph[1], graph[1], graph[2], self.times, series, first, self.last, HEIGHT)
end

local function draw_buttons(self, ui)
  ui:columns(math.max(2, math.floor(ui.panel.width / 176)))
  local span = SPANS[self.span]
  local text = span == 0 and "Shown: everything" or ("Shown: last %d s"):format(span)
  if ui:button("span", text) then self.span = self.span % #SPANS + 1 end
  if #self.fields > 0 and ui:button("clear", "Remove fields") then
    while self.fields[1] do self:toggle_field(self.fields[1]) end
  end
  if ui:button("csv", "Export CSV (Ctrl+E)") then self:export() end
  ui:end_columns()
end

function Panel:draw(ui)
  local known = ui.memory[graphs.name .. "/scroll"]
  local rows = ui.height >= TALL and 2 or 1
  local wanted = math.min(known and known.content or HEIGHT + 64, rows * HEIGHT + 64)
  local x, y, width, height = ui:place(graphs.name, "bottom", WIDTH, wanted)
  self:begin(ui, x, y, width, height)
  if not self.viewer.run then
    ui:label("No scene.", theme.dim)
    return ui:finish_panel()
  end
  forget_from(self, self.viewer.run.world.time + 1e-12)
  draw_buttons(self, ui)
  if self.problem then ui:label(self.problem, theme.bad) end
  local first, offset = first_shown(self), 1
  ui:columns(math.max(1, math.tointeger((ui.panel.width + GAP) // (WIDTH + GAP))), GAP)
  for _, graph in ipairs(list_of(self)) do
    draw_graph(self, ui, graph, first, offset)
    offset = offset + #graph[3]
  end
  ui:end_columns()
  ui:finish_panel()
end

function graphs.new(viewer)
  local self = setmetatable({ viewer = viewer, base = { time = true }, span = 2, fields = {} }, Panel)
  for _, each in ipairs(BASE) do self.base[each[1]] = true end
  self:reset()
  return self
end

return graphs
