-- Images of scenes pixel by pixel: position, colour, file formats, SVG, sandbox; texts and polygons.

local pictures = require "support.pictures"
local window, reason = pictures.window, pictures.reason

if not window then
  describe("images", function() it("are painted", function() pending(reason) end) end)
  return
end

local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local pens = require "impel.picture.pen"
local svg = require "impel.picture.svg"
local system = require "impel.system"

local png = require "support.png"
local program = require "support.program"

local RED, GREEN, BLUE, WHITE, CLEAR = 0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffffffff, 0x00000000

-- Paint draw(pen) at 10 pixels per metre, origin at the bottom left. Return at(x, y), the drawing and the camera. at
-- returns the colour 0xRRGGBBAA of a pixel; (0, 0) is the top left pixel.
local function shot(width, height, background, draw, scale)
  local pen, d, s = pens.new("/"), drawings.new(), window.surface(width, height)
  local camera = cameras.new { x = width / 20, y = height / 20, height = height / 10, width_px = width,
    height_px = height, scale = scale }
  pens.begin(pen, d, camera, 0)
  draw(pen)
  d:sort()
  s:clear(background):paint(d, camera, pictures.palette)
  local pixels = s:pixels()
  s:close()
  return function(x, y) return ((">I4"):unpack(pixels, 4 * (y * width + x) + 1)) end, d, camera
end

local function parts(color) return color >> 24, color >> 16 & 255, color >> 8 & 255, color & 255 end

-- Return a picture of four quarters: red and green above, blue and white below.
local function quarters(size)
  local path, half = program.temporary ".png", size // 2
  png.write(path, size, size, function(x, y)
    return y < half and (x < half and RED or GREEN) or (x < half and BLUE or WHITE)
  end)
  return path
end

-- Return four colours: of a pixel in each quarter (top left, top right, bottom left, bottom right) of a square with a
-- side of `size` pixels, whose top left pixel is (x, y).
local function corners(at, x, y, size)
  local near, far = size // 4, size - 1 - size // 4
  return { at(x + near, y + near), at(x + far, y + near), at(x + near, y + far), at(x + far, y + far) }
end

describe("an image", function()
  after_each(program.clean)

  it("has the place of its anchor, its size and its angle", function()
    local path = quarters(8)
    local at = shot(60, 40, 0x000000ff, function(view)
      view:image(path, 2, 2, { width = 2 }) -- 10..30 x 10..30 px
      view:image(path, 4, 0, { width = 1, height = 2, anchor = "left bottom" })
      view:image(path, 6, 4, { height = 1, anchor = { 1, 1 }, angle = 0 })
    end)
    assert.same({ RED, GREEN, BLUE, WHITE }, corners(at, 10, 10, 20))
    for _, p in ipairs { { 9, 20 }, { 30, 20 }, { 20, 9 }, { 20, 30 } } do
      assert.equal(0x000000ff, at(p[1], p[2]))
    end
    assert.same({ RED, WHITE }, { at(41, 21), at(48, 38) }) -- 40..50 x 20..40
    assert.same({ RED, WHITE, 0x000000ff }, { at(51, 1), at(58, 8), at(49, 5) })
  end)

  it("turns counter-clockwise by its angle, about its anchor, in the HUD as in the world", function()
    local path = quarters(8)
    local at = shot(60, 40, 0x000000ff, function(view)
      view:image(path, 2, 2, { width = 2, angle = math.pi / 2 })
      view.hud:image(path, 45, 20, { width = 20, angle = math.pi / 2 })
    end)
    assert.same({ GREEN, WHITE, RED, BLUE }, corners(at, 10, 10, 20))
    assert.same({ GREEN, WHITE, RED, BLUE }, corners(at, 35, 10, 20))
  end)

  it("is mirrored by flip", function()
    local path = quarters(8)
    local at = shot(60, 20, 0x000000ff, function(view)
      for i, flip in ipairs { "x", "y", "xy" } do
        view:image(path, 2 * i - 1, 1, { width = 2, flip = flip })
      end
    end)
    assert.same({ GREEN, RED, WHITE, BLUE }, corners(at, 0, 0, 20))
    assert.same({ BLUE, WHITE, RED, GREEN }, corners(at, 20, 0, 20))
    assert.same({ WHITE, BLUE, GREEN, RED }, corners(at, 40, 0, 20))
  end)

  it("in the HUD without a given size has exactly the file's pixels", function()
    local path = program.temporary ".png"
    local function color(x, y) return (x * 37 + y * 11) % 256 << 24 | x * 16 << 16 | y * 16 << 8 | 255 end
    png.write(path, 16, 16, color)
    local at = shot(20, 20, 0x000000ff, function(view)
      view.hud:image(path, 2, 3, { anchor = "left top" })
    end)
    for y = 0, 15 do
      for x = 0, 15 do assert.equal(color(x, y), at(x + 2, y + 3)) end
    end
  end)

  -- A frame of a sprite sheet must not show the colour of the next frame along its edge.
  it("of a sheet shows no colour of the neighbouring frames, whatever its size and angle", function()
    local path = program.temporary ".png"
    png.write(path, 45, 30, function(x, y) return x // 15 == 1 and y // 15 == 1 and BLUE or RED end)
    for _, size in ipairs { 6.01, 3, 1.5, 0.7, 0.33 } do
      for _, angle in ipairs { 0, 0.3, math.pi / 2 } do
        local at = shot(80, 80, 0x000000ff, function(view)
          view:image(path, 4, 4, { width = size, angle = angle, sheet = { 3, 2 }, frame = 5 })
        end)
        for y = 0, 79 do
          for x = 0, 79 do assert.equal(0, at(x, y) >> 24) end
        end
        assert.equal(BLUE, at(40, 40))
      end
    end
  end)

  it("of a sheet has its frames numbered row by row", function()
    local path = quarters(8)
    local at = shot(80, 20, 0x000000ff, function(view)
      for i = 1, 4 do
        view:image(path, 2 * i - 1, 1, { width = 2, sheet = { columns = 2, rows = 2 }, frame = i })
      end
    end)
    assert.same({ RED, GREEN, BLUE, WHITE }, { at(1, 1), at(21, 1), at(41, 1), at(61, 1) })
  end)

  it("leaves no gap and no overlap between tiles, at any position and size", function()
    local path = program.temporary ".png"
    png.write(path, 4, 4, function() return 0xff000080 end)
    for _, tile in ipairs { 0.7, 1, 1.23 } do
      local at = shot(120, 40, 0x000000ff, function(view)
        for i = 0, 6 do
          for k = 0, 2 do
            view:image(path, 0.31 + i * tile, 0.17 + k * tile, { width = tile, anchor = "left bottom" })
          end
        end
      end)
      -- Each pixel is painted once, with the image's half-transparent red.
      for x = 5, 45 do assert.equal(128, at(x, 25) >> 24, tile .. ": " .. x) end
      for y = 22, 36 do assert.equal(128, at(10, y) >> 24) end
    end
  end)

  -- A reported bug: dark fringes, because interpolation mixes in the black of transparent pixels.
  it("has no fringe of the colour of transparent pixels", function()
    local path = program.temporary ".png"
    png.write(path, 16, 16, function(x, y) return (x - 7.5) ^ 2 + (y - 7.5) ^ 2 < 36 and WHITE or CLEAR end)
    for _, angle in ipairs { 0, 0.4 } do
      for _, size in ipairs { 7.3, 1.1, 0.5 } do
        local at = shot(80, 80, WHITE, function(view) view:image(path, 4, 4, { width = size, angle = angle }) end)
        for y = 0, 79 do
          for x = 0, 79 do assert.equal(WHITE, at(x, y)) end
        end
      end
    end
  end)

  -- A reported bug: the tint is not applied to the transparency, or is applied twice to the colours.
  it("is multiplied by its tint, including transparency", function()
    local path = program.temporary ".png"
    png.write(path, 2, 2, function() return 0xff804080 end)
    local at = shot(20, 20, 0x000000ff, function(view) view:image(path, 1, 1, { width = 2, tint = "#80ff4080" }) end)
    local r, g, b = parts(at(10, 10))
    local alpha = 128 / 255 * 128 / 255
    assert.near(255 * 128 / 255 * alpha, r, 1.5) -- three roundings of 1/2 each
    assert.near(128 * alpha, g, 1.5)
    assert.near(64 * 64 / 255 * alpha, b, 1.5)
  end)

  it("has square pixels if it is not smooth, interpolated ones if it is", function()
    local path = quarters(2)
    local at = shot(40, 20, 0x000000ff, function(view)
      view:image(path, 1, 1, { width = 2, smooth = false })
      view:image(path, 3, 1, { width = 2 })
    end)
    assert.same({ RED, GREEN, BLUE, WHITE }, { at(9, 9), at(10, 9), at(9, 10), at(10, 10) })
    -- From the image's left edge, pixel 30 is centred at 10.5 px, and the two source pixels at 5 px and 15 px.
    local r, g = parts(at(30, 0))
    assert.near(0.45 * 255, r, 1.5) -- the weights of the interpolation are multiples of 1/256
    assert.near(0.55 * 255, g, 1.5)
  end)

  it("keeps its brightness when it is scaled down", function()
    local path = program.temporary ".png"
    png.write(path, 64, 64, function(x, y) return (x + y) % 2 == 0 and WHITE or 0x000000ff end)
    for _, size in ipairs { 2, 1.1, 0.6 } do
      local at = shot(20, 20, 0x000000ff, function(view) view:image(path, 1, 1, { width = size }) end)
      for x = 8, 11 do assert.near(127.5, at(x, 10) >> 24, 1) end
    end
  end)

  it("covers its area when it is turned", function()
    local path = program.temporary ".png"
    png.write(path, 4, 4, function() return WHITE end)
    local at = shot(60, 60, 0x000000ff, function(view)
      view:image(path, 3.03, 3.01, { width = 3, height = 2, angle = 0.5 })
    end)
    local sum = 0
    for y = 0, 59 do
      for x = 0, 59 do sum = sum + (at(x, y) >> 24) / 255 end
    end
    -- The edges are 100 px long. The error of a pixel's coverage along them is at most 1/16 on average.
    assert.near(600, sum, 6)
  end)

  it("paints nothing if it is out of sight or tiny, and its visible part if it is huge", function()
    local path = quarters(8)
    local at = shot(20, 20, 0x000000ff, function(view)
      view:image(path, 1e9, 0, { width = 1 })
      view:image(path, -5, 1, { width = 1 })
      view:image(path, 1, 1, { width = 1e-9 })
      view:image(path, 1, 1, { width = 1e-9, angle = 1 })
    end)
    for y = 0, 19 do
      for x = 0, 19 do assert.equal(0x000000ff, at(x, y)) end
    end
    at = shot(20, 20, 0x000000ff, function(view)
      view:image(path, 1, 1, { width = 1e6, anchor = { 0.25, 0.75 }, angle = 1e-4 })
      view:image(path, 1, 1, { width = 1e60 })
    end)
    assert.is_true(at(10, 10) ~= 0)
  end)
end)

describe("an image file", function()
  after_each(program.clean)

  it("may have a palette, transparent entries, grey or 16 bits a channel", function()
    local path = program.temporary ".png"
    local function colors(picture)
      png.save(path, png.bytes(picture))
      local at = shot(2 * picture.width, 2, 0x000000ff, function(view)
        view.hud:image(path, 0, 0, { anchor = "left top", width = 2 * picture.width, height = 2, smooth = false })
      end)
      local list = {}
      for x = 1, picture.width do list[x] = at(2 * x - 1, 0) end
      return list
    end
    local colored = { "PLTE", "\255\0\0\0\0\255\0\255\0" }
    assert.same({ RED, BLUE, GREEN }, colors { width = 3, height = 1, kind = png.PALETTE, rows = { "\0\1\2" },
      chunks = { colored } })
    assert.same({ RED, 0x000080ff, GREEN }, colors { width = 3, height = 1, kind = png.PALETTE, rows = { "\0\1\2" },
      chunks = { colored, { "tRNS", "\255\128" } } })
    assert.same({ BLUE, RED }, colors { width = 2, height = 1, kind = png.PALETTE, bits = 1, rows = { "\x80" },
      chunks = { colored } })
    assert.same({ WHITE, 0x808080ff }, colors { width = 2, height = 1, kind = png.GREY, rows = { "\255\128" } })
    local deep = colors { width = 1, height = 1, kind = png.RGB, bits = 16, rows = { "\x80\x80\x40\x40\xff\xff" } }
    assert.same({ 0x8040ffff }, deep)
    assert.same({ 0x000000ff }, colors { width = 1, height = 1, kind = png.RGB, rows = { "\255\0\255" },
      chunks = { { "tRNS", "\0\255\0\0\0\255" } } })
  end)

  it("that is missing, broken, too large or not an image is named with the reason, at the scene's line", function()
    local whole = png.bytes { width = 64, height = 64, rows = (function()
      local rows = {}
      for i = 1, 64 do rows[i] = ("\1\2\3\255"):rep(64) end
      return rows
    end)() }
    local cases = {
      { nil, " not found in " }, { "", "not a PNG file" },
      { "GIF89a, and more than that is not here", "not a PNG file" },
      { whole:sub(1, 20), "not a PNG file" }, { whole:sub(1, 3000), "a broken PNG file: " },
      { whole:sub(1, 80) .. "XXXX" .. whole:sub(85), "a broken PNG file: " },
      { whole:sub(1, 16) .. (">I4I4"):pack(10000, 10000) .. whole:sub(25),
        "10000 x 10000 pixels; at most 8192 x 8192 are allowed" },
      { whole:sub(1, 16) .. (">I4I4"):pack(0, 5) .. whole:sub(25), "a broken PNG file" },
    }
    for i, case in ipairs(cases) do
      local path = program.temporary ".png"
      if case[1] then png.save(path, case[1]) end
      local ok, message = pcall(shot, 10, 10, WHITE, function(view) view:image(path, 0, 0, { width = 1 }) end)
      assert.is_false(ok, tostring(i))
      assert.truthy(message:find("^spec/bindings/picture/images_spec.lua:%d+: view:image: "), message)
      assert.truthy(message:find(path, 1, true) and message:find(case[2], 1, true), i .. ": " .. message)
    end
  end)

  it("of a font that is missing or invalid is named in the error; a valid font file has its own glyphs", function()
    local broken = program.write("no font", ".ttf")
    for _, case in ipairs { { "/missing.ttf", " not found in " }, { broken, "cannot read the font" } } do
      local ok, message = pcall(shot, 10, 10, WHITE, function(view) view:text(0, 0, "x", { font = case[1] }) end)
      assert.is_false(ok)
      assert.truthy(message:find("view:text: ", 1, true) and message:find(case[1], 1, true)
        and message:find(case[2], 1, true), message)
    end
    local bold = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
    if system.kind(bold) ~= "file" then return end
    local function ink(font)
      local at, sum = shot(80, 40, WHITE, function(view)
        view:text(4, 2, "HHH", { pixels = 20, align = "center", color = "black", font = font })
      end), 0
      for y = 0, 39 do
        for x = 0, 79 do sum = sum + 255 - (at(x, y) >> 24) end
      end
      return sum
    end
    assert.truthy(ink(bold) > 1.2 * ink(nil))
  end)

  it("is refused with an impossible sheet or an unknown option", function()
    local path = quarters(8)
    local function refused(expected, options)
      local ok, message = pcall(shot, 10, 10, WHITE, function(view) view:image(path, 0, 0, options) end)
      assert.is_false(ok)
      assert.truthy(message:find(expected, 1, true), message)
    end
    refused("its 8 x 8 pixels are not 3 columns and 1 rows of equal frames", { width = 1, sheet = { columns = 3 } })
    refused("frame must be from 1 to 4, got 5", { width = 1, sheet = { columns = 2, rows = 2 }, frame = 5 })
    refused("unknown field 'colums' of sheet (did you mean 'columns'?)", { width = 1, sheet = { colums = 2 } })
    refused("frame needs a sheet", { width = 1, frame = 1 })
    refused("width or height [m] is missing", { angle = 1 })
    refused("width must be a finite number > 0, got nan", { width = 0 / 0 })
    refused("flip must be \"x\", \"y\", \"xy\", true or false, got \"z\"", { width = 1, flip = "z" })
    refused("unknown option 'heigth' (did you mean 'height'?)", { heigth = 1 })
    refused("no colour 'gren' (did you mean 'green'?)", { width = 1, tint = "gren" })
  end)
end)

describe("texts and areas", function()
  -- Return the bounding box of dark pixels: left, top, right, bottom.
  local function ink(at, width, height)
    local x1, y1, x2, y2 = width, height, -1, -1
    for y = 0, height - 1 do
      for x = 0, width - 1 do
        if at(x, y) >> 24 < 128 then
          x1, y1, x2, y2 = math.min(x1, x), math.min(y1, y), math.max(x2, x), math.max(y2, y)
        end
      end
    end
    return x1, y1, x2, y2
  end

  it("have the point at the edge or corner that align names", function()
    window.use_font "bitmap"
    local function box(align)
      local at = shot(100, 60, WHITE, function(view)
        view:text(5, 3, "HH", { pixels = 20, align = align, color = "black" })
      end)
      return ink(at, 100, 60)
    end
    local left, top = box "left top"
    assert.truthy(left >= 50 and top >= 30)
    local _, _, right, bottom = box "right bottom"
    assert.truthy(right <= 50 and bottom <= 30)
    local x1, y1, x2, y2 = box "center"
    assert.near(50, (x1 + x2) / 2, 2)
    assert.near(30, (y1 + y2) / 2, 4)
    window.use_font()
  end)

  it("have their size in metres if given as size, in points at every zoom if given as pixels", function()
    local function height(options, scale, side)
      side = side or 200
      options.align, options.color = "center", "black"
      local at = shot(side, side, WHITE, function(view) view:text(side / 20, side / 20, "H", options) end, scale)
      local _, y1, _, y2 = ink(at, side, side)
      return y2 - y1 + 1
    end
    assert.near(0.73 * 100, height { size = 10 }, 2) -- a capital is 0.73 em high, and 10 m are 100 px
    assert.near(0.73 * 40, height { pixels = 40 }, 2)
    assert.near(0.73 * 80, height({ pixels = 40 }, 2), 2)
    -- The text is 1.5 times as large as the largest stored glyphs, which are enlarged.
    assert.near(0.73 * 600, height({ pixels = 600 }, 1, 700), 4)
  end)

  it("of the HUD are in points of the screen from the top left corner", function()
    local at = shot(40, 40, WHITE, function(view)
      assert.same({ 20, 20 }, { view.hud.width, view.hud.height })
      view.hud:rectangle(2, 3, 5, 4, "black", { anchor = "left top" })
    end, 2)
    assert.same({ 4, 6, 13, 13 }, { ink(at, 40, 40) })
  end)

  it("may have any outline, and each pixel inside is painted once", function()
    local sum = 0
    local at = shot(60, 60, 0x000000ff, function(view)
      view:polygon({ 1, 1, 5, 1, 5, 5, 3, 2, 1, 5 }, "#ffffff80")
    end)
    for y = 0, 59 do
      for x = 0, 59 do
        local v = at(x, y) >> 24
        assert.truthy(v <= 128)
        sum = sum + v / 128
      end
    end
    assert.near(1000, sum, 2) -- (16 - 6) m2 are 1000 px; about 200 edge pixels round to 1/128
    assert.equal(0, at(30, 20) >> 24) -- in the notch of the polygon
  end)
end)

describe("an SVG", function()
  after_each(program.clean)

  it("contains the original file of each picture once, and shows a frame through a viewBox", function()
    local path = quarters(8)
    local _, d, camera = shot(60, 40, WHITE, function(view)
      view:image(path, 2, 2, { width = 2 })
      view:image(path, 4, 2, { width = 2, sheet = { columns = 2, rows = 2 }, frame = 4, tint = "#ff000080" })
      view.hud:image(path, 10, 10, { tint = "#ffffff80", flip = "x" })
      view:polygon { 0, 0, 2, 0, 2, 2, 1, 0.5 }
    end)
    local text = svg.drawing(d, camera, pictures.palette)
    local _, embedded = text:gsub('href="data:image/png;base64,', "")
    assert.equal(1, embedded)
    local encoded = text:match 'base64,([^"]*)"'
    local digits, bits, bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 0, {}
    local count = 0
    for c in encoded:gmatch "[^=]" do
      bits, count = bits << 6 | digits:find(c, 1, true) - 1, count + 6
      if count >= 8 then
        count = count - 8
        bytes[#bytes + 1] = string.char(bits >> count & 255)
      end
    end
    assert.equal(program.read(path), table.concat(bytes))
    local whole = '<g transform="matrix(2.5 0 0 2.5 10 10)"><svg width="8" height="8" viewBox="0 0 8 8">'
    assert.truthy(text:find(whole, 1, true))
    assert.truthy(text:find('<svg width="4" height="4" viewBox="4 4 4 4">', 1, true))
    assert.truthy(text:find('filter="url(#tintff000080)"', 1, true))
    assert.truthy(text:find('matrix(-1 0 0 1 14 6)" opacity="0.5"', 1, true))
    assert.truthy(text:find('<path d="M0 40L20 40L20 20L10 35Z"', 1, true))
  end)
end)

local DRAWS = [[
local impel = require "impel"
local scene = {}
function scene.setup()
  local world = impel.world { gravity = { 0, -10 } }
  local ball = world:body { position = { 0, 1 }, look = { visible = false } }
  ball:circle { radius = 0.5 }
  world:body { type = "static" }:box { 10, 0.1 }
  return { world = world, ball = ball }
end
function scene.draw(s, view)
  local x, y = s.ball:position()
  view:image(%q, x, y, { width = 1, angle = s.ball.angle })
end
return scene
]]

describe("a run", function()
  after_each(program.clean)

  it("has the same hash without images, with images (painted or not) and with a missing image file", function()
    local function hash(text, arguments)
      local path = program.write(text)
      local code, out, err = program.run(("run %s --steps 60 %s"):format(path, arguments or ""))
      assert.equal(0, code, err)
      return out:match "hash%s+(%x+)"
    end
    local text = DRAWS:format(quarters(8))
    local plain = hash((text:gsub("look = %b{}", ""):gsub("function scene.draw.-\nend\n", "")))
    assert.equal(plain, hash(text))
    assert.equal(plain, hash(text, "--png " .. program.temporary ".png"))
    assert.equal(plain, hash(DRAWS:format "missing.png"))
  end)

  it("finds pictures beside the scene", function()
    local folder = program.temporary()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    png.write(folder .. "/a.png", 2, 2, function() return RED end)
    program.put(folder .. "/scene.lua", DRAWS:format "a.png")
    local out = program.temporary ".svg"
    local code, _, err = program.run(("run %s/scene.lua --steps 1 --svg %s"):format(folder, out))
    assert.equal(0, code, err)
    assert.truthy(program.read(out):find("data:image/png", 1, true))
    os.execute("rm -r " .. folder)
  end)
end)

describe("the window of a sandboxed scene", function()
  after_each(program.clean)

  it("shows the script's pictures, and reports the name of a font file that it refuses", function()
    local viewer = require "impel.viewer.apart"
    local fake = require "support.viewer_fake"
    local path = program.temporary ".png"
    png.write(path, 4, 4, function() return RED end)
    local text = DRAWS:format(path:match "[^/]*$"):gsub("angle = s%.ball%.angle }%)",
      "%0 if s.world.time > 0.5 then view:text(0, 0, 'x', { font = 'x.ttf' }) end")
    program.put(path:gsub("[^/]*$", "x.ttf"), "font")
    local handle = fake.window(640, 480)
    handle.image = window.image
    local v = assert(viewer.new({}, { window = handle, sandbox = "auto", sleep = function() system.poll({}, 0.002) end,
      read = function() return text, "@" .. path:gsub("[^/]*$", "scene.lua") end, say = function() end }))
    local due = system.clock() + 60
    while v.pictures < 2 and not v.failure and system.clock() < due do v:frame() end
    assert.is_nil(v.failure, v.failure and v.failure.message)
    local s = window.surface(64, 64)
    s:clear(0x000000ff):paint(v.drawing, cameras.new { x = 0, y = v.seen.time < 0.1 and 1 or 0.5, height = 0.2,
      width_px = 64, height_px = 64 }, pictures.palette)
    assert.equal(RED, ((">I4"):unpack(s:pixels(), 4 * (32 * 64 + 32) + 1)))
    while not v.failure and system.clock() < due do v:frame() end
    assert.truthy(v.failure.message:find("x.ttf: the window of a sandbox has only the default font", 1, true),
      v.failure.message)
    assert.truthy(#v.drawing > 0) -- the previous picture is still shown
    v:close()
    os.remove((path:gsub("[^/]*$", "x.ttf")))
  end)
end)
