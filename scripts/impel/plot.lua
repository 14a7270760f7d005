-- impel.plot: plots of numbers over time, in SVG.
--
--   local trace = assert(impel.trace.read "drop.csv")
--   assert(impel.plot.write(trace, "drop.svg", { units = { height = "m" } }))
--
-- Columns with the same unit share a panel. Several traces give one panel for each column.
--
-- The unit of a column is options.units[name], or in its name: "height [m]".

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local curve = require "impel.picture.plot_curve"
local nearest = require "impel.base.nearest"
local palette = require "impel.picture.palette"
local svg_text = require "impel.picture.svg_text"
local system = require "impel.system"
local ticks = require "impel.picture.ticks"
local trace_module = require "impel.trace"

local plot = {}

-- width of the picture, height of a panel, height of a panel of boolean curves [px]
local WIDTH, PANEL, FEWER = 900, 190, 120
local TEXT, TITLE = 12, 15                -- font sizes [px]
local ROW = 18                            -- height of a line of a legend [px]
local EDGE, GAP = 14, 16                  -- margin of the picture; gap between panels [px]
local SAMPLE = 26                         -- length of a line in a legend [px]
local DASHES = { "", "7 3", "2 3", "10 3 2 3", "4 2" }
local TICK = 30                           -- least distance of ticks on the left axis [px]
local MARGIN = 0.06                       -- margin above and below the curves, relative to the range of a panel
local ALIKE = 5                           -- largest ratio of a panel's range to the range of a curve in the panel
local FLAT = 1e-9                         -- a smaller range, relative to the largest value, is rounding error
local LEAST = 1e-300                      -- a smaller range is treated as empty, because the scale would not be finite
local LINE, GRID, INK, PALE, PAPER = 1.6, 0x22272e1a, 0x22272eff, 0x5a626cff, 0xffffffff

local MOST_COLUMNS = 1000                 -- largest number of columns in a plot whose options do not list its columns
local OPTIONS = { "columns", "units", "x", "title", "width", "labels" }


-- Columns and panels -------------------------------------------------------------------------------------------------

local function is_text(values)
  return type(values[1]) == "string"
end

local FEW = 8 -- largest number of columns listed in a message

-- Return a text such as ": it has a, b, c, ..." about columns.
local function told_of(columns)
  local names = {}
  for i = 1, math.min(FEW, #columns) do names[i] = arguments.short(columns[i]) end
  if #columns > FEW then names[#names + 1] = "..." end
  return ": it has " .. table.concat(names, ", ")
end

-- Split a name such as "height [m]" into "height" and "m".
local function parts_of(name)
  local label, unit = name:match("^(.*)%[([^%[%]]*)%]$")
  label = label and label:match "^(.*%S)%s*$"
  if label then return label, unit end
  return name, nil
end

-- Return ": line 3 has 'abc' in column 'x'" for the first column with both text and numbers; or "".
local function first_mixed(trace)
  for _, name in ipairs(trace.columns) do
    local why, mixed = trace:text_in(name)
    if mixed then return (": %s in column '%s'"):format(why, name) end
  end
  return ""
end

--- Return the columns to plot, or nil and a message.
---@param trace table  of impel.trace
---@param wanted string[]|nil  names, default: all numeric columns except x
---@param x string             column on the horizontal axis
function plot.choose(trace, wanted, x)
  if not trace_module.is_trace(trace) then
    arguments.fail("plot.choose: argument 'trace' must be a trace of impel.trace, got %s", arguments.got(trace))
  end
  arguments.list("plot.choose: argument 'wanted'", wanted or {}, { "string" })
  arguments.check("plot.choose: argument 'x'", x, { "string" })
  local from = tostring(trace)
  for _, name in ipairs { x, table.unpack(wanted or {}) } do
    if not nearest.has(trace.columns, name) then
      local hint = nearest.hint(name, trace.columns)
      return nil, ("no column '%s' in %s%s"):format(name, from, hint ~= "" and hint or told_of(trace.columns))
    end
    if is_text(trace:column(name)) then
      local why = trace:text_in(name)
      return nil, ("column '%s' of %s holds text%s"):format(name, from, why and ": " .. why or "")
    end
  end
  if trace.count == 0 then return nil, ("%s: there is nothing to draw"):format(from) end
  if wanted and #wanted > 0 then return wanted end
  local names = {}
  for _, name in ipairs(trace.columns) do
    if name ~= x and not is_text(trace:column(name)) then names[#names + 1] = name end
  end
  if #names == 0 then return nil, ("%s has no numeric column besides '%s'%s"):format(from, x, first_mixed(trace)) end
  if #names > MOST_COLUMNS then
    return nil, ("%s has %d numeric columns, a plot shows at most %d: choose some"):format(from, #names, MOST_COLUMNS)
  end
  return names
end

-- Return the least and the greatest finite value; nothing if no value is finite.
local function range_of(values)
  local low, high
  for _, value in ipairs(values) do
    if curve.is_shown(value) then
      if not low or value < low then low = value end
      if not high or value > high then high = value end
    end
  end
  return low, high
end

local function is_logical(values)
  local found = false
  for _, value in ipairs(values) do
    if value ~= 0 and value ~= 1 and value == value then return false end
    found = found or value == value
  end
  return found
end

-- Return whether all curves of a panel remain readable if the panel also shows a curve with the range low..high.
local function is_alike(panel, low, high)
  if not panel.low or not low then return true end
  local least, greatest = math.min(panel.low, low), math.max(panel.high, high)
  local span = greatest - least
  local own = high > low and high - low or span
  return span <= ALIKE * math.min(own, panel.finest or span)
end

local function widen(panel, low, high)
  if not low then return end
  if high > low then panel.finest = math.min(panel.finest or math.huge, high - low) end
  panel.low, panel.high = math.min(panel.low or low, low), math.max(panel.high or high, high)
end

-- Return the panel of a column. Create a panel if needed.
local function panel_for(panels, key, unit, stepped, low, high)
  for _, panel in ipairs(panels) do
    if panel.key == key and (unit or stepped or key ~= "" or is_alike(panel, low, high)) then return panel end
  end
  local panel = { key = key, unit = unit, stepped = stepped, curves = {} }
  panels[#panels + 1] = panel
  return panel
end

-- Return the name of a trace in the legend, by default the name of its file.
local function label_of(trace, number, labels)
  local path = rawget(trace, "path")
  return labels and labels[number] or path and (path:match("([^/]+)%.%w+$") or path) or ("trace %d"):format(number)
end

local function add_column(panels, traces, name, options)
  local label, unit = parts_of(name)
  unit = options.units and (options.units[name] or options.units[label]) or unit
  if unit == "" then unit = nil end
  for number, trace in ipairs(traces) do
    local values = trace:column(name)
    local low, high = range_of(values)
    local stepped = not unit and is_logical(values)
    local key = #traces > 1 and "column " .. name or unit and "unit " .. unit or stepped and "logical" or ""
    local panel = panel_for(panels, key, unit, stepped, low, high)
    widen(panel, low, high)
    panel.stepped = panel.stepped and stepped
    panel.name = #traces > 1 and label or nil
    panel.curves[#panel.curves + 1] = {
      label = #traces > 1 and label_of(trace, number, options.labels) or label, trace = trace, values = values,
    }
  end
end

-- Return whether a range is as small as a rounding error, and the greatest magnitude in the range.
local function is_flat(low, high)
  local size = math.max(math.abs(low), math.abs(high))
  return high - low <= math.max(FLAT * size, LEAST), size
end

-- Compute the range of a panel's axis.
local function settle(panel)
  local low, high = panel.low or 0, panel.high or 1
  if panel.stepped then low, high = 0, 1 end
  local flat, size = is_flat(low, high)
  if flat then
    local half = size > LEAST and 0.1 * size or 1
    low, high = (low + high) / 2 - half, (low + high) / 2 + half
  end
  local margin = MARGIN * (high - low)
  panel.low, panel.high = low - margin, high + margin
end


-- The picture --------------------------------------------------------------------------------------------------------

local function looks(number)
  local series = palette.series
  return palette.named[series[(number - 1) % #series + 1]], DASHES[(number - 1) % #DASHES + 1]
end

local function stroke(number)
  local color, dash = looks(number)
  return ('%s stroke-width="%s"%s'):format(svg_text.paint("stroke", color), svg_text.number(LINE),
    dash ~= "" and (' stroke-dasharray="%s"'):format(dash) or "")
end

-- Return the legend of a panel in rows: the line and name of each curve, and the unit.
local function legend_of(panel, width)
  local entries, x, row = {}, 0, 0
  local function place(text, number)
    local length = svg_text.width(text, TEXT) + (number and SAMPLE + 6 or 0)
    if x > 0 and x + length > width then x, row = 0, row + 1 end
    entries[#entries + 1] = { x = x, row = row, text = text, number = number }
    x = x + length + GAP
  end
  if panel.name then place(panel.name) end
  for number, one in ipairs(panel.curves) do place(one.label, number) end
  if panel.unit then place(("[%s]"):format(panel.unit)) end
  return entries, row + 1
end

local function draw_legend(parts, panel, left, top)
  for _, entry in ipairs(panel.legend) do
    local x, y = left + entry.x, top + ROW * entry.row + ROW - 6
    if entry.number then
      parts[#parts + 1] = ('<path d="M%sh%d" fill="none"%s/>'):format(svg_text.numbers(x, y - 4), SAMPLE,
        stroke(entry.number))
    end
    parts[#parts + 1] = svg_text.line(entry.number and x + SAMPLE + 6 or x, y, TEXT, "start",
      (entry.number or panel.name == entry.text) and INK or PALE, entry.text)
  end
end

local function grid_line(parts, x1, y1, x2, y2)
  parts[#parts + 1] = ('<path d="M%sL%s" fill="none"%s/>'):format(svg_text.numbers(x1, y1), svg_text.numbers(x2, y2),
    svg_text.paint("stroke", GRID))
end

-- Draw grid lines at the ticks of both axes, with numbers at the left.
local function draw_grid(parts, panel, box, x_places, to_x, to_y)
  for i, place in ipairs(panel.places) do
    local y = to_y(place)
    grid_line(parts, box.left, y, box.right, y)
    parts[#parts + 1] = svg_text.line(box.left - 7, y + 4, TEXT, "end", PALE, panel.labels[i])
  end
  for _, place in ipairs(x_places) do grid_line(parts, to_x(place), box.top, to_x(place), box.bottom) end
  parts[#parts + 1] = ('<path d="M%sV%sH%s" fill="none"%s/>'):format(svg_text.numbers(box.left, box.top),
    svg_text.number(box.bottom), svg_text.number(box.right), svg_text.paint("stroke", PALE))
end

local function mapped(values, map)
  local list = {}
  for i, value in ipairs(values) do list[i] = curve.is_shown(value) and map(value) or value end
  return list
end

local function draw_curve(parts, one, number, panel, to_x, to_y, x_name)
  local xs, ys = mapped(one.trace:column(x_name), to_x), mapped(one.values, to_y)
  local path, alone = curve.path(xs, ys, panel.stepped)
  if path ~= "" then
    parts[#parts + 1] = ('<path d="%s" fill="none"%s stroke-linejoin="round"/>'):format(path, stroke(number))
  end
  for _, sample in ipairs(alone) do
    parts[#parts + 1] = ('<circle cx="%s" cy="%s" r="%s"%s/>'):format(svg_text.number(xs[sample]),
      svg_text.number(ys[sample]), svg_text.number(LINE), svg_text.paint("fill", (looks(number))))
  end
end

-- Return the range of x in all traces. If all values of x are equal, widen the range.
local function x_range(traces, x)
  local low, high
  for _, trace in ipairs(traces) do
    local least, greatest = range_of(trace:column(x))
    if least then low, high = math.min(low or least, least), math.max(high or greatest, greatest) end
  end
  low, high = low or 0, high or 1
  local flat, size = is_flat(low, high)
  local half = math.max(0.5, FLAT * size) -- half of the widened range, larger than a rounding error
  if flat then low, high = low - half, high + half end
  return low, high
end

-- Compute the ticks of each panel's axis and the largest width of their labels.
local function measure(panels)
  local widest = 0
  for _, panel in ipairs(panels) do
    settle(panel)
    panel.height = panel.stepped and FEWER or PANEL
    if panel.stepped then
      panel.places, panel.labels = { 0, 1 }, { "0", "1" }
    else
      panel.places, panel.labels = ticks.between(panel.low, panel.high, panel.height // TICK)
    end
    for _, label in ipairs(panel.labels) do widest = math.max(widest, svg_text.width(label, TEXT)) end
  end
  return widest
end

local function draw_panel(parts, panel, box, x_places, to_x, x_name)
  local scale = (box.bottom - box.top) / (panel.high - panel.low)
  local function to_y(value) return box.bottom - (value - panel.low) * scale end
  draw_grid(parts, panel, box, x_places, to_x, to_y)
  for number, one in ipairs(panel.curves) do draw_curve(parts, one, number, panel, to_x, to_y, x_name) end
end

-- Return the title of the x axis with its unit; the unit of time is s.
local function x_title(x, options)
  local label, unit = parts_of(x)
  unit = options.units and (options.units[x] or options.units[label]) or unit or x == "time" and "s" or nil
  return unit and ("%s [%s]"):format(label, unit) or label
end

local function draw(traces, panels, x, options)
  local width = options.width or WIDTH
  local left, right = EDGE + measure(panels) + 7, width - EDGE - 6
  local x_low, x_high = x_range(traces, x)
  local x_places, x_labels = ticks.between(x_low, x_high, math.max(1, (right - left) // 90))
  local function to_x(value) return left + (value - x_low) / (x_high - x_low) * (right - left) end
  local parts, y = {}, EDGE
  if options.title then
    parts[1] = svg_text.line(left, y + TITLE, TITLE, "start", INK, options.title)
    y = y + TITLE + 12
  end
  for _, panel in ipairs(panels) do
    local rows
    panel.legend, rows = legend_of(panel, right - left)
    draw_legend(parts, panel, left, y)
    y = y + ROW * rows + 4
    draw_panel(parts, panel, { left = left, right = right, top = y, bottom = y + panel.height }, x_places, to_x, x)
    y = y + panel.height + GAP
  end
  for i, place in ipairs(x_places) do
    parts[#parts + 1] = svg_text.line(to_x(place), y, TEXT, "middle", PALE, x_labels[i])
  end
  parts[#parts + 1] = svg_text.line((left + right) / 2, y + ROW, TEXT, "middle", INK, x_title(x, options))
  return svg_text.document(width, y + ROW + EDGE, PAPER, options.title, parts)
end


-- Public functions ---------------------------------------------------------------------------------------------------

local function check_options(options, level)
  arguments.check("plot: argument 'options'", options, { "table" })
  for _, name in ipairs(nearest.keys(options)) do
    if not nearest.has(OPTIONS, name) then
      error(("plot: unknown option '%s'%s"):format(name, nearest.hint(name, OPTIONS)), level + 1)
    end
  end
  local width = options.width
  if width ~= nil and not (type(width) == "number" and width >= 200 and width <= 10000) then
    error(("plot: width of 200..10000 pixels expected, got %s"):format(tostring(width)), level + 1)
  end
  if options.units ~= nil and type(options.units) ~= "table" then
    error(("plot: units { name = \"m\" } expected, got %s"):format(type(options.units)), level + 1)
  end
  for _, name in ipairs { "columns", "labels" } do
    arguments.list(("plot: option '%s'"):format(name), options[name] or {}, { "string" })
  end
  for _, name in ipairs { "x", "title" } do
    arguments.check(("plot: option '%s'"):format(name), options[name] or "", { "string" })
  end
end

-- Return a trace or a list of traces as a list.
local function list_of(traces, level)
  if trace_module.is_trace(traces) then return { traces } end
  if type(traces) ~= "table" or not rawget(traces, 1) then
    error(("plot: a trace of impel.trace or a list of them expected, got %s"):format(type(traces)), level + 1)
  end
  for i, trace in ipairs(traces) do
    if not trace_module.is_trace(trace) then
      arguments.fail("plot: argument 1, item %d: a trace of impel.trace expected, got %s", i, arguments.got(trace))
    end
  end
  return traces
end

local function render(traces, options, level)
  traces, options = list_of(traces, level + 1), options or {}
  check_options(options, level + 1)
  local x, panels = options.x or "time", {}
  local names, message = plot.choose(traces[1], options.columns, x)
  if not names then error("plot: " .. message, level + 1) end
  for i = 2, #traces do
    local _, problem = plot.choose(traces[i], names, x)
    if problem then error("plot: " .. problem, level + 1) end
  end
  for _, name in ipairs(names) do add_column(panels, traces, name, options) end
  return draw(traces, panels, x, options)
end

--- Plot one trace, or several traces with the same columns.
---@param traces table|table[]  of impel.trace
---@param options table|nil  columns: default all numeric columns; units: by column name; x: column on the horizontal
---  axis, default "time"; title; width [px], default 900; labels: of the traces, default file names
---@return string svg  raises for a column that does not exist or is text
function plot.svg(traces, options)
  local text = render(traces, options, 2) -- a tail call would remove the caller's line from errors
  return text
end

--- Plot into a file. Return true, or nil and a message if the file cannot be written; an existing file is then
--- unchanged.
function plot.write(traces, path, options)
  return system.replace(path, render(traces, options, 2))
end

return plot
