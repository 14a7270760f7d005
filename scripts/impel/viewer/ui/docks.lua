-- Positions of the viewer's panels: columns at the left and the right, a row at the bottom, and the middle.

local docks = {}

local GAP = 8
local ROW_SHARE = 0.42 -- share of the height that the row at the bottom may take
local LEAST = 24       -- [screen points] least height of a panel: its title

--- Distribute the height `room`: short panels get the height that they need (`wanted`), the others equal shares of the
--- rest. Return the heights in the same order.
function docks.share(wanted, room)
  local order, heights = {}, {}
  for i = 1, #wanted do order[i] = i end
  table.sort(order, function(a, b) return wanted[a] < wanted[b] or wanted[a] == wanted[b] and a < b end)
  for at, i in ipairs(order) do
    local fair = room / (#order - at + 1)
    heights[i] = math.max(LEAST, math.min(wanted[i], fair))
    room = room - heights[i]
  end
  return heights
end

--- Return the height of the bottom row with its gap, or 0.
function docks.row_height(state, area)
  local most = 0
  for _, entry in ipairs(state) do
    if entry.side == "bottom" then most = math.max(most, entry.height) end
  end
  if most == 0 then return 0 end
  return math.min(most, math.floor(ROW_SHARE * (area[4] - area[2]))) + GAP
end

--- Return the width of a column with its gap, or 0.
function docks.column_width(state, side)
  local most = 0
  for _, entry in ipairs(state) do
    if entry.side == side then most = math.max(most, entry.width) end
  end
  return most > 0 and most + GAP or 0
end

local function of_side(state, side)
  local list = {}
  for _, entry in ipairs(state) do
    if entry.side == side then list[#list + 1] = entry end
  end
  return list
end

local function in_column(state, area, entry)
  local list, wanted = of_side(state, entry.side), {}
  for i, each in ipairs(list) do wanted[i] = each.height end
  local room = area[4] - area[2] - docks.row_height(state, area) - GAP * (#list - 1)
  local heights = docks.share(wanted, room)
  local y = area[2]
  for i, each in ipairs(list) do
    if each == entry then
      local width = math.min(entry.width, area[3] - area[1])
      return entry.side == "left" and area[1] or area[3] - width, y, width, heights[i]
    end
    y = y + heights[i] + GAP
  end
end

local function in_row(state, area, entry)
  local list = of_side(state, "bottom")
  local width = (area[3] - area[1] - GAP * (#list - 1)) / #list
  local height = docks.row_height(state, area) - GAP
  for i, each in ipairs(list) do
    if each == entry then return area[1] + (i - 1) * (width + GAP), area[4] - height, width, height end
  end
end

local function in_middle(area, entry)
  local width = math.min(entry.width, area[3] - area[1])
  local height = math.min(entry.height, area[4] - area[2])
  return math.floor((area[1] + area[3] - width) / 2), math.floor((area[2] + area[4] - height) / 2), width, height
end

--- Return the rectangle of a panel in this frame: x, y, width, height.
---@param state table   open panels in the order of opening
---@param area number[] left, top, right, bottom
function docks.place(state, area, id, side, width, height)
  local entry
  for _, each in ipairs(state) do
    if each.id == id then entry = each end
  end
  if not entry then
    entry = { id = id }
    state[#state + 1] = entry
  end
  if side == "right" then
    for _, each in ipairs(state) do
      if each.side == "left" and each.id ~= id and each.width + width + GAP > area[3] - area[1] then side = "left" end
    end
  end
  entry.side, entry.width, entry.height, entry.seen = side, width, height, true
  if side == "center" then return in_middle(area, entry) end
  if side == "bottom" then return in_row(state, area, entry) end
  return in_column(state, area, entry)
end

--- Begin a frame, before its first panel.
function docks.begin(state)
  for _, entry in ipairs(state) do entry.seen = false end
end

--- End a frame, after its last panel. Panels that were not drawn are removed.
function docks.finish(state)
  for i = #state, 1, -1 do
    if not state[i].seen then table.remove(state, i) end
  end
end

return docks
