-- A picture of a run as a drawing: the grid, the world, the scene's own drawing, trails.
--
--   local f = frame.new(run)
--   f:sample()                               -- after each step: for the trails
--   drawing:clear()
--   local ok, failure = f:look(camera)       -- move the camera as the scene defines
--   ok, failure = f:fill(drawing, camera, frame.defaults())
--
-- With f:note() before each step and f:between(fraction) before a picture, poses of bodies are interpolated for the
-- drawing, the camera and the mouse. Otherwise a picture shows the present state.

local arrow_scale = require "impel.picture.arrow_scale"
local camera_motion = require "impel.scene.camera_motion"
local contact_marks = require "impel.picture.contact_marks"
local drawings = require "impel.drawing"
local field_picture = require "impel.picture.fields"
local island_colors = require "impel.picture.island_colors"
local legend = require "impel.picture.legend"
local palette = require "impel.picture.palette"
local pens = require "impel.picture.pen"
local rng = require "impel.rng"
local scenes = require "impel.scene"
local ticks = require "impel.picture.ticks"
local trails = require "impel.picture.trails"

local frame = {}
local Frame = {}
Frame.__index = Frame

--- Overlays: name, about, key in the viewer, whether the overlay is on by default.
frame.overlays = {
  { name = "shapes", about = "shapes of bodies", key = "1", default = true },
  { name = "joints", about = "joints, with limits and springs", key = "2", default = true },
  { name = "contacts", about = "points where shapes touch", key = "3" },
  { name = "normals", about = "normals of contacts", key = "4" },
  { name = "ids", about = "ids of contact points: shape and vertex of both bodies", key = "n" },
  { name = "friction", about = "contacts that stick or slide, and how much of the friction cone they use", key = "u" },
  { name = "forces", about = "contact forces and joint reactions; two strokes mark a shortened arrow", key = "5" },
  { name = "rows", about = "impulses of joint rows", key = "6" },
  { name = "boxes", about = "axis-aligned boxes around shapes", key = "7" },
  { name = "centers", about = "centres of mass and axes of bodies", key = "8" },
  { name = "islands", about = "islands: touching or joined bodies, one colour per island; pale: asleep", key = "l" },
  { name = "velocities", about = "velocities of centres of mass", key = "9" },
  { name = "names", about = "names of bodies", key = "0" },
  { name = "fields", about = "force fields: water, wind, points of attraction", key = "v", default = true },
  { name = "trails", about = "earlier positions of centres of mass", key = "t" },
  { name = "grid", about = "a grid in metres", key = "g" },
  { name = "scene", about = "output of the scene's draw function", key = "x", default = true },
}

-- Sizes of symbols and of the longest arrow, relative to the visible height.
local SYMBOL = 0.022
local LONGEST = 0.3
local ROUNDING = 1e-5 -- smaller forces, relative to the lightest body's weight, are ignored
-- A body that has fallen through the visible height has a velocity arrow of length SPEED * visible height.
local SPEED = 0.12
local GRID_LINES = 8

--- Return the default overlays: a set of names.
function frame.defaults()
  local set = {}
  for _, overlay in ipairs(frame.overlays) do set[overlay.name] = overlay.default or nil end
  return set
end

--- Make the pictures of a run. The field `palette` may be set to impel.palette.dark.
---@param taken nil|function  receives images and fonts of the scene, as for artwork.new
---@param arrows table|nil     scale made by arrow_scale.new; nil: a new scale
function frame.new(run, taken, arrows)
  local folder = (run.scene.file or ""):match "^(.*)/[^/]*$" or "."
  local self = setmetatable({ run = run, pen = pens.new(folder, taken), trails = trails.new(), palette = palette,
    fraction = 1, motion = camera_motion.new(), seen = {}, arrows = arrows or arrow_scale.new(),
    islands = island_colors.new() }, Frame)
  self.arrows:reset()
  self:sample()
  return self
end

--- Record the positions of bodies for the trails. To be called after each step.
function Frame:sample()
  self.trails:sample(self.run.world)
end

--- Store the poses of bodies before a step, for interpolation.
function Frame:note()
  local world = self.run.world
  if not self.poses then self.poses = drawings.poses() end
  self.poses:note(world)
  self.noted = world.tick
end

--- Interpolate the drawn poses: fraction 0 gives the poses that Frame:note stored, 1 the present poses.
function Frame:between(fraction)
  if not self.poses then return end
  self.poses:set_fraction(fraction)
  self.fraction = fraction
end

--- Return the simulated time of a picture, interpolated like the poses [s].
---@return number
function Frame:time()
  local world = self.run.world
  if self.fraction == 1 or world.tick ~= self.noted + 1 then return world.time end
  return world.time - (1 - self.fraction) * world.dt
end

--- Return x, y [m] and angle [rad] of a body as drawn.
function Frame:pose(body)
  if self.poses then return self.poses:pose(body) end
  local x, y = body:position()
  return x, y, body.angle
end

--- Return the drawn position of a point of a body. x, y: present position of the point [m].
function Frame:to_drawn(body, x, y)
  if self.poses then return self.poses:to_drawn(body, x, y) end
  return x, y
end

--- Return the present position of a point of a body. x, y: drawn position of the point [m].
function Frame:from_drawn(body, x, y)
  if self.poses then return self.poses:from_drawn(body, x, y) end
  return x, y
end

-- Return the weight of the heaviest and of the lightest body [N], computed again when the number of bodies changes.
local function reference_force(self, world)
  local count = world:counts().bodies
  if self.weighed ~= count then
    local heaviest, lightest = 0, math.huge
    for body in world:bodies() do
      local mass = body.type == "static" and 0 or body.mass
      heaviest = math.max(heaviest, mass)
      if mass > 0 then lightest = math.min(lightest, mass) end
    end
    self.weighed, self.heaviest, self.lightest = count, heaviest, math.min(lightest, heaviest)
  end
  local gx, gy = world:gravity()
  local g = math.sqrt(gx * gx + gy * gy)
  if g == 0 then g = 9.81 end
  return math.max(self.heaviest * g, 1e-9), self.lightest * g
end

-- A line starts at (x, y) and has the unit direction (dx, dy). Return the y of its point with x = `at`, or nil if the
-- line has no such point.
local function crossing(at, x, y, dx, dy, length)
  local t = (at - x) / dx
  if t ~= t or t < -1e-9 * length or t > length * (1 + 1e-9) then return nil end
  return y + t * dy
end

local function draw_grid(drawing, camera, color)
  local x1, y1, x2, y2 = camera:bounds()
  local factor, power = ticks.step(camera.height, GRID_LINES)
  local step = tonumber(("%de%d"):format(factor, power))
  local format = ("%%.%df"):format(math.max(0, -power))
  local edge, c, s = 0.01 * camera.height, camera.cos, camera.sin
  local x, y = camera:to_world(0, camera.height_px)
  local low_x, low_y, left_x, left_y = x - 2 * edge * s, y + 2 * edge * c, x + edge * c, y + edge * s
  for i = math.ceil(x1 / step), math.floor(x2 / step) do
    drawing:polyline("grid", nil, { i * step, y1, i * step, y2 })
    local at = crossing(i * step, low_x, low_y, c, s, camera.width)
    if at then drawing:text("grid", color, 0, 0.5, i * step, at, format:format(i * step)) end
  end
  for i = math.ceil(y1 / step), math.floor(y2 / step) do
    drawing:polyline("grid", nil, { x1, i * step, x2, i * step })
    local at = crossing(i * step, left_y, left_x, c, -s, camera.height)
    if at then drawing:text("grid", color, 0, 0, at, i * step, format:format(i * step)) end
  end
end

-- Return the speed of a body that has fallen through the visible height [m/s].
local function fastest(camera) return math.sqrt(2 * 9.81 * camera.height) end

-- Update the scale of arrows from the visible forces. Forces as small as rounding errors are ignored.
local function follow_forces(self, world, camera, overlays)
  if not (overlays.forces or overlays.rows) then return end
  local _, weight = reference_force(self, world)
  local least = { force = ROUNDING * weight, torque = ROUNDING * weight * SYMBOL * camera.height,
    row = ROUNDING * weight * world.dt }
  self.scratch = self.scratch or drawings.new()
  local scratch, x1, y1, x2, y2 = self.scratch, camera:bounds()
  scratch:clear()
  scratch:world(world, { shapes = false, joints = false, size = 0, forces = overlays.forces == true,
    rows = overlays.rows == true })
  for _, style in ipairs { "force", "torque", "row" } do
    local value, count = scratch:percentile(style, arrow_scale.SHARE, x1, y1, x2, y2)
    if value and value > least[style] then
      self.arrows:follow(style, value, count, camera.width_px / camera.height_px)
    end
  end
end

-- Return the options of drawing:world.
local function world_options(self, world, camera, overlays)
  local height, force, arrows = camera.height, reference_force(self, world), self.arrows
  follow_forces(self, world, camera, overlays)
  return {
    shapes = overlays.shapes == true, joints = overlays.joints == true, contacts = overlays.contacts == true,
    normals = overlays.normals == true, forces = overlays.forces == true, rows = overlays.rows == true,
    boxes = overlays.boxes == true, centers = overlays.centers == true, velocities = overlays.velocities == true,
    names = overlays.names == true, friction = overlays.friction == true,
    size = SYMBOL * height, longest = LONGEST * height, force_scale = arrows:length("force", height, force),
    torque_scale = arrows:length("torque", height, force * height),
    impulse_scale = arrows:length("row", height, force * world.dt),
    velocity_scale = SPEED * height / fastest(camera),
  }
end

-- Return the entries of the legend for the overlays that are on.
local function legend_entries(self, camera, overlays, options, has_marks, islands)
  local points, entries = camera.ppm / camera.scale, {}
  local function add(entry) entries[#entries + 1] = entry end
  if overlays.forces and self.arrows.references.force then
    add { kind = "arrow", style = "force", scale = options.force_scale * points, unit = "N", text = "" }
  end
  if overlays.forces and self.arrows.references.torque then
    add { kind = "turn", style = "torque", scale = options.torque_scale * points, unit = "N m", text = "" }
  end
  if overlays.rows and self.arrows.references.row then
    add { kind = "arrow", style = "row", scale = options.impulse_scale * points, unit = "N s", text = "" }
  end
  if overlays.velocities then
    add { kind = "arrow", style = "velocity", scale = options.velocity_scale * points, unit = "m/s", text = "" }
  end
  if overlays.friction then
    add { kind = "cone", style = "sticking", text = "contact sticks: force inside the friction cone" }
    add { kind = "cone", style = "sliding", text = "contact slides: force on the edge of the friction cone" }
  end
  if overlays.ids then
    add { kind = "chip", label = "3.0 7.2", text = "ids: shape.vertex of both bodies; orange: new point" }
  end
  if has_marks == false then add { kind = "chip", label = "...", text = "some contact labels are hidden: zoom in" } end
  if overlays.centers then add { kind = "center", text = "centre of mass; long line: x axis of the body" } end
  if islands then
    add { kind = "colors", colors = { table.unpack(island_colors.palette, 1, 4) },
      text = ("%d %s; pale: asleep"):format(islands, islands == 1 and "island" or "islands") }
  end
  return entries
end

-- Draw texts beside contact points, and the legend.
local function annotate(self, drawing, camera, overlays, options, islands)
  local has_marks
  if overlays.ids or overlays.friction then
    has_marks = contact_marks.draw(drawing, self, camera, overlays.ids, overlays.friction)
  end
  local entries = legend_entries(self, camera, overlays, options, has_marks, islands)
  local room = self.legend_right or camera.width_px / camera.scale
  legend.draw(drawing, entries, room, camera.height_px / camera.scale)
end

-- Call f, which calls the scene's function `name` or, for "view", reads scene.view. math.random in f has a source of
-- its own, so that pictures do not change the run.
local function call(self, name, f)
  local run = self.run
  local world, set_source = run.world, run.scene.set_source
  local before = name ~= "view" and world.hash
  if set_source then set_source(rng.new(world.tick)) end
  local ok, problem = scenes.guard(run.scene.file .. ": " .. name, function()
    f()
    scenes.need_world(world, run.state)
    if before and world.hash ~= before then
      error("the world was changed while a picture was drawn: pictures would change the result of the run", 0)
    end
  end)
  if set_source and world:is_valid() then set_source(world) end
  if ok then return true end
  return nil, { kind = "scene", message = problem.message, traceback = problem.traceback }
end

--- Add a picture of the present state of the run to a drawing.
---@param drawing userdata  of impel.drawing
---@param camera table      of impel.camera
---@param overlays table    set of names
---@return boolean|nil ok
---@return table|nil failure  of scene.draw; the other parts are drawn in spite of it
function Frame:fill(drawing, camera, overlays)
  local run = self.run
  local world, draw = run.world, run.scene.definition.draw
  if overlays.grid then draw_grid(drawing, camera, self.palette.grid_text) end
  local options, islands = world_options(self, world, camera, overlays), nil
  drawing:world(world, options, self.poses)
  if overlays.islands then
    local colors
    colors, islands = self.islands:of(world)
    drawing:tint(colors)
  end
  if overlays.fields then
    field_picture.draw(drawing, world, camera, { force = reference_force(self, world), speed = fastest(camera) })
  end
  if overlays.trails then self.trails:draw(drawing, self.palette.curves, self, world.time) end
  annotate(self, drawing, camera, overlays, options, islands)
  if not draw or not overlays.scene then
    drawing:sort()
    return true
  end
  pens.begin(self.pen, drawing, camera, self:time(), self)
  local ok, failure = call(self, "draw", function() draw(run.state, self.pen) end)
  drawing:layer(0, false)
  drawing:sort()
  return ok, failure
end

-- Return whether a parameter of the run differs from its default.
local function is_changed(run)
  for name, param in pairs(run.scene.params) do
    if run.values[name] ~= param.default then return true end
  end
  return false
end

-- Widen the view to include the centres of all moving bodies.
local function widen(camera, world)
  local x1, y1, x2, y2 = camera:bounds()
  local inside = true
  for body in world:bodies() do
    if body.type ~= "static" then
      local x, y = body:center()
      inside = inside and x >= x1 and x <= x2 and y >= y1 and y <= y2
      x1, y1, x2, y2 = math.min(x1, x), math.min(y1, y), math.max(x2, x), math.max(y2, y)
    end
  end
  if not inside then camera:fit(x1, y1, x2, y2) end
end

local VIEW = { "x", "y", "height", "angle" }

--- Make a camera. If scene.view has none of x, y and height, the camera is fitted to the world. Otherwise it shows
--- scene.view; if a parameter differs from its default and the scene does not move the camera, the visible area is
--- widened to the moving bodies.
---@param cameras table  impel.camera
---@param width number   [device pixels]
---@param height number  [device pixels]
---@param scale number|nil  device pixels per point
function Frame:camera(cameras, width, height, scale)
  local view = self.run.scene.definition.view or {}
  local camera = cameras.new { x = view.x, y = view.y, height = view.height, angle = view.angle, width_px = width,
    height_px = height, scale = scale }
  for _, name in ipairs(VIEW) do self.seen[name] = view[name] end
  self.motion:reset()
  if not (view.x or view.y or view.height) then
    self:fit(camera)
  elseif is_changed(self.run) and not self:drives() then
    widen(camera, self.run.world)
  end
  return camera
end

--- Return whether the scene moves its camera.
function Frame:drives()
  local definition = self.run.scene.definition
  return definition.camera ~= nil or definition.view ~= nil and camera_motion.drives(definition.view)
end

-- Move the camera to a view if a field of the view has changed since the previous picture.
local function follow_place(self, camera, view)
  local seen, same = self.seen, true
  for _, name in ipairs(VIEW) do
    same = same and seen[name] == view[name]
    seen[name] = view[name]
  end
  if same then return end
  camera:place(view.x or camera.x, view.y or camera.y, view.height or camera.height, view.angle or 0)
end

--- Move the camera as the scene defines. Return true, or nil and a failure. If scene.camera raises an error or
--- returns an invalid view, the camera does not move.
function Frame:look(camera)
  local run = self.run
  local definition, world = run.scene.definition, run.world
  if not definition.camera and not definition.view then return true end
  local ok, failure = call(self, definition.camera and "camera" or "view", function()
    local view, where = definition.view, "scene.view"
    if definition.camera then view, where = definition.camera(run.state), "scene.camera" end
    scenes.need_world(world)
    camera_motion.check(view, where)
    if not self:drives() then return follow_place(self, camera, view) end
    self.motion:move(camera, view, self:time(), function(body)
      if type(body) == "string" then body = world:find(body) end
      -- world:find may have found a joint
      if getmetatable(body) ~= "body" or not body:is_valid() then return nil end
      return self:to_drawn(body, body:center())
    end)
  end)
  return ok, failure
end

--- Fit the camera to the whole world.
function Frame:fit(camera)
  local drawing = drawings.new()
  drawing:world(self.run.world, { size = 0 })
  local x1, y1, x2, y2 = drawing:bounds()
  if x1 then camera:fit(x1, y1, x2, y2) end
end

return frame
