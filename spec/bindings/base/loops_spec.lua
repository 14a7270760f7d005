-- The iterator of world:events, and __index and __newindex of the classes, check their arguments if called directly.
local core = require "impel.core"
local raises = require "support.raises"

-- Three boxes that begin to touch the ground in the first step.
local function boxes()
  local world = core.world {}
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
  for i = 1, 3 do world:body({ position = { 2 * i, 0.5 } }):box { 1, 1 } end
  world:step()
  return world
end

describe("loops over events", function()
  it("can be nested", function()
    local world, met = boxes(), {}
    for outer in world:events "begin_contact" do
      for inner in world:events "begin_contact" do met[#met + 1] = tostring(outer) .. ", " .. tostring(inner) end
    end
    assert.equal(9, #met)
    assert.equal("begin_contact event 1, begin_contact event 3", met[3])
    assert.equal("begin_contact event 3, begin_contact event 1", met[7])
  end)

  it("can continue only from an event of the world and the step in which the loop began", function()
    local world = boxes()
    local next_event, state, start = world:events "begin_contact"
    local first = next_event(state, start)
    assert.equal("begin_contact event 2", tostring(next_event(state, first)))
    for _, wrong in ipairs { world, io.stdout, 1, {} } do
      raises("an iterator is for a loop", next_event, state, wrong)
      raises(wrong == world and "an event of another world" or "an iterator is for a loop", next_event,
        wrong == world and boxes() or wrong, first)
    end
    world:step()
    raises("attempt to use an event after its step", next_event, state, first)
    raises("attempt to use an event after its step", next_event, state, first) -- a repeated call fails in the same way
  end)
end)

describe("a property's function", function()
  it("refuses objects of other classes, even if it is called through the debug library", function()
    local world, objects = boxes(), {}
    objects.world = world
    for body in world:bodies() do objects.body = body end
    for shape in objects.body:shapes() do objects.shape = shape end
    for contact in world:contacts() do objects.contact = contact end
    for event in world:events "begin_contact" do objects.event = event end
    local others = { 1, "x", {}, print, io.stdout, core.qp(1, 0), coroutine.create(print) }
    for class, key in pairs { world = "tick", body = "angle", shape = "type", contact = "id", event = "kind" } do
      local metatable = debug.getmetatable(objects[class])
      for _, other in ipairs(others) do
        local words = ("a %s is expected before the ':' or '.', got"):format(class)
        raises(words, function() return metatable.__index(other, key) end)
        raises(words, function() metatable.__newindex(other, key, 1) end)
      end
    end
  end)
end)
