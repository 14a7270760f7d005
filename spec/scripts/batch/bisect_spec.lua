-- impel bisect: thresholds in closed form, first seeds, first steps.

local program = require "support.program"
local impel, write, read = program.run, program.write, program.read

-- Return a scene with a particle that falls for 1 s. `check` is the body of the scene's check.
local function scene_text(check)
  return ([[
local impel = require "impel"
local scene = { duration = 1 }
scene.params = { speed = { 1.0, min = 0, max = 50 }, k = { 3, integer = true }, on = true }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, solver = "rattle" }
  local ball = world:body { name = "ball", mass = 1, type = "particle", velocity = { p.speed, 0 } }
  return { world = world, ball = ball, p = p, seed = seed }
end
function scene.measure(s) local x, y = s.ball:position() return { x = x, y = y } end
function scene.check(s) local x, p, seed = s.ball:position(), s.p, s.seed %s end
return scene]]):format(check or "return true")
end

-- Return the values of lines "name value", by name.
local function answer(out)
  local values = {}
  for name, value in out:gmatch "(%w+) +([^\n]*)\n" do values[name] = tonumber(value) or value end
  return values
end

describe("impel bisect", function()
  after_each(program.clean)

  it("finds the angle of friction, atan mu", function()
    local code, out, err = impel("bisect sweep_friction --set angle=0:60 --when 'slid > 0.001'")
    assert.equal(0, code, err)
    local found = answer(out)
    -- A slide of 1 mm in 1.5 s needs 0.9 mm/s^2. The block has this acceleration at 0.005 degrees above the angle of
    -- friction.
    assert.near(math.deg(math.atan(0.5)), found.good, 0.01)
    assert.is_true(found.fails > found.good and found.fails - found.good <= 60 / 2 ^ 20)
    assert.equal(2 + 20, found.runs)
  end)

  it("finds the slope at which a box tips over, and the smallest stable width", function()
    local _, out = impel("bisect bisect_tipping --set angle=0:60 --when 'tilt > 0.3' --tolerance 0.01")
    assert.near(math.deg(math.atan(0.5)), answer(out).good, 0.03) -- on soft contacts the box leans by 0.01 degrees
    assert.is_true(answer(out).fails - answer(out).good <= 0.01)
    _, out = impel("bisect bisect_tipping --set width=0.2:2 --when 'tilt > 0.3' --tolerance 1e-4")
    assert.near(math.tan(math.rad(20)), answer(out).fails, 1e-3)
    assert.is_true(answer(out).good > answer(out).fails)
  end)

  it("does not search whole numbers unless the parameter is declared as an integer", function()
    local whole, real = "k = { 3, integer = true }", "k = { 3, min = 0, max = 1000 }"
    local file = write((scene_text("return p.k < 123.456"):gsub(whole, real)))
    local _, out = impel(("bisect %s --set k=0:1000"):format(file))
    assert.near(123.456, answer(out).good, 1000 / 2 ^ 20)
    assert.near(123.456, answer(out).fails, 1000 / 2 ^ 20)
  end)

  it("halves the interval until its ends are neighbouring numbers, or neighbouring whole numbers", function()
    local file = write(scene_text("return p.speed <= 10 / 3 and p.k < 9"))
    local _, out = impel(("bisect %s --set speed=0:50 --tolerance 1e-300"):format(file))
    assert.equal(10 / 3, answer(out).good)
    _, out = impel(("bisect %s --set k=0:1000"):format(file))
    assert.same({ 8, 9 }, { answer(out).good, answer(out).fails })
    _, out = impel(("bisect %s --set k=1000:-1000"):format(file))
    assert.same({ 8, 9 }, { answer(out).good, answer(out).fails })
  end)

  it("finds the first failing seed in any order of completion", function()
    local file = write(scene_text([[
      if seed == 17 then package.loaded.os.execute "sleep 0.3" end -- seed 17 ends last
      return seed ~= 17 and seed < 18, 'too "large"']]))
    for _, jobs in ipairs { 1, 2, 5 } do
      local code, out = impel(("bisect %s --seeds 3..100 -j %d --steps 2"):format(file, jobs))
      assert.equal(0, code)
      local found = answer(out)
      assert.same({ 17, 'too "large"', 15 }, { found.seed, found.reason, found.runs })
      assert.equal(1, (impel(found.try:gsub("^impel ", "") .. " -q")))
    end
    local code, out, err = impel(("bisect %s --seeds 3..16"):format(file))
    assert.same({ 1, "" }, { code, out })
    assert.truthy(err:find("none of the 14 runs fails", 1, true))
  end)

  it("counts crashes, errors and timeouts as failures", function()
    for what, reason in pairs {
      ["error 'never'"] = "never", ["package.loaded.os.exit(7)"] = "exited with status 7",
      ["os.execute 'kill -9 $PPID'"] = "killed by signal 9", ["while true do end"] = "took more than 2 s",
    } do
      local file = write(scene_text(("if seed == 4 then %s end return true"):format(what)))
      local code, out, err = impel(("bisect %s --seeds 1..5 --timeout 2 --steps 1"):format(file))
      assert.equal(0, code, err)
      assert.equal(4, answer(out).seed)
      assert.truthy(out:find(reason, 1, true), out)
    end
  end)

  it("finds the first step at which a condition holds: a fall by h = 3 m takes sqrt(2 h / g)", function()
    local file = write(scene_text())
    local code, out, err = impel(("bisect %s --when 'y < -3'"):format(file))
    assert.equal(0, code, err)
    local exact = math.sqrt(2 * 3 / 9.81) * 60
    assert.equal(math.ceil(exact), answer(out).step)
    code, out = impel(("bisect %s --when 'time >= 0.5 and s.ball.mass == 1 and math.abs(x) > 0'"):format(file))
    assert.equal(0, code)
    assert.equal(30, answer(out).step)
    code, out = impel(("bisect %s --when true"):format(file))
    assert.equal(0, code)
    assert.equal(0, answer(out).step)
    local _
    code, _, err = impel(("bisect %s --when 'y > 1'"):format(file))
    assert.equal(1, code)
    assert.truthy(err:find("'y > 1' never holds", 1, true))
  end)

  it("finds the first seed and the parameter threshold at which a condition holds", function()
    local file = write(scene_text())
    local code, out = impel(("bisect %s --seeds 0..20 --when 's.seed > 6 and tick == 5'"):format(file))
    assert.equal(0, code)
    assert.same({ 7, 5 }, { answer(out).seed, answer(out).step })
    code, out = impel(("bisect %s --set speed=0:50 --when 'x > 20'"):format(file))
    assert.equal(0, code)
    assert.near(20, answer(out).fails, 50 / 2 ^ 19) -- 20 m in 1 s
    assert.equal(60, answer(out).step)
  end)

  it("saves the world at the found step as a scene file", function()
    local file, saved = write(scene_text()), program.temporary(".lua")
    local code, out, err = impel(("bisect %s --when 'y < -3' -o %s"):format(file, saved))
    assert.equal(0, code, err)
    local step = answer(out).step
    assert.equal(saved, answer(out).saved)
    local _, then_hash = impel(("run %s --steps %d --hash"):format(file, step))
    local _, saved_hash = impel(("run %s --steps 0 --hash"):format(saved))
    -- The hashes are equal, because the world has no accumulated impulses.
    assert.equal(then_hash, saved_hash)
    code, _, err = impel(("bisect %s --seeds 2..4 --when 'y < -3' -o %s"):format(file, saved))
    assert.equal(0, code, err)
    assert.truthy(read(saved):find("ball", 1, true))
    code, _, err = impel(("bisect %s --when 'y < -3' -o /no/such/folder/x.lua"):format(file))
    assert.equal(5, code)
    assert.truthy(err:find("/no/such/folder/x.lua", 1, true), err)
    code, _, err = impel(("bisect bead_on_wire --when 'time > 0.1' -o %s"):format(saved))
    assert.equal(0, code, err)
    -- Data cannot contain a Lua function.
    assert.truthy(err:find("does not contain constraint ", 1, true), err)
  end)

  it("reports a search without a result", function()
    local file = write(scene_text("return true"))
    local function refuses(arguments, message, code)
      local got, out, err = impel(("bisect %s %s"):format(file, arguments))
      assert.equal(code or 2, got, err)
      assert.equal("", out)
      assert.truthy(err:find(message, 1, true), err)
    end
    refuses("", "nothing to search for")
    refuses("--set speed=0:50", "a run passes at both 0.0 and 50.0: there is no threshold between them", 1)
    refuses("--set speed=0:51", "'51' is out of range 0..50")
    refuses("--set sped=0:51", "unknown param 'sped' (did you mean 'speed'?)")
    refuses("--set on=true:false", "a parameter that is true or false has no range")
    refuses("--set speed=0:1 --set k=1:2", "only one parameter can have a range")
    refuses("--set speed=0:1 --seeds 1..2", "--seeds and --set with a range cannot be combined")
    refuses("--seeds 1", "A..B expected")
    refuses("--when 'y <'", "'y <' is not an expression")
    refuses("--when 'z < 1'", "unknown name 'z'", 3)
    refuses("--when 'y = 1'", "is not an expression")
    refuses("--when 'yy < 1' --seeds 1..3", "unknown name 'yy' (did you mean 'y'?); measures: x, y", 3)
    refuses("--when 's.nothing.x < 1'", "attempt to index a nil value", 3)
    refuses("--seeds 1..2 -o x.lua", "-o needs --when EXPR")
    refuses("--when 'y < 1' -o x.txt", "a name ending in .lua expected")
    refuses("--seeds 1..2 --tolerance 1", "--tolerance needs --set NAME=LOW:HIGH")
  end)
end)
