-- The viewer's panel of keys, made from the table of impel.reference.keys.

local keys = require "impel.reference.keys"
local panels = require "impel.viewer.panels.panel"
local theme = require "impel.viewer.ui.theme"

local help, Panel = panels.class("help", "Keys and mouse")

local WIDTH, LINE, MORE, GAP = 760, 18, 14, 32
local COLUMN = 300   -- [screen points] least width of a column
local LABEL = 152    -- [screen points] largest width of the key names

-- Return the keys by group. Groups are in order of their first key.
local function by_group(viewer)
  local groups, named = {}, {}
  local is_game = viewer.options and viewer.options.play
  for _, entry in ipairs(viewer.keys) do
    local name = entry.group
    if not named[name] then
      named[name] = { name = name }
      groups[#groups + 1] = named[name]
    end
    local yields = keys.gives_way(entry, viewer.taken)
    local is_off = is_game and entry.mouse and entry.name ~= "open" -- a game uses the mouse itself
    local about = (yields or is_off) and "used by the scene" or entry.about or ""
    table.insert(named[name], { label = entry.label, about = about, yields = yields or is_off })
  end
  return groups
end

local function label_width(ui, groups)
  local most = 0
  for _, group in ipairs(groups) do
    for _, entry in ipairs(group) do most = math.max(most, ui:text_width(entry.label)) end
  end
  return math.min(LABEL, most + 12)
end

-- Break the texts into lines and compute the height of each group.
local function measure(ui, groups, width)
  for _, group in ipairs(groups) do
    group.height = LINE + 16
    for _, entry in ipairs(group) do
      entry.lines = ui:wrap(entry.about, width)
      entry.height = LINE + (#entry.lines - 1) * MORE
      group.height = group.height + entry.height
    end
  end
end

-- Return the number of groups in the first of two balanced columns.
local function split_of(groups)
  local total, above = 0, 0
  for _, group in ipairs(groups) do total = total + group.height end
  local best, least = #groups, math.huge
  for i, group in ipairs(groups) do
    above = above + group.height
    if math.max(above, total - above) < least then best, least = i, math.max(above, total - above) end
  end
  return best
end

local function draw_group(ui, group, x, y, width, label)
  ui:text(x, y + LINE / 2, group.name, theme.accent)
  ui:polyline({ x, y + LINE, x + width, y + LINE }, theme.border)
  y = y + LINE + 4
  for _, entry in ipairs(group) do
    local cap = math.min(ui:text_width(entry.label) + 12, label)
    ui:box(x, y + 1, cap, 16, theme.button, 3)
    ui:frame(x, y + 1, cap, 16, theme.border, 3)
    local ink = entry.yields and theme.dim or theme.text
    ui:text(x + cap / 2, y + 9, ui:fit(entry.label, label - 8), ink, 0.5)
    for i, line in ipairs(entry.lines) do ui:text(x + label + 12, y + 9 + (i - 1) * MORE, line, ink) end
    y = y + entry.height
  end
end

local function draw_groups(self, ui)
  local groups, panel = by_group(self.viewer), ui.panel
  local columns = panel.width >= 2 * COLUMN + GAP and 2 or 1
  local width = (panel.width - GAP * (columns - 1)) / columns
  local label = label_width(ui, groups)
  measure(ui, groups, width - label - 12)
  local split, x, y, lowest = columns == 2 and split_of(groups) or #groups, panel.x, panel.y, panel.y
  for i, group in ipairs(groups) do
    draw_group(ui, group, x, y, width, label)
    y = y + group.height
    lowest = math.max(lowest, y)
    if i == split then x, y = x + width + GAP, panel.y end
  end
  ui:space(lowest - panel.y - 12)
end

function Panel:draw(ui)
  local x, y, width, height = ui:place(help.name, "center", math.min(WIDTH, ui.width - 32))
  self:begin(ui, x, y, width, height, true)
  draw_groups(self, ui)
  ui:finish_panel()
end

return help
