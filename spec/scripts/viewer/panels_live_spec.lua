-- Graphs, profile and console: the panels that change while the run advances.

require "impel.core" -- registers impel.drawing

local csv = require "impel.base.csv"
local plot = require "impel.viewer.ui.plot"
local profile = require "impel.viewer.panels.profile"
local rings = require "impel.viewer.panels.ring"
local shared = require "scripts.viewer.panels"

local viewer_of, find_text, shows, beside = shared.viewer_of, shared.find_text, shared.shows, shared.beside
local down, up, key, typed, send, click = shared.down, shared.up, shared.key, shared.typed, shared.send, shared.click
local SCENE = shared.SCENE


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
      -- A measure named like a built-in column gets the prefix "measure.".
      assert.equal(90, columns["measure.kinetic"][i])
      assert.equal(awake[i] and 1 or 0, columns.awake[i])
    end
    assert.equal(v.run.world.time, columns.time[50])
  end)

  it("drop the oldest samples if the ring is full, and later samples after a step back", function()
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
    -- A scene name for which no settings file exists.
    v.run.scene.name = ("panels spec %x"):format(os.time() + math.random(1 << 30))
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

  it("show an error of scene.measure once, and continue to take samples", function()
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

  it("have ticks that are round numbers, inside the range, and distinct", function()
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

  it("draw few of the samples, among them the least and the greatest sample", function()
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
      for n = first + 16, last do -- the bucket of 16 samples that contains `first` may be incomplete
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

  it("draw a curve through the samples, with at most two points per pixel of the window's width", function()
    local v = viewer_of({ "graphs" }, nil, { width = 1280, height = 900 })
    v:step(3000)
    click(v, "Shown: last 20 s")
    local most = 0
    for _, item in v.drawing:items() do
      if item.kind == "polyline" then
        most = math.max(most, item.n // 2)
        for i = 3, item.n, 2 do
          if item.n > 20 then assert.is_true(item[i] >= item[i - 2]) end
        end
      end
    end
    assert.is_true(most > 100 and most <= 2 * 1280)
  end)
end)


describe("a field of the inspector", function()
  local v, panel

  local function select_object(kind, object)
    v:select { kind = kind, object = object }
    v:frame(1400, 2400)
    v:frame()
  end

  before_each(function()
    v = viewer_of({ "inspector", "graphs" })
    panel = v.panels.graphs
    v:step(3)
  end)

  local function values_of(name)
    local column, list = panel.by_name[name], {}
    for n = panel.first, panel.last do list[#list + 1] = column.ring:at(n) end
    return list
  end

  it("has a graph after a click, with its name and unit, and none after a second click", function()
    select_object("joint", v.run.state.hinge)
    click(v, "speed")
    assert.equal(1, #panel.fields)
    shows(v, "hinge.speed [rad/s]")
    v:step(2)
    local list = values_of "hinge.speed"
    assert.is_true(list[2] ~= list[2], "the sample of a step before the click is not nan")
    assert.equal(v.run.state.hinge.speed, list[#list])
    assert.truthy(panel:csv():find("hinge.speed", 1, true))
    select_object("joint", v.run.state.hinge)
    click(v, "speed")
    assert.equal(0, #panel.fields)
    assert.is_nil(panel.by_name["hinge.speed"])
    assert.falsy(find_text(v, "hinge.speed [rad/s]"))
  end)

  it("of two numbers has a curve for each, in their common unit", function()
    select_object("body", v.run.state.arm)
    click(v, "velocity")
    shows(v, "arm.velocity [m/s]")
    v:step(4)
    local vx, vy = v.run.state.arm:velocity()
    local x, y = values_of "arm.velocity vx", values_of "arm.velocity vy"
    assert.same({ vx, vy }, { x[#x], y[#y] })
  end)

  it("keeps its graph when the scene is set up again, also if the body's number differs", function()
    select_object("body", v.run.state.arm)
    click(v, "angular_velocity")
    assert.equal("arm.angular_velocity", panel.fields[1].title)
    assert(v:restart {})
    assert.same({ v.run.state.arm.angular_velocity }, values_of "arm.angular_velocity")
    v:step(5)
    local list = values_of "arm.angular_velocity"
    assert.equal(6, #list)
    assert.equal(v.run.state.arm.angular_velocity, list[6])
    panel.fields[1].address.id = 99
    v:step(1)
    assert.equal(v.run.state.arm.angular_velocity, values_of "arm.angular_velocity"[7])
  end)

  it("has no samples once its object is destroyed, and no graph in another scene", function()
    select_object("body", v.run.state.crate)
    click(v, "inertia")
    v.run.state.crate:destroy()
    v.run.scene.definition.measure = nil
    v:step(2)
    local list = values_of "crate.inertia"
    assert.is_true(list[#list] ~= list[#list])
    click(v, "Remove fields")
    assert.equal(0, #panel.fields)
    select_object("body", v.run.state.arm)
    click(v, "inertia")
    v.run.scene.file = "other.lua"
    panel:reset()
    assert.equal(0, #panel.fields)
  end)

  it("can be the result of a method, a value of a contact point, or an entry of a Jacobian", function()
    v:step(60)
    local contact, row
    for each in v.run.world:contacts() do contact = each end
    for each in v.run.state.hinge:rows() do row = each end
    select_object("body", v.run.state.arm)
    click(v, "kinetic_energy")
    select_object("contact", contact)
    click(v, "    normal impulse")
    select_object("row", row)
    click(v, "  angle")
    click(v, "  x", 1)
    local last = {}
    for i, field in ipairs(panel.fields) do last[i] = values_of(field.columns[1])[panel.last] end
    assert.same({ v.run.state.arm:kinetic_energy(), (select(4, contact:point(1))), (select(3, row:jacobian())),
      (row:jacobian()) }, last)
    shows(v, "contact " .. contact.shape_a.id .. "-" .. contact.shape_b.id .. ".point 1 normal impulse [N s]")
  end)

  it("can be edited beside its name; contacts, rows and the world have graphs too", function()
    local contact
    for each in v.run.world:contacts() do contact = each end
    if not contact then
      v:step(60)
      for each in v.run.world:contacts() do contact = each end
    end
    select_object("contact", contact)
    click(v, "normal_impulse")
    local row
    for each in v.run.state.hinge:rows() do row = each end
    select_object("row", row)
    click(v, "impulse")
    v.selection = nil
    v:frame()
    v:frame()
    click(v, "time")
    assert.equal(3, #panel.fields)
    v:step(1)
    for each in v.run.world:contacts() do contact = each end
    for each in v.run.state.hinge:rows() do row = each end
    local last = {}
    for i, field in ipairs(panel.fields) do
      local list = values_of(field.columns[1])
      last[i] = list[#list]
    end
    assert.same({ contact.normal_impulse, row.impulse, v.run.world.time }, last)
  end)
end)

describe("the profile", function()
  it("has bars that add up to the time of the step", function()
    local v = viewer_of { "profile" }
    for _ = 1, 100 do
      -- The fake clock stands still within a step, so the scene's functions take no time.
      v.time = v.time + 0.25
      v:step(1)
      v:frame()
    end
    local means, sum = v.panels.profile:means(), 0
    for _, part in ipairs(means.parts) do sum = sum + part.seconds end
    assert.near(means.wall, sum, 1e-9 * means.wall)
    -- Tolerance for the rounding of the sums.
    assert.is_true(means.stages <= means.step * (1 + 1e-9) and means.step <= means.wall)
    assert.equal(#profile.stages + 2, #means.parts)
    assert.equal("4.0", beside(v, "steps"))
  end)

  it("has all stages of the core", function()
    local v = viewer_of { "profile" }
    local known = { step = true, clusters = true } -- `step` contains all stages; `clusters` is a part of `solve`
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

  it("acts on the run that the viewer displays, also after a restart", function()
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
    enter(v, "world.tick") -- the console uses the run that v:restart() created
    assert.equal(v.run, v.panels.console.session.run)
  end)

  it("shows errors and incomplete lines", function()
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

  it("completes a name on Tab and recalls the previous line on Up", function()
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

  it("accepts several lines in one frame", function()
    local v = viewer_of { "console" }
    send(v, typed "a = 3", key "return", typed "a * 14", key "return")
    v:frame()
    v:frame()
    shows(v, "42")
  end)

  it("interrupts an endless loop", function()
    local v = viewer_of { "console" }
    v.clock = function()
      v.time = v.time + 0.01
      return v.time
    end
    v.panels.console = require("impel.viewer.panels.console").new(v)
    v.open[1] = v.panels.console
    v:frame()
    enter(v, "while true do end")
    shows(v, "stopped: it took longer")
  end)

  it("receives text that is typed in the same frame as the click on its input line", function()
    local v = viewer_of { "console", "params" }
    send(v, key "escape")
    assert.is_false(send(v, typed "x"))
    local at = find_text(v, ">")
    send(v, down(at.x + 60, at.y), up(at.x + 60, at.y), typed "6 * 7", key "return")
    v:frame()
    shows(v, "42")
    send(v, key "escape") -- a click on the output moves the focus to the input line, too
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
