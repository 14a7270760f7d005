-- The `view` of scene.draw(s, view). Lengths are metres. Colours: `impel api colours`; nil is the default colour.
--
--   function scene.draw(s, view)
--     view:line(0, 0, s.target.x, s.target.y, "orange")
--     view:image("ship.png", s.x, s.y, { width = 2, angle = s.angle })
--     view.hud:text(10, 20, ("%.1f m"):format(s.height))
--   end
--
-- `view.hud` has the same methods. It draws above everything else, in points of the screen from the top left corner, y
-- down.

local artwork = require "impel.picture.artwork"
local is_finite = require("impel.base.arguments").is_finite
local foreign = require "impel.scene.fields"
local impel_math = require "impel.math"
local nearest = require "impel.base.nearest"
local palette = require "impel.picture.palette"
local show = require "impel.base.show"

local pen = {}

local View = {}

local STYLE = "scene"
local TRAIL_POINTS = 600 -- largest number of points of a trail: ten seconds at 60 pictures per second
local MOST_TEXTS = 10000 -- largest number of texts per picture
local FARTHEST = 1e100

-- Key of the private fields of a view.
local HIDDEN = {}

--- Fields of a view, in the order of the reference: name, type, description.
pen.fields = {
  { "x", "number", "x of the middle of the visible part of the world [m; HUD: points]" },
  { "y", "number", "y of the middle of the visible part of the world [m; HUD: points]" },
  { "width", "number", "width of the visible part [m; HUD: points]" },
  { "height", "number", "height of the visible part [m; HUD: points]" },
  { "angle", "number", "angle of the camera, counter-clockwise [rad]; 0 in the HUD" },
  { "time", "number", "simulated time, interpolated between steps like poses [s]" },
  { "hud", "view", "the same drawing functions in screen coordinates [points], over everything else" },
}
local FIELDS = {}
for _, field in ipairs(pen.fields) do FIELDS[field[1]] = true end

local HORIZONTAL = { left = 0, center = 0.5, right = 1 }
local VERTICAL = { top = -1, middle = 0, bottom = 1 }
local PLACES = "\"left\", \"center\" or \"right\", \"top\", \"middle\" or \"bottom\", or one of each, \"left top\""

local canvas -- palette of the present picture; nil: impel.palette

local function color_of(name, color)
  if color == nil then return nil end
  local value, message = palette.color(color, canvas)
  if not value then error(("view:%s: %s"):format(name, message), 3) end
  return value
end

-- Return whether a value is a number with a magnitude below FARTHEST. Products of larger numbers may overflow.
local function is_place(value) return type(value) == "number" and value > -FARTHEST and value < FARTHEST end

local function numbers(name, ...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if not is_finite(value) then
      local more = type(value) == "number" and "" or (" (impel api view:%s)"):format(name)
      error(("view:%s: argument %d must be a finite number [m], got %s%s"):format(name, i, show.value(value), more), 3)
    end
  end
end

-- Convert points { { x, y }, ... } or { x1, y1, x2, y2, ... } to a flat list.
local function flat(name, points)
  if type(points) ~= "table" then
    error(("view:%s: points { { x, y }, ... } expected, got %s"):format(name, show.value(points)), 3)
  end
  if type(points[1]) ~= "table" then return points end
  local list = {}
  for i, point in ipairs(points) do
    if type(point) ~= "table" then
      error(("view:%s: point %d must be { x, y }, got %s"):format(name, i, show.value(point)), 3)
    end
    list[2 * i - 1], list[2 * i] = point[1] or point.x, point[2] or point.y
  end
  return list
end

-- Return the drawing, set to the layer of this pen.
local function drawing_of(self)
  local hidden = self[HIDDEN]
  local shared = hidden.shared
  if shared.active ~= hidden then
    shared.active = hidden
    hidden.drawing:layer(hidden.order, hidden.screen)
  end
  return hidden.drawing
end

-- Call a method of the drawing. Raise its error at the scene's line.
local function add(self, name, kind, ...)
  local drawing = drawing_of(self)
  local ok, message = pcall(drawing[kind], drawing, ...)
  if not ok then error((message:gsub("^.-drawing:%a+", "view:" .. name, 1)), 3) end
end

-- "center top" -> { x, y }: position in the text, x from 0 (left) to 1 (right), y from -1 (top) to 1 (bottom)
local places = {}
local LEFT = { x = 0, y = 0, horizontal = 0 }

local function place_of(words)
  if places[words] then return places[words] end
  local place
  for word in words:gmatch "%S+" do
    place = place or {}
    local x, y = HORIZONTAL[word], VERTICAL[word]
    if not (x or y) or x and place.x or y and place.y then return nil end
    place.x, place.y = x or place.x, y or place.y
  end
  if not place then return nil end
  place = { x = place.x or 0.5, y = place.y or 0, horizontal = place.x }
  places[words] = place
  return place
end


-- Options ------------------------------------------------------------------------------------------------------------

--- Options of methods: name, kind (a key of `kinds`), unit or "", description.
pen.options = {
  rectangle = {
    { "angle", "number", "rad", "counter-clockwise" },
    { "radius", "size", "m", "radius of the corners" },
    { "anchor", "anchor", "", "point of the rectangle that is at x, y; its middle by default" },
    { "outline", "color", "", "colour of the edge; no edge by default" },
    { "line", "size", "points of the screen", "width of the edge" },
  },
  image = {
    { "width", "length", "m; HUD: points", "default: from the height and the proportions of the image" },
    { "height", "length", "m; HUD: points", "default: from the width and the proportions of the image. In the HUD both "
      .. "may be left out: then a pixel of the image is a point of the screen" },
    { "angle", "number", "rad", "counter-clockwise" },
    { "tint", "color", "", "colour that multiplies all pixels" },
    { "sheet", "table", "", "{ columns = n, rows = m } or { n, m }: the file is a grid of equal frames" },
    { "frame", "integer", "", "number of the frame, counted row by row from 1 at the top left; 1 by default" },
    { "flip", "flip", "", "axes along which the image is mirrored" },
    { "anchor", "anchor", "", "point of the image that is at x, y; its middle by default" },
    { "smooth", "boolean", "", "false: enlarged pixels stay squares; true by default" },
  },
  text = {
    { "color", "color", "", "colour of the text" },
    { "align", "string", "", "alignment, as the last argument of view:text(x, y, text, color, align)" },
    { "size", "length", "m; HUD: points", "size of the text" },
    { "pixels", "length", "points of the screen", "size of the text, the same at every zoom" },
    { "font", "string", "", "path of a font file, relative to the scene's folder" },
  },
}

-- Return the kinds of a method's options by name.
local function kinds_of(list)
  local known = {}
  for _, option in ipairs(list) do known[option[1]] = option[2] end
  return known
end

local IMAGE, RECTANGLE, TEXT =
  kinds_of(pen.options.image), kinds_of(pen.options.rectangle), kinds_of(pen.options.text)
local NONE = {}

local FLIPS = { [true] = { true, false }, [false] = { false, false }, x = { true, false }, y = { false, true },
  xy = { true, true } }

local kinds = {
  number = { is_place, "a finite number" },
  length = { function(v) return is_place(v) and v > 0 end, "a finite number > 0" },
  size = { function(v) return is_finite(v) and v >= 0 end, "a finite number >= 0" },
  integer = { math.tointeger, "an integer" },
  boolean = { function(v) return type(v) == "boolean" end, "true or false" },
  string = { function(v) return type(v) == "string" end, "a text" },
  table = { function(v) return type(v) == "table" end, "a table" },
  flip = { function(v) return FLIPS[v] end, "\"x\", \"y\", \"xy\", true or false" },
  anchor = {
    function(v)
      if type(v) == "string" then return place_of(v) end
      return type(v) == "table" and is_place(v[1]) and is_place(v[2])
    end,
    "two numbers, or " .. PLACES,
  },
}

-- Describe the values of a kind of option: "a finite number > 0".
function pen.kind(kind) return kind == "color" and "a colour" or kinds[kind][2] end

-- Check a table of options and return it.
local function read_options(name, options, known)
  if options == nil then return NONE end
  if type(options) ~= "table" then
    error(("view:%s: a table of options expected, got %s"):format(name, show.value(options)), 3)
  end
  for key, value in next, options do
    local kind = known[key]
    local usual = (kind == "length" or kind == "number") and type(value) == "number" and value > 0 and value < FARTHEST
    if not kind then
      local names = nearest.keys(known)
      local hint = nearest.hint(key, names)
      if hint == "" then hint = ("; it has %s (impel api view:%s)"):format(table.concat(names, ", "), name) end
      error(("view:%s: unknown option '%s'%s"):format(name, tostring(key), hint), 3)
    end
    local check = not usual and kinds[kind]
    if check and not check[1](value) then
      error(("view:%s: %s must be %s, got %s"):format(name, key, check[2], show.value(value)), 3)
    end
  end
  return options
end

-- Return an anchor as fractions of the width and height, from the bottom left corner.
local function anchor_of(anchor)
  if anchor == nil then return 0.5, 0.5 end
  if type(anchor) == "table" then return anchor[1], anchor[2] end
  local place = place_of(anchor)
  return place.x, 0.5 - 0.5 * place.y
end

local function line_width(name, width)
  if width == nil then return 0 end
  if not (is_finite(width) and width >= 0) then
    error(("view:%s: the width of a line must be a finite number >= 0 [points], got %s"):format(name,
      show.value(width)), 3)
  end
  return width
end


-- Lines and areas ----------------------------------------------------------------------------------------------------

--- Draw a line from one point to another.
---@param x1 number [m]
---@param y1 number [m]
---@param x2 number [m]
---@param y2 number [m]
---@param color nil|string|integer
---@param width nil|number  [points of the screen]
function View:line(x1, y1, x2, y2, color, width)
  numbers("line", x1, y1, x2, y2)
  add(self, "line", "polyline", STYLE, color_of("line", color), { x1, y1, x2, y2 }, line_width("line", width))
end

--- Draw a line through points.
---@param points table  { { x, y }, ... } or { x1, y1, x2, y2, ... } [m]
---@param color nil|string|integer
---@param width nil|number  [points of the screen]
function View:polyline(points, color, width)
  add(self, "polyline", "polyline", STYLE, color_of("polyline", color), flat("polyline", points),
    line_width("polyline", width))
end

--- Draw a filled polygon. It need not be convex.
---@param points table  as in polyline
---@param color nil|string|integer
function View:polygon(points, color)
  add(self, "polygon", "polygon", STYLE, color_of("polygon", color), flat("polygon", points))
end

--- Draw the outline of a polygon.
---@param points table  as in polyline
---@param color nil|string|integer
---@param width nil|number  [points of the screen]
function View:outline(points, color, width)
  points, width = flat("outline", points), line_width("outline", width)
  color = color_of("outline", color)
  local drawing = drawing_of(self)
  if #points >= 6 and pcall(drawing.outline, drawing, STYLE, color, 0, points, width) then return end
  local closed = table.move(points, 1, #points, 1, {})
  closed[#closed + 1], closed[#closed + 2] = points[1], points[2]
  add(self, "outline", "polyline", STYLE, color, closed, width)
end

--- Draw a rectangle.
---@param x number       of the middle, or of the point `anchor` [m]
---@param y number       [m]
---@param width number   > 0 [m]
---@param height number  > 0 [m]
---@param color nil|string|integer|false  false: not filled
---@param options nil|table
function View:rectangle(x, y, width, height, color, options)
  numbers("rectangle", x, y, width, height)
  if not (width > 0 and height > 0) then
    error(("view:rectangle: width and height must be > 0 [m], got %s, %s"):format(show.value(width),
      show.value(height)), 2)
  end
  options = read_options("rectangle", options, RECTANGLE)
  local fill = color ~= false and color_of("rectangle", color)
  local edge = color_of("rectangle", options.outline)
  local ax, ay = anchor_of(options.anchor)
  local angle, radius = options.angle or 0, math.min(options.radius or 0, width / 2, height / 2)
  local up = self[HIDDEN].screen and -1 or 1
  local c, s = 1, 0
  if angle ~= 0 then c, s = impel_math.cos(angle), impel_math.sin(angle) * up end
  local left, right = -ax * width + radius, (1 - ax) * width - radius
  local low, high = up * (radius - ay * height), up * ((1 - ay) * height - radius)
  local points = {
    x + c * left - s * low, y + s * left + c * low, x + c * right - s * low, y + s * right + c * low,
    x + c * right - s * high, y + s * right + c * high, x + c * left - s * high, y + s * left + c * high,
  }
  if color ~= false then add(self, "rectangle", "fill", STYLE, fill, radius, points) end
  if edge then add(self, "rectangle", "outline", STYLE, edge, radius, points, options.line or 0) end
end

--- Draw a filled circle about a point.
---@param x number [m]
---@param y number [m]
---@param r number  radius [m] > 0
---@param color nil|string|integer
function View:circle(x, y, r, color)
  numbers("circle", x, y, r)
  add(self, "circle", "fill", STYLE, color_of("circle", color), r, { x, y })
end

--- Draw the outline of a circle about a point.
---@param x number [m]
---@param y number [m]
---@param r number  radius [m] > 0
---@param color nil|string|integer
---@param width nil|number  [points of the screen]
function View:ring(x, y, r, color, width)
  numbers("ring", x, y, r)
  add(self, "ring", "outline", STYLE, color_of("ring", color), r, { x, y }, line_width("ring", width))
end

--- Draw an arrow from the first point to the second.
---@param x1 number [m]
---@param y1 number [m]
---@param x2 number [m]
---@param y2 number [m]
---@param color nil|string|integer
function View:arrow(x1, y1, x2, y2, color)
  numbers("arrow", x1, y1, x2, y2)
  add(self, "arrow", "arrow", STYLE, color_of("arrow", color), x1, y1, x2, y2)
end

--- Draw a mark at a point, of constant size on the screen.
---@param x number [m]
---@param y number [m]
---@param color nil|string|integer
function View:point(x, y, color)
  numbers("point", x, y)
  add(self, "point", "dot", STYLE, color_of("point", color), x, y)
end


-- Pictures and texts -------------------------------------------------------------------------------------------------

-- Load an image or font file. If this fails, raise an error at the scene's line.
local function load_art(self, name, kind, file)
  local loader = self[HIDDEN].loader
  local known = loader.loaded[file] -- fast path, because a scene may draw thousands of images per picture
  if known and known.kind == kind then return known end
  local ok, result = pcall(loader[kind], loader, file)
  if not ok then error(("view:%s: %s"):format(name, result), 3) end
  return result
end

-- Return the part of the image that the options `sheet` and `frame` select: left, top, right, bottom [px].
local function frame_of(image, file, options)
  local sheet, frame = options.sheet, options.frame or 1
  if not sheet then
    if options.frame then error("view:image: frame needs a sheet = { columns = n, rows = m }", 3) end
    return 0, 0, image.width, image.height
  end
  for key in next, sheet do
    if key ~= "columns" and key ~= "rows" and key ~= 1 and key ~= 2 then
      error(("view:image: unknown field '%s' of sheet%s"):format(tostring(key),
        nearest.hint(key, { "columns", "rows" })), 3)
    end
  end
  local columns, rows = sheet.columns or sheet[1] or 1, sheet.rows or sheet[2] or 1
  if not (math.tointeger(columns) and math.tointeger(rows) and columns >= 1 and rows >= 1) then
    error(("view:image: sheet must have columns and rows that are integers >= 1, got %s and %s"):format(
      show.value(columns), show.value(rows)), 3)
  end
  if image.width % columns ~= 0 or image.height % rows ~= 0 then
    error(("view:image: %s: its %d x %d pixels are not %d columns and %d rows of equal frames"):format(file,
      image.width, image.height, columns, rows), 3)
  end
  if frame < 1 or frame > columns * rows then
    error(("view:image: %s: frame must be from 1 to %d, got %d"):format(file, columns * rows, frame), 3)
  end
  local width, height = image.width // columns, image.height // rows
  local x, y = (frame - 1) % columns * width, (frame - 1) // columns * height
  return x, y, x + width, y + height
end

--- Draw an image of a PNG file in the scene's folder.
---@param name string
---@param x number     of the middle, or of the point `anchor` [m]
---@param y number     [m]
---@param options nil|table
function View:image(name, x, y, options)
  if type(name) ~= "string" then
    error(("view:image: argument 1 must be the name of a PNG file, got %s"):format(show.value(name)), 2)
  end
  if not (is_place(x) and is_place(y)) then
    error(("view:image: arguments 2 and 3 must be finite numbers [m], got %s, %s"):format(show.value(x),
      show.value(y)), 2)
  end
  options = read_options("image", options, IMAGE)
  local tint = color_of("image", options.tint)
  local image = load_art(self, "image", "image", name)
  local u1, v1, u2, v2 = frame_of(image, name, options)
  local width, height = options.width, options.height
  if not (width or height) then
    if not self[HIDDEN].screen then error("view:image: width or height [m] is missing", 2) end
    width = u2 - u1
  end
  width = width or height * (u2 - u1) / (v2 - v1)
  height = height or width * (v2 - v1) / (u2 - u1)
  local ax, ay = anchor_of(options.anchor)
  local flip = options.flip and FLIPS[options.flip]
  if flip and flip[1] then u1, u2 = u2, u1 end
  if flip and flip[2] then v1, v2 = v2, v1 end
  drawing_of(self):image(STYLE, tint, image.key, x, y, width, height, options.angle or 0, ax, ay, u1, v1, u2, v2,
    options.smooth == false) -- no error is possible, because all arguments were checked
end

local LEADING = 1.25 -- distance between lines relative to the height of the text

-- Return the vector from a line of a text to the next line.
local function line_step(self, options)
  local camera, screen = self[HIDDEN].camera, self[HIDDEN].screen
  local height = LEADING * (options.size or (options.pixels or palette.styles.scene.text) * (screen and 1
    or camera.scale / camera.ppm))
  if screen then return 0, height end
  return (camera.sin or 0) * height, -(camera.cos or 1) * height
end

--- Draw a text at a point; "\n" begins a new line.
---@param x number [m]
---@param y number [m]
---@param text string|number
---@param color nil|string|integer|table  colour or options
---@param align nil|string  part of the text at the point: "left", "center" or "right", then optionally
---  "top" or "bottom", as in "center top"; default: left, middle of the height
function View:text(x, y, text, color, align)
  if type(x) == "string" then
    error("view:text: x and y come first: view:text(x, y, text, color, align)", 2)
  end
  numbers("text", x, y)
  local kind = type(text)
  if kind ~= "string" and kind ~= "number" then
    error(("view:text: argument 3 must be text, got %s"):format(show.value(text)), 2)
  end
  local options = NONE
  if type(color) == "table" then
    options = read_options("text", color, TEXT)
    color, align = options.color, options.align or align
  end
  local place = LEFT
  if align ~= nil then
    place = type(align) == "string" and place_of(align)
    if not place then
      error(("view:text: align must be %s, got %s"):format(PLACES, show.value(align)), 2)
    end
  end
  local shared = self[HIDDEN].shared
  shared.texts = shared.texts + 1
  if shared.texts > MOST_TEXTS then error(("view:text: more than %d texts in a picture"):format(MOST_TEXTS), 2) end
  local font = options.font and load_art(self, "text", "font", options.font).key
  color, text = color_of("text", color), tostring(text)
  local dx, dy = 0, 0
  if text:find("\n", 1, true) then
    dx, dy = line_step(self, options)
    local _, more = text:gsub("\n", "")
    local above = more * (1 + place.y) / 2 -- number of lines above the point
    x, y = x - above * dx, y - above * dy
  end
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    add(self, "text", "text", STYLE, color, options.pixels and 0 or options.size or 0, place.horizontal or 0, x, y,
      line, place.y, options.pixels or 0, font)
    x, y = x + dx, y + dy
  end
end

--- Add a point to the trail with a name, and draw the trail: its points of the last 600 pictures.
---@param name string|number
---@param x number [m]
---@param y number [m]
---@param color nil|string|integer
function View:trail(name, x, y, color)
  numbers("trail", x, y)
  if name == nil then error("view:trail: a name of the trail expected, got nil", 2) end
  local trails, time = self[HIDDEN].trails, self.time
  local trail = trails[name]
  if not trail or time < trail.time then -- after a reset or restore of the world to an earlier time
    trail = { time = -math.huge }
    trails[name] = trail
  end
  if time > trail.time then -- if two pictures have the same time, the trail gets only one point
    trail.time = time
    trail[#trail + 1] = x
    trail[#trail + 1] = y
    if #trail > 2 * TRAIL_POINTS then table.move(trail, 3, #trail + 2, 1) end
  end
  if #trail >= 4 then add(self, "trail", "polyline", "trail", color_of("trail", color), trail) end
end

--- Return the drawn pose of a body, interpolated between the last two steps.
---@param body impel.body
---@return number x      of the body's origin [m]
---@return number y      [m]
---@return number angle  [rad]
function View:pose(body)
  if type(body) ~= "userdata" or getmetatable(body) ~= "body" then
    error(("view:pose: a body expected, got %s"):format(show.value(body)), 2)
  end
  if not body:is_valid() then error("view:pose: attempt to use " .. tostring(body), 2) end
  return self[HIDDEN].shown:pose(body)
end

--- Return the position of a point on the screen, from the top left corner, y down.
---@param x number [m]
---@param y number [m]
---@return number x  [points of the screen]
---@return number y
function View:to_screen(x, y)
  numbers("to_screen", x, y)
  local camera = self[HIDDEN].camera
  x, y = camera:to_screen(x, y)
  return x / camera.scale, y / camera.scale
end

--- Return the point of the world at a position on the screen, the inverse of to_screen.
---@param x number  [points of the screen]
---@param y number  [points of the screen]
---@return number x  [m]
---@return number y  [m]
function View:to_world(x, y)
  numbers("to_world", x, y)
  local camera = self[HIDDEN].camera
  return camera:to_world(x * camera.scale, y * camera.scale)
end

--- Set the drawing order of the following calls. Lower orders are painted first; at equal orders the world comes first,
--- then calls in their order. Joints have the order 0. Bodies have the `order` of body:set_look, default 0.
---@param order number  default at the start of a picture: 0
function View:order(order)
  if not is_finite(order) then
    error(("view:order: a finite number expected, got %s"):format(show.value(order)), 2)
  end
  local hidden = self[HIDDEN]
  hidden.order, hidden.shared.active = order, nil
end


-- The pen ------------------------------------------------------------------------------------------------------------

local function names()
  local list = nearest.keys(View)
  for name in pairs(FIELDS) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- Return whether a view has a method with a given name.
function pen.has_method(name) return View[name] ~= nil end

-- Return a hint for an unknown method.
local function hint_of(name)
  local ours = type(name) == "string" and (foreign.ours("view." .. name) or foreign.ours(name))
  if ours then return (" (in impel: %s)"):format(ours) end
  return nearest.hint(name, names()) .. "; impel api view lists them"
end

local Strict = {}

function Strict.__index(self, name)
  local method = View[name]
  if method then return method end
  local hidden = rawget(self, HIDDEN)
  if FIELDS[name] then return hidden[name] end
  error(("view has no field or method '%s'%s"):format(tostring(name), hint_of(name)), 2)
end

function Strict.__newindex(_, name)
  if FIELDS[name] or View[name] then error(("view.%s cannot be set"):format(name), 2) end
  error(("view has no field '%s'%s; store values in the scene's own tables"):format(tostring(name),
    nearest.hint(name, names())), 2)
end

Strict.__metatable = "view"

local function new(loader, shared, screen)
  return setmetatable({ [HIDDEN] = { trails = {}, loader = loader, shared = shared, screen = screen } }, Strict)
end

-- Make a pen.
--   folder: folder of the scene, with its images and fonts
--   taken: as in artwork.new
function pen.new(folder, taken)
  local loader, shared = artwork.new(folder or ".", taken), {}
  local view = new(loader, shared, false)
  view[HIDDEN].hud = new(loader, shared, true)
  return view
end

-- Begin a picture at a time [s] in a drawing. Fields of `shown`: pose(self, body), which view:pose calls; palette,
-- default impel.palette. If `shown` is nil, view:pose cannot be used.
function pen.begin(view, drawing, camera, time, shown)
  local hidden = view[HIDDEN]
  local hud = hidden.hud[HIDDEN]
  canvas = shown and shown.palette
  hidden.shared.texts, hidden.shared.active = 0, nil
  hidden.order, hud.order = 0, 0
  hidden.drawing, hidden.time = drawing, time
  hidden.camera, hidden.shown, hud.camera, hud.shown = camera, shown, camera, shown
  hidden.x, hidden.y, hidden.width, hidden.height = camera.x, camera.y, camera.width, camera.height
  hidden.angle, hud.angle = camera.angle or 0, 0
  hud.drawing, hud.time = drawing, time
  hud.width, hud.height = camera.width_px / camera.scale, camera.height_px / camera.scale
  hud.x, hud.y = hud.width / 2, hud.height / 2
end

return pen
