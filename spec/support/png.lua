-- Uncompressed PNG files of every pixel format, for specs.
--   png.write(path, 16, 16, function(x, y) return x == y and 0xff0000ff or 0x000000ff end)
--   png.save(path, png.bytes { width = 2, height = 1, kind = png.PALETTE, bits = 8, rows = { "\0\1" },
--     chunks = { { "PLTE", ... } } })

local png = { GREY = 0, RGB = 2, PALETTE = 3, RGBA = 6 }

local function crc(text)
  local c = 0xffffffff
  for i = 1, #text do
    c = c ~ text:byte(i)
    for _ = 1, 8 do c = c & 1 == 1 and c >> 1 ~ 0xedb88320 or c >> 1 end
  end
  return c ~ 0xffffffff
end

local function adler(text)
  local a, b = 1, 0
  for i = 1, #text do
    a = (a + text:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

local function chunk(name, data)
  return (">I4"):pack(#data) .. name .. data .. (">I4"):pack(crc(name .. data))
end

-- Return a text as a zlib stream of stored (uncompressed) blocks.
local function stored(text)
  local parts = { "\x78\x01" }
  for at = 1, #text, 65535 do
    local block = text:sub(at, at + 65534)
    parts[#parts + 1] = ("<BI2I2"):pack(at + 65535 > #text and 1 or 0, #block, ~#block & 0xffff) .. block
  end
  return table.concat(parts) .. (">I4"):pack(adler(text))
end

--- Return the bytes of a PNG file. picture: { width, height, rows: strings of packed pixels }. kind, bits and chunks
--- are optional; by default they are png.RGBA, 8 and {}.
function png.bytes(picture)
  local rows = {}
  for i, row in ipairs(picture.rows) do rows[i] = "\0" .. row end
  local parts = { "\137PNG\r\n\26\n", chunk("IHDR", (">I4I4BBBBB"):pack(picture.width, picture.height,
    picture.bits or 8, picture.kind or png.RGBA, 0, 0, 0)) }
  for _, extra in ipairs(picture.chunks or {}) do parts[#parts + 1] = chunk(extra[1], extra[2]) end
  parts[#parts + 1] = chunk("IDAT", stored(table.concat(rows)))
  parts[#parts + 1] = chunk("IEND", "")
  return table.concat(parts)
end

--- Write a file of width x height RGBA pixels. color(x, y), counted from 0 in the upper left corner, returns a pixel as
--- 0xRRGGBBAA.
function png.write(path, width, height, color)
  local rows = {}
  for y = 0, height - 1 do
    local row = {}
    for x = 0, width - 1 do row[#row + 1] = (">I4"):pack(color(x, y)) end
    rows[#rows + 1] = table.concat(row)
  end
  png.save(path, png.bytes { width = width, height = height, rows = rows })
end

--- Write bytes to a file; raises if it cannot be opened.
function png.save(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

return png
