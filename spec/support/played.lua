-- Playbacks of a falling box, for specs.
local core = require "impel.core"

local played = {}

--- Return the bytes of a recording of `steps` steps, and its world. `setup(world)` is called before the recording
--- starts; without `setup`, the recording contains the creation of a floor and a falling box. `act(world, i)` is called
--- before each step. `options`: options of world:record.
function played.bytes(steps, act, setup, options)
  local path = os.tmpname()
  local world = core.world { seed = 5 }
  if setup then setup(world) end
  local recording = assert(world:record(path, options))
  if not setup then
    world:body({ type = "static", name = "floor" }):box { 20, 1, center = { 0, -0.5 } }
    world:body({ name = "crate", position = { 0, 2 } }):box { 1, 1 }
  end
  for i = 1, steps do
    if act then act(world, i) end
    world:step()
  end
  assert(recording:close())
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  os.remove(path)
  return bytes, world
end

local short

--- Return a playback of five steps of the falling box.
function played.short()
  short = short or played.bytes(5)
  return assert(core.playback(short))
end

return played
