-- A fake window for specs of the viewer. Specs add events, and the window counts the shown frames.
--   local fake = require "support.viewer_fake"
--   local window, clock = fake.window(), fake.clock()
local fake = {}

local Window = {}
Window.__index = Window

--- Return a replacement of the module impel.window. Its `handle` is the window that open() returns.
function fake.window(width, height)
  local handle = setmetatable({ events = {}, presented = 0, width = width or 800, height = height or 600 }, Window)
  return {
    handle = handle,
    text_size = function(text, px) return 0.5 * px * #text, px end,
    open = function(options)
      handle.options = options
      return handle
    end,
  }
end

function Window:poll()
  local events = self.events
  self.events = {}
  return events
end

function Window:push(event) table.insert(self.events, event) end
function Window:size() return self.width, self.height, 1 end
function Window.position() return 10, 20 end
function Window:move(x, y) self.moved = { x, y } end
function Window:set_title(title) self.title = title end
function Window.clear() end
function Window.screenshot() return nil, "a fake window has no picture" end
function Window.paint() end
function Window:present() self.presented = self.presented + 1 end
function Window:fullscreen(on)
  if on ~= nil then self.full = on end
  return self.full or false
end
function Window.driver() return "none", "software" end
function Window:clipboard(text) self.text = text end
function Window:close() self.closed = true end

--- Return a fake clock. Sleep at the end of a frame advances the clock by 1/60 s.
function fake.clock()
  local clock = { now = 100 }
  function clock.read() return clock.now end
  function clock.sleep() clock.now = clock.now + 1 / 60 end
  return clock
end

--- A ball that falls without end. The scene reads the parameter `lift` in every step, and `height` only in setup.
fake.SCENE = [[
local impel = require "impel"
local scene = { title = "ball", view = { x = 0, y = 0, height = 12 } }
scene.params = { height = { 3.0, min = 0, max = 5 }, lift = { 0.0, min = 0, max = 50 } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 } }
  local ball = world:body { name = "ball", position = { 0, p.height } }
  ball:circle { radius = 0.5, density = 4 / math.pi } -- 1 kg
  local floor = world:body { type = "static", name = "floor", position = { 0, -4 } }
  floor:box { 8, 1 }
  return { world = world, ball = ball, p = p, steps = 0, places = {} }
end
function scene.update(s)
  s.steps = s.steps + 1
  s.places[s.steps] = select(2, s.ball:position())
  if s.p.lift > 0 then s.ball:apply_force(0, s.p.lift) end
end
function scene.measure(s) return { y = select(2, s.ball:position()) } end
return scene
]]

return fake
