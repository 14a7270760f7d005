-- Appearance of each style of the draw list, and named colours. Colours are integers 0xRRGGBBAA.
--
--   width  of lines [points]
--   dot    radius of a mark [points]
--   text   font size [points]
--   head   length of an arrow's head [points]
--   source: Okabe and Ito, "Color Universal Design" (2008)

local arguments = require "impel.base.arguments"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"

local palette = {}

palette.background = 0xf7f6f2ff

--- Colours by name, for scenes.
palette.named = {
  black = 0x000000ff, white = 0xffffffff, grey = 0x8a8f98ff, silver = 0xc4c8ceff,
  orange = 0xe69f00ff, sky = 0x56b4e9ff, green = 0x009e73ff, yellow = 0xf0e442ff,
  blue = 0x0072b2ff, red = 0xd55e00ff, pink = 0xcc79a7ff, ink = 0x22272eff,
}

--- Colour of texts beside grid lines.
palette.grid_text = 0x22272ec0

--- Colours of curves, in order of use.
palette.series = { "blue", "orange", "green", "red", "sky", "pink", "ink", "grey" }

local function style(fill, line, more)
  return merged({ fill = fill, line = line, width = 1.25, dot = 3, text = 13, head = 8 }, more)
end

--- Appearance of each style: fill, line, and sizes in points.
palette.styles = {
  static = style(0xb9bec6ff, 0x6b727dff),
  kinematic = style(0x8fd0b8ff, 0x00694dff),
  dynamic = style(0x9fcbeaff, 0x1c5a86ff),
  asleep = style(0xd3dce4ff, 0x7f93a6ff),
  sensor = style(0xf0e44240, 0xa89b00ff),
  disabled = style(0xe8c3a8ff, 0xb34700ff, { width = 2 }),
  joint = style(0x22272eff, 0x22272eff, { width = 1.5 }),
  spring = style(0x7a4f9aff, 0x7a4f9aff, { width = 1.5 }),
  broken = style(0xd55e00ff, 0xd55e00ff, { width = 2 }),
  contact = style(0xd55e00ff, 0xd55e00ff, { dot = 2.5 }),
  normal = style(0x009e73ff, 0x009e73ff, { head = 5 }),
  sticking = style(0x0072b259, 0x0072b2ff),
  sliding = style(0xd55e0059, 0xd55e00ff),
  force = style(0xd55e00ff, 0xd55e00ff, { width = 1.75 }),
  torque = style(0xcc79a7ff, 0xcc79a7ff, { width = 1.75 }),
  row = style(0x0072b2ff, 0x0072b2ff, { width = 1.75 }),
  box = style(0x00000000, 0xcc79a7c0, { width = 1 }),
  center = style(0x22272eff, 0x22272eff, { dot = 2.5, width = 1.5 }),
  velocity = style(0x009e73ff, 0x009e73ff, { width = 1.5 }),
  trail = style(0xe69f00ff, 0xe69f00ff, { width = 1.5 }),
  name = style(0x22272eff, 0x22272eff, { text = 12 }),
  grid = style(0x22272e18, 0x22272e18, { width = 1, text = 11 }),
  mark = style(0xe69f0050, 0xe69f00ff, { width = 2.5 }),
  scene = style(0xe69f0090, 0x22272eff, { width = 1.75, text = 14 }),
  panel = style(0x1b2129e6, 0xd9dee5ff, { width = 1, text = 13 }),
}

--- Ways to write a colour: name, example, description.
palette.forms = {
  { "a name", "\"orange\"", "one of the names below" },
  { "\"#rrggbb\"", "\"#e69f00\"", "red, green and blue as hexadecimal digits, opaque" },
  { "\"#rrggbbaa\"", "\"#e69f0080\"", "with opacity: 00 is invisible, ff opaque" },
  { "0xRRGGBBAA", "0xe69f00ff", "red, green, blue and opacity as an integer" },
}

-- Return a palette's colours for curves, as integers.
local function curves(of)
  local list = {}
  for i, name in ipairs(of.series) do list[i] = of.named[name] end
  return list
end

--- Colours of curves as integers, in the order of palette.series.
palette.curves = curves(palette)

--- Palette for a dark canvas: the fields that differ from the light palette.
palette.dark = setmetatable({
  background = 0x14181fff, grid_text = 0xe6e9eec0,
  named = setmetatable({ ink = 0xe6e9eeff }, { __index = palette.named }),
  series = { "sky", "orange", "green", "red", "pink", "yellow", "ink", "grey" },
  styles = setmetatable({
    static = style(0x3c444fff, 0x8b95a3ff),
    kinematic = style(0x1f5a49ff, 0x6fd0b0ff),
    dynamic = style(0x2a5876ff, 0x8cc8f0ff),
    asleep = style(0x2c3a46ff, 0x7c92a6ff),
    sensor = style(0xf0e44230, 0xd6c64aff),
    disabled = style(0x6a3d20ff, 0xff9a5cff, { width = 2 }),
    joint = style(0xe6e9eeff, 0xe6e9eeff, { width = 1.5 }),
    spring = style(0xc39be6ff, 0xc39be6ff, { width = 1.5 }),
    normal = style(0x3fd6a4ff, 0x3fd6a4ff, { head = 5 }),
    row = style(0x5cb4ffff, 0x5cb4ffff, { width = 1.75 }),
    center = style(0xe6e9eeff, 0xe6e9eeff, { dot = 2.5, width = 1.5 }),
    velocity = style(0x3fd6a4ff, 0x3fd6a4ff, { width = 1.5 }),
    name = style(0xe6e9eeff, 0xe6e9eeff, { text = 12 }),
    grid = style(0xe6e9ee20, 0xe6e9ee20, { width = 1, text = 11 }),
    scene = style(0xe69f0090, 0xe6e9eeff, { width = 1.75, text = 14 }),
  }, { __index = palette.styles }),
}, { __index = palette })
palette.dark.curves = curves(palette.dark)

--- Convert a colour in one of palette.forms to an integer; or return nil and a message.
---@param canvas table|nil  palette of the named colours, default the light one
---@return integer|nil color  0xRRGGBBAA
---@return string|nil message
function palette.color(value, canvas)
  local named = (canvas or palette).named
  if math.type(value) == "integer" and value >= 0 and value <= 0xffffffff then
    -- A number of six digits, such as 0xffff00, lacks the opacity.
    if value > 0 and value <= 0xffffff and value & 0xff == 0 then
      return nil, ("0x%06x has no opacity: 0xRRGGBBAA has eight digits (0x%06xff?)"):format(value, value)
    end
    return value
  end
  if type(value) ~= "string" then
    local forms = {}
    for i, form in ipairs(palette.forms) do forms[i] = form[1] end
    return nil, ("a colour expected (%s), got %s"):format(table.concat(forms, ", "), arguments.got(value))
  end
  if named[value] then return named[value] end
  local digits = value:match("^#(%x+)$")
  if digits and #digits == 6 then return tonumber(digits, 16) << 8 | 0xff end
  if digits and #digits == 8 then return tonumber(digits, 16) end
  local names = nearest.keys(palette.named)
  local hint = nearest.hint(value, names)
  return nil, ("no colour '%s'%s"):format(value, hint ~= "" and hint
    or ("; names are %s (impel api colours)"):format(table.concat(names, ", ")))
end

return palette
