-- impel.trace: recorded values are read back to the bit, and measures of curves agree with closed forms.

local impel = require "impel"

local trace = impel.trace
local NAN = 0 / 0

-- Return a trace of functions of time at equal steps.
local function sampled(dt, duration, functions)
  local columns = { time = {} }
  for k = 0, math.floor(duration / dt + 0.5) do
    local t = k * dt
    columns.time[k + 1] = t
    for name, f in pairs(functions) do
      columns[name] = columns[name] or {}
      columns[name][k + 1] = f(t)
    end
  end
  return trace.from(columns)
end

local function bits(x)
  return string.pack("n", x)
end

describe("trace", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function()
    for _, ending in ipairs { "", ".csv", ".jsonl" } do os.remove(path .. ending) end
  end)

  local function write(ending, text)
    local file = assert(io.open(path .. ending, "wb"))
    file:write(text)
    file:close()
    return path .. ending
  end

  describe("reading", function()
    -- Return edge cases, then random bits as doubles, but no nan and no infinity.
    local function random_doubles(count)
      local g, list = impel.rng.new(3), { 0.0, -0.0, 2 ^ -1074, 0x1p1023, 2 ^ 53, 1e15, 1e17, 0.1 }
      while #list < count do
        local x = string.unpack("n", string.pack("j", g:bits()))
        if x == x and math.abs(x) < math.huge then list[#list + 1] = x end
      end
      return list
    end

    it("gives back every bit that the recorder wrote", function()
      local values = random_doubles(2000)
      for _, ending in ipairs { ".csv", ".jsonl" } do
        local out = assert(impel.recorder.open(path .. ending))
        for i, x in ipairs(values) do assert(out:row(i / 64, { x = x, ['odd "name",\n'] = -x })) end
        assert(out:close())
        local got = assert(trace.read(path .. ending))
        assert.same({ "time", 'odd "name",\n', "x" }, got.columns)
        assert.equal(#values, got.count)
        assert.is_false(got.torn)
        local x, odd = got:column "x", got:column 'odd "name",\n'
        for i, value in ipairs(values) do
          assert.equal(bits(value), bits(x[i]))
          assert.equal(bits(-value), bits(odd[i]))
        end
      end
    end)

    it("writes a trace back byte for byte", function()
      local values = random_doubles(500)
      for _, ending in ipairs { ".csv", ".jsonl" } do
        local out = assert(impel.recorder.open(path .. ending))
        for i, x in ipairs(values) do assert(out:row(i / 64, { x = x, b = i > 3 and NAN or 1 })) end
        assert(out:close())
        local text = io.open(path .. ending, "rb"):read("a")
        assert(assert(trace.read(path .. ending)):write(path .. ending))
        assert.equal(text, io.open(path .. ending, "rb"):read("a"))
      end
    end)

    it("reads numbers in a locale with a decimal comma", function()
      if not os.setlocale("de_DE.UTF-8", "numeric") then return pending "no German locale here" end
      local csv = trace.parse("time,x\n0.25,1.5e3\n", "csv")
      local jsonl = trace.parse('{"time":0.25,"x":1.5e3}\n', "jsonl")
      os.setlocale("C", "numeric")
      for _, got in ipairs { csv, jsonl } do assert.same({ time = 0.25, x = 1500.0 }, got:rows()()) end
    end)

    it("reads nan, inf, null and booleans", function()
      local csv = assert(trace.parse("time,a,b\n0,nan,inf\n1,,-inf\n2,1,0\n", "csv"))
      local a = csv:column "a"
      assert.is_true(a[1] ~= a[1] and a[2] ~= a[2])
      assert.same({ math.huge, -math.huge, 0 }, csv:column "b")
      local jsonl = assert(trace.parse('{"time":0,"a":null,"b":true}\n{"time":1,"b":false,"a":2}\n', "jsonl"))
      a = jsonl:column "a"
      assert.is_true(a[1] ~= a[1])
      assert.equal(2, a[2])
      assert.same({ 1, 0 }, jsonl:column "b")
    end)

    it("keeps the texts of a sweep, and all digits of its seeds", function()
      local got = assert(trace.parse('seed,mu,hash,status,score,note\n'
        .. '9007199254740993,0.10,1234567890123456,ok,1.5,\n2,0x1,0000000000000001,"error: ""x"",\nline 2",,\n', "csv"))
      assert.same({ "seed", "mu", "hash", "status", "score", "note" }, got.columns)
      assert.same({ 9007199254740993, 2 }, got:column "seed")
      assert.same({ "0.10", "0x1" }, got:column "mu")
      assert.same({ "1234567890123456", "0000000000000001" }, got:column "hash")
      assert.same({ "ok", 'error: "x",\nline 2' }, got:column "status")
      assert.same({ "", "" }, got:column "note")
      assert.equal(1.5, got:statistics("score").mean)
      assert.equal(1, got:statistics("score").count)
      local statistics = got:statistics("score")
      assert.is_true(statistics.min_time ~= statistics.min_time)
      assert.error_matches(function() got:statistics "status" end, "'status' of .* holds text %('ok' in row 1%)")
      assert.error_matches(function() got:derivative "score" end, "no column 'time'")
      local mixed = assert(trace.parse('{"x":1.5}\n{"x":"lost"}\n{}\n', "jsonl"))
      assert.same({ "1.5", "lost", "" }, mixed:column "x")
    end)

    it("accepts CRLF, a byte order mark and blank lines", function()
      local got = assert(trace.parse('\xEF\xBB\xBFtime,"x"\r\n0,"1"\r\n\r\n1,2\r\n', "csv"))
      assert.same({ "time", "x" }, got.columns)
      assert.same({ 1, 2 }, got:column "x")
    end)

    it("leaves out a torn last line and reports it, for a cut at any byte", function()
      local whole = 'time,x,"na""me"\n0,1.5,"a, b"\n'
      local line = '1,2.25,"c ""d"""\n'
      for cut = 1, #line - 1 do
        local got = assert(trace.read(write(".csv", whole .. line:sub(1, cut))))
        assert.is_true(got.torn)
        assert.equal(1, got.count)
      end
      assert.is_false(trace.read(write(".csv", whole .. line)).torn)
      local json_line = '{"time":1,"x":2.25}\n'
      for cut = 1, #json_line - 1 do
        local got = assert(trace.read(write(".jsonl", '{"time":0,"x":1}\n' .. json_line:sub(1, cut))))
        assert.is_true(got.torn)
        assert.equal(1, got.count)
      end
    end)

    it("names the file and the line of an error", function()
      local wrong = {
        { ".csv", "", "line 1: no complete line" }, { ".csv", "time,x", "line 1: no complete line" },
        { ".csv", "time,x\n0,1\n1\n", "line 3: 1 fields where the header has 2" },
        { ".csv", 'time,x\n"0\n0",1\n1,2,3\n', "line 4: 3 fields where the header has 2" },
        { ".csv", "time,x,x\n0,1,1\n", "line 1: two columns are named 'x'" },
        { ".csv", "time,\n0,1\n", "line 1: column 2 has no name" },
        { ".csv", 'time,x\n0,"1\n1,2\n', "line 2: a quote is not closed" },
        { ".csv", 'time,x\n0,1"\n', 'line 2: the field \'1"\' contains a quote, but does not begin with one' },
        { ".csv", 'time,x\n0,"1"2\n', "line 2: a comma or the end of the line expected after a quote" },
        { ".jsonl", "", "line 1: no complete line" }, { ".jsonl", '{"x":1}\n[1]\n', "line 2: an object" },
        { ".jsonl", '{"x":1}\n\n{"x":\n', "line 3, column 1: unterminated object" },
        { ".jsonl", '{"x":1} 2\n', "line 1, column 9: nothing expected after the value, got '2'" },
        { ".jsonl", '{"x":{}}\n', "line 1: 'x': number, boolean, string or null expected" },
        { ".txt", "", "a name ending in .csv or .jsonl expected" },
      }
      for _, case in ipairs(wrong) do
        local file = write(case[1], case[2])
        local none, message = trace.read(file)
        assert.is_nil(none, case[3])
        assert.truthy(message:find(file, 1, true) and message:find(case[3], 1, true), message)
      end
      os.remove(path .. ".txt")
      local none, message = trace.read("/nonexistent/x.csv")
      assert.is_nil(none)
      assert.truthy(message:find("cannot read trace /nonexistent/x.csv", 1, true))
      assert.error_matches(function() trace.parse("", "xml") end, "format 'csv' or 'jsonl' expected, got xml")
    end)

    it("names the missing module for JSON lines", function()
      local searchers, loaded = package.searchers, package.loaded.dkjson
      package.searchers, package.loaded.dkjson = {}, nil
      local none, message = trace.parse("{}\n", "jsonl")
      package.searchers, package.loaded.dkjson = searchers, loaded
      assert.is_nil(none)
      assert.truthy(message:find("dkjson", 1, true))
    end)
  end)

  describe("columns", function()
    local got = trace.from {
      time = { 0, 1, 3 }, b = { true, false, true }, a = { 1.5, NAN, 4.5 }, word = { "x", "", "y" },
    }

    it("are time first, then sorted by name; rows are tables with the column names as keys", function()
      assert.same({ "time", "a", "b", "word" }, got.columns)
      local rows = {}
      for row in got:rows() do rows[#rows + 1] = row end
      assert.equal(3, #rows)
      assert.same({ time = 3, a = 4.5, b = 1, word = "y" }, rows[3])
      got:column("b")[1] = 9
      assert.equal(1, got:column("b")[1])
    end)

    it("report an unknown name at the caller's line, with the nearest name", function()
      local function refused(pattern, f)
        local ok, message = pcall(f)
        assert.is_false(ok)
        local line = "spec/scripts/series/trace_spec.lua:" .. debug.getinfo(f, "S").linedefined
        assert.truthy(message:find(line, 1, true), message)
        assert.truthy(message:find(pattern), message)
      end
      refused("no column 'wrod' in .* %(did you mean 'word'%?%)", function() got:column "wrod" end)
      local methods = { "statistics", "rms", "derivative", "integral", "settling_time", "overshoot", "rise_time",
        "crossings", "period", "peak", "spectrum" }
      for _, method in ipairs(methods) do
        refused("no column 'c'", function() got[method](got, "c") end)
        refused("'word' of .* holds text", function() got[method](got, "word") end)
      end
      refused("no column 'c'", function() got:at("c", 1) end)
      refused("at: t: number expected, got nil", function() got:at("a") end)
      refused("number expected, got x", function() got:window("x") end)
      refused("dt above 0 s expected, got 0", function() got:resample(0) end)
      refused("more than", function() got:resample(1e-12) end)
      refused("unknown option 'bnad' %(did you mean 'band'%?%)", function() got:settling_time("a", { bnad = 1 }) end)
      refused("option 'target': number expected, got x", function() got:overshoot("a", { target = "x" }) end)
      refused("has 2 values: frequencies need at least 4", function() got:peak("a") end)
      refused("holds text", function() got:write("x.csv") end)
      refused("no field 'cuont' in a trace %(did you mean 'count'%?%)", function() return got.cuont end)
      refused("'b' has 1 rows, 'a' has 2", function() trace.from { a = { 1, 2 }, b = { 1 } } end)
      refused("row 2: text as in row 1 expected, got number", function() trace.from { a = { "x", 2 } } end)
      refused("list expected, got number", function() trace.from { a = 1 } end)
      refused("at least one column expected", function() trace.from {} end)
      local back = trace.from { time = { 0, 1, 1 }, a = { 1, 2, 3 } }
      refused("does not increase at row 3: 1 after 1", function() back:period("a") end)
      local void = trace.from { time = { 0, 1 }, a = { NAN, NAN } }
      refused("'a' of .* has no value", function() void:overshoot("a") end)
    end)

    it("omit missing values", function()
      assert.equal(2, got:statistics("a").count)
      assert.equal(3.0, got:statistics("a").mean)
      assert.equal(2.5, got:at("a", 1))
      assert.equal(9.0, (got:integral "a"))
      local slopes = got:derivative "a"
      assert.equal(1.0, slopes[1])
      assert.is_true(slopes[2] ~= slopes[2])
      assert.same({ 1.5, 2.5, 3.5, 4.5 }, got:resample(1):column "a")
      assert.same({ "x", "", "", "y" }, got:resample(1):column "word")
    end)

    it("have windows that include both limits, and no values before the first or after the last sample", function()
      assert.same({ 1, 3 }, got:window(1, 3):column "time")
      assert.same({ 1 }, got:window(0.5, 2.9):column "time")
      assert.same({ 0, 1 }, got:window(nil, 1):column "time")
      assert.equal(0, got:window(4, 9).count)
      assert.equal(0, got:window(2, 1).count)
      local none, message = got:at("a", 3.5)
      assert.is_nil(none)
      assert.equal("3.5 s is outside 0..3 s", message)
      assert.same({ 0.0, 1.5, 3.0 }, got:resample(1.5):column "time")
      assert.equal(31, got:resample(0.1).count) -- 3 / 0.1 is 29.999999999999996
    end)
  end)

  describe("curves", function()
    it("have the statistics of their samples", function()
      local got = trace.from { time = { 0, 1, 5, 6 }, x = { 2, -1, 5, 2 } }
      assert.same({
        count = 4, first = 2.0, last = 2.0, min = -1.0, max = 5.0, mean = 2.0, std = math.sqrt(18 / 4),
        rms = math.sqrt(34 / 4), min_time = 1.0, max_time = 5.0,
      }, got:statistics "x")
      assert.equal(math.sqrt(34 / 4), got:rms "x")
      local whole = trace.from { x = { math.maxinteger, math.maxinteger } } -- a sum of integers would wrap around
      assert.equal(2.0 ^ 63, whole:statistics("x").mean)
    end)

    it("have the exact derivative of a parabola at uneven times, and that of a sine within dt^2 / 3", function()
      local columns, g, t = { time = {}, x = {} }, impel.rng.new(1), 0
      for i = 1, 50 do
        columns.time[i], columns.x[i] = t, 3 - 2 * t + 0.5 * t * t
        t = t + 0.01 + g:random()
      end
      local got = trace.from(columns)
      for i, slope in ipairs(got:derivative "x") do
        assert.near(columns.time[i] - 2, slope, 1e-10) -- rounding of x, divided by the smallest spacing
      end
      local dt = 0.01
      local sine = sampled(dt, 6, { x = math.sin })
      local times = sine:column "time"
      for i, slope in ipairs(sine:derivative "x") do
        local off = (i == 1 or i == #times) and dt * dt / 3 or dt * dt / 6
        assert.near(math.cos(times[i]), slope, off * 1.01 + 1e-12) -- |x'''| is at most 1
      end
    end)

    it("have the integral of a sine within the error of the trapezoidal rule, also as a running integral", function()
      local dt = math.pi / 1000
      local total, running = sampled(dt, math.pi, { x = math.sin }):integral "x"
      -- The error of the trapezoidal rule is -dt^2 / 12 times (x' at the end - x' at the start).
      assert.near(2, total, dt * dt / 12 * 2.001)
      assert.near(1, running[501], dt * dt / 12 * 1.001)
      assert.equal(0.0, running[1])
      assert.equal(total, running[1001])
    end)

    it("cross a level where the line between samples crosses it, not where samples only touch it", function()
      local got = trace.from { time = { 0, 1, 2, 3, 4, 5, 6, 7, 8 }, x = { -1, 3, 0, 1, 0, 0, -2, 0, -1 } }
      local times, directions = got:crossings "x"
      assert.same({ 0.25, 4 }, times)
      assert.same({ 1, -1 }, directions)
      assert.same({}, (got:crossings("x", 3)))
      assert.same({ 0.25, 1.75 }, (trace.from { time = { 0, 1, 2 }, x = { 0, 4, 0 } }:crossings("x", 1)))
    end)

    it("have the period of a damped oscillation", function()
      local zeta, omega = 0.05, 7
      local damped = omega * math.sqrt(1 - zeta * zeta)
      local dt = 1 / 240
      local got = sampled(dt, 6, { x = function(t) return 2 + math.exp(-zeta * omega * t) * math.cos(damped * t) end })
      -- Linear interpolation shifts a crossing by |x''| / |x'| dt^2 / 8 = 2 zeta omega dt^2 / 8 = 1.5e-6 s.
      assert.near(2 * math.pi / damped, assert(got:period("x", 2)), 1e-5)
      assert.near(2 * math.pi / damped, assert(got:period "x"), 2e-3) -- the default level, the mean, is not exactly 2
      local none, message = got:period("x", 9)
      assert.is_nil(none)
      assert.equal("crosses 9 0 times, less than a full period", message)
    end)
  end)

  describe("a step's response", function()
    local function second_order(zeta, omega)
      local root = math.sqrt(1 - zeta * zeta)
      local damped = omega * root
      return function(t)
        return 1 - math.exp(-zeta * omega * t) * (math.cos(damped * t) + zeta / root * math.sin(damped * t))
      end
    end

    -- Return the root of f between a and b, where f has different signs.
    local function root_of(f, a, b)
      local below = f(a) < 0
      for _ = 1, 100 do
        local middle = (a + b) / 2
        if (f(middle) < 0) == below then a = middle else b = middle end
      end
      return a
    end

    it("of the second order overshoots by exp(-pi zeta / sqrt(1 - zeta^2))", function()
      local dt, omega = 1 / 960, 5
      for _, zeta in ipairs { 0.1, 0.3, 0.5, 0.707, 0.9 } do
        local got = sampled(dt, 12, { x = second_order(zeta, omega), down = function(t)
          return 7 - 4 * second_order(zeta, omega)(t)
        end })
        local expected = math.exp(-math.pi * zeta / math.sqrt(1 - zeta * zeta))
        -- A sample is within dt / 2 of the peak, so it is below the peak by at most omega^2 (dt / 2)^2 / 2.
        local off = omega * omega * dt * dt / 8 + 1e-9
        assert.near(expected, assert(got:overshoot("x", { target = 1 })), off)
        assert.near(expected, assert(got:overshoot("down", { target = 3 })), off)
        assert.near(math.pi / (omega * math.sqrt(1 - zeta * zeta)), got:statistics("x").max_time, dt)
      end
    end)

    it("settles when it enters the band for the last time", function()
      local dt, omega = 1 / 960, 5
      for _, zeta in ipairs { 0.1, 0.3, 0.5, 0.8 } do
        local f = second_order(zeta, omega)
        local got = sampled(dt, 20, { x = f })
        local t = assert(got:settling_time("x", { target = 1 }))
        local level = f(t - 1e-3) > 1 and 1.02 or 0.98
        local exact = root_of(function(s) return f(s) - level end, t - 0.02, t + 0.02)
        assert.near(exact, t, 1e-5) -- error of linear interpolation, dt^2 / 8 times the curvature, divided by the slope
        for s = exact + 1e-9, 20, 0.01 do assert.is_true(math.abs(f(s) - 1) <= 0.02) end
        -- The envelope enters the band of 2 % at ln(50 / sqrt(1 - zeta^2)) / (zeta omega). The curve settles before
        -- the envelope, by at most half an oscillation.
        local envelope = math.log(50 / math.sqrt(1 - zeta * zeta)) / (zeta * omega)
        assert.is_true(t <= envelope)
        assert.is_true(t >= envelope - math.pi / (omega * math.sqrt(1 - zeta * zeta)))
        assert.near(t, assert(got:settling_time("x", { target = 1, within = 0.02 })), 0)
      end
    end)

    it("of the first order rises in ln 9 and settles in ln 50 time constants", function()
      local dt, tau = 1e-3, 0.4
      local got = sampled(dt, 8, { x = function(t) return 5 - 3 * math.exp(-t / tau) end })
      -- Error of linear interpolation, dt^2 / 8 times the curvature, divided by the slope [s]
      local off = dt * dt / (8 * tau)
      assert.near(tau * math.log(9), assert(got:rise_time("x", { target = 5 })), 2 * off)
      assert.near(tau * math.log(2), assert(got:rise_time("x", { target = 5, low = 0, high = 0.5 })), 2 * off)
      assert.near(tau * math.log(50), assert(got:settling_time("x", { target = 5 })), off)
      assert.near(tau * math.log(20), assert(got:settling_time("x", { target = 5, band = 0.05 })), off)
      assert.equal(0.0, got:overshoot("x", { target = 5 }))
    end)

    it("gives nil and a message if it never reaches the band", function()
      local got = trace.from { time = { 0, 1, 2 }, x = { 0, 1, 0.5 }, flat = { 2, 2, 2 } }
      local function fails(expected, none, message)
        assert.is_nil(none)
        assert.equal(expected, message)
      end
      fails("the last value is 1.5 away from the target 2", got:settling_time("x", { target = 2 }))
      fails("does not reach 1.8", got:rise_time("x", { target = 2 }))
      fails("target and start are both 2: the step is zero", got:overshoot "flat")
      fails("target and start are both 2: the step is zero", got:rise_time "flat")
      fails("target and start are both 2, so 'band' has no width; use 'within'", got:settling_time "flat")
      assert.equal(0.0, got:settling_time("flat", { within = 0.1 }))
    end)
  end)

  describe("frequencies", function()
    local spectrum = require "impel.series.spectrum"

    it("equal the defining sum of the transform", function()
      local n, g, re, im = 32, impel.rng.new(2), {}, {}
      for i = 1, n do re[i], im[i] = g:normal(), g:normal() end
      local x, y = table.move(re, 1, n, 1, {}), table.move(im, 1, n, 1, {})
      spectrum.fft(re, im)
      for k = 0, n - 1 do
        local a, b = 0, 0
        for j = 0, n - 1 do
          local c, s = math.cos(2 * math.pi * j * k / n), -math.sin(2 * math.pi * j * k / n)
          a, b = a + x[j + 1] * c - y[j + 1] * s, b + x[j + 1] * s + y[j + 1] * c
        end
        assert.near(a, re[k + 1], 1e-13 * n) -- rounding in a sum of n terms of about 1
        assert.near(b, im[k + 1], 1e-13 * n)
      end
      assert.error_matches(function() spectrum.fft({ 1, 2, 3 }, { 0, 0, 0 }) end, "power of two expected, got 3")
    end)

    -- The mirror image at -f disturbs the peak at f. The error decreases with the number of periods.
    it("of a sine are found between the bins, to 4e-3 of a bin with three periods, to 1e-4 with ten", function()
      local duration = 10
      for _, dt in ipairs { 1 / 60, 1 / 97 } do
        for f = 0.3, 24, 0.3137 do
          local got = sampled(dt, duration, { x = function(t) return 40 + 0.3 * math.sin(2 * math.pi * f * t + f) end })
          local frequency, amplitude = got:peak "x"
          local few = f * duration < 10
          assert.near(f, frequency, (few and 4e-3 or 1e-4) / duration)
          assert.near(0.3, amplitude, 0.3 * (few and 2e-3 or 1e-4))
        end
      end
    end)

    it("are found in a sum of two sines, in a given range, and at uneven times", function()
      local function two(t) return math.sin(2 * math.pi * 3.21 * t) + 0.2 * math.sin(2 * math.pi * 8.4 * t) end
      local got = sampled(1 / 120, 10, { x = two })
      assert.near(3.21, (got:peak "x"), 1e-3)
      local f, amplitude = got:peak("x", { lowest = 5 })
      assert.near(8.4, f, 1e-3)
      assert.near(0.2, amplitude, 1e-3)
      local g, columns, t = impel.rng.new(4), { time = {}, x = {} }, 0
      for i = 1, 2000 do
        columns.time[i], columns.x[i] = t, two(t)
        t = t + (0.5 + g:random()) / 200
      end
      f, amplitude = trace.from(columns):peak "x"
      assert.near(3.21, f, 1e-3)
      assert.near(1, amplitude, 5e-3) -- linear interpolation lowers the peaks by the fraction (w dt)^2 / 12
      local none, message = got:peak("x", { lowest = 30, highest = 30.01 })
      assert.is_nil(none)
      assert.equal("no peak between 30 and 30.01 Hz", message)
    end)

    it("of a damped oscillation equal the damped frequency", function()
      local omega, zeta = 2 * math.pi * 2, 0.01
      local damped = omega * math.sqrt(1 - zeta * zeta)
      local function swing(t) return math.exp(-zeta * omega * t) * math.cos(damped * t) end
      local got = sampled(1 / 100, 10, { x = swing })
      assert.near(damped / (2 * math.pi), (got:peak "x"), 2e-3) -- a fiftieth of a bin of 0.1 Hz
    end)

    it("of a sine have its amplitude in one bin, and half of it in each of the two bins beside", function()
      local got = sampled(1 / 64, 4 - 1 / 64, { x = function(t) return 0.7 * math.cos(2 * math.pi * 5 * t) end })
      local frequencies, amplitudes = got:spectrum "x"
      assert.equal(129, #frequencies) -- 256 samples give 128 frequencies and the frequency 0
      assert.equal(32.0, frequencies[129])
      for k, a in ipairs(amplitudes) do
        -- With a Hann window, a bin's frequency also appears in the two bins beside it, with half of the amplitude.
        local expected = k == 21 and 0.7 or (k == 20 or k == 22) and 0.35 or 0
        assert.equal((k - 1) / 4, frequencies[k])
        assert.near(expected, a, 1e-12)
      end
    end)

    it("are refused for infinite values", function()
      local got = trace.from { time = { 0, 1, 2, 3 }, x = { 0, 1, math.huge, 0 } }
      assert.error_matches(function() got:peak "x" end, "'x' of .* is inf at 2 s")
    end)
  end)

  it("reads the program's output", function()
    local program = require("support.program")
    for _, ending in ipairs { ".csv", ".jsonl" } do
      assert(os.execute(("%s run examples/pendulum.lua --time 1 --trace %s 2>/dev/null >/dev/null"):format(
        program.quote(program.path), program.quote(path .. ending))))
      local got = assert(trace.read(path .. ending))
      assert.equal(61, got.count)
      assert.equal("time", got.columns[1])
    end
  end)
end)
