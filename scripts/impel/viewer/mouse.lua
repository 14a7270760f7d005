-- The mouse in the window: the left button selects what it clicks and pulls what it drags, the others move the picture,
-- the wheel zooms at the cursor.
--
-- A body is pulled by a drag joint at the point where it was taken. Its spring has a frequency, its force is bounded
-- by a hundred weights, so that a feather and a truck follow alike.

local pick = require "impel.viewer.pick"

local mouse = {}
local Mouse = {}
Mouse.__index = Mouse

local SLACK = 4        -- [points] that a click may move
local HOLD = 0.15      -- [s] from which on a button that is down holds the body
local REACH = 6        -- [points] around the cursor where lines, joints and contacts are met
local NOTCH = 1.15     -- zoom of one notch of the wheel
local HERTZ = 5        -- of the spring
local REMEMBERED = 64  -- joints that a step back may bring to life again

--- Make the mouse of a viewer.
---@param viewer table  run, camera, overlays, clock(); select(selection)
function mouse.new(viewer)
  return setmetatable({ viewer = viewer, x = 0, y = 0, joints = {} }, Mouse)
end

--- The world point under the cursor [m], and how far around it counts [m].
function Mouse:world_point(x, y)
  local camera = self.viewer.camera
  local wx, wy = camera:to_world((x or self.x) * camera.scale, (y or self.y) * camera.scale)
  return wx, wy, REACH * camera.scale / camera.ppm
end

-- The button goes down: what is taken is decided later, by whether it moves or stays.
local function press(self, event)
  local wx, wy, reach = self:world_point(event.x, event.y)
  local view = self.viewer.run.scene.definition.view
  local pulls = not (view and view.pull == false)
  local body = pulls and pick.body(self.viewer.run.world, wx, wy, reach, self.viewer.frame_of_run)
  self.press = { x = event.x, y = event.y, at = self.viewer.clock() }
  if body and (body.type == "dynamic" or body.type == "particle") then
    self.press.body = body
    self.press.lx, self.press.ly = body:local_point(self.viewer.frame_of_run:from_drawn(body, wx, wy))
  end
end

local function pull(self)
  local taken = self.press
  taken.pulled = true
  if not taken.body or not taken.body:is_valid() then return end
  local wx, wy = self:world_point()
  self.joint = self.viewer.run.world:drag(taken.body, {
    local_anchor_b = { taken.lx, taken.ly }, target = { wx, wy }, hertz = HERTZ, damping_ratio = 1,
  })
  table.insert(self.joints, self.joint)
  if #self.joints > REMEMBERED then table.remove(self.joints, 1) end
end

--- Let go of what is pulled.
function Mouse:release()
  if self.joint then self.joint:destroy() end
  self.joint, self.press = nil, nil
end

--- The world went back: joints of the mouse that came to life again are none.
function Mouse:went_back()
  for _, joint in ipairs(self.joints) do joint:destroy() end
  self.joint, self.press = nil, nil
end

--- Another world: nothing is held, and nothing of the old one remembered.
function Mouse:reset()
  self.joint, self.press, self.panning, self.joints = nil, nil, nil, {}
end

-- A click without a drag selects.
local function lift(self, event)
  local taken = self.press
  if taken and not taken.pulled then
    local wx, wy, reach = self:world_point(event.x, event.y)
    self.viewer:select(pick.at(self.viewer.run.world, wx, wy, reach, self.viewer.overlays, self.viewer.frame_of_run))
  end
  self:release()
end

local handlers = {}

function handlers.mouse_down(self, event)
  if event.button == "left" then press(self, event) else self.panning = event.button end
end

function handlers.mouse_up(self, event)
  if event.button == "left" then lift(self, event) elseif self.panning == event.button then self.panning = nil end
end

function handlers.mouse_move(self, event)
  local camera = self.viewer.camera
  if self.panning then
    self.viewer.following, self.viewer.moved = nil, true
    camera:pan(event.dx * camera.scale, event.dy * camera.scale)
  end
  local taken = self.press
  if taken and not taken.pulled and math.max(math.abs(event.x - taken.x), math.abs(event.y - taken.y)) > SLACK then
    pull(self)
  end
end

function handlers.wheel(self, event)
  local camera = self.viewer.camera
  self.viewer.moved = true
  camera:zoom(NOTCH ^ event.dy, event.x * camera.scale, event.y * camera.scale)
end

--- Take an event of the window.
---@param event table
---@return boolean taken
function Mouse:event(event)
  local handler = handlers[event.type]
  if not handler then return false end
  self.x, self.y = event.x or self.x, event.y or self.y
  handler(self, event)
  return true
end

--- Before the steps of a frame: the picture may have moved under the cursor.
function Mouse:update()
  local taken = self.press
  if taken and taken.body and not taken.pulled and self.viewer.clock() - taken.at > HOLD then pull(self) end
  if not self.joint then return end
  if self.joint:is_valid() and not self.joint.broken then
    self.joint:set_target(self:world_point())
  else
    self.joint = nil
  end
end

--- Draw the spring.
function Mouse:draw(drawing)
  if not (self.joint and self.joint:is_valid()) then return end
  local x, y = self:world_point()
  local _, _, bx, by = self.joint:anchors()
  bx, by = self.viewer.frame_of_run:to_drawn(self.joint.body_b, bx, by)
  drawing:polyline("mark", nil, { bx, by, x, y })
  drawing:dot("mark", nil, bx, by)
end

return mouse
