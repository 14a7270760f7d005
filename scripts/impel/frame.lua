-- One picture of a run as a drawing: the grid, the world, what the scene draws, trails. The window, pictures and films
-- all ask a frame, so that they show the same.
--
--   local f = frame.new(run)
--   f:sample()                               -- after each step: for the trails
--   drawing:clear()
--   local ok, failure = f:fill(drawing, camera, frame.defaults())

local field_picture = require "impel.field_picture"
local palette = require "impel.palette"
local pens = require "impel.pen"
local rng = require "impel.rng"
local scenes = require "impel.scene"
local ticks = require "impel.ticks"
local trails = require "impel.trails"

local frame = {}
local Frame = {}
Frame.__index = Frame

--- What may be shown, in the order of lists: name, about, key in the viewer, and whether it is shown by default.
frame.overlays = {
  { name = "shapes", about = "shapes of bodies", key = "1", default = true },
  { name = "joints", about = "joints, with limits and springs", key = "2", default = true },
  { name = "contacts", about = "points where shapes touch", key = "3" },
  { name = "normals", about = "normals of contacts", key = "4" },
  { name = "forces", about = "forces of contacts and reactions of joints", key = "5" },
  { name = "rows", about = "impulses of the rows of joints", key = "6" },
  { name = "boxes", about = "axis-aligned boxes around shapes", key = "7" },
  { name = "centers", about = "centres of mass and axes of bodies", key = "8" },
  { name = "velocities", about = "velocities of centres of mass", key = "9" },
  { name = "names", about = "names of bodies", key = "0" },
  { name = "fields", about = "force fields: water, wind, points of attraction", key = "v", default = true },
  { name = "trails", about = "where centres of mass were", key = "t" },
  { name = "grid", about = "a grid in metres", key = "g" },
  { name = "scene", about = "what the scene draws itself", key = "x", default = true },
}

-- Sizes as parts of the height shown, so that symbols and arrows are as large at every zoom.
local SYMBOL = 0.022
local LONGEST = 0.3
local WEIGHT = 0.1  -- arrow of the heaviest body's weight
local SPEED = 0.12  -- arrow of the speed of a fall through the height shown
local STEEPEST = 1e12 -- scale that a drawing takes: far away, or where nothing has weight, it would be more
local GRID_LINES = 8
local GRID_TEXT = 0x22272ea0

--- The overlays that are shown by default: a set of names.
function frame.defaults()
  local set = {}
  for _, overlay in ipairs(frame.overlays) do set[overlay.name] = overlay.default or nil end
  return set
end

--- Pictures of a run.
---@param run table  of impel.run
function frame.new(run)
  local self = setmetatable({ run = run, pen = pens.new(), trails = trails.new(), colors = {} }, Frame)
  for i, name in ipairs(palette.series) do self.colors[i] = palette.named[name] end
  self:sample()
  return self
end

--- Note where bodies are, for the trails: to be called after each step.
function Frame:sample()
  self.trails:sample(self.run.world)
end

-- The heaviest body's weight [N]; looked for again when bodies came or went.
local function reference_force(self, world)
  local count = world:counts().bodies
  if self.weighed ~= count then
    local heaviest = 0
    for body in world:bodies() do
      if body.type ~= "static" and body.mass > heaviest then heaviest = body.mass end
    end
    self.weighed, self.heaviest = count, heaviest
  end
  local gx, gy = world:gravity()
  local g = math.sqrt(gx * gx + gy * gy)
  return math.max(self.heaviest * (g > 0 and g or 9.81), 1e-9)
end

local function draw_grid(drawing, camera)
  local x1, y1, x2, y2 = camera:bounds()
  local factor, power = ticks.step(camera.height, GRID_LINES)
  local step = tonumber(("%de%d"):format(factor, power))
  local format = ("%%.%df"):format(math.max(0, -power))
  local edge = 0.01 * camera.height
  for i = math.ceil(x1 / step), math.floor(x2 / step) do
    drawing:polyline("grid", nil, { i * step, y1, i * step, y2 })
    drawing:text("grid", GRID_TEXT, 0, 0.5, i * step, y1 + 2 * edge, format:format(i * step))
  end
  for i = math.ceil(y1 / step), math.floor(y2 / step) do
    drawing:polyline("grid", nil, { x1, i * step, x2, i * step })
    drawing:text("grid", GRID_TEXT, 0, 0, x1 + edge, i * step, format:format(i * step))
  end
end

-- The speed of a fall through the height shown [m/s].
local function fastest(camera) return math.sqrt(2 * 9.81 * camera.height) end

-- The options of drawing:world.
local function world_options(self, world, camera, overlays)
  local height, force = camera.height, WEIGHT * camera.height / reference_force(self, world)
  return {
    shapes = overlays.shapes == true, joints = overlays.joints == true, contacts = overlays.contacts == true,
    normals = overlays.normals == true, forces = overlays.forces == true, rows = overlays.rows == true,
    boxes = overlays.boxes == true, centers = overlays.centers == true, velocities = overlays.velocities == true,
    names = overlays.names == true,
    size = SYMBOL * height, longest = LONGEST * height, force_scale = math.min(force, STEEPEST),
    impulse_scale = math.min(force / world.dt, STEEPEST),
    velocity_scale = SPEED * height / fastest(camera),
  }
end

--- Add a picture of the run as it is now to a drawing.
---@param drawing userdata  of impel.drawing
---@param camera table      of impel.camera
---@param overlays table    set of the names that are shown
---@return boolean|nil ok
---@return table|nil failure  of scene.draw; the rest is drawn nevertheless
function Frame:fill(drawing, camera, overlays)
  local run = self.run
  local world, draw = run.world, run.scene.definition.draw
  if overlays.grid then draw_grid(drawing, camera) end
  drawing:world(world, world_options(self, world, camera, overlays))
  if overlays.fields then
    field_picture.draw(drawing, world, camera, { force = reference_force(self, world), speed = fastest(camera) })
  end
  if overlays.trails then self.trails:draw(drawing, self.colors) end
  if not draw or not overlays.scene then return true end
  self.pen:begin(drawing, camera, world.time)
  -- math.random in it is a source of its own: how many pictures are taken must not reach the run.
  local set_source = run.scene.set_source
  if set_source then set_source(rng.new(world.tick)) end
  local ok, problem = scenes.guard(run.scene.file .. ": draw", function()
    draw(run.state, self.pen)
    scenes.need_world(world)
  end)
  if set_source and world:is_valid() then set_source(world) end
  if ok then return true end
  return nil, { kind = "scene", message = problem.message, traceback = problem.traceback }
end

-- Whether the run has other parameters than the scene's own, for which its view is made.
local function is_changed(run)
  for name, param in pairs(run.scene.params) do
    if run.values[name] ~= param.default then return true end
  end
  return false
end

-- Show what is shown and the centres of all that moves.
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

--- A camera for the run: the scene's own view, which other parameters may widen, or one that shows all that is there.
---@param cameras table  impel.camera
---@param width number   [device pixels]
---@param height number
---@param scale number|nil  device pixels in a point
---@return table camera
function Frame:camera(cameras, width, height, scale)
  local view = self.run.scene.definition.view or {}
  local camera = cameras.new { x = view.x, y = view.y, height = view.height, width_px = width, height_px = height,
    scale = scale }
  if not (view.x or view.y or view.height) then
    self:fit(camera)
  elseif is_changed(self.run) then
    widen(camera, self.run.world)
  end
  return camera
end

--- Show all that is there.
---@param camera table
function Frame:fit(camera)
  local drawing = require("impel.drawing").new()
  drawing:world(self.run.world, { size = 0 })
  local x1, y1, x2, y2 = drawing:bounds()
  if x1 then camera:fit(x1, y1, x2, y2) end
end

return frame
