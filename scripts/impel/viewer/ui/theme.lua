-- Appearance of the viewer's user interface: colours by role as 0xRRGGBBAA, sizes in points of the screen, and numbers
-- as text.
--
-- Every text has a contrast of at least 4.5:1 to its background (WCAG 2.1).

local theme = {
  panel = 0x0F131BEC, solid = 0x0F131BFC, title = 0x1C2432F2, border = 0x3B475CFF, shadow = 0x00000050,
  text = 0xE8ECF2FF, dim = 0xA9B4C4FF, faint = 0x95A1B4FF, track = 0x2B3547FF, field = 0x070A0FCC, tip = 0x05070BF4,
  button = 0x273247FF, hover = 0x2A364CFF, held = 0x3B4D6EFF, focus = 0xF0E442FF, knob = 0xC9D3E2FF,
  accent = 0x5CB8ECFF, good = 0x2BC495FF, warning = 0xE69F00FF, bad = 0xFF8A5CFF, recording = 0xFF5A4DFF,
  series = { 0x5CB8ECFF, 0xE69F00FF, 0x2BC495FF, 0xD48CB3FF, 0xF0E442FF, 0xFF8A5CFF, 0x9FB4FFFF },

  TEXT = 12,  -- height of text
  SMALL = 10, -- height of numbers at axes
  LINE = 16,  -- height of a line of plain text
  ROW = 20,   -- height of a line of widgets
  PAD = 8,    -- gap between a panel's edge and its content
  TITLE = 24, -- height of a panel's title
}

--- Format a number with five digits, trailing zeros included.
---@param x number
---@return string
function theme.number(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  if x == 0 then return "0" end
  local size = math.abs(x)
  if size >= 1e-4 and size < 99999.5 then
    local whole = math.floor(math.log(size, 10) + 1e-9)
    return ("%%.%df"):format(math.max(0, 4 - whole)):format(x)
  end
  return ("%.3e"):format(x)
end

return theme
