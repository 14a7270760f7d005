-- The viewer's user interface without a window: widgets, text editing, layout of panels.

require "impel.core" -- registers impel.drawing

local docks = require "impel.viewer.ui.docks"
local edit = require "impel.viewer.ui.edit"
local theme = require "impel.viewer.ui.theme"
local shared = require "scripts.viewer.panels"

local viewer_of, find_text, down, up = shared.viewer_of, shared.find_text, shared.down, shared.up
local move, key, typed, send, bare = shared.move, shared.key, shared.typed, shared.send, shared.bare


describe("the user interface", function()
  it("handles a click in the frame in which it occurs, and both clicks if there are two", function()
    local pressed = 0
    local v = bare(function(ui) if ui:button("go", "Go") then pressed = pressed + 1 end end)
    local at = find_text(v, "Go")
    send(v, down(at.x, at.y), up(at.x, at.y))
    assert.equal(1, pressed)
    send(v, down(at.x, at.y), up(at.x, at.y), down(at.x, at.y), up(at.x, at.y))
    v:frame()
    assert.equal(3, pressed)
  end)

  it("ignores a click that ends beside the button or outside of a panel", function()
    local pressed = 0
    local v = bare(function(ui) if ui:button("go", "Go") then pressed = pressed + 1 end end)
    local at = find_text(v, "Go")
    assert.is_true(send(v, down(at.x, at.y)))
    assert.is_true(send(v, move(400, 400))) -- the press was in the panel, so the panel gets this movement
    assert.is_true(send(v, up(400, 400)))
    assert.equal(0, pressed)
    assert.is_false(send(v, down(400, 400)))
    assert.is_false(send(v, move(at.x, at.y))) -- the press was in the scene, so the panel does not get this movement
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

  it("moves through the widgets with Tab, and back with Shift", function()
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

  it("scrolls overflowing content by the wheel, to its end and no further", function()
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

  it("drags a slider in whole steps, even if the whole drag is within one frame", function()
    local value = 2
    local v = bare(function(ui) value = ui:slider("n", "n", value, 0, 10, 1) end)
    local y = find_text(v, "n").y + 16
    send(v, down(20, y), move(100, y), up(100, y)) -- the middle of the slider's track, from x = 8 to 192
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

  it("moves a panel by its title, always inside the window", function()
    local v = bare(function(ui) ui:label "text" end)
    send(v, down(40, 10), move(240, 110))
    v:frame()
    assert.equal(8 + 200, find_text(v, "Test").x)
    send(v, move(5000, 5000), up(5000, 5000))
    v:frame()
    local title = find_text(v, "Test")
    assert.is_true(title.x < 640 and title.y < 800)
  end)

  it("wraps and shortens text to the available width", function()
    local ui = viewer_of({}).ui
    local long = "many words in a line that is longer than the room there is, and änd ünicode too"
    for _, width in ipairs { 30, 60, 100, 333 } do
      local lines = ui:wrap(long, width)
      for _, line in ipairs(lines) do assert.is_true(ui:text_width(line) <= width, line) end
      assert.equal(long:gsub("%s", ""), table.concat(lines):gsub("%s", ""))
      assert.is_true(ui:text_width(ui:fit(long, width)) <= width)
    end
    assert.same({ "ä", "ä" }, ui:wrap("ää", 1)) -- at least a letter
  end)

  it("writes numbers of any size with five digits", function()
    local cases = { [0.0] = "0", [1.5] = "1.5000", [-12.345678] = "-12.346", [99999.4] = "99999",
      [123456.5] = "1.235e+05", [1 / 240] = "0.0041667", [1e-9] = "1.000e-09", [3] = "3",
      [1 / 0] = "inf", [-1 / 0] = "-inf" }
    for value, text in pairs(cases) do assert.equal(text, theme.number(value)) end
  end)

  it("does not use more memory after more frames", function()
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
    -- The table of text widths may double in size once.
    assert.is_true(used() < before + 16, ("%g KiB grew"):format(used() - before))
  end)
end)


describe("an edited line", function()
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

  it("recalls lines, and keeps the unfinished one", function()
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

  it("keeps its cursor at a boundary between characters after any input", function()
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


describe("the layout of panels", function()
  it("gives short panels their full height and shares the rest", function()
    assert.same({ 40, 80, 80 }, docks.share({ 40, 500, 300 }, 200))
    assert.same({ 40, 50 }, docks.share({ 40, 50 }, 200))
    assert.same({ 24, 24 }, docks.share({ 100, 100 }, 10)) -- at least a title
  end)

  it("has no overlap in a window of 640 by 400", function()
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

  it("is valid in a window of any small size", function()
    local v = viewer_of({ "params", "inspector", "profile", "graphs", "console", "overlays", "help" }, nil,
      { width = 64, height = 48 })
    v:step(5)
    v:frame()
    assert.is_true(#v.drawing > 0)
  end)
end)
