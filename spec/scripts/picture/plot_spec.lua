-- Plots: round tick values, peaks, gaps, panels by unit, distinct lines; impel plot and --plot.

local curve = require "impel.picture.plot_curve"
local plot = require "impel.plot"
local ticks = require "impel.picture.ticks"
local trace = require "impel.trace"

local shared = require "support.program"
local run, read, write = shared.run, shared.read, shared.write

local HAS_XMLLINT = os.execute "command -v xmllint >/dev/null 2>&1"
local NAN = 0 / 0

-- Return the paths of a plot's curves. Paths of the legend have only two points.
local function curves_of(svg)
  local list = {}
  for path, color, rest in svg:gmatch '<path d="(M[^"]*)" fill="none" stroke="(#%x+)" stroke%-width="1.6"([^/]*)/>' do
    if not path:find "^M[%d.]+ [%d.]+h" then list[#list + 1] = { path = path, color = color, rest = rest } end
  end
  return list
end

local function points_of(path)
  local list = {}
  for x, y in path:gmatch "[ML]([%d.-]+) ([%d.-]+)" do list[#list + 1] = { tonumber(x), tonumber(y) } end
  return list
end

local function texts_of(svg)
  local set = {}
  for text in svg:gmatch "<text[^>]*>([^<]*)</text>" do set[#set + 1] = text end
  return "|" .. table.concat(set, "|") .. "|"
end

local function has(text, part)
  if not text:find(part, 1, true) then error(("no '%s' in %s"):format(part, text), 2) end
end

-- Return a trace of n + 1 rows over 0..seconds.
local function sampled(seconds, n, functions)
  local columns = { time = {} }
  for name in pairs(functions) do columns[name] = {} end
  for i = 0, n do
    local t = seconds * i / n
    columns.time[i + 1] = t
    for name, f in pairs(functions) do columns[name][i + 1] = f(t, i) end
  end
  return trace.from(columns)
end

describe("the ticks of an axis", function()
  it("are multiples of 1, 2 or 5 times a power of ten, and exact decimal numbers", function()
    assert.same({ 0, 2, 4, 6, 8, 10 }, (ticks.between(0, 10, 5)))
    -- Ticks are the doubles nearest to decimal numbers: 0.3, not 3 * 0.1.
    assert.same({ 0, 0.1, 0.2, 0.3 }, (ticks.between(0, 0.3, 3)))
    assert.same({ -50, 0, 50 }, (ticks.between(-70, 70, 4)))
    assert.same({ 1e-9, 2e-9 }, (ticks.between(0.5e-9, 2.5e-9, 3)))
    assert.same({ 1000000.2, 1000000.4 }, (ticks.between(1000000.1, 1000000.5, 2)))
  end)

  it("lie in the range at equal distances: at most n + 1, and at most 5 / (2 n) of the range apart", function()
    local state = 1
    for _ = 1, 2000 do
      state = state * 16807 % 2147483647
      local span = 10 ^ (state % 25 - 12) * (1 + state % 97 / 10)
      local lower = (state % 7 - 3) * span
      local most = 2 + state % 9
      local places, labels = ticks.between(lower, lower + span, most)
      local factor, power = ticks.step(span, most)
      local step = factor * 10.0 ^ power
      assert.is_true(factor == 1 or factor == 2 or factor == 5)
      assert.is_true(#places <= most + 1, #places .. " of " .. most)
      assert.is_true(span / step > most / 2.5 * (1 - 1e-9)) -- the next smaller step gives too many ticks
      assert.equal(#places, #labels)
      for i, place in ipairs(places) do
        assert.is_true(place >= lower - 1e-8 * span and place <= lower + (1 + 1e-8) * span)
        if i > 1 then
          -- Rounding: a place may be up to 4 * span from 0.
          assert.near(step, place - places[i - 1], 1e-6 * step)
          assert.not_equal(labels[i], labels[i - 1])
        end
      end
    end
  end)

  it("have labels with enough digits to differ from each other", function()
    local function labels(...) return table.concat(select(2, ticks.between(...)), " ") end
    assert.equal("0 0.2 0.4", labels(0, 0.5, 4))
    assert.equal("\u{2212}50 0 50", labels(-70, 70, 4))
    assert.equal("0 1e6 2e6", labels(0, 2e6, 2))
    assert.equal("0 5.0e\u{2212}7 1.0e\u{2212}6", labels(0, 1e-6, 2))
  end)
end)

describe("plot", function()
  after_each(shared.clean)

  it("keeps the first, least, greatest and last sample of each pixel column, as a full search does", function()
    local xs, ys, state = {}, {}, 7
    for i = 1, 5000 do
      state = state * 16807 % 2147483647
      xs[i], ys[i] = i / 37, state / 2147483647
    end
    local runs = curve.runs(xs, ys)
    assert.equal(1, #runs)
    local kept = {}
    for i, sample in ipairs(runs[1]) do
      kept[sample] = true
      assert.is_true(i == 1 or sample > runs[1][i - 1])
    end
    local columns = {}
    for i, x in ipairs(xs) do
      local c = columns[math.floor(x)] or { i, i, i, i }
      columns[math.floor(x)] = c
      if ys[i] < ys[c[2]] then c[2] = i end
      if ys[i] > ys[c[3]] then c[3] = i end
      c[4] = i
    end
    local wanted = {}
    for _, c in pairs(columns) do
      for _, sample in ipairs(c) do wanted[sample] = true end
    end
    assert.same(wanted, kept)
  end)

  it("shows a peak of one sample in a hundred thousand, in few points", function()
    local svg = plot.svg(sampled(10, 100000, { peak = function(_, i) return i == 54321 and 1 or 0.25 end }))
    local points = points_of(curves_of(svg)[1].path)
    local top, at = math.huge, nil
    for _, point in ipairs(points) do
      if point[2] < top then top, at = point[2], point[1] end
    end
    assert.is_true(#points <= 4 * 900)
    local first, last = points[1], points[#points]
    assert.near(0.54321, (at - first[1]) / (last[1] - first[1]), 1 / 800) -- a pixel
    -- The panel is 1.12 times as high as the curve, because of margins of 0.06 at both ends.
    assert.near(190 / 1.12, first[2] - top, 0.02)
  end)

  it("draws a line through the samples", function()
    local svg = plot.svg(sampled(4, 4, { ramp = function(t) return 3 * t end }))
    local points = points_of(curves_of(svg)[1].path)
    assert.equal(5, #points)
    for i = 2, 5 do
      -- Coordinates are written with two decimals.
      assert.near((points[5][1] - points[1][1]) / 4, points[i][1] - points[i - 1][1], 0.011)
      assert.near((points[5][2] - points[1][2]) / 4, points[i][2] - points[i - 1][2], 0.011)
    end
  end)

  it("breaks a line at missing and infinite values, and marks isolated points", function()
    local values = { 1, 2, NAN, 3, math.huge, 4, 5, -math.huge, 1e301, 6 }
    local svg = plot.svg(trace.from { time = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, gap = values })
    local _, begun = curves_of(svg)[1].path:gsub("M", "")
    local _, alone = svg:gsub("<circle", "")
    assert.equal(2, begun)
    assert.equal(2, alone)
    assert.falsy(svg:find("nan", 1, true))
    assert.falsy(svg:find("inf", 1, true))
  end)

  it("contains only finite numbers for any size of values", function()
    local least, most = 5e-324, 9.9e299
    for _, values in ipairs { { least, least, least }, { 0, least, -least }, { 1e-305, 1.1e-305, 1e-305 },
      { 1e-300, 2e-300, 3e-300 }, { most, most, most }, { -most, 0, most }, { 1.7e308, -1.7e308, 1 } } do
      for _, time in ipairs { { 0, 1, 2 }, { 0, least, 2 * least }, { 1e20, 1e20, 1e20 }, { most, most, most } } do
        local svg = plot.svg(trace.from { time = time, value = values })
        for attribute, value in svg:gmatch ' (%l[%l%d]*)="([^"]*)"' do
          if (" d x y cx cy r width height "):find(" " .. attribute .. " ", 1, true) then
            for word in value:gmatch "[^MLHVZh ]+" do
              assert.is_true(math.abs(tonumber(word) or math.huge) < 1e4, value)
            end
          end
        end
      end
    end
  end)

  it("draws true and false in steps", function()
    local svg = plot.svg(trace.from { time = { 0, 1, 2, 3 }, on = { false, true, true, false } })
    local path = curves_of(svg)[1].path
    assert.truthy(path:find "^M[%d.]+ [%d.]+H[%d.]+V[%d.]+H[%d.]+V[%d.]+H[%d.]+V[%d.]+$", path)
    has(texts_of(svg), "|0|1|")
  end)

  it("draws one panel for each unit that the option `units` or a column's name gives", function()
    local one = sampled(1, 10, {
      tilt = function(t) return t end, ["swing [rad]"] = function(t) return 1000 * t end, x = function() return 2 end,
    })
    local svg = plot.svg(one, { units = { tilt = "rad", x = "m" }, title = "A & B" })
    local texts = texts_of(svg)
    local _, frames = svg:gsub('stroke="#5a626c"', "")
    assert.equal(2, frames)
    has(texts, "|swing|tilt|[rad]|")
    has(texts, "|x|[m]|")
    has(texts, "|time [s]|")
    has(texts, "|A &amp; B|")
  end)

  it("puts columns without a unit in one panel if each still fills a fifth of it", function()
    local function frames(scale)
      local svg = plot.svg(sampled(1, 10, { a = function(t) return t end, b = function(t) return scale * t end }))
      return select(2, svg:gsub('stroke="#5a626c"', ""))
    end
    assert.equal(1, frames(5))
    assert.equal(2, frames(5.1))
    assert.equal(1, frames(0.2))
    assert.equal(2, frames(0.19))
  end)

  it("draws up to forty lines that differ in colour or dash", function()
    local functions = {}
    for i = 1, 40 do functions[("c%02d"):format(i)] = function(t) return t + i / 40 end end
    local seen = {}
    for _, one in ipairs(curves_of(plot.svg(sampled(1, 3, functions)))) do
      local look = one.color .. one.rest
      assert.is_nil(seen[look])
      seen[look] = true
    end
    assert.equal(40, #require("impel.base.nearest").keys(seen))
  end)

  it("shows a constant column, a single row and a column without a value", function()
    for _, columns in ipairs {
      { time = { 0, 1 }, x = { 5, 5 } }, { time = { 3 }, x = { 5 } }, { time = { 0, 1 }, x = { NAN, NAN } },
      { time = { 0, 1 }, x = { 0, 0.0 } }, { time = { 0, 1 }, x = { 1e15, 1e15 + 0.125 } },
    } do
      local svg = plot.svg(trace.from(columns))
      assert.falsy(svg:find("nan", 1, true), svg)
      assert.falsy(svg:find("inf", 1, true), svg)
    end
  end)

  it("compares traces: a panel for each column, a line for each trace", function()
    local a = sampled(1, 5, { x = function(t) return t end, y = function(t) return -t end })
    local b = sampled(2, 5, { x = function(t) return t end, y = function(t) return -t end })
    local svg = plot.svg({ a, b }, { labels = { "soft", "direct" } })
    assert.equal(4, #curves_of(svg))
    has(texts_of(svg), "|x|soft|direct|")
    has(texts_of(svg), "|y|soft|direct|")
  end)

  it("is XML that a strict reader accepts", function()
    if not HAS_XMLLINT then return pending "xmllint is not there" end
    local path = write(plot.svg(trace.from { time = { 0, 1 }, ["<&> [\"]"] = { 1, 2 } }), ".svg")
    local _, _, code = os.execute("xmllint --noout " .. shared.quote(path))
    assert.equal(0, code)
  end)

  it("refuses invalid data, at the caller's line", function()
    local one = trace.from { time = { 0, 1 }, tilt = { 1, 2 }, word = { "a", "b" } }
    for message, call in pairs {
      ["no column 'tlit' in trace '?' (2 rows) (did you mean 'tilt'?)"] = { one, { columns = { "tlit" } } },
      ["column 'word' of trace '?' (2 rows) holds text"] = { one, { columns = { "word" } } },
      ["no column 'run'"] = { one, { x = "run" } },
      ["unknown option 'unit' (did you mean 'units'?)"] = { one, { unit = {} } },
      ["width of 200..10000 pixels expected, got 10"] = { one, { width = 10 } },
      ["a trace of impel.trace or a list of them expected, got number"] = { 3 },
      ["has no numeric column besides 'time'"] = { trace.from { time = { 1 } } },
    } do
      local ok, text = pcall(function() plot.svg(call[1], call[2]) end)
      assert.is_false(ok)
      assert.truthy(text:find("^spec/scripts/picture/plot_spec.lua:%d+: plot: "), text)
      has(text, message)
    end
  end)
end)

local SCENE = [[
local impel = require "impel"
return { title = "Fall", duration = 0.5, %s setup = function()
  local world = impel.world {}
  return { world = world, body = world:body { position = { 0, 10 } } }
end, measure = function(s)
  local _, y = s.body:position()
  return { height = y, low = y < 9.5, speed = select(2, s.body:velocity()) }
end }
]]

describe("impel plot", function()
  after_each(shared.clean)

  local function traced()
    local csv = shared.temporary ".csv"
    assert.equal(0, (run(("run - -q --trace %s"):format(csv), SCENE:format "")))
    return csv
  end

  it("writes the plot beside the trace, or to a given path", function()
    local csv = traced()
    local beside = csv:gsub("csv$", "svg")
    local code, out, err = run("plot " .. csv)
    assert.equal(0, code, err)
    assert.equal("", out)
    assert.equal(("impel: wrote %s\n"):format(beside), err)
    local text = read(beside)
    os.remove(beside)
    local other = shared.temporary ".svg"
    assert.equal(0, (run(("plot -q %s -o %s"):format(csv, other))))
    assert.equal(text, read(other))
    code, out, err = run(("plot %s -o -"):format(csv))
    assert.equal(0, code, err)
    assert.equal(text, out)
    has(texts_of(text), "|height|")
  end)

  it("accepts columns, units and the column of the horizontal axis", function()
    local csv = traced()
    local units = "--unit speed=m/s --unit height=m"
    local code, out, err = run(("plot %s -o - --columns speed,height %s --title T"):format(csv, units))
    assert.equal(0, code, err)
    has(texts_of(out), "|T|speed|[m/s]|")
    has(texts_of(out), "|height|[m]|")
    assert.falsy(texts_of(out):find("|low|", 1, true))
    code, out, err = run(("plot %s -o - --over height --columns speed"):format(csv))
    assert.equal(0, code, err)
    has(texts_of(out), "|height|")
  end)

  it("draws JSON lines, and reports an incomplete last line", function()
    local path = write('{"time":0,"x":1}\n{"time":1,"x":null}\n{"time":2,"x":3}\n{"time":3,', ".jsonl")
    local code, out, err = run(("plot %s -o -"):format(path))
    assert.equal(0, code, err)
    assert.equal(("impel: %s: the last line is incomplete and is left out\n"):format(path), err)
    has(texts_of(out), "|x|")
  end)

  it("refuses with the reason and the exit code: 2 for wrong arguments, 5 for wrong contents", function()
    local csv, broken = traced(), write("time,x\n0,1,2\n", ".csv")
    local mixed = shared.write("time,x,y\n1,1,3\n\n2,abc,3\n", ".csv")
    for arguments, expected in pairs {
      [csv .. " --columns heigth"] = { 2, "no column 'heigth'" },
      [csv .. " --unit heigth=m"] = { 2, "unit of 'heigth': no such column (did you mean 'height'?)" },
      [csv .. " --unit height"] = { 2, "--unit: name=unit expected, got 'height'" },
      [csv .. " --columns a,,b"] = { 2, "--columns: names separated by commas expected" },
      [csv .. " -o plot.png"] = { 2, "-o plot.png: a name ending in .svg expected, or -" },
      [csv .. " -o /nowhere/plot.svg"] = { 5, "/nowhere/plot.svg" },
      ["nowhere.csv"] = { 2, "nowhere.csv" },
      [csv:gsub("csv$", "txt")] = { 2, "a name ending in .csv or .jsonl expected" },
      [broken] = { 5, "line 2: 3 fields where the header has 2" },
      [shared.write("time,x\n", ".csv")] = { 2, "(0 rows): there is nothing to draw" },
      [shared.write("time;x\n1,5;2\n", ".csv")] = { 5, "line 1: commas between the columns expected, got semicolons" },
      [shared.write("time\tx\n1\t2\n", ".csv")] = { 5, "line 1: commas between the columns expected, got tabs" },
      [mixed .. " --columns x"] = { 2, "holds text: line 4 has 'abc'" },
      [shared.write("time,x\n1,2\n2,O\n", ".csv")] = { 2, "besides 'time': line 3 has 'O' in column 'x'" },
    } do
      local code, out, err = run("plot " .. arguments)
      assert.equal(expected[1], code, arguments .. ": " .. err)
      assert.equal("", out)
      has(err, expected[2])
    end
  end)
end)

describe("impel plot of a column with text in a cell", function()
  after_each(shared.clean)

  it("draws the other columns, and reports the line and the text of the cell", function()
    local csv = shared.write('time,"x",y,status\n1,"1",3,ok\n\n2,abc,3,ok\n3,4,3,ok\n', ".csv")
    local code, out, err = run(("plot %s -o -"):format(csv))
    assert.equal(0, code, err)
    has(texts_of(out), "|y|")
    assert.equal(("impel: %s: column 'x' is left out: line 4 has 'abc'\n"):format(csv), err)
  end)
end)

describe("impel run --plot", function()
  after_each(shared.clean)

  local units = 'units = { height = "m", speed = "m/s" },'

  it("draws the measures in the scene's units, and leaves the run unchanged", function()
    local path = shared.temporary ".svg"
    local code, out, err = run("run - --hash --plot " .. path, SCENE:format(units))
    assert.equal(0, code, err)
    local _, plain = run("run - --hash", SCENE:format(units))
    assert.equal(plain, out)
    local texts = texts_of(read(path))
    has(texts, "|Fall|height|[m]|")
    has(texts, "|low|")
    has(texts, "|speed|[m/s]|")
  end)

  it("draws the SVG that impel plot draws from the run's trace", function()
    local csv, path = shared.temporary ".csv", shared.temporary ".svg"
    assert.equal(0, (run(("run - -q --every 3 --trace %s --plot %s"):format(csv, path), SCENE:format "")))
    local code, out, err = run(("plot %s -o - --title Fall"):format(csv))
    assert.equal(0, code, err)
    assert.equal(out, read(path))
    local _, points = curves_of(out)[1].path:gsub("[ML]", "")
    assert.equal(11, points) -- rows at steps 0, 3, ..., 30
  end)

  it("writes only the SVG to standard output if the path is -", function()
    local code, out, err = run("run - --plot -", SCENE:format "")
    assert.equal(0, code, err)
    assert.truthy(out:find "^<%?xml" and out:find "</svg>\n$", out)
    assert.equal(2, (run("run - --plot - --json", SCENE:format "")))
  end)

  it("refuses invalid units, and units of unknown measures", function()
    local code, _, err = run("run -", SCENE:format "units = { height = 3 },")
    assert.equal(3, code)
    has(err, 'scene.units: { measure = "unit" } expected, got height = number')
    local path = shared.temporary ".svg"
    local out
    code, out, err = run("run - --hash --plot " .. path, SCENE:format 'units = { heigth = "m" },')
    assert.equal(3, code)
    has(err, "unit of 'heigth': no such column (did you mean 'height'?)")
    has(texts_of(read(path)), "|height|")
    assert.equal(select(2, run("run - --hash", SCENE:format "")), out)
  end)

  it("is refused before the run if the scene has no measures", function()
    local code, out, err = run("run - --plot " .. shared.temporary ".svg", [[
      return { setup = function() error "it was run" end }]])
    assert.equal(2, code)
    assert.equal("", out)
    has(err, "has no measure()")
  end)
end)
