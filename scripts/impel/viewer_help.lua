-- The viewer's panel of keys, made from the table that the viewer answers keys by.

local viewer_ui = require "impel.viewer_ui"

local theme = viewer_ui.theme

local help = { name = "help", title = "Keys and mouse", key = "f1" }
local Panel = {}
Panel.__index = Panel

local WIDTH, KEY_WIDTH, LINE, GAP = 560, 96, 18, 24

-- The keys by group, groups in the order in which they first appear.
local function by_group(keys)
  local groups, named = {}, {}
  for _, entry in ipairs(keys) do
    local name = entry.group or "Keys"
    if not named[name] then
      named[name] = { name = name }
      groups[#groups + 1] = named[name]
    end
    table.insert(named[name], entry)
  end
  return groups
end

-- A heading, or a key cap with what it does: what it is called and how high it is.
local function cells_of(ui, groups, width)
  local cells = {}
  for _, group in ipairs(groups) do
    cells[#cells + 1] = { heading = group.name, height = LINE + 6 }
    for _, entry in ipairs(group) do
      local lines = ui:wrap(entry.about or "", width - KEY_WIDTH)
      cells[#cells + 1] = { label = entry.label or entry.key, lines = lines, height = #lines * 14 + 4 }
    end
    cells[#cells].last = true
  end
  return cells
end

local function draw_cell(ui, cell, x, y, width)
  if cell.heading then
    ui:text(x, y + LINE / 2, cell.heading, theme.accent)
    ui:polyline({ x, y + LINE, x + width, y + LINE }, theme.border)
    return
  end
  local cap = math.min(ui:text_width(cell.label) + 12, KEY_WIDTH - 8)
  ui:box(x, y + 1, cap, 16, theme.button, 3)
  ui:frame(x, y + 1, cap, 16, theme.border, 3)
  ui:text(x + cap / 2, y + 9, ui:fit(cell.label, KEY_WIDTH - 16), theme.text, 0.5)
  for i, line in ipairs(cell.lines) do ui:text(x + KEY_WIDTH, y + 9 + (i - 1) * 14, line, theme.text) end
end

-- Columns of about the same height; a group may go on in the next.
local function draw_cells(ui, cells, columns, width)
  local total = 0
  for _, cell in ipairs(cells) do total = total + cell.height + (cell.last and 6 or 0) end
  local x, y = ui.panel.x, ui.panel.y
  local top, lowest, column = y, y, 1
  for _, cell in ipairs(cells) do
    local full = y - top + cell.height / 2 > total / columns
    if full and column < columns and y > top then
      column, x, y = column + 1, x + width + GAP, top
    end
    draw_cell(ui, cell, x, y, width)
    y = y + cell.height + (cell.last and 6 or 0)
    lowest = math.max(lowest, y)
  end
  ui:space(lowest - top)
end

function Panel:draw(ui)
  local x, y, width, height = ui:place(help.name, "center", math.min(WIDTH, ui.width - 32))
  if ui:begin_panel(help.name, help.title, x, y, width, height) then self.viewer:toggle(help.name) end
  local columns = ui.panel.width >= 2 * 240 and 2 or 1
  local each = (ui.panel.width - GAP * (columns - 1)) / columns
  draw_cells(ui, cells_of(ui, by_group(self.viewer.keys), each), columns, each)
  ui:finish_panel()
end

function help.new(viewer)
  return setmetatable({ viewer = viewer }, Panel)
end

return help
