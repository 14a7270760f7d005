-- Methods of both viewers (init.lua and apart.lua): the actions that keys and panels call, and common code.

local browser = require "impel.viewer.panels.browser"
local films = require "impel.viewer.film"
local nearest = require "impel.base.nearest"
local palette = require "impel.picture.palette"
local printable = require "impel.base.printable"
local selections = require "impel.viewer.panels.selection"
local settings = require "impel.viewer.settings"
local slots = require "impel.viewer.panels.slots"
local status = require "impel.viewer.status"

local actions = {}

local WIDTH, HEIGHT = 1280, 800 -- [screen points] default size of the window
local MOST_MESSAGES = 5
local FRAME = 1 / 60 -- [s] time from one frame to the next

--- Show a message that fades and replaces a message of the same topic.
---@param text string
---@param topic string|nil  nil: replace none
function actions:say(text, topic)
  for i = #self.messages, 1, -1 do
    if topic and self.messages[i].topic == topic then table.remove(self.messages, i) end
  end
  table.insert(self.messages, { text = printable(text):gsub("%s+", " "), topic = topic, at = self.clock() })
  if #self.messages > MOST_MESSAGES then table.remove(self.messages, 1) end
end

--- Set the title of the window.
function actions:show_title()
  if not self.window then return end
  self.window:set_title(("%s%s - impel%s"):format(self.film and "recording - " or "", status.title_of(self.run),
    self.title_suffix or ""))
end

--- Pause the scene, or resume it.
function actions:pause()
  if self.failure then
    self:forgive()
    self.paused = false
  else
    self.paused = not self.paused
  end
  self.pace:reset()
  -- A game has no status line that shows the pause
  if self.options.play then self:say(self.paused and "paused" or "running", "pause") end
end

--- Pause and make single steps.
function actions:single(count)
  self:forgive()
  self.paused = true
  self.mouse:update()
  self:step(count, true)
end

--- Change the speed of the simulation to the next level.
---@param direction 1|-1
function actions:change_speed(direction)
  self.speed = self.pace:change(direction)
end

--- Open a panel, or close it.
---@param name string
function actions:toggle(name)
  if name == "error" then return self:dismiss() end
  if self.hidden then
    self:hide_panels(false)
    if self:is_open(name) then return end
  end
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

--- Hide panels, toolbar and status line, or show them again.
function actions:toggle_panels()
  if self.options.play then return self:say "a game has no panels" end
  self:hide_panels(not self.hidden)
  if self.hidden then self:say("the panels are hidden: F10 shows them", "panels") end
end

local SCALES = { 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4 }

--- Change the scale of the user interface, and save it as a preference.
---@param direction 1|-1|0  larger, smaller, set to 1
function actions:change_ui_scale(direction)
  local scale, chosen = self.ui_scale, direction == 0 and 1 or self.ui_scale
  for i = 1, #SCALES do
    local each = SCALES[direction > 0 and i or #SCALES + 1 - i]
    if direction * (each - scale) > 1e-9 then
      chosen = each
      break
    end
  end
  self.ui_scale_kept = math.max(settings.SMALLEST, math.min(settings.LARGEST, chosen))
  self:set_ui_scale(self.ui_scale_kept)
  self:say(("panel scale %g"):format(self.ui_scale), "ui_scale")
end

--- Switch between the light and the dark canvas, and save the choice as a preference.
function actions:toggle_dark()
  self.dark_kept = self.palette ~= palette.dark
  self:set_dark(self.dark_kept)
end

--- Start or end a film of the window.
function actions:record() films.toggle(self) end

--- Save the state of the world in a slot.
---@param number integer
function actions:save_slot(number) slots.save(self, number) end

function actions:load_slot(number) return slots.load(self, number) end

--- Return whether a panel is open.
function actions:is_open(name)
  return nearest.has(self.open_panels, name)
end

--- Show or hide an overlay.
function actions:toggle_overlay(name)
  self.overlays[name] = not self.overlays[name] or nil
  self:say(("%s %s"):format(name, self.overlays[name] and "shown" or "hidden"), "overlay")
end

--- Make the arrows of forces and impulses longer or shorter.
---@param factor number
function actions:change_arrows(factor)
  local arrows = self.frame_of_run.arrows
  arrows:multiply(factor)
  self:say(("arrow length: %.3g times the default"):format(arrows.factor), "arrows")
end

--- Select something, and show the inspector; nil selects nothing.
---@param selection table|nil  kind, object
function actions:select(selection)
  self.selection = selection or nil
  if selection and self.panels.inspector and not self:is_open "inspector" then self:toggle "inspector" end
end

--- Clear the failure. Without a failure, clear the selection; without a selection either, close the topmost panel.
function actions:dismiss()
  if self.failure then
    self.paused = true
    return self:forgive()
  end
  if self.selection then return self:select(nil) end
  if #self.open_panels > 0 then table.remove(self.open_panels) end
end

-- A body leads if it is faster or, at about equal speed, heavier.
local function leads(speed, mass, other_speed, other_mass)
  if math.abs(speed - other_speed) > 0.1 * math.max(speed, other_speed) then return speed > other_speed end
  return mass > other_mass
end

-- Return the preferred body of a world, nil if no body can move.
local function leader(world)
  local found, fastest, heaviest = nil, 0, 0
  for body in world:bodies() do
    if body.type == "dynamic" or body.type == "particle" then
      local vx, vy = body:velocity()
      local speed, mass = math.sqrt(vx * vx + vy * vy), body.mass
      if not found or leads(speed, mass, fastest, heaviest) then found, fastest, heaviest = body, speed, mass end
    end
  end
  return found
end

--- Stop following a body; if no body is followed, follow the selected body or, without a selected body, the fastest.
function actions:follow()
  self.moved = true
  if self.following then
    self.following, self.followed = nil, nil
    return
  end
  local selection = self.selection
  local body = selection and selection.kind == "body" and selections.object(selection, self.run.world)
  self.following = body or leader(self.run.world)
  if not self.following then return self:say "no moving body to follow" end
  self.followed = { name = self.following.name, id = self.following.id }
  self:say("the camera follows " .. tostring(self.following), "follow")
end

--- After a restart follow the same body as before: the body with its name or, without a name, with its id.
---@param same_scene boolean|nil  false or nil: follow no body
function actions:follow_again(same_scene)
  local wanted = self.following and same_scene and self.followed
  self.following = nil
  if not wanted then return end
  for body in self.run.world:bodies() do
    if wanted.name and body.name == wanted.name or not wanted.name and body.id == wanted.id then
      self.following = body
      break
    end
  end
end

--- Fit the camera to the whole scene. But if the scene drives the camera and the user has moved it, let the scene drive
--- the camera again.
function actions:fit()
  local moved = self.moved
  self.following, self.moved = nil, true
  if moved and self.frame_of_run:drives() then
    self:look_at_scene()
  else
    self.frame_of_run:fit(self.camera)
  end
end

--- Return the scenes to choose from.
function actions:scenes()
  if not self.list then self.list = browser.scenes(self.options.folder, self.host.examples) end
  return self.list
end

--- Show the previous or next scene of the list. Skip files that are not scenes.
---@param direction 1|-1
function actions:neighbour(direction)
  local list = self:scenes()
  if #list == 0 then return self:say "no other scenes" end
  -- Position of the current scene in the list.
  local at = browser.index(list, self.name) or browser.index(list, self.run.scene.file) or (direction > 0 and 0 or 1)
  for _ = 1, #list do
    at = (at + direction - 1) % #list + 1
    local ok, failure = self:open(list[at].path)
    if ok or not failure.foreign then break end
  end
  self:say(("%d of %d  %s"):format(at, #list, list[at].name), "scene")
end

--- Adapt to a changed size of the window.
function actions:resize()
  local width, height = self.window:size()
  self.shown = width >= 1 and height >= 1
  if self.shown then self.camera:resize(self:view_size()) end
end

--- Return the width and height of the part of the window that shows the scene [device pixels], and the number of device
--- pixels per screen point.
function actions:view_size()
  local width, height, scale = self.window:size()
  return width * scale, (height - self:line_height() - self.covered) * scale, scale
end

--- Open the window; or return nil and a failure.
---@param remembered table  width, height: used unless the command line gives a size
function actions:open_window(remembered)
  local options = self.options
  local size = options.size or {}
  local window, message = options.window.open {
    title = "impel", width = size.width or remembered.width or WIDTH,
    height = size.height or remembered.height or HEIGHT, software = options.software, hidden = options.hidden,
  }
  if not window then return nil, { kind = "usage", message = message } end
  self.window = window
  return true
end

--- Paint the scene, if `paintable`, and the panels.
---@param panels table      camera of the panels
---@param paintable boolean
function actions:paint(panels, paintable)
  local window = self.window
  window:clear(self.palette.background)
  if paintable then window:paint(self.drawing, self.camera, self.palette) end
  window:paint(self.panel_drawing, panels, palette)
  if self.picture_due then self:write_picture() end
  films.add(self)
  window:present()
end

--- Write the window as a PNG in the current folder at the end of the frame.
function actions:screenshot()
  self.picture_due = true
end

--- Write the painted frame as a PNG, before the frame is displayed.
---@return string|nil path  nil if writing failed; then a message in the window says why
function actions:write_picture()
  self.picture_due = nil
  local path = films.free_name(self.run.scene.name .. "-%d.png")
  if not path then return self:say "no free file name for a picture: remove old pictures" end
  local surface, message = self.window:screenshot()
  if not surface then return self:say(message) end
  local ok, why = surface:png(path)
  surface:close()
  self:say(ok and "wrote " .. path or why)
  return ok and path or nil
end

--- Wait until the next frame is due, unless present() has waited for the display. start: begin of this frame [s].
function actions:rest(start)
  local now = self.clock()
  self.due = (self.due or start) + FRAME
  if self.due < now - FRAME then self.due = now end
  local _, renderer = self.window:driver()
  local waited = renderer ~= "software" and now - start > 0.25 * FRAME
  if self.due > now and not waited then self.sleep(self.due - now) end
end

--- Switch full screen on or off.
function actions:fullscreen()
  self.window:fullscreen(not self.window:fullscreen())
end

--- Close the window at the end of the frame.
function actions:quit()
  self.leaving = true
end

--- Close the window with an error message after the display was lost.
function actions:lose()
  self.lost = true
  self.problem = { kind = "usage", message = "the display was lost" }
  self:quit()
end

--- Handlers of events in both viewers, by type of event.
actions.handlers = { close = actions.quit, lost = actions.lose, resize = actions.resize }

return actions
