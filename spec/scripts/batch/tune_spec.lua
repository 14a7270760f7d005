-- impel tune finds a known optimum, with the same result after any interruption and for any number of processes.

local program = require "support.program"
local impel, write, read, quote = program.run, program.write, program.read, program.quote

-- Write a scene whose score is a formula of its parameters, without physics.
local function formula(score, params)
  return write(([[
local impel = require "impel"
local scene = { duration = 0 }
scene.params = { %s }
function scene.setup(p, seed) return { world = impel.world {}, p = p, seed = seed } end
function scene.check(s) return s.p.x < 8, "too far" end
function scene.score(s) local p, seed = s.p, s.seed %s end
return scene]]):format(params or "x = { 1.0, min = -10, max = 10 }, y = { 1.0, min = -10, max = 10 }", score))
end

local function found(out)
  local values = {}
  for name, value in out:gmatch "%-%-set (%w+)=(%S+)" do values[name] = tonumber(value) end
  return values
end

describe("impel tune", function()
  after_each(program.clean)

  for _, method in ipairs { "cma", "nelder-mead" } do
    it("finds the gains of the linear-quadratic regulator by " .. method, function()
      local code, out, err = impel("tune tune_pd --param kp,kd --budget 300 --method " .. method)
      assert.equal(0, code, err)
      local gains = found(out)
      assert.near(10, gains.kp, 0.1)                  -- sqrt(q / r), with a small error because of sampling at 1 ms
      assert.near(math.sqrt(2 * 2 * 10), gains.kd, 0.05) -- sqrt(2 m kp)
      assert.equal(1, select(2, out:gsub("\n", "")))
      -- The output of impel tune is a list of valid arguments of impel run.
      assert.equal(0, (impel("run tune_pd --check -q " .. out:gsub("\n", ""))))
    end)

    it("gives the same history for any number of processes and after a restart at any row, by " .. method, function()
      local tune = "tune tune_pd --time 1 --param kp,kd --budget 40 -q --method " .. method
      local whole
      for jobs = 1, 3 do
        local path = program.temporary(".csv")
        local code, _, err = impel(("%s -j %d -o %s"):format(tune, jobs, path))
        assert.equal(0, code, err)
        whole = whole or read(path)
        assert.equal(whole, read(path))
      end
      local rows = {}
      for line in whole:gmatch "[^\n]*\n" do rows[#rows + 1] = line end
      assert.is_true(#rows > 30 and #rows <= 41, #rows)
      for _, count in ipairs { 0, 1, 2, 9, #rows - 1, #rows } do
        local torn = count < #rows and rows[count + 1]:sub(1, 20) or ""
        local part = write(table.concat(rows, "", 1, count) .. torn, ".csv")
        assert.equal(0, (impel(("%s -o %s --resume"):format(tune, part))))
        assert.equal(whole, read(part))
      end
    end)
  end

  it("continues after kill -9 to the same bytes", function()
    local tune = "tune tune_pd --time 5 --param kp,kd --budget 60 -q -j 2"
    local whole, path = program.temporary(".csv"), program.temporary(".csv")
    assert.equal(0, (impel(tune .. " -o " .. whole)))
    math.randomseed(3)
    for _ = 1, 5 do
      os.remove(path)
      os.execute(("%s %s -o %s >/dev/null 2>&1 & sleep %.3f; kill -9 $! 2>/dev/null; wait $! 2>/dev/null"):format(
        quote(program.path), tune, path, 0.05 + 0.3 * math.random()))
      local code, _, err = impel(("%s -o %s --resume"):format(tune, path))
      assert.equal(0, code, err)
      assert.equal(read(whole), read(path))
    end
  end)

  it("continues a finished search if the budget is larger", function()
    local path = program.temporary(".csv")
    local tune = "tune tune_pd --time 1 --param kp -q -o " .. path
    assert.equal(0, (impel(tune .. " --budget 20")))
    local before = read(path)
    assert.equal(0, (impel(tune .. " --budget 60 --resume")))
    assert.equal(before, read(path):sub(1, #before))
    assert.truthy(before:find("\n1,0,3,4,0,", 1, true)) -- the first row has the scene's own values
    assert.is_true(#read(path) > 2 * #before)
    local code, _, err = impel(tune .. " --budget 20 --resume")
    assert.equal(2, code)
    assert.truthy(err:find("more than the budget of 20", 1, true), err)
  end)

  it("minimizes the mean over seeds, maximizes on request, and takes whole numbers and logarithmic ranges", function()
    -- The mean of (x - seed)^2 over seeds 1..4 is smallest at the mean of the seeds.
    local code, out = impel(("tune %s --param x --seeds 1..4 --budget 1000 -q"):format(
      formula("return (p.x - seed) ^ 2")))
    assert.equal(0, code)
    assert.near(2.5, found(out).x, 1e-3)
    code, out = impel(("tune %s --param x,y --maximize --budget 300 -q"):format(
      formula("return 3 - (p.x - 2) ^ 2 - (p.y + 4) ^ 2")))
    assert.equal(0, code)
    assert.near(2, found(out).x, 1e-3)
    assert.near(-4, found(out).y, 1e-3)
    code, out = impel(("tune %s --param n --budget 60 -q"):format(
      formula("return (p.n - 7.3) ^ 2", "n = { 3, min = 0, max = 50, integer = true }, x = 1")))
    assert.equal(0, code)
    assert.equal("--set n=7\n", out)
    code, out = impel(("tune %s --param k=1e-6:1e6:log --budget 200 -q"):format(
      formula("return math.abs(math.log(p.k / 2e-4))", "k = 1.0, x = 1")))
    assert.equal(0, code)
    assert.near(1, found(out).k / 2e-4, 1e-3)
  end)

  it("rejects runs that fail", function()
    local file = formula("if p.y > 0 then error 'no' end return (p.x - 9) ^ 2 + (p.y + 1) ^ 2")
    local code, out, err = impel(("tune %s --param x,y --budget 300 --set y=-5"):format(file))
    assert.equal(0, code)
    assert.near(9, found(out).x, 1e-2)
    assert.near(-1, found(out).y, 1e-2)
    assert.truthy(err:find("%d+ runs not ok"), err)
    code, out = impel(("tune %s --param x,y --budget 300 --set y=-5 --check -q"):format(file))
    assert.equal(0, code)
    assert.is_true(found(out).x < 8 and found(out).x > 7.9, out) -- check() passes for x below 8
    code, out, err = impel(("tune %s --param x --budget 20"):format(formula("error 'never'")))
    assert.equal(3, code)
    assert.equal("", out)
    assert.truthy(err:find("all 20 runs failed", 1, true) or err:find("all %d+ runs failed"), err)
  end)

  it("reports invalid searches", function()
    local file = formula("return p.x", "x = { 1.0, min = 0, max = 2 }, free = 1.0, on = true")
    local function refuses(arguments, message, code)
      local got, _, err = impel(("tune %s %s"):format(file, arguments))
      assert.equal(code or 2, got, err)
      assert.truthy(err:find(message, 1, true), err)
    end
    refuses("--param xx", "unknown param 'xx' (did you mean 'x'?)")
    refuses("--param free", "the parameter has no min and max; give free=from:to")
    refuses("--param on", "only parameters that are numbers can be tuned")
    refuses("--param x=0:3", "param 'x': '3' is out of range 0..2")
    refuses("--param x=0:1:log", "a logarithmic range must be above 0")
    refuses("--param x=1", "name=from:to or name=from:to:log expected")
    refuses("--param x,x", "'x' is given twice")
    refuses("--param x=1:1", "1..1 is empty")
    refuses("--param x --seeds a", "1..8 or 1,5,9 expected")
    refuses("--param x --method nelder-mead --population 9", "--population needs --method cma")
    refuses("--param x --speculative", "--speculative needs --method nelder-mead")
    refuses("--param x --resume", "--resume needs -o OUT.csv")
    refuses("", "--param")
    local history = write("run,x\n", ".csv")
    refuses("--param x -o " .. history, "exists already: --resume continues it")
    refuses("--param x --resume -o " .. history, "its columns are not those of this sweep", 5)
    local path = program.temporary(".csv")
    assert.equal(0, (impel(("tune %s --param x --budget 20 -q -o %s"):format(file, path))))
    refuses(("--param x --budget 20 --sigma 0.1 --resume -o %s"):format(path), "is not in this search", 5)
    local kept, changed = read(path), write((read(file):gsub("return p.x", "return p.x + 1")))
    local again, _, why = impel(("tune %s --param x --budget 20 --resume -o %s"):format(changed, path))
    assert.equal(5, again)
    assert.truthy(why:find("run 1 gives a different result than before", 1, true), why)
    assert.equal(kept, read(path))
    local scoreless = write((read(file):gsub("function scene.score.-end\n", "")))
    local code, _, err = impel(("tune %s --param x"):format(scoreless))
    assert.equal(2, code)
    assert.truthy(err:find("has no score()", 1, true), err)
  end)

  it("keeps the history on SIGINT and says so", function()
    local path, out, err, result = program.temporary(".csv"), program.temporary(), program.temporary(),
      program.temporary()
    local tune = ("tune tune_pd --param kp,kd --budget 100000 --sigma 0.01 -j 2 -o %s"):format(path)
    os.execute(("set -m 2>/dev/null; %s %s >%s 2>%s & %s; kill -INT $!; wait $!; echo $? >%s"):format(
      quote(program.path), tune, out, err, program.until_lines(path, 10), result))
    assert.equal("130\n", read(result))
    assert.truthy(read(err):find("the same command with --resume continues", 1, true), read(err))
    assert.truthy(read(out):find("^%-%-set kp=%S+ %-%-set kd=%S+\n$"), read(out))
    local last
    for line in read(path):gmatch "([^\n]*)\n" do
      local number = tonumber(line:match "^(%d+),")
      -- Run numbers ascend. At the signal two runs are in progress, so one number may be missing.
      assert.truthy(not last or number > last, line)
      last = number or 0
    end
    assert.truthy(last > 1)
  end)
end)
