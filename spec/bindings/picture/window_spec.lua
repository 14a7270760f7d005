-- Pictures painted without a window.

local pictures = require "support.pictures"
local program = require "support.program"
local window, reason = pictures.window, pictures.reason
local coverage, palette = pictures.coverage, pictures.palette

if not window then
  describe("impel.window", function() it("paints", function() pending(reason) end) end)
  return
end

local drawing = require "impel.drawing"
local camera = require "impel.camera"
local house = pictures.house

-- Return the tolerance of a sum of coverages along edges of this length [px]. An edge of length l touches at most 2 l +
-- 2 pixels, each off by at most 0.5 / 255.
local function rounding(length)
  return (2 * length + 8) * 0.5 / 255
end

local function with(fields)
  local styles = {}
  for name, style in pairs(palette.styles) do
    local entry = {}
    for key, value in pairs(style) do entry[key] = value end
    for key, value in pairs(fields) do entry[key] = value end
    styles[name] = entry
  end
  return { background = palette.background, styles = styles }
end

local function regular(n, x, y, r, turn)
  local points = {}
  for i = 0, n - 1 do
    local angle = 2 * math.pi * i / n + (turn or 0)
    points[#points + 1] = x + r * math.cos(angle)
    points[#points + 1] = y + r * math.sin(angle)
  end
  return points
end

local function reversed(points)
  local out = {}
  for i = #points - 1, 1, -2 do
    out[#out + 1] = points[i]
    out[#out + 1] = points[i + 1]
  end
  return out
end

describe("coverage", function()
  it("of a box is the product of its coverage of the column and of the row", function()
    local x1, y1, x2, y2 = 2.25, 1.5, 9.625, 6.125
    local at = coverage(12, 9, function(d) d:fill("scene", nil, 0, { x1, y1, x2, y1, x2, y2, x1, y2 }) end)
    for y = 0, 8 do
      for x = 0, 11 do
        local wide = math.max(0, math.min(x + 1, x2) - math.max(x, x1))
        local high = math.max(0, math.min(y + 1, y2) - math.max(y, y1))
        assert.equal(math.floor(255 * wide * high + 0.5), at(x, y), x .. ", " .. y)
      end
    end
  end)

  it("adds up to the area of a polygon at any angle and position", function()
    for n = 3, 9 do
      for k = 1, 12 do
        local r = 3 + 2.37 * k
        local points = regular(n, 40 + 0.13 * k, 40 + 0.29 * n, r, 0.7 * k)
        local area, length = n / 2 * r * r * math.sin(2 * math.pi / n), 2 * n * r * math.sin(math.pi / n)
        for _, list in ipairs { points, reversed(points) } do
          local _, sum = coverage(80, 80, function(d) d:fill("scene", nil, 0, list) end)
          assert.is_true(math.abs(sum - area) < rounding(length), ("n = %d: %g, not %g"):format(n, sum, area))
        end
      end
    end
  end)

  -- The polygon is within 1/32 px of the circle, so the areas differ by at most 2 pi r / 32.
  it("adds up to the areas of disks, capsules and rounded triangles", function()
    for _, r in ipairs { 0.5, 2, 7.3, 30, 39 } do
      local _, sum = coverage(80, 80, function(d) d:fill("scene", nil, r, { 40.2, 39.7 }) end)
      local tolerance = rounding(2 * math.pi * r) + 2 * math.pi * r / 32
      assert.is_true(math.abs(sum - math.pi * r * r) < tolerance, ("r = %g: %g"):format(r, sum))
    end
    local _, capsule = coverage(80, 80, function(d) d:fill("scene", nil, 10, { 20, 20, 50, 60 }) end)
    assert.is_true(math.abs(capsule - (math.pi * 100 + 50 * 20)) < rounding(163) + 63 / 32)
    local _, rounded = coverage(80, 80, function(d) d:fill("scene", nil, 5, { 20, 20, 60, 20, 20, 50 }) end)
    -- area + perimeter r + pi r^2 (Steiner)
    assert.is_true(math.abs(rounded - (600 + 120 * 5 + math.pi * 25)) < rounding(152) + 32 / 32)
  end)

  it("of an outline is its width times the length of the edge", function()
    local wide = with { width = 3 }
    local _, ring = coverage(80, 80, function(d) d:outline("scene", nil, 20, { 40, 40 }) end, wide)
    assert.is_true(math.abs(ring - 2 * math.pi * 20 * 3) < rounding(4 * math.pi * 20) + 4 * math.pi * 20 / 32)
    local _, square = coverage(80, 80, function(d)
      d:outline("scene", nil, 0, { 20.5, 20, 60, 20, 60, 50, 20.5, 50 })
    end, wide)
    assert.is_true(math.abs(square - (42.5 * 33 - 36.5 * 27)) < rounding(300)) -- the outline has pointed corners
  end)

  it("of an outline has at most an eighth of the shape's size as width, except in style 'mark'", function()
    for _, side in ipairs { 2, 4, 8, 16 } do
      local _, sum = coverage(40, 40, function(d)
        d:outline("scene", nil, 0, { 10, 10, 10 + side, 10, 10 + side, 10 + side / 2, 10, 10 + side / 2 })
      end, with { width = 2 })
      local width = math.min(2, side / 8)
      assert.is_true(math.abs(sum - 3 * side * width) < rounding(6 * side), ("%g: %g"):format(side, sum))
    end
    local wide = with { width = 2 }
    local _, mark = coverage(40, 40, function(d)
      d:outline("mark", nil, 0, { 10, 10, 14, 10, 14, 12, 10, 12 })
    end, wide)
    -- The outline, 2 px wide, is centred on a rectangle of 4 x 2 px: 6 x 4 px.
    assert.is_true(math.abs(mark - 6 * 4) < rounding(24))
  end)

  it("of a line is its width times its length; overlaps count once", function()
    local wide = with { width = 2.5 }
    local _, line = coverage(80, 80, function(d) d:polyline("scene", nil, { 10.3, 12, 60, 50.7 }) end, wide)
    local length = math.sqrt(49.7 ^ 2 + 38.7 ^ 2)
    assert.is_true(math.abs(line - 2.5 * length) < rounding(2 * length))
    local at = coverage(80, 80, function(d)
      d:polyline("scene", 0xffffff80, { 10, 10, 60, 10, 60, 60, 30, 60, 30, 0, 30, 70, 70, 30, 5, 30 })
    end, with { width = 8 })
    local most = 0
    for y = 0, 79 do
      for x = 0, 79 do most = math.max(most, at(x, y)) end
    end
    assert.equal(128, most)
  end)

  it("leaves no gap between neighbours, and counts no pixel twice", function()
    -- In each pixel, the coverages of two parts add up to that of the square.
    local cut, whole = { 10, 10, 50, 10, 37.3, 50, 10, 50 }, { 10, 10, 50, 10, 50, 50, 10, 50 }
    local left = coverage(60, 60, function(d) d:fill("scene", nil, 0, cut) end)
    local right = coverage(60, 60, function(d) d:fill("scene", nil, 0, { 50, 10, 50, 50, 37.3, 50 }) end)
    local all = coverage(60, 60, function(d) d:fill("scene", nil, 0, whole) end)
    for y = 0, 59 do
      for x = 0, 59 do assert.is_true(math.abs(left(x, y) + right(x, y) - all(x, y)) <= 1) end
    end
  end)

  it("is exact for the visible part of areas far larger than the picture", function()
    for _, far in ipairs { 100, 1e4, 1e6, 1e8 } do
      -- The half plane above the diagonal covers half of each pixel on the diagonal.
      local at, sum = coverage(50, 50, function(d) d:fill("scene", nil, 0, { -far, -far, far, -far, far, far }) end)
      assert.is_true(math.abs(sum - 1250) < rounding(71), ("%g: %g"):format(far, sum))
      assert.equal(255, at(49, 0))
      assert.equal(0, at(0, 49))
      assert.is_true(math.abs(at(25, 25) - 127.5) < 1)
    end
    local _, all = coverage(50, 50, function(d) d:fill("scene", nil, 1e7, { 25, 25 }) end)
    assert.equal(2500, all)
    local _, none = coverage(50, 50, function(d) d:outline("scene", nil, 1e7, { 25, 25 }) end)
    assert.equal(0, none)
  end)

  it("adds up to the area also for a picture filled in bands", function()
    local points = regular(7, 1500.3, 400.4, 390, 0.2)
    local area = 7 / 2 * 390 ^ 2 * math.sin(2 * math.pi / 7)
    local wide = { -1, 380.25, 3001, 380.25, 3001, 390.5, -1, 390.5 }
    local _, sum = coverage(3000, 800, function(d) d:fill("scene", nil, 0, points) end)
    assert.is_true(math.abs(sum - area) < rounding(2 * math.pi * 390))
    local _, strip = coverage(3000, 800, function(d) d:fill("scene", nil, 0, wide) end)
    assert.is_true(math.abs(strip - 3000 * 10.25) < 3000 / 255)
  end)

  it("ends at the clip, to the pixel", function()
    local _, sum = coverage(60, 60, function(d)
      d:clip(10, 20, 30, 25)
      d:fill("scene", nil, 0, { 0, 0, 60, 0, 60, 60, 0, 60 })
      d:outline("scene", nil, 0, { 12, 0, 13, 0, 13, 60, 12, 60 })
      d:text("scene", nil, 30, 0, 0, 22, "MMMMMM")
      d:clip(40, 40, 40, 50)
      d:fill("scene", nil, 100, { 30, 30 })
      d:clip()
      d:fill("scene", nil, 0, { 0, 0, 2, 0, 2, 2, 0, 2 })
    end)
    assert.equal(20 * 5 + 4, sum)
  end)

  it("survives shapes without length or area, at 10^-12 to 10^12 pixels a metre", function()
    local d, s = drawing.new(), window.surface(64, 64)
    d:polyline("scene", nil, { 1, 1, 1, 1 })
    d:polyline("scene", nil, { 1, 1, 1 + 1e-9, 1, 1, 1 })
    d:polyline("scene", nil, { 0, 0, 5, 0, 0, 0 }) -- the line goes back over itself
    d:fill("scene", nil, 0, { 1, 1, 1, 1, 1, 1 })
    d:outline("scene", nil, 0, { 1, 1, 2, 1, 1.5, 1 })
    d:outline("scene", nil, 0, { 1, 1, 1, 1, 3, 1 })
    d:arrow("scene", nil, 2, 2, 2, 2, 0)
    d:text("scene", nil, 0, 0.5, 3, 3, "")
    d:text("scene", nil, 1, 0.5, 3, 3, "\u{fffd} \xff \u{1F600} tail")
    for zoom = -12, 12 do
      local view = { x = 1, y = 1, ppm = 10.0 ^ zoom, width_px = 64, height_px = 64, scale = 1 }
      s:clear(0x000000ff):paint(d, view, palette)
    end
    assert.equal(64 * 64 * 4, #s:pixels())
  end)

  it("leaves out the edges of a sliver if their mitres are infinite, and paints the items after it", function()
    local d, s = drawing.new(), window.surface(200, 120)
    -- The polygon has two nearly opposite edges, 1e-10 apart. Their normals cancel in one coordinate only.
    d:outline("scene", nil, 0, { 0, 1e-9, 0, 0, 1e-11, 2, 1.8e-10, 1e300 })
    d:fill("scene", 0xff0000ff, 0, { -1, 0, 1, 0, 1, 2, -1, 2 })
    s:clear(0x000000ff)
    s:paint(d, { x = 0, y = 1, ppm = 1e9, width_px = 200, height_px = 120, scale = 1, down = true }, palette)
    assert.equal(("\xff\0\0\xff"):rep(200 * 120), s:pixels())
  end)
end)

describe("any drawing", function()
  -- After 300 random drawings, the surface paints a box as a new surface does.
  it("through any camera has no effect on later drawings", function()
    local state = 12345
    local function random() state = (state * 48271) % 2147483647 return state / 2147483647 end
    local function any() return (random() - 0.5) * 10.0 ^ (random() * (random() < 0.1 and 300 or 8) - 2) end
    local d, s = drawing.new(), window.surface(50, 40)
    for _ = 1, 300 do
      d:clear()
      for _ = 1, 30 do
        local points = {}
        for i = 1, 2 + 2 * math.floor(random() * 8) do points[i] = any() end
        local kind = math.floor(random() * 6)
        local style = drawing.styles[1 + math.floor(random() * #drawing.styles)]
        pcall(function()
          if kind == 0 then d:fill(style, nil, math.abs(any()), { table.unpack(points, 1, 4) })
          elseif kind == 1 then d:outline(style, nil, math.abs(any()), { table.unpack(points, 1, 6) })
          elseif kind == 2 then d:polyline(style, nil, points)
          elseif kind == 3 then d:arrow(style, nil, any(), any(), any(), any(), 1)
          elseif kind == 4 then d:clip(any(), any(), any(), any())
          else d:text(style, nil, math.abs(any()), random(), any(), any(), "some text") end
        end)
      end
      d:clip()
      local view = pictures.camera(50, 40)
      view.x, view.y, view.ppm, view.down = any(), any(), math.abs(any()) + 1e-200, random() < 0.5
      s:paint(d, view, pictures.house)
    end
    d:clear()
    d:fill("scene", 0x12345678, 0, { 3, 3, 40, 3, 40, 30, 3, 30 })
    local fresh, view = window.surface(50, 40), pictures.camera(50, 40)
    s:clear(0xff):paint(d, view, palette)
    fresh:clear(0xff):paint(d, view, palette)
    assert.is_true(s:pixels() == fresh:pixels())
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

local function both(d, style, radius, points)
  d:fill(style, nil, radius, points)
  d:outline(style, nil, radius, points)
end

local scenes = {
  shapes = function(d)
    both(d, "dynamic", 1, { -3, 1 })
    both(d, "asleep", 0.5, { -1.2, 0.6, 0.4, 1.4 })
    both(d, "static", 0, { 1.4, 0.2, 3.4, 0.4, 2.9, 1.9, 1.6, 1.5 })
    both(d, "kinematic", 0.25, { -3.6, -1.6, -1.8, -1.6, -2.6, -0.5 })
    both(d, "sensor", 0, { -0.8, -1.6, 0.9, -1.6, 0.9, -0.4 })
    both(d, "disabled", 0, { 1.5, -1.5, 3.5, -1.5, 3.5, -0.6, 1.5, -0.6 })
    both(d, "mark", 0, { -0.2, 1.7, 0.5, 1.7, -0.2, 1.75 })
  end,
  lines = function(d)
    local zigzag, wave = {}, {}
    for i = 0, 16 do
      zigzag[#zigzag + 1] = -3.7 + i * 0.2
      zigzag[#zigzag + 1] = 1.2 + i % 2 * 0.6
    end
    for i = 0, 150 do
      wave[#wave + 1] = 0 + i * 0.024
      wave[#wave + 1] = 1.5 + 0.4 * math.sin(0.12 * i)
    end
    d:polyline("grid", nil, { -4, 0, 4, 0 })
    d:polyline("spring", nil, zigzag)
    d:polyline("trail", nil, wave)
    d:polyline("mark", 0x22272e60, { -3.5, 0.5, -2, 0.5, -3.5, -0.5, -2, -0.5, -3.5, 0.5 })
    d:polyline("joint", nil, { -1, -0.5, 0, 0.5, 1, -0.5, -1, -0.5 })
    d:arrow("force", nil, 1.5, -0.5, 2.5, 0.7, 10)
    d:arrow("velocity", nil, 2, -0.7, 3.7, -0.7, 2)
    d:arrow("normal", nil, 3.2, 0, 3.2, 0.1, 1)
    d:dot("contact", nil, 3, 0.5)
    d:dot("center", nil, 3.5, 0.5)
    d:outline("box", nil, 0, { -3.5, -1.7, 3.5, -1.7, 3.5, -1.1, -3.5, -1.1 })
    d:clip(-3, -1.6, 0, -1.2)
    d:fill("scene", nil, 0.3, { -3.2, -1.4, 0.2, -1.4 })
    d:clip()
  end,
  text = function(d)
    for row = 0, 5 do
      local line = {}
      for i = 0, 15 do line[#line + 1] = string.char(32 + 16 * row + i) end
      d:text("name", nil, 0, 0, -3.9, 1.8 - 0.35 * row, table.concat(line))
    end
    d:text("scene", nil, 0.6, 0.5, 2, 1.4, "0.6 m")
    d:text("panel", 0x0072b2ff, 0, 1, 3.9, 0.6, "right")
    d:text("panel", 0xd55e0080, 0, 0.5, 2, 0.1, "middle \u{e9}")
    d:text("scene", nil, 0.9, 0, -3.9, -1.2, "Ag 12.5 kg")
  end,
}

describe("a turned camera", function()
  -- Paint the same drawing through a rotated camera, and rotated the other way through an unrotated camera.
  local function paint_both(angle, width, height, window_height)
    local turned, straight = drawing.new(), drawing.new()
    local c, s = math.cos(angle), math.sin(angle)
    local function place(points)
      local list = {}
      for i = 1, #points, 2 do
        list[i], list[i + 1] = c * points[i] + s * points[i + 1], c * points[i + 1] - s * points[i]
      end
      return list
    end
    for d, at in pairs { [turned] = function(points) return points end, [straight] = place } do
      both(d, "dynamic", 0, at { -2, -1, 1, -1, 1, 1, -2, 1 })
      both(d, "sensor", 0.3, at { 1, 1, 2, 0 })
      both(d, "static", 0.5, at { -1, 1.5 })
      d:polyline("joint", nil, at { -3, -1, 0, 0.5, 3, -1.5 })
      local arrow = at { 0, 0, 1.5, 1 }
      d:arrow("force", nil, arrow[1], arrow[2], arrow[3], arrow[4], 1)
      local text = at { -1, -1.2 }
      d:text("name", nil, 0, 0.5, text[1], text[2], "upright")
    end
    local a, b = window.surface(width, height), window.surface(width, height)
    a:clear(house.background):paint(turned, camera.new { width_px = width, height_px = height, height = window_height,
      angle = angle }, house)
    b:clear(house.background):paint(straight, camera.new { width_px = width, height_px = height,
      height = window_height }, house)
    return a:pixels(), b:pixels()
  end

  it("shows the picture of a world turned by minus its angle under a straight camera, with upright texts", function()
    for _, angle in ipairs { math.pi / 2, 0.4, -2.5 } do
      local a, b = paint_both(angle, 200, 140, 5)
      local worst = 0
      for i = 1, #a do worst = math.max(worst, math.abs(a:byte(i) - b:byte(i))) end
      assert.is_true(worst <= 2, worst) -- rounding of the turned points changes pixel coverages slightly
    end
  end)

  it("clips to the box around a turned box", function()
    local d, s = drawing.new(), window.surface(100, 100)
    d:clip(-1, -1, 1, 1)
    d:fill("scene", 0xffffffff, 0, { -9, -9, 9, -9, 9, 9, -9, 9 })
    local view = camera.new { width_px = 100, height_px = 100, height = 10, angle = math.pi / 4 }
    s:clear(0x000000ff):paint(d, view, palette)
    local lit = 0
    for i = 1, 400 * 100, 4 do lit = lit + (s:pixels():byte(i) == 255 and 1 or 0) end
    -- The rotated box is 2 sqrt(2) m wide, 28 pixels.
    assert.equal(28 * 28, lit)
  end)

  it("refuses a non-finite angle", function()
    local view = { x = 0, y = 0, ppm = 1, width_px = 10, height_px = 10, scale = 1 }
    for _, angle in ipairs { 0 / 0, math.huge, "1" } do
      view.angle = angle
      assert.error_matches(function() window.surface(10, 10):paint(drawing.new(), view, palette) end,
        "camera.angle must be a finite number")
    end
  end)
end)

describe("a picture", function()
  setup(function() window.use_font "bitmap" end)
  teardown(function() window.use_font() end)

  for _, name in ipairs { "shapes", "lines", "text" } do
    it("of " .. name .. " has the pixels of the golden one", function()
      local d, s = drawing.new(), window.surface(320, 160)
      scenes[name](d)
      s:clear(house.background):paint(d, camera.new { width_px = 320, height_px = 160, height = 4 }, house)
      assert.is_true(pictures.matches(s, name))
    end)
  end

  it("of a user interface has its origin at the top left and sizes in points", function()
    local d, s = drawing.new(), window.surface(320, 160)
    both(d, "panel", 4, { 12, 12, 132, 12, 132, 60, 12, 60 })
    d:text("panel", nil, 0, 0, 16, 24, "energy 12.5 J")
    d:polyline("panel", nil, { 16, 40, 60, 34, 128, 48 })
    s:clear(house.background):paint(d, camera.panel(160, 80, 2), house)
    assert.is_true(pictures.matches(s, "panel"))
  end)

  it("mixes colour c of opacity a with background b as c a + b (1 - a), rounded to the nearest byte", function()
    local d = drawing.new()
    for i = 0, 255 do d:fill("scene", 0xff800000 | i, 0, { i, 0, i + 1, 0, i + 1, 1, i, 1 }) end
    local s = window.surface(256, 1)
    s:clear(0x204060ff):paint(d, pictures.camera(256, 1), palette)
    local pixels = s:pixels()
    for i = 1, 255 do
      local function mixed(above, below) return math.floor((above * i + below * (255 - i)) / 255 + 0.5) end
      local r, g, b, a = pixels:byte(4 * i + 1, 4 * i + 4)
      assert.same({ mixed(0xff, 0x20), mixed(0x80, 0x40), mixed(0, 0x60), 255 }, { r, g, b, a })
    end
  end)

  it("keeps transparency", function()
    local d, s = drawing.new(), window.surface(4, 1)
    d:fill("scene", 0xff8040ff, 0, { 0, 0, 1, 0, 1, 1, 0, 1 })
    d:fill("scene", 0xff804080, 0, { 1, 0, 2, 0, 2, 1, 1, 1 })
    s:paint(d, pictures.camera(4, 1), palette)
    local pixels = s:pixels()
    assert.same({ 255, 128, 64, 255 }, { pixels:byte(1, 4) })
    assert.same({ 255, 128, 64, 128 }, { pixels:byte(5, 8) })
    assert.same({ 0, 0, 0, 0 }, { pixels:byte(9, 12) })
    local w, h, decoded = window.decode_png(s:png())
    assert.same({ 4, 1, pixels }, { w, h, decoded })
  end)
end)

describe("PNG", function()
  local function random_surface(width, height)
    local d, s, state = drawing.new(), window.surface(width, height), 1
    local function random() state = (state * 48271) % 2147483647 return state / 2147483647 end
    for _ = 1, 40 do
      local color = math.floor(random() * 0xffffff) << 8 | 0xff
      d:fill("scene", color, 3 * random(), { width * random(), height * random() })
    end
    return s:clear(0x336699ff):paint(d, pictures.camera(width, height), palette)
  end

  it("reads back as written, from a string and from a file", function()
    for _, size in ipairs { { 1, 1 }, { 7, 3 }, { 64, 33 }, { 1, 200 } } do
      local s = random_surface(size[1], size[2])
      local w, h, pixels = assert(window.decode_png(s:png()))
      assert.same({ size[1], size[2] }, { w, h })
      assert.is_true(pixels == s:pixels())
      local path = program.temporary(".png")
      assert.is_true(s:png(path))
      assert.is_true(program.read(path) == s:png())
    end
    program.clean()
  end)

  it("keeps the previous file if it cannot be written completely", function()
    local result, message = window.surface(2, 2):png("/nonexistent/folder/a.png")
    assert.is_nil(result)
    assert.equal("cannot write /nonexistent/folder/a.png: No such file or directory", message)
  end)

  it("that is truncated or invalid gives nil and a message", function()
    local png = random_surface(20, 20):png()
    for _, text in ipairs { "", "x", png:sub(1, 8), png:sub(1, 40), png:sub(1, #png // 2), ("x"):rep(1000) } do
      local result, message = window.decode_png(text)
      assert.is_nil(result)
      assert.matches("^cannot read the PNG: .", message)
    end
    assert.has_error(function() window.decode_png(3) end)
  end)
end)

describe("a font", function()
  teardown(function() window.use_font() end)

  it("is the built-in one on request, six pixels a character at size ten", function()
    assert.equal("bitmap", window.use_font "bitmap")
    assert.equal("bitmap", window.font())
    assert.same({ 30, 9 }, { window.text_size("abc\u{e9}\xff", 10) })
    assert.same({ 0, 9 }, { window.text_size("", 10) })
    assert.same({ 24, 18 }, { window.text_size("ab", 20) })
  end)

  it("that is invalid gives nil and a message, and the font in use stays", function()
    window.use_font "bitmap"
    local result, message = window.use_font "/nonexistent.ttf"
    assert.is_nil(result)
    assert.matches("^cannot use font /nonexistent%.ttf: .", message)
    assert.is_nil((window.use_font "README.md"))
    assert.equal("bitmap", window.font())
  end)

  it("of a file has its own glyphs", function()
    if window.use_font() ~= "DejaVu Sans" then return pending "DejaVu Sans is not here" end
    local narrow, wide = window.text_size("iiii", 20), window.text_size("MMMM", 20)
    assert.is_true(wide > 2 * narrow)
    local at, sum = coverage(80, 40, function(d) d:text("scene", nil, 30, 0, 10, 20, "I") end)
    -- The stem of an I is a tenth of the em wide and 0.73 em high.
    assert.is_true(sum > 50 and sum < 120, tostring(sum))
    assert.equal(0, at(0, 0))
  end)

  it("paints more different glyphs than its store of glyphs can hold", function()
    window.use_font "bitmap"
    local d, s = drawing.new(), window.surface(40, 40)
    for size = 4, 100 do
      for code = 33, 126, 2 do d:text("scene", nil, size, 0, 0, 20, string.char(code)) end
    end
    s:clear(0xff):paint(d, pictures.camera(40, 40), palette)
    assert.equal(40 * 40 * 4, #s:pixels())
  end)
end)

describe("misuse", function()
  local d, s = drawing.new(), window.surface(8, 8)
  local view = pictures.camera(8, 8)

  local function refuses(pattern, call, ...)
    local arguments = table.pack(...)
    local ok, message = pcall(function() call(table.unpack(arguments, 1, arguments.n)) end)
    assert.is_false(ok)
    assert.matches("^spec/bindings/picture/window_spec%.lua:%d+: ", message)
    assert.matches(pattern, message)
  end

  it("of sizes and colours reports the allowed values", function()
    for _, size in ipairs { 0, -1, 16385, 1.5, 0 / 0, "8", false } do
      refuses("argument 'width' must be an integer in %[1, 16384%], got ", window.surface, size, 8)
      refuses("argument 'height' must be an integer in %[1, 16384%], got ", window.surface, 8, size)
    end
    for _, color in ipairs { -1, 0x100000000, 0.5, "red", {} } do
      refuses("argument 'color' must be an integer 0xRRGGBBAA, got ", s.clear, s, color)
    end
    refuses("argument 'size' must be a number > 0", window.text_size, "a", 0)
    refuses("argument 'path' must be a string", s.png, s, 3)
  end)

  it("of cameras and palettes names the field", function()
    refuses("argument 'camera' must be a table, got nil", s.paint, s, d)
    refuses("argument 'palette' must be a table, got nil", s.paint, s, d, view)
    refuses("argument 'drawing' must be a drawing, got a table", s.paint, s, {}, view, palette)
    for _, field in ipairs { "x", "y", "ppm", "width_px", "height_px", "scale" } do
      for _, value in ipairs { "1", 1 / 0, 0 / 0, false } do
        local wrong = pictures.camera(8, 8)
        wrong[field] = value
        refuses("camera%." .. field .. " must be a finite number", s.paint, s, d, wrong, palette)
      end
    end
    for _, field in ipairs { "fill", "line", "width", "dot", "text", "head" } do
      local wrong = with {}
      wrong.styles.force[field] = nil
      refuses("palette%.styles%.force%." .. field .. " must be .*, got nil", s.paint, s, d, view, wrong)
    end
    local wrong = with {}
    wrong.styles.trail = nil
    refuses("palette%.styles%.trail must be a table, got nil", s.paint, s, d, view, wrong)
  end)

  it("of a closed surface is reported", function()
    local closed = window.surface(4, 4)
    closed:close()
    closed:close()
    for _, name in ipairs { "clear", "paint", "size", "pixels", "png" } do
      refuses("attempt to use a surface that was closed", closed[name], closed)
    end
  end)
end)
