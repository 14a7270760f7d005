-- Parts of an SVG as text.

local printable = require "impel.base.printable"

local svg_text = {}

-- Font family: DejaVu Sans, or else a font of similar width.
svg_text.FONT = "DejaVu Sans, Verdana, sans-serif"

-- Mean width of a character relative to its height.
local LETTER = 0.62

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

--- Format a length in pixels with two decimals.
---@param x number  finite
function svg_text.number(x)
  local text = ("%.2f"):format(x):gsub("[^%d-]", ".") -- the decimal separator depends on the locale
  text = text:gsub("%.?0+$", "")
  return text == "-0" and "0" or text
end

--- Format a list of lengths, separated by spaces.
---@return string
function svg_text.list(list)
  local parts = {}
  for i, x in ipairs(list) do parts[i] = svg_text.number(x) end
  return table.concat(parts, " ")
end

--- Format the arguments as a list of lengths.
function svg_text.numbers(...)
  return svg_text.list { ... }
end

--- Escape any text for XML.
---@return string
function svg_text.escape(text)
  return (printable(text):gsub('[&<>"]', ENTITIES))
end

--- Return the approximate width of a line [px]. size: font size [px].
function svg_text.width(text, size)
  return LETTER * size * (utf8.len(text) or #text)
end

--- Return the attributes of a colour: ' fill="#rrggbb" fill-opacity=".5"'. name: "fill" or "stroke"; color: 0xRRGGBBAA.
function svg_text.paint(name, color)
  local alpha = color & 0xff
  local text = (' %s="#%06x"'):format(name, color >> 8)
  if alpha == 0xff then return text end
  return ('%s %s-opacity="%s"'):format(text, name, svg_text.number(alpha / 0xff))
end

--- Return the element of a line of text.
---@param x number       [px]
---@param y number       of the baseline [px]
---@param size number    font size [px]
---@param anchor string  part of the text at x: "start", "middle" or "end"
---@param color integer  0xRRGGBBAA
function svg_text.line(x, y, size, anchor, color, text)
  local number = svg_text.number
  return ('<text x="%s" y="%s" font-size="%s"%s%s>%s</text>'):format(number(x), number(y), number(size),
    anchor == "start" and "" or (' text-anchor="%s"'):format(anchor), svg_text.paint("fill", color),
    svg_text.escape(text))
end

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

--- Encode bytes in base 64.
---@return string
function svg_text.base64(bytes)
  local digits = {}
  for i = 1, #DIGITS do digits[i - 1] = DIGITS:sub(i, i) end
  local parts = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    parts[#parts + 1] = digits[bits >> 18] .. digits[bits >> 12 & 63] .. (b and digits[bits >> 6 & 63] or "=")
      .. (c and digits[bits & 63] or "=")
  end
  return table.concat(parts)
end

--- Return an SVG document. width, height [px]; background: 0xRRGGBBAA or nil; title or nil; parts: elements.
function svg_text.document(width, height, background, title, parts)
  local w, h = svg_text.number(width), svg_text.number(height)
  local lines = {
    '<?xml version="1.0" encoding="UTF-8"?>',
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s">'):format(
      w, h, w, h, svg_text.FONT),
  }
  if title then lines[#lines + 1] = ("<title>%s</title>"):format(svg_text.escape(title)) end
  if background then
    lines[#lines + 1] = ('<rect width="%s" height="%s"%s/>'):format(w, h, svg_text.paint("fill", background))
  end
  table.move(parts, 1, #parts, #lines + 1, lines)
  lines[#lines + 1] = "</svg>\n"
  return table.concat(lines, "\n")
end

return svg_text
