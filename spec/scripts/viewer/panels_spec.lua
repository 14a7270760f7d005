-- Parameters, the inspector, help, overlays and errors: panels that show and set values.

require "impel.core" -- registers impel.drawing

local api = require "impel.reference.api"
local fields = require "impel.viewer.panels.fields"
local frame = require "impel.picture.frame"
local inspector = require "impel.viewer.panels.inspector"
local nearest = require "impel.base.nearest"
local param_panel = require "impel.viewer.panels.params"
local params = require "impel.scene.params"
local selections = require "impel.viewer.panels.selection"
local theme = require "impel.viewer.ui.theme"
local shared = require "scripts.viewer.panels"

local viewer_of, texts, find_text, shows = shared.viewer_of, shared.texts, shared.find_text, shared.shows
local beside, down, up, move, key = shared.beside, shared.down, shared.up, shared.move, shared.key
local typed, send, click = shared.typed, shared.send, shared.click


describe("the panel of parameters", function()
  it("sets a parameter while its slider is dragged", function()
    local v = viewer_of { "params" }
    local y = find_text(v, "kp").y + 16
    send(v, down(112, y)) -- the middle of the slider's track, which extends from x = 16 to 208
    assert.equal(150, v.run.values.kp)
    send(v, move(22, y), up(22, y))
    assert.equal(0, v.run.values.kp)
    assert.equal("float", math.type(v.run.values.kp))
  end)

  it("keeps whole numbers whole, and switches booleans", function()
    local v = viewer_of { "params" }
    local y = find_text(v, "count").y + 16
    send(v, down(112, y), up(112, y))
    assert.equal(5, v.run.values.count)
    assert.equal("integer", math.type(v.run.values.count))
    click(v, "fast")
    assert.is_true(v.run.values.fast)
  end)

  it("refuses and reports a typed number that is out of range", function()
    local v = viewer_of { "params" }
    click(v, "90")
    send(v, key("u", { ctrl = true }), typed "301", key "return")
    assert.equal(90, v.run.values.kp)
    assert.truthy(v.said[1]:find("'301' is out of range 0..300", 1, true), v.said[1])
  end)

  it("copies changed values as --set options that give exactly the same values", function()
    local v = viewer_of { "params" }
    click(v, "Copy as --set")
    assert.is_nil(v.copied)
    v.run.values.kp, v.run.values.fast, v.run.values.free = 0.1 + 0.2, true, -1e-7
    v:frame()
    click(v, "Copy as --set")
    assert.equal("--set fast=true --set free=-1e-07 --set kp=0.30000000000000004", v.copied)
    local set = {}
    for name, value in v.copied:gmatch "%-%-set (%w+)=(%S+)" do set[name] = value end
    local values = assert(params.values(v.run.scene.params, set, "drop"))
    for _, name in ipairs(nearest.keys(v.run.scene.params)) do assert.equal(v.run.values[name], values[name]) end
    assert.equal("copied: " .. v.copied, v.said[#v.said])
  end)

  it("resets one, and all", function()
    local v = viewer_of { "params" }
    v.run.values.kp, v.run.values.count = 10.0, 4
    v:frame()
    click(v, "Changed: 2 of 4")
    click(v, "reset kp")
    assert.equal(90, v.run.values.kp)
    assert.equal(4, v.run.values.count)
    v.run.values.kp = 11.0
    v:frame()
    click(v, "Reset all")
    assert.equal("", param_panel.command_line(v.run.scene.params, v.run.values))
  end)

  it("shows the help of the parameter under the mouse", function()
    local v = viewer_of { "params" }
    local at = find_text(v, "kp")
    send(v, move(at.x + 2, at.y))
    assert.is_nil(find_text(v, "gain of the spring")) -- the help appears after the mouse has rested
    for _ = 1, 40 do v:frame() end
    shows(v, "gain of the spring")
    shows(v, "default 90, 0 to 300")
  end)
end)


describe("the inspector", function()
  local function selected(v, object, kind)
    v:select { kind = kind, object = object }
    v:frame(900, 4000)
    v:frame()
    v:frame()
  end

  local function first(iterator, state, control)
    return (iterator(state, control))
  end

  it("shows every property and getter of each class of the core", function()
    local v = viewer_of { "inspector" }
    v:step(3)
    local s = v.run.state
    local contact = first(s.crate:contacts())
    local objects = { body = s.crate, joint = s.hinge, contact = contact, row = first(s.hinge:rows()),
      shape = first(s.crate:shapes()), world = v.run.world }
    local counted = 0
    for _, class in ipairs { "body", "joint", "contact", "row", "shape", "world" } do
      if class == "world" then v:select(nil) end
      if class ~= "world" then selected(v, objects[class], class) else v:frame(900, 4000) v:frame() v:frame() end
      local all = {}
      for _, each in ipairs(texts(v)) do all[#all + 1] = "\n" .. each.text end
      local drawn = table.concat(all) .. "\n"
      for _, entry in ipairs(api.tables()[class]) do
        local gives = entry.kind == "method" and fields.gives(entry)
        local wanted = entry.kind == "property" or gives == "values"
        if wanted and not (inspector.left_out[class] or {})[entry.name] then
          counted = counted + 1
          assert.truthy(drawn:find("\n" .. entry.name, 1, true), class .. "." .. entry.name)
        end
      end
    end
    assert.is_true(counted > 100)
  end)

  it("shows an object's values with their units", function()
    local v = viewer_of { "inspector" }
    v:step(3)
    selected(v, v.run.state.crate, "body")
    assert.equal(theme.number(v.run.state.crate.mass), beside(v, "mass"))
    selected(v, v.run.state.hinge, "joint")
    assert.equal("rad/s", fields.unit(v.run.state.hinge, "joint", "m/s or rad/s", "motor_speed"))
    assert.equal(theme.number(v.run.state.hinge.value), beside(v, "value"))
    assert.equal("m", fields.unit(v.run.state.hinge, "joint", "m or rad", "separation"))
    shows(v, "rows: 3")
  end)

  it("sets a typed value, and shows the core's error message", function()
    local v = viewer_of { "inspector" }
    local crate = v.run.state.crate
    selected(v, crate, "body")
    click(v, theme.number(crate.mass))
    send(v, key("u", { ctrl = true }), typed "2.5", key "return")
    assert.equal(2.5, crate.mass)
    v:frame()
    click(v, "2.5000")
    send(v, key("u", { ctrl = true }), typed "-1", key "return")
    assert.equal(2.5, crate.mass)
    assert.truthy(v.said[1]:find "mass", v.said[1])
    local x, y = crate:position()
    click(v, ("%s, %s"):format(theme.number(x), theme.number(y)))
    send(v, key("u", { ctrl = true }), typed "1, 7", key "return")
    assert.same({ 1, 7 }, { crate:position() })
    click(v, "dynamic")
    assert.equal("particle", crate.type)
  end)

  it("lists the rows of a joint; a clicked row and its Jacobian stay visible in later steps", function()
    local v = viewer_of { "inspector" }
    v:step(3)
    selected(v, v.run.state.hinge, "joint")
    click(v, "motor of angle")
    assert.equal("row", v.selection.kind)
    v:frame()
    v:frame()
    shows(v, "jacobian")
    for _ = 1, 3 do
      v:step(1)
      v:frame()
      local row = selections.object(v.selection, v.run.world)
      assert.equal("motor", row.kind)
      assert.same({ 0, 0, -1, 0, 0, 1 }, { row:jacobian() })
      assert.equal(theme.number(row.force), beside(v, "force"))
    end
  end)

  it("begins at the top of a new selection", function()
    local v = viewer_of({ "inspector" }, nil, { width = 640, height = 300 })
    v:select { kind = "body", object = v.run.state.crate }
    for _ = 1, 3 do v:frame() end
    for _ = 1, 5 do send(v, { type = "wheel", x = 500, y = 100, dy = -1, dx = 0 }) end
    assert.is_nil(find_text(v, "position"))
    v:select { kind = "body", object = v.run.state.arm }
    v:frame()
    assert.truthy(find_text(v, "position"))
  end)

  it("finds a contact again while it touches, and reports its end", function()
    local v = viewer_of { "inspector" }
    v:step(60)
    local crate = v.run.state.crate
    selected(v, first(crate:contacts()), "contact")
    local id = v.selection.object.id
    for _ = 1, 5 do
      v:step(1)
      v:frame()
      assert.equal(id, selections.object(v.selection, v.run.world).id)
    end
    crate:set_position(0, 50)
    v:step(1)
    v:frame()
    shows(v, "The shapes do not touch now.")
    v.run.state.arm:destroy()
    selected(v, v.run.state.hinge, "joint")
    shows(v, "The joint was destroyed.")
  end)
end)


describe("the other panels", function()
  it("list all keys, each with its action", function()
    local v = viewer_of { "help" }
    v.keys = {
      { key = "space", label = "Space", about = "pause or continue", group = "Time" },
      { key = "f1", label = "F1", about = "these keys", group = "Panels" },
      { mouse = "wheel", label = "wheel", about = "zoom at the cursor", group = "Mouse" },
    }
    v:frame()
    for _, entry in ipairs(v.keys) do
      shows(v, entry.label)
      shows(v, entry.about)
      shows(v, entry.group)
    end
  end)

  it("show a failure's message, file, line number and source line, and its traceback on request", function()
    local v = viewer_of { "error" }
    v.failure = {
      message = "drop.lua:12: attempt to call a nil value", file = "drop.lua", line = 12, source = "  s.foo()",
      traceback = "drop.lua:12: attempt to call a nil value\nstack traceback:\n\tdrop.lua:12: in function 'update'",
    }
    for _ = 1, 3 do v:frame() end
    assert.truthy(find_text(v, "attempt to call a nil value"))
    assert.truthy(find_text(v, "drop.lua, line 12"))
    assert.truthy(find_text(v, "s.foo()"))
    assert.is_nil(find_text(v, "drop.lua:12: in function 'update'"))
    click(v, "Traceback")
    assert.truthy(find_text(v, "drop.lua:12: in function 'update'"))
    v.failure = { message = "not enough memory" }
    v:frame()
    assert.truthy(find_text(v, "not enough memory"))
  end)

  it("show the key of each overlay, and toggle the overlay at a click", function()
    local v = viewer_of { "overlays" }
    for _, each in ipairs(frame.overlays) do
      assert.truthy(find_text(v, each.key), each.key)
      local before = v.overlays[each.name]
      click(v, each.name)
      assert.equal(not before, v.overlays[each.name] == true)
    end
  end)

  it("have a button in the title, which requests the viewer to close the panel", function()
    for _, name in ipairs { "params", "inspector", "graphs", "profile", "console", "help", "overlays" } do
      local v = viewer_of { name }
      local box = v.ui.panels[1].box
      send(v, down(box[3] - 12, box[2] + 12), up(box[3] - 12, box[2] + 12))
      assert.equal(name, v.toggled)
    end
  end)
end)
