-- Drawings as SVG: the text of every kind of item, rounded areas in closed form, escaped texts, clips.

require "impel.core"
local camera = require "impel.camera"
local drawing = require "impel.drawing"
local palette = require "impel.picture.palette"
local svg = require "impel.picture.svg"
local svg_text = require "impel.picture.svg_text"

local golden = require "support.golden"
local shared = require "support.program"

local HAS_XMLLINT = os.execute "command -v xmllint >/dev/null 2>&1"

-- Return a camera with 100 pixels a metre and the origin in the middle of 200 x 100 pixels.
local function metres()
  return camera.new { width_px = 200, height_px = 100, height = 1 }
end

local looks = { background = 0xffffffff, styles = {} }
for _, name in ipairs(drawing.styles) do
  looks.styles[name] = { fill = 0x11223380, line = 0x445566ff, width = 2, dot = 3, text = 10, head = 8 }
end

-- Return the items of an SVG document, without header and footer.
local function body_of(d, c)
  return (svg.drawing(d, c or metres(), looks):match("<rect [^\n]*\n(.*)</svg>\n$"))
end

local function paths_of(text)
  local list = {}
  for path in text:gmatch ' d="([^"]*)"' do list[#list + 1] = path end
  return list
end

local function is_valid(text)
  local path = shared.write(text, ".svg")
  local _, _, code = os.execute("xmllint --noout " .. shared.quote(path) .. " 2>/dev/null")
  return code == 0
end

describe("svg", function()
  after_each(shared.clean)

  it("writes each kind of item", function()
    local d = drawing.new()
    d:fill("dynamic", nil, 0, { -0.5, -0.25, 0.5, -0.25, 0.5, 0.25 })
    d:outline("dynamic", nil, 0, { -0.5, -0.25, 0.5, -0.25, 0.5, 0.25 })
    d:fill("static", 0xff0000ff, 0.1, { 0.25, 0 })
    d:outline("static", 0xff0000ff, 0, { 0, 0, 0.1, 0, 0, 0.1 })
    d:polyline("trail", nil, { 0, 0, 0.125, 0.25, 0.5, 0 })
    d:arrow("force", nil, 0, 0, 0.5, 0, 3)
    d:dot("contact", nil, -1, 0.5)
    d:text("name", nil, 0, 0.5, 0, 0, "a < b")
    golden.check("svg/items.svg", svg.drawing(d, metres(), looks, "every kind of item"))
  end)

  it("turns shapes and clips with a turned camera, and keeps texts upright", function()
    local c = metres()
    c.angle = 0.4
    c:resize(200, 100)
    local cos, sin = math.cos(0.4), math.sin(0.4)
    local function turned(points)
      local list = {}
      for i = 1, #points, 2 do
        list[i], list[i + 1] = cos * points[i] + sin * points[i + 1], cos * points[i + 1] - sin * points[i]
      end
      return list
    end
    local a, b = drawing.new(), drawing.new()
    for d, place in pairs { [a] = function(points) return points end, [b] = turned } do
      d:fill("dynamic", nil, 0, place { -0.5, -0.25, 0.5, -0.25, 0.5, 0.25 })
      d:outline("static", nil, 0.1, place { 0, 0, 0.3, 0.1 })
      d:polyline("trail", nil, place { 0, 0, 0.125, 0.25, 0.5, 0 })
      local at = place { 0.2, -0.3 }
      d:text("name", nil, 0, 0.5, at[1], at[2], "upright")
      d:dot("contact", nil, at[1], at[2])
    end
    assert.equal(body_of(b), body_of(a, c))
    local clipped = drawing.new()
    clipped:clip(0, 0, 0.5, 0.25)
    clipped:dot("contact", nil, 0, 0)
    local path = paths_of(body_of(clipped, c))[1]
    -- The path begins at the origin, 100, 50. The corner 0.5, 0 is rotated clockwise by 0.4 rad.
    assert.equal(("M100 50L%.2f %.2fL"):format(100 + 50 * cos, 50 + 50 * sin), path:match "^M[^L]*L[^L]*L")
  end)

  it("moves the edges of a rounded area outward by the radius, for either order of its points", function()
    local corners = { -0.4, -0.2, 0.4, -0.2, 0, 0.3 }
    local backwards = { 0, 0.3, 0.4, -0.2, -0.4, -0.2 }
    for sweep, points in ipairs { [0] = corners, backwards } do
      local d = drawing.new()
      d:fill("dynamic", nil, 0.1, points)
      local path = paths_of(body_of(d))[1]
      local count = 0
      for flag in path:gmatch "A10 10 0 0 (%d) " do
        count = count + 1
        -- The y axis of SVG points down, so the sweep flag of a counter-clockwise arc is 0.
        assert.equal(sweep, tonumber(flag))
      end
      assert.equal(3, count)
      -- Every point of the path is 10 px, the radius, from its nearest corner.
      for x, y in path:gmatch "([%d.-]+) ([%d.-]+)[LAZ]" do
        local nearest = math.huge
        for i = 1, #corners, 2 do
          local dx, dy = x - (100 + 100 * corners[i]), y - (50 - 100 * corners[i + 1])
          nearest = math.min(nearest, math.sqrt(dx * dx + dy * dy))
        end
        assert.near(10, nearest, 0.01) -- coordinates have two decimals
        assert.is_true(math.abs(x - 100) + math.abs(y - 50) > 20)
      end
    end
  end)

  it("makes a capsule of two points, and a disk of two equal ones", function()
    local d = drawing.new()
    d:fill("dynamic", nil, 0.1, { -0.2, 0, 0.2, 0 })
    d:fill("dynamic", nil, 0.1, { 0.2, 0, 0.2, 0 })
    local text = body_of(d)
    assert.equal("M80 40L120 40A10 10 0 0 1 120 60L80 60A10 10 0 0 1 80 40Z", paths_of(text)[1])
    assert.truthy(text:find('<circle cx="120" cy="50" r="10"', 1, true), text)
  end)

  it("has y down if the camera's y axis points down", function()
    local d = drawing.new()
    d:dot("panel", nil, 20, 30)
    assert.truthy(body_of(d, camera.panel(200, 100, 2)):find('cx="40" cy="60" r="6"', 1, true))
  end)

  it("clips the items after a clip to the clip's rectangle, and closes the group of each clip", function()
    local d = drawing.new()
    d:clip(-0.5, -0.25, 0.5, 0.25)
    d:dot("panel", nil, 0, 0)
    d:clip(0, 0, 1, 1)
    d:dot("panel", nil, 0, 0)
    local text = body_of(d)
    assert.truthy(text:find('<clipPath id="clip1"><rect x="50" y="25" width="100" height="50"/></clipPath>', 1, true))
    local _, opened = text:gsub("<g ", "")
    local _, closed = text:gsub("</g>", "")
    assert.equal(2, opened)
    assert.equal(2, closed)
  end)

  it("writes short numbers", function()
    for text, x in pairs { ["0"] = -0.001, ["1"] = 0.999, ["-2.5"] = -2.5, ["100"] = 100.0, ["0.13"] = 0.1251 } do
      assert.equal(text, svg_text.number(x))
    end
  end)

  it("contains only finite numbers, at any position", function()
    local far, d = 1.7e308, drawing.new()
    d:fill("scene", nil, 1, { far, far })
    d:outline("scene", nil, far, { 0, 0, -far, far, far, -far })
    d:polyline("scene", nil, { -far, -far, far, far })
    d:arrow("scene", nil, 0, 0, far, -far)
    d:dot("scene", nil, far, 0)
    d:text("scene", nil, far, 1, -far, 0, "far")
    local text = body_of(d)
    for attribute, value in text:gmatch ' (%l[%l%d]*)="([^"]*)"' do
      local is_list = ("d points x y r cx cy"):find(attribute, 1, true)
      if is_list then
        for word in value:gmatch "[^MLAZ ]+" do assert.is_true(math.abs(tonumber(word) or math.huge) <= 2e15, value) end
      end
    end
    assert.equal(7, select(2, text:gsub("\n", "")))
  end)

  it("accepts any text", function()
    assert.equal("&lt;a b=&quot;c&quot;&gt; &amp; \\x00 \\xFF \u{e4}", svg_text.escape('<a b="c"> & \0 \xff \u{e4}'))
  end)

  it("is XML that a strict reader accepts, for any texts", function()
    if not HAS_XMLLINT then return pending "xmllint is not there" end
    local d = drawing.new()
    for code = 1, 255 do d:text("name", nil, 0, 0, 0, 0, string.char(code) .. "]]>&#0;") end
    d:clip(0, 0, 1, 1)
    assert.is_true(is_valid(svg.drawing(d, metres(), palette, "<title> & more")))
    assert.is_false(is_valid "<svg>")
  end)

  it("gives the same bytes for the same drawing", function()
    local function text()
      local d = drawing.new()
      for i = 1, 50 do d:fill("dynamic", nil, 0.01 * i, { i, 0, i + 1, 0.3, i, 1 }) end
      return svg.drawing(d, metres(), palette)
    end
    assert.equal(text(), text())
  end)
end)
