-- The viewer's panels without a window: events in, what is drawn and what was done out. A viewer with the fields that
-- panels may use stands in for the real one; text is as wide as its letters are many.

require "impel.core" -- brings impel.drawing

local api = require "impel.api"
local csv = require "impel.csv"
local docks = require "impel.viewer_docks"
local drawings = require "impel.drawing"
local edit = require "impel.viewer_edit"
local fields = require "impel.viewer_fields"
local frame = require "impel.frame"
local inspector = require "impel.viewer_inspector"
local nearest = require "impel.nearest"
local param_panel = require "impel.viewer_params"
local params = require "impel.params"
local plot = require "impel.viewer_plot"
local profile = require "impel.viewer_profile"
local rings = require "impel.viewer_ring"
local runner = require "impel.run"
local scenes = require "impel.scene"
local selections = require "impel.viewer_selection"
local theme = require "impel.viewer_theme"
local uis = require "impel.viewer_ui"

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

local PX = 0.5 -- width of a letter by the height of the text

local function text_size(text, px)
  return PX * px * (utf8.len(text) or #text), px
end

-- A viewer with the panels of those names open.
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
    v.panels[name] = require("impel.viewer_" .. name).new(v)
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

-- All texts that were drawn: { text, x, y, align }.
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

-- The value that stands at the right of a name.
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

-- Events as the viewer hands them on, then a frame.
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

-- A panel with one function as its content, for widgets.
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


describe("the user interface", function()
  it("answers a click within the frame, and loses none of two in one frame", function()
    local pressed = 0
    local v = bare(function(ui) if ui:button("go", "Go") then pressed = pressed + 1 end end)
    local at = find_text(v, "Go")
    send(v, down(at.x, at.y), up(at.x, at.y))
    assert.equal(1, pressed)
    send(v, down(at.x, at.y), up(at.x, at.y), down(at.x, at.y), up(at.x, at.y))
    v:frame()
    assert.equal(3, pressed)
  end)

  it("takes no click that ends beside the button, and none outside of a panel", function()
    local pressed = 0
    local v = bare(function(ui) if ui:button("go", "Go") then pressed = pressed + 1 end end)
    local at = find_text(v, "Go")
    assert.is_true(send(v, down(at.x, at.y)))
    assert.is_true(send(v, move(400, 400))) -- the panel holds the mouse
    assert.is_true(send(v, up(400, 400)))
    assert.equal(0, pressed)
    assert.is_false(send(v, down(400, 400)))
    assert.is_false(send(v, move(at.x, at.y))) -- dragged in from the scene
    assert.is_false(send(v, up(at.x, at.y)))
    assert.equal(0, pressed)
  end)

  it("leaves keys to the scene until a widget has the keyboard", function()
    local v = bare(function(ui) ui:button("go", "Go") end)
    assert.is_false(send(v, key "space"))
    assert.is_false(send(v, key "right"))
    assert.is_false(send(v, typed "a"))
    assert.is_true(send(v, key "tab"))
    assert.is_true(send(v, key "space"))
    assert.is_false(send(v, key "f1"))
    assert.is_true(send(v, key "escape"))
    assert.is_false(send(v, key "space"))
  end)

  it("walks through the widgets with Tab, and back with Shift", function()
    local order = {}
    local v = bare(function(ui)
      for _, id in ipairs { "a", "b", "c" } do
        if ui:button(id, id) then order[#order + 1] = id end
      end
    end)
    for _ = 1, 4 do send(v, key "tab", key "return") end
    send(v, key("tab", { shift = true }), key "return")
    assert.equal("a b c a c", table.concat(order, " "))
  end)

  it("scrolls what finds no room by the wheel, to its end and not further", function()
    local v = bare(function(ui) for i = 1, 60 do ui:row("line " .. i, i) end end)
    local before = find_text(v, "line 1").y
    send(v, { type = "wheel", x = 50, y = 100, dy = -1, dx = 0 })
    v:frame()
    assert.is_nil(find_text(v, "line 1"))
    assert.truthy(find_text(v, "line 4"))
    for _ = 1, 40 do send(v, { type = "wheel", x = 50, y = 100, dy = -1, dx = 0 }) end
    v:frame()
    assert.is_true(find_text(v, "line 60").y < 300)
    assert.is_true(find_text(v, "line 60").y > 270)
    for _ = 1, 40 do send(v, { type = "wheel", x = 50, y = 100, dy = 1, dx = 0 }) end
    v:frame()
    assert.equal(before, find_text(v, "line 1").y)
  end)

  it("drags a slider along its steps, also within one frame", function()
    local value = 2
    local v = bare(function(ui) value = ui:slider("n", "n", value, 0, 10, 1) end)
    local y = find_text(v, "n").y + 16
    send(v, down(20, y), move(100, y), up(100, y)) -- the middle of the track, 8 to 192
    assert.equal(5, value)
    send(v, down(100, y), move(1000, y + 50))
    assert.equal(10, value)
    send(v, move(-50, y), up(-50, y))
    assert.equal(0, value)
  end)

  it("sets a slider by keys and by typing", function()
    local value = 2.0
    local v = bare(function(ui) value = ui:slider("n", "n", value, 0, 10) end)
    send(v, key "tab", key "right")
    assert.equal(2.1, value)
    send(v, key "home")
    assert.equal(0, value)
    send(v, key "escape")
    local at = find_text(v, "0")
    send(v, down(at.x - 2, at.y), up(at.x - 2, at.y))
    send(v, key("u", { ctrl = true }), typed "7.25", key "return")
    assert.equal(7.25, value)
    assert.is_false(send(v, key "space"))
  end)

  it("moves a panel by its title, and never out of the window", function()
    local v = bare(function(ui) ui:label "text" end)
    send(v, down(40, 10), move(240, 110))
    v:frame()
    assert.equal(8 + 200, find_text(v, "Test").x)
    send(v, move(5000, 5000), up(5000, 5000))
    v:frame()
    local title = find_text(v, "Test")
    assert.is_true(title.x < 640 and title.y < 800)
  end)

  it("breaks and shortens text to what finds room", function()
    local ui = viewer_of({}).ui
    local long = "many words in a line that is longer than the room there is, and änd ünicode too"
    for _, width in ipairs { 30, 60, 100, 333 } do
      local lines = ui:wrap(long, width)
      for _, line in ipairs(lines) do assert.is_true(ui:text_width(line) <= width, line) end
      assert.equal(long:gsub("%s", ""), table.concat(lines):gsub("%s", ""))
      assert.is_true(ui:text_width(ui:fit(long, width)) <= width)
    end
    assert.same({ "ä", "ä" }, ui:wrap("ää", 1)) -- a letter at least
  end)

  it("writes numbers with five digits whatever their size", function()
    local cases = { [0.0] = "0", [1.5] = "1.5000", [-12.345678] = "-12.346", [99999.4] = "99999",
      [123456.5] = "1.235e+05", [1 / 240] = "0.0041667", [1e-9] = "1.000e-09", [3] = "3",
      [1 / 0] = "inf", [-1 / 0] = "-inf" }
    for value, text in pairs(cases) do assert.equal(text, theme.number(value)) end
  end)

  it("keeps no memory from frame to frame", function()
    local v = viewer_of { "params", "inspector", "graphs", "profile", "console", "overlays" }
    v:step(20)
    local function used()
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    local function play(count)
      for i = 1, count do send(v, move(i % 640, 3 * i % 800)) end
    end
    play(300)
    local before = used()
    play(1000)
    assert.is_true(used() < before + 16, ("%g KiB grew"):format(used() - before)) -- texts' widths: a hash may double
  end)
end)


describe("a line that is edited", function()
  local function type_in(line, ...)
    for _, event in ipairs { ... } do line:take(event) end
    return line
  end

  it("inserts and erases at the cursor, by characters and by words", function()
    local line = type_in(edit.new "kp = 9", key "left", typed "é", key "right", typed "0")
    assert.equal("kp = é90", line.text)
    type_in(line, key "home", key "delete", key("right", { ctrl = true }), key("k", { ctrl = true }))
    assert.equal("p", line.text)
    type_in(line, typed " q_r s", key("w", { ctrl = true }), key("w", { ctrl = true }))
    assert.equal("p ", line.text)
    type_in(line, key("u", { ctrl = true }))
    assert.equal("", line.text)
  end)

  it("recalls lines, and keeps the one that was begun", function()
    local line = edit.new()
    for _, text in ipairs { "one", "two", "two", " " } do
      line:set(text)
      line:submit()
    end
    type_in(line, typed "thr", key "up")
    assert.equal("two", line.text)
    type_in(line, key "up", key "up")
    assert.equal("one", line.text)
    type_in(line, key "down", key "down", key "down")
    assert.equal("thr", line.text)
  end)

  it("has its cursor between characters whatever is typed", function()
    local random = require("impel.rng").new(1)
    local keys = { "left", "right", "home", "end", "backspace", "delete", "up", "down" }
    local words = { "a", "ü", "日本", " ", "_x1", "€", "\n", "\255" }
    local line = edit.new()
    for _ = 1, 3000 do
      if random:random() < 0.5 then
        line:take(typed(words[random:random(#words)]))
      else
        line:take(key(keys[random:random(#keys)], { ctrl = random:random() < 0.3 }))
      end
      if random:random() < 0.05 then line:submit() end
      local before, after = line.text:sub(1, line.cursor), line.text:sub(line.cursor + 1)
      assert.truthy(utf8.len(before) and utf8.len(after), line.text)
    end
  end)

  it("pastes the first line of the clipboard", function()
    local line = edit.new "x"
    line:take(key("v", { ctrl = true }), function() return "ab\ncd" end)
    assert.equal("xab", line.text)
  end)
end)


describe("the places of panels", function()
  it("give the short ones what they want and share the rest", function()
    assert.same({ 40, 80, 80 }, docks.share({ 40, 500, 300 }, 200))
    assert.same({ 40, 50 }, docks.share({ 40, 50 }, 200))
    assert.same({ 24, 24 }, docks.share({ 100, 100 }, 10)) -- a title at least
  end)

  it("do not overlap in a window of 640 by 400", function()
    local v = viewer_of({ "params", "inspector", "profile", "graphs", "console" }, nil, { width = 640, height = 400 })
    local boxes = {}
    for _, panel in ipairs(v.ui.panels) do boxes[#boxes + 1] = panel.box end
    assert.equal(5, #boxes)
    for i, a in ipairs(boxes) do
      assert.is_true(a[1] >= 0 and a[2] >= 0 and a[3] <= 640 and a[4] <= 400)
      for j = 1, i - 1 do
        local b = boxes[j]
        assert.is_true(a[3] <= b[1] or b[3] <= a[1] or a[4] <= b[2] or b[4] <= a[2], i .. " over " .. j)
      end
    end
  end)

  it("hold in a window that is smaller than anything", function()
    local v = viewer_of({ "params", "inspector", "profile", "graphs", "console", "overlays", "help" }, nil,
      { width = 64, height = 48 })
    v:step(5)
    v:frame()
    assert.is_true(#v.drawing > 0)
  end)
end)


describe("the panel of parameters", function()
  it("sets a parameter while its slider is dragged", function()
    local v = viewer_of { "params" }
    local y = find_text(v, "kp").y + 16
    send(v, down(112, y)) -- the middle of the track: 16 to 208
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

  it("says what it refuses: a number that is typed beyond the range", function()
    local v = viewer_of { "params" }
    click(v, "90")
    send(v, key("u", { ctrl = true }), typed "301", key "return")
    assert.equal(90, v.run.values.kp)
    assert.truthy(v.said[1]:find("'301' is out of range 0..300", 1, true), v.said[1])
  end)

  it("copies what differs from the defaults as options that give the same bits", function()
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

  it("tells the help of the parameter under the mouse", function()
    local v = viewer_of { "params" }
    local at = find_text(v, "kp")
    send(v, move(at.x + 2, at.y))
    assert.is_nil(find_text(v, "gain of the spring")) -- it waits for the mouse to rest
    for _ = 1, 40 do v:frame() end
    shows(v, "gain of the spring")
    shows(v, "default 90, 0 to 300")
  end)
end)


describe("the inspector", function()
  local function selected(v, object, kind)
    v:select { kind = kind, object = object }
    v:frame(900, 4000) -- everything finds room
    v:frame()
    v:frame()
  end

  local function first(iterator, state, control)
    return (iterator(state, control))
  end

  it("shows every property and getter that the core has for each class", function()
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

  it("shows values with the units that hold for the object", function()
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

  it("sets what is typed over a value, and says what the core refuses", function()
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

  it("lists the rows of a joint; a click shows one with its Jacobian, in every step", function()
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

  it("begins at the top of what is selected next", function()
    local v = viewer_of({ "inspector" }, nil, { width = 640, height = 300 })
    v:select { kind = "body", object = v.run.state.crate }
    for _ = 1, 3 do v:frame() end
    for _ = 1, 5 do send(v, { type = "wheel", x = 500, y = 100, dy = -1, dx = 0 }) end
    assert.is_nil(find_text(v, "position"))
    v:select { kind = "body", object = v.run.state.arm }
    v:frame()
    assert.truthy(find_text(v, "position"))
  end)

  it("finds a contact again while it touches, and says when it does not", function()
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


describe("the graphs", function()
  local function columns_of(text)
    local lines, columns = {}, {}
    for line in text:gmatch "([^\n]+)\n" do lines[#lines + 1] = assert(csv.split(line)) end
    for i, name in ipairs(lines[1]) do
      columns[name] = {}
      for n = 2, #lines do columns[name][n - 1] = tonumber(lines[n][i]) end
    end
    return columns, #lines - 1
  end

  it("write every sample of every column to the bit", function()
    local v = viewer_of { "graphs" }
    local kinetic, height, awake = { (v.run.world:energy()) }, { select(2, v.run.state.arm:position()) }, { true }
    for i = 2, 50 do
      v:step(1)
      kinetic[i], height[i] = (v.run.world:energy()), (select(2, v.run.state.arm:position()))
      awake[i] = v.run.state.crate.awake
    end
    local columns, rows = columns_of(v.panels.graphs:csv())
    assert.equal(50, rows)
    for i = 1, 50 do
      assert.equal(kinetic[i], columns.kinetic[i])
      assert.equal(height[i], columns.height[i])
      assert.equal(columns.kinetic[i] + columns.potential[i], columns.total[i])
      assert.equal(90, columns["measure.kinetic"][i]) -- a measure whose name is taken
      assert.equal(awake[i] and 1 or 0, columns.awake[i])
    end
    assert.equal(v.run.world.time, columns.time[50])
  end)

  it("forget the oldest when the ring is full, and what is of the future when the run goes back", function()
    local v = viewer_of { "graphs" }
    local graphs = v.panels.graphs
    local snapshot
    for i = 1, 6300 do
      v:step(1)
      if i == 6200 then snapshot = v.run.world:snapshot() end
    end
    local columns, rows = columns_of(graphs:csv())
    assert.equal(6144, rows)
    assert.equal(v.run.world.time, columns.time[6144])
    v.run.world:restore(snapshot)
    v:frame()
    columns, rows = columns_of(graphs:csv())
    assert.equal(6044, rows)
    assert.equal(v.run.world.time, columns.time[rows])
    v:step(1)
    columns, rows = columns_of(graphs:csv())
    assert.equal(6045, rows)
    for i = 2, rows do assert.is_true(columns.time[i] > columns.time[i - 1]) end
  end)

  it("export to a new file each time, by the key and by the button", function()
    local v = viewer_of { "graphs" }
    v.run.scene.name = ("panels spec %x"):format(os.time() + math.random(1 << 30)) -- a name that no file has
    local base = v.run.scene.name:gsub(" ", "_") .. "-graphs"
    local function content(path)
      local file = io.open(path, "rb")
      local text = file and file:read "a"
      if file then file:close() end
      return text
    end
    assert.is_true(send(v, key("e", { ctrl = true })))
    local first = content(base .. ".csv")
    v:step(3)
    v:frame()
    click(v, "Export CSV (Ctrl+E)")
    local second = content(base .. "-2.csv")
    local kept = content(base .. ".csv")
    os.remove(base .. ".csv")
    os.remove(base .. "-2.csv")
    assert.equal(first, kept)
    assert.equal(1, select(2, columns_of(first)))
    assert.equal(4, select(2, columns_of(second)))
    assert.equal(("4 samples written to %s-2.csv"):format(base), v.said[#v.said])
  end)

  it("tell of a measure that raises, once, and go on", function()
    local text = SCENE:gsub("function scene.measure%(s%) return", "%0 s.p.fast and error 'no' or")
    local v = viewer_of({ "graphs" }, text)
    v:step(2)
    v.run.values.fast = true
    v:step(2)
    v:frame(640, 2000)
    v:frame()
    shows(v, "drop.lua")
    assert.equal(5, select(2, columns_of(v.panels.graphs:csv())))
  end)

  it("have ticks that are round, inside, and told apart", function()
    local ticks = plot.ticks
    local cases = { { 0, 1 }, { -3.2, 7.9 }, { 1e-9, 3e-9 }, { 99990, 100010 }, { -1e12, 1e12 }, { 0.1, 0.10001 } }
    for _, case in ipairs(cases) do
      for most = 1, 8 do
        local list, show = ticks(case[1], case[2], most)
        assert.is_true(#list <= most + 1)
        local seen = {}
        for i, value in ipairs(list) do
          assert.is_true(value >= case[1] - 1e-9 * math.abs(case[1]) and value <= case[2] + 1e-9 * math.abs(case[2]))
          assert.is_nil(seen[show(value)], show(value))
          seen[show(value)] = true
          if i > 1 then
            local mantissa = (list[i] - list[i - 1]) / 10 ^ math.floor(math.log(list[i] - list[i - 1], 10) + 1e-6)
            local round = math.floor(mantissa + 0.5)
            assert.is_true(math.abs(mantissa - round) < 1e-3 and (round == 1 or round == 2 or round == 5), mantissa)
          end
        end
      end
    end
  end)

  it("draw from few points what has the ends, the least and the greatest of all samples", function()
    local random = require("impel.rng").new(3)
    local ring, values, kept, last = rings.new(), {}, 1, 0
    for round = 1, 40 do
      for _ = 1, random:random(600) do
        last = last + 1
        values[last] = random:random() < 0.05 and 0 / 0 or random:random() ^ 9
        ring:put(last, values[last])
      end
      kept = math.max(kept, last - rings.SIZE + 1)
      if round % 3 == 0 then
        last = last - random:random(50)
        ring:take_back(last)
      end
      local first, ns, ys = kept + random:random(0, 30), {}, {}
      local count = ring:sketch(first, last, 200, ns, ys)
      local low, high, got_low, got_high = math.huge, -math.huge, math.huge, -math.huge
      for n = first + 16, last do -- the bucket that `first` is in may be cut
        if values[n] == values[n] then low, high = math.min(low, values[n]), math.max(high, values[n]) end
      end
      for k = 1, count do
        assert.equal(values[ns[k]], ys[k])
        assert.is_true(k == 1 or ns[k] > ns[k - 1])
        if ns[k] >= first + 16 then got_low, got_high = math.min(got_low, ys[k]), math.max(got_high, ys[k]) end
      end
      assert.same({ low, high }, { got_low, got_high })
      assert.is_true(count <= math.max(200, 2 * (rings.SIZE // 16 + 1)))
    end
  end)

  it("draw a curve through the samples, with no more points than it is wide", function()
    local v = viewer_of({ "graphs" }, nil, { width = 1280, height = 900 })
    v:step(3000)
    click(v, "Shown: last 20 s")
    local most = 0
    for _, item in v.drawing:items() do
      if item.kind == "polyline" then
        most = math.max(most, item.n // 2)
        for i = 3, item.n, 2 do
          if item.n > 20 then assert.is_true(item[i] >= item[i - 2]) end -- in the order of time
        end
      end
    end
    assert.is_true(most > 100 and most <= 2 * 1280)
  end)
end)


describe("the profile", function()
  it("has bars that together are the time of the step", function()
    local v = viewer_of { "profile" }
    for _ = 1, 100 do
      v.time = v.time + 0.25 -- the clock stands still in a step: the scene's share is none
      v:step(1)
      v:frame()
    end
    local means, sum = v.panels.profile:means(), 0
    for _, part in ipairs(means.parts) do sum = sum + part.seconds end
    assert.near(means.wall, sum, 1e-9 * means.wall)
    assert.is_true(means.stages <= means.step and means.step <= means.wall)
    assert.equal(#profile.stages + 2, #means.parts)
    assert.equal("4.0", beside(v, "steps"))
  end)

  it("knows all stages that the core has", function()
    local v = viewer_of { "profile" }
    local known = { step = true }
    for _, stage in ipairs(profile.stages) do known[stage[1]] = true end
    for name in pairs(v.run.world:profile()) do assert.is_true(known[name], name) end
  end)

  it("shows counts and the memory of C and Lua", function()
    local v = viewer_of { "profile" }
    v:step(2)
    v:frame(640, 1400)
    v:frame()
    local counts = v.run.world:counts()
    assert.equal("3", beside(v, "bodies"))
    assert.equal((profile.bytes(counts.bytes)), beside(v, "C memory"))
    assert.truthy(tonumber(beside(v, "Lua memory")))
    assert.same({ "1.50", "MiB" }, { profile.bytes(1.5 * 1024 * 1024) })
  end)
end)


describe("the console", function()
  local function enter(v, text)
    send(v, typed(text), key "return")
    v:frame()
  end

  it("plays with the viewer's own run", function()
    local v = viewer_of { "console" }
    enter(v, "step(5) + 0")
    assert.equal(5, v.run.world.tick)
    assert.equal(v.run, v.panels.console.session.run)
    shows(v, ("%.6g"):format(v.run.world.time))
    enter(v, "s.crate.mass = 3")
    assert.equal(3, v.run.state.crate.mass)
    enter(v, "measure().height")
    shows(v, ("%.6g"):format(select(2, v.run.state.arm:position())))
    local before = v.run
    enter(v, "reset{ kp = 12 }")
    assert.not_equal(before, v.run)
    assert.equal(12, v.run.values.kp)
    v:restart()
    enter(v, "world.tick") -- of the run that somebody else began
    assert.equal(v.run, v.panels.console.session.run)
  end)

  it("shows errors and lines that are not complete", function()
    local v = viewer_of { "console" }
    enter(v, "s.nothing.x")
    shows(v, "console:1: attempt to index a nil value (field 'nothing')")
    enter(v, "for i = 1, 2 do")
    enter(v, "print(i * 21) end")
    shows(v, ">> print(i * 21) end")
    shows(v, "42")
    enter(v, "reset{ kq = 1 }")
    shows(v, "unknown param 'kq'")
  end)

  it("completes with Tab and recalls with Up", function()
    local v = viewer_of { "console" }
    send(v, typed "world:gra", key "tab")
    assert.equal("world:gravity", v.panels.console.line.text)
    send(v, key("u", { ctrl = true }), typed "world:re", key "tab")
    v:frame()
    shows(v, "revolute")
    send(v, key("u", { ctrl = true }))
    enter(v, "1 + 1")
    send(v, key "up")
    assert.equal("1 + 1", v.panels.console.line.text)
  end)

  it("takes several lines that come in one frame", function()
    local v = viewer_of { "console" }
    send(v, typed "a = 3", key "return", typed "a * 14", key "return")
    v:frame()
    v:frame()
    shows(v, "42")
  end)

  it("breaks off what never ends", function()
    local v = viewer_of { "console" }
    v.clock = function()
      v.time = v.time + 0.01
      return v.time
    end
    v.panels.console = require("impel.viewer_console").new(v)
    v.open[1] = v.panels.console
    v:frame()
    enter(v, "while true do end")
    shows(v, "broken off")
  end)

  it("takes what is typed in the frame of the click on its line", function()
    local v = viewer_of { "console", "params" }
    send(v, key "escape")
    assert.is_false(send(v, typed "x"))
    local at = find_text(v, ">")
    send(v, down(at.x + 60, at.y), up(at.x + 60, at.y), typed "6 * 7", key "return")
    v:frame()
    shows(v, "42")
    send(v, key "escape") -- a click on what was written leads to the line, too
    send(v, down(at.x + 60, at.y - 40), up(at.x + 60, at.y - 40))
    v:frame()
    assert.is_true(send(v, typed "y"))
  end)

  it("closes by its key and by quit()", function()
    local v = viewer_of { "console" }
    assert.is_true(send(v, key "`"))
    assert.equal("console", v.toggled)
    v.toggled = nil
    enter(v, "quit()")
    assert.equal("console", v.toggled)
  end)

  it("scrolls back through its output", function()
    local v = viewer_of { "console" }
    enter(v, "for i = 1, 100 do print('number ' .. i) end")
    shows(v, "number 100")
    assert.is_nil(find_text(v, "number 60"))
    local prompt = find_text(v, ">")
    for _ = 1, 11 do send(v, { type = "wheel", x = prompt.x, y = prompt.y - 40, dy = 1, dx = 0 }) end
    v:frame()
    assert.is_nil(find_text(v, "number 100"))
    shows(v, "number 60")
  end)
end)


describe("the other panels", function()
  it("list the keys that there are, each with what it does", function()
    local v = viewer_of { "help" }
    v.keys = {
      { key = "space", label = "Space", about = "pause, or go on", group = "Time" },
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

  it("tell of a failure where it was, with the line and, when asked, the traceback", function()
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

  it("switch overlays, each with its key", function()
    local v = viewer_of { "overlays" }
    for _, each in ipairs(frame.overlays) do
      assert.truthy(find_text(v, each.key), each.key)
      local before = v.overlays[each.name]
      click(v, each.name)
      assert.equal(not before, v.overlays[each.name] == true)
    end
  end)

  it("ask the viewer to close them", function()
    for _, name in ipairs { "params", "inspector", "graphs", "profile", "console", "help", "overlays" } do
      local v = viewer_of { name }
      local box = v.ui.panels[1].box
      send(v, down(box[3] - 12, box[2] + 12), up(box[3] - 12, box[2] + 12))
      assert.equal(name, v.toggled)
    end
  end)
end)
