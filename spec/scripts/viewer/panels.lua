-- panels: functions for specs of the viewer's panels. A table replaces the viewer. The width of a text is proportional
-- to its number of letters.

require "impel.core" -- registers impel.drawing

local assert = require "luassert"
local drawings = require "impel.drawing"
local frame = require "impel.picture.frame"
local params = require "impel.scene.params"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local uis = require "impel.viewer.ui"

local SCENE = [[
local impel = require "impel"
local scene = { title = "drop", params = {
  kp = { 90.0, min = 0, max = 300, help = "gain of the spring" }, count = { 3, min = 1, max = 9 }, free = 2.0,
  fast = false,
} }
function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local floor = world:body { type = "static", name = "floor" }
  floor:box { 20, 1 }
  local crate = world:body { name = "crate", position = { 0.25, 1 } }
  crate:box { 1, 1 }
  local arm = world:body { name = "arm", position = { 4, 3 } }
  arm:circle { radius = 0.5 }
  local hinge = world:revolute(floor, arm, { anchor = { 5, 3 }, name = "hinge", motor = { speed = 1, max_force = 2 } })
  return { world = world, crate = crate, arm = arm, hinge = hinge, p = p }
end
function scene.measure(s) return { height = select(2, s.arm:position()), kinetic = s.p.kp, awake = s.crate.awake } end
return scene
]]

local PX = 0.5 -- width of a letter relative to the height of the text

local function text_size(text, px)
  return PX * px * (utf8.len(text) or #text), px
end

-- Return a table that replaces the viewer, with the named panels open.
local function viewer_of(names, text, options)
  local scene = assert(scenes.parse(text or SCENE, "=drop.lua"))
  local v = { said = {}, overlays = frame.defaults(), open = {}, panels = {}, time = 0, set_values = {}, keys = {} }
  v.clock = function() return v.time end
  v.window = { clipboard = function(_, copied) v.copied = copied end }

  local function begin(set)
    local run, failure = runner.new(scene, { set = set, seed = 7, clock = v.clock })
    if not run then return nil, failure end
    v.run, v.set_values = run, set
    for _, panel in ipairs(v.open) do
      if panel.reset then panel:reset() end
    end
    return true
  end
  function v:say(said) self.said[#self.said + 1] = said end
  function v:set(name, value)
    local taken, message = params.value(scene.params, name, value, "drop")
    if taken == nil then return self:say(message) end
    self.run.values[name] = taken
    return true
  end
  function v:restart(set)
    local all = {}
    for _, each in ipairs { self.set_values, set or {} } do
      for name, value in pairs(each) do all[name] = value end
    end
    return begin(all)
  end
  function v:step(count)
    for _ = 1, count do
      local ok, failure = self.run:step()
      if not ok then return nil, failure end
      for _, panel in ipairs(self.open) do
        if panel.step then panel:step() end
      end
    end
    return true
  end
  function v:select(selection) self.selection = selection end
  function v:toggle(name) self.toggled = name end
  assert(begin({}))
  for _, name in ipairs(names) do
    v.panels[name] = require("impel.viewer.panels." .. name).new(v)
    v.open[#v.open + 1] = v.panels[name]
  end

  v.ui = uis.new { text_size = text_size }
  v.drawing = drawings.new()
  function v:frame(width, height)
    self.width, self.height = width or self.width or 640, height or self.height or 800
    self.drawing:clear()
    self.ui:begin(self.drawing, self.width, self.height)
    for _, panel in ipairs(self.open) do panel:draw(self.ui) end
    self.ui:finish()
  end
  v:frame(options and options.width, options and options.height)
  v:frame()
  v:frame()
  return v
end

-- Return all texts drawn: { text, x, y, align }.
local function texts(v)
  local list = {}
  for _, item in v.drawing:items() do
    if item.kind == "text" then list[#list + 1] = { text = item.text, x = item[1], y = item[2], align = item.align } end
  end
  return list
end

local function find_text(v, wanted, nth)
  for _, each in ipairs(texts(v)) do
    if each.text == wanted then
      nth = (nth or 1) - 1
      if nth == 0 then return each end
    end
  end
  return nil
end

local function shows(v, wanted)
  local all = {}
  for _, each in ipairs(texts(v)) do all[#all + 1] = each.text end
  local text = table.concat(all, "\n")
  assert.truthy(text:find(wanted, 1, true), ("'%s' in:\n%s"):format(wanted, text))
end

-- Return the text to the right of a label.
local function beside(v, name)
  local label = find_text(v, name) or error("no row " .. name)
  for _, each in ipairs(texts(v)) do
    if each.y == label.y and each.align == 1 then return each.text end
  end
  return nil
end

local function down(x, y) return { type = "mouse_down", button = "left", x = x, y = y, clicks = 1 } end
local function up(x, y) return { type = "mouse_up", button = "left", x = x, y = y } end
local function move(x, y) return { type = "mouse_move", x = x, y = y, dx = 0, dy = 0 } end
local function key(name, more)
  local event = { type = "key", key = name, down = true }
  for field, value in pairs(more or {}) do event[field] = value end
  return event
end
local function typed(text) return { type = "text", text = text } end

-- Pass events to the panels as the viewer does, then run a frame.
local function send(v, ...)
  local taken
  for _, event in ipairs { ... } do
    taken = false
    for i = #v.open, 1, -1 do
      local panel = v.open[i]
      if panel.event and panel:event(event) then
        taken = true
        break
      end
    end
    if not taken then taken = v.ui:event(event) end
  end
  v:frame()
  return taken
end

local function click(v, text, nth)
  local at = find_text(v, text, nth) or error("no text " .. text)
  local x = at.align == 1 and at.x - 4 or at.align == 0 and at.x + 4 or at.x
  send(v, move(x, at.y), down(x, at.y), up(x, at.y))
  v:frame()
end

-- Return a viewer with one panel, whose content `draw` draws.
local function bare(draw)
  local v = viewer_of {}
  v.open[1] = { draw = function(_, ui)
    ui:begin_panel("test", "Test", 0, 0, 200, 300)
    draw(ui)
    ui:finish_panel()
  end }
  v:frame()
  return v
end

return {
  text_size = text_size, viewer_of = viewer_of, texts = texts, find_text = find_text, shows = shows,
  beside = beside, down = down, up = up, move = move, key = key, typed = typed, send = send, click = click,
  bare = bare, SCENE = SCENE,
}
