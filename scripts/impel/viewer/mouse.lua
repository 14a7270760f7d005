-- The mouse in the window. The left button selects by a click and pulls a body by a drag, with a drag joint; the other
-- buttons move the picture, the wheel zooms.

local pick = require "impel.viewer.pick"

local mouse = {}
local Mouse = {}
Mouse.__index = Mouse

local SLACK = 4        -- [screen points] largest motion of the cursor during a click
local HOLD = 0.15      -- [s] time after which a pressed button starts to pull the body
local REACH = 6        -- [screen points] distance from the cursor within which lines, joints and contacts are picked
local NOTCH = 1.15     -- zoom factor per notch of the wheel
local HERTZ = 5        -- frequency of the drag joint's spring [Hz]
local REMEMBERED = 64  -- number of drag joints remembered, because a step back may restore them

--- Make the mouse of a viewer.
---@param viewer table  run, camera, overlays, clock(); select(selection)
function mouse.new(viewer)
  return setmetatable({ viewer = viewer, x = 0, y = 0, joints = {} }, Mouse)
end

--- Return the world point under the cursor, or at x, y [screen points], and the picking radius [m].
function Mouse:world_point(x, y)
  local camera = self.viewer.camera
  local wx, wy = camera:to_world((x or self.x) * camera.scale, (y or self.y) * camera.scale)
  return wx, wy, REACH * camera.scale / camera.ppm
end

-- Handle a button that goes down. Later movement and time decide between click and pull.
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

--- Release the pulled body.
function Mouse:release()
  if self.joint then self.joint:destroy() end
  self.joint, self.press = nil, nil
end

--- Destroy, after the world went back, the drag joints that the snapshot restored.
function Mouse:went_back()
  for _, joint in ipairs(self.joints) do joint:destroy() end
  self.joint, self.press = nil, nil
end

--- Reset for another world.
function Mouse:reset()
  self.joint, self.press, self.panning, self.joints = nil, nil, nil, {}
end

-- Handle a button that goes up: a click without a drag selects.
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

--- Handle an event of the window.
---@param event table
---@return boolean taken
function Mouse:event(event)
  local handler = handlers[event.type]
  if not handler then return false end
  self.x, self.y = event.x or self.x, event.y or self.y
  handler(self, event)
  return true
end

--- Update the pull before the steps of a frame, because the picture may have moved under the cursor.
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

--- Draw the spring between cursor and pulled body.
function Mouse:draw(drawing)
  if not (self.joint and self.joint:is_valid()) then return end
  local x, y = self:world_point()
  local _, _, bx, by = self.joint:anchors()
  bx, by = self.viewer.frame_of_run:to_drawn(self.joint.body_b, bx, by)
  drawing:polyline("mark", nil, { bx, by, x, y })
  drawing:dot("mark", nil, bx, by)
end

return mouse
