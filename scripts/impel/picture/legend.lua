-- The legend of a picture. Lengths are points of the screen.

local legend = {}

local PANEL, BORDER, INK = 0x0f131be8, 0x3b475cff, 0xe8ecf2ff
local GROUND = 0xf7f6f2ff -- background of symbols that would not be visible on the dark box
local TEXT, ROW, PAD, GAP = 11, 18, 8, 10
local LETTER = 0.58    -- width of a letter relative to its height
local WIDER = 0.6      -- extra width of m, M, N and W, relative to the width of a letter
local SYMBOL = 26      -- width of symbols other than arrows
local LONGEST = 110    -- length of the longest arrow
local ORDER = 1e6      -- position in the drawing order: above a scene's own drawing

local PREFIXES = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" }, { 1e-6, "µ" }, { 1e-9, "n" } }

--- Return the largest number <= x of the form 1, 2 or 5 times 10^n, for x > 0.
function legend.round(x)
  local power = math.floor(math.log(x, 10))
  for _, exponent in ipairs { power + 1, power, power - 1 } do
    for _, factor in ipairs { 5, 2, 1 } do
      local round = tonumber(("%de%d"):format(factor, exponent))
      if round <= x * (1 + 1e-9) then return round end
    end
  end
  return x
end

--- Format a number > 0 with its unit: "200 N", "5 kN".
function legend.quantity(value, unit)
  for _, prefix in ipairs(PREFIXES) do
    if value >= prefix[1] * (1 - 1e-9) and value < 1000 * prefix[1] then
      return ("%.4g %s%s"):format(value / prefix[1], prefix[2], unit)
    end
  end
  return ("%.0e %s"):format(value, unit)
end


-- Symbols, each with its width ---------------------------------------------------------------------------------------

local draw = {}

-- entry: { kind = "arrow", style, scale = points of the screen per unit, unit }
function draw.arrow(drawing, entry, x, y)
  drawing:arrow(entry.style, nil, x, y, x + entry.length, y)
end

-- a curved arrow for a torque
function draw.turn(drawing, entry, x, y)
  local radius, points = 7, {}
  local turn = math.min(entry.length / radius, 5.5)
  for i = 0, 12 do
    local angle = turn * i / 12
    points[#points + 1], points[#points + 2] = x + 9 + radius * math.cos(angle), y - radius * math.sin(angle)
  end
  drawing:polyline(entry.style, nil, points)
  drawing:arrow(entry.style, nil, points[23], points[24], points[25], points[26])
end

-- entry: { kind = "colors", colors }
function draw.colors(drawing, entry, x, y)
  local width = SYMBOL / #entry.colors
  for i, color in ipairs(entry.colors) do
    local left, right = x + (i - 1) * width, x + i * width - 1
    drawing:fill("panel", color, 0, { left, y - 5, right, y - 5, right, y + 5, left, y + 5 })
  end
end

-- entry: { kind = "cone", style }
function draw.cone(drawing, entry, x, y)
  drawing:fill("panel", GROUND, 2, { x + 1, y - 7, x + 19, y - 7, x + 19, y + 7, x + 1, y + 7 })
  local apex, top = x + 10, y - 7
  local tip = entry.style == "sliding" and 9 or 3
  drawing:fill(entry.style, nil, 0, { apex, y + 7, apex - 9, top, apex + 9, top })
  drawing:fill(entry.style, nil, 0, { apex, y + 7, apex, top, apex + tip, top })
  drawing:polyline(entry.style, nil, { apex - 9, top, apex, y + 7, apex + 9, top })
  drawing:polyline(entry.style, nil, { apex, y + 7, apex + tip, top })
end

-- entry: { kind = "center" }
function draw.center(drawing, _, x, y)
  local cx, r = x + 10, 6
  drawing:fill("panel", 0xffffffff, r, { cx, y })
  for quarter = 0, 1 do
    local points = { cx, y }
    for i = 0, 6 do
      local angle = math.pi * (quarter + i / 12)
      points[#points + 1], points[#points + 2] = cx + r * math.cos(angle), y + r * math.sin(angle)
    end
    drawing:fill("panel", 0x000000ff, 0, points)
  end
  drawing:outline("panel", INK, r, { cx, y })
end

-- entry: { kind = "chip", label }
function draw.chip(drawing, entry, x, y)
  legend.chip(drawing, x, y, entry.label, entry.color)
end

--- Draw a small text in a dark box, on a layer of the screen. y: middle.
---@param before boolean|nil  x is the right edge, not the left one
function legend.chip(drawing, x, y, text, color, before)
  local width = legend.width(text, 10) + 4
  if before then x = x - width end
  drawing:fill("panel", 0x0f131bd8, 2, { x + 2, y - 5, x + width - 2, y - 5, x + width - 2, y + 5, x + 2, y + 5 })
  drawing:text("panel", color or INK, 10, 0, x + 3, y, text)
end

--- Return the approximate width of a text [points].
function legend.width(text, size)
  local _, wide = text:gsub("[mMNW]", "")
  return LETTER * size * ((utf8.len(text) or #text) + WIDER * wide)
end

-- Compute the width of an entry, and the length and text of an arrow.
local function measure(entry)
  if entry.kind ~= "arrow" and entry.kind ~= "turn" then
    entry.width = entry.kind == "chip" and legend.width(entry.label, 10) + 4 or SYMBOL
    return
  end
  local value = legend.round(LONGEST / entry.scale)
  entry.length, entry.text = value * entry.scale, legend.quantity(value, entry.unit)
  entry.width = entry.kind == "arrow" and entry.length or SYMBOL
end

--- Draw the legend with its lower right corner at (right, bottom). Then set the default layer of the drawing.
---@param entries table[]  with the fields kind, text, and by kind: "arrow" and "turn": style, scale [points per unit],
---  unit; "colors": colors; "cone": style; "chip": label, color; "center": none
function legend.draw(drawing, entries, right, bottom)
  if #entries == 0 then return end
  local column, texts = 0, 0
  for _, entry in ipairs(entries) do
    measure(entry)
    column, texts = math.max(column, entry.width), math.max(texts, legend.width(entry.text, TEXT))
  end
  local width, height = column + GAP + texts + 2 * PAD, #entries * ROW + PAD
  local x, y = right - width - PAD, bottom - height - PAD
  local corners = { x + 4, y + 4, x + width - 4, y + 4, x + width - 4, y + height - 4, x + 4, y + height - 4 }
  drawing:layer(ORDER, true)
  drawing:fill("panel", PANEL, 4, corners)
  drawing:outline("panel", BORDER, 4, corners, 1)
  for i, entry in ipairs(entries) do
    local middle = y + PAD / 2 + (i - 0.5) * ROW
    draw[entry.kind](drawing, entry, x + PAD, middle)
    drawing:text("panel", INK, TEXT, 0, x + PAD + column + GAP, middle, entry.text)
  end
  drawing:layer(0, false)
end

return legend
