-- What keys and panels ask of the viewer, and what both windows do alike: methods of it.

local browser = require "impel.viewer_browser"
local printable = require "impel.printable"
local selections = require "impel.viewer_selection"

local actions = {}

local MOST_MESSAGES = 5
local FRAME = 1 / 60 -- [s]

--- Say something in a line that fades.
---@param text string
---@param topic string|nil  takes the place of what was said of the same
function actions:say(text, topic)
  for i = #self.messages, 1, -1 do
    if topic and self.messages[i].topic == topic then table.remove(self.messages, i) end
  end
  table.insert(self.messages, { text = printable(text):gsub("%s+", " "), topic = topic, at = self.clock() })
  if #self.messages > MOST_MESSAGES then table.remove(self.messages, 1) end
end

--- Pause or go on.
function actions:pause()
  if self.failure then
    self:forgive()
    self.paused = false
  else
    self.paused = not self.paused
  end
  self.pace:reset()
end

--- Pause and make single steps.
function actions:single(count)
  self:forgive()
  self.paused = true
  self.mouse:update()
  self:step(count, true)
end

--- Go to the next speed.
---@param direction 1|-1
function actions:change_speed(direction)
  self.speed = self.pace:change(direction)
end

--- Open a panel, or close it.
---@param name string
function actions:toggle(name)
  if name == "error" then return self:dismiss() end
  for i, open in ipairs(self.open_panels) do
    if open == name then
      table.remove(self.open_panels, i)
      return
    end
  end
  local panel = self.panels[name]
  if not panel then return self:say(("no panel '%s'"):format(name)) end
  local nothing = panel.nothing and panel:nothing()
  if nothing then return self:say(nothing) end
  table.insert(self.open_panels, name)
end

--- Whether a panel is open.
function actions:is_open(name)
  for _, open in ipairs(self.open_panels) do
    if open == name then return true end
  end
  return false
end

--- Show an overlay, or hide it.
function actions:toggle_overlay(name)
  self.overlays[name] = not self.overlays[name] or nil
  self:say(("%s %s"):format(name, self.overlays[name] and "shown" or "hidden"), "overlay")
end

--- Make the arrows of forces and impulses longer or shorter.
---@param factor number
function actions:change_arrows(factor)
  local arrows = self.frame_of_run.arrows
  arrows:multiply(factor)
  self:say(("arrows %.3g times their usual length"):format(arrows.factor), "arrows")
end

--- Select something, and show the inspector; nil selects nothing.
---@param selection table|nil  kind, object
function actions:select(selection)
  self.selection = selection or nil
  if selection and self.panels.inspector and not self:is_open "inspector" then self:toggle "inspector" end
end

--- Close the panel on top; where none is open, select nothing.
function actions:dismiss()
  if self.failure then
    self.paused = true
    return self:forgive()
  end
  if self.selection then return self:select(nil) end
  if #self.open_panels > 0 then table.remove(self.open_panels) end
end

-- The body that moves fastest; where none moves the first that can.
local function fastest(world)
  local found, most = nil, -1
  for body in world:bodies() do
    if body.type == "dynamic" or body.type == "particle" then
      local vx, vy = body:velocity()
      if vx * vx + vy * vy > most then found, most = body, vx * vx + vy * vy end
    end
  end
  return found
end

--- Follow a body with the camera, or stay.
function actions:follow()
  self.moved = true
  if self.following then
    self.following = nil
    return
  end
  local selection = self.selection
  local body = selection and selection.kind == "body" and selections.object(selection, self.run.world)
  self.following = body or fastest(self.run.world)
  if not self.following then self:say "no body that moves" end
end

--- Return a moved camera to a scene that drives it; else show everything.
function actions:fit()
  local moved = self.moved
  self.following, self.moved = nil, true
  if moved and self.frame_of_run:drives() then
    self:look_at_scene()
  else
    self.frame_of_run:fit(self.camera)
  end
end

--- The scenes to choose from.
function actions:scenes()
  if not self.list then self.list = browser.scenes(self.options.folder, self.host.examples) end
  return self.list
end

--- Show the scene before or after this one in the list. Files that are no scenes are passed over.
---@param direction 1|-1
function actions:neighbour(direction)
  local list = self:scenes()
  if #list == 0 then return self:say "no other scenes" end
  -- One that is broken is where we are, although another is shown.
  local at = browser.index(list, self.name) or browser.index(list, self.run.scene.file) or (direction > 0 and 0 or 1)
  for _ = 1, #list do
    at = (at + direction - 1) % #list + 1
    local ok, failure = self:open(list[at].path)
    if ok or not failure.foreign then break end
  end
  self:say(("%d of %d  %s"):format(at, #list, list[at].name), "scene")
end

-- A name beside the current folder's files that is free.
local function free_name(scene, ending)
  for i = 1, 9999 do
    local path = ("%s-%d.%s"):format(scene, i, ending)
    local file = io.open(path, "rb")
    if not file then return path end
    file:close()
  end
  return nil
end

--- Write the window as a PNG in the current folder, in this frame.
function actions:screenshot()
  self.picture_due = true
end

--- What is painted now as a PNG (the frame, before it is shown).
---@return string|nil path
function actions:write_picture()
  self.picture_due = nil
  local path = free_name(self.run.scene.name, "png")
  if not path then return self:say "no free name for a picture" end
  local surface, message = self.window:screenshot()
  if not surface then return self:say(message) end
  local ok, why = surface:png(path)
  surface:close()
  self:say(ok and "wrote " .. path or why)
  return ok and path or nil
end

--- Wait until the next frame is due: a 60th of a second after this one was, so that the rate is kept whatever a sleep
--- is longer than asked. A display that shows pictures at its own rate has made us wait in present().
---@param start number  when this frame began [s]
function actions:rest(start)
  local now = self.clock()
  self.due = (self.due or start) + FRAME
  if self.due < now - FRAME then self.due = now end
  local _, renderer = self.window:driver()
  local waited = renderer ~= "software" and now - start > 0.25 * FRAME
  if self.due > now and not waited then self.sleep(self.due - now) end
end

--- Fill the screen, or do not.
function actions:fullscreen()
  self.window:fullscreen(not self.window:fullscreen())
end

--- Leave at the end of this frame.
function actions:quit()
  self.leaving = true
end

return actions
