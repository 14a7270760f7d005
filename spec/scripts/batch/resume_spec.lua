-- impel run --save, --load and --check-determinism: a run continues in another process to the same bits. A scene with
-- state outside the snapshot is detected.
local program = require "support.program"

after_each(program.clean)

local function hash_of(arguments)
  local code, out, err = program.run(("run %s --hash"):format(arguments))
  assert.equal(0, code, err)
  return out
end

-- Write a scene with every kind of state. `hidden`: code at file level, for state that snapshots do not contain;
-- `update`: code at the end of the update function.
local function scene(hidden, update)
  return program.write(([[
    local impel = require "impel"
    local scene = { title = "t", params = { speed = { 2, min = 0, max = 9 } } }
    %s
    function scene.setup(p, seed)
      local world = impel.world { seed = seed }
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
      local ball = world:body { name = "ball", position = { 0, 2 } }
      ball:circle { radius = 0.3 }
      local arm = world:body { position = { 3, 4 } }
      arm:box { 1, 0.2 }
      local hinge = world:revolute(world.ground, arm, { anchor = { 3, 4 } })
      local s = { world = world, ball = ball, count = 0, sums = {} }
      s.pid = impel.pid(hinge, { kp = 9, ki = 4, kd = 1, target = p.speed })
      return s
    end
    function scene.update(s)
      s.count = s.count + 1
      s.sums[s.count %% 7 + 1] = math.random()
      if s.count %% 9 == 0 then s.ball:apply_impulse(s.sums[1], 1) end
      %s
    end
    function scene.measure(s) return { x = (s.ball:position()), count = s.count } end
    return scene
  ]]):format(hidden or "", update or ""))
end

describe("impel run --save and --load", function()
  it("reproduces the bits of the uninterrupted run", function()
    for _, file in ipairs { scene(), "examples/biped_walk.lua", "examples/pyramid.lua", "examples/swing_up.lua" } do
      local state = program.temporary ".imp"
      local whole = hash_of(file .. " --steps 90")
      for _, cut in ipairs { 0, 1, 47 } do
        hash_of(("%s --steps %d --save %s"):format(file, cut, state))
        assert.equal(whole, hash_of(("%s --steps 90 --load %s"):format(file, state)), file)
      end
    end
  end)

  it("continues a run from its interruption", function()
    local stop = 'if s.count == 33 and not os.getenv "GO_ON" then io.popen("kill -INT $PPID"):close() end'
    local file, state = scene(nil, stop), program.temporary ".imp"
    local traces = { program.temporary ".csv", program.temporary ".csv", program.temporary ".csv" }
    local code, _, err = program.run(("run %s --steps 80 --save %s --trace %s"):format(file, state, traces[1]))
    assert.equal(130, code)
    local told = ("impel: %s contains the state after this step; to continue: impel run %s --load %s"):format(state,
      file, state)
    assert.truthy(err:find(told, 1, true), err)
    local rest
    code, rest = program.run(("run %s --steps 80 --load %s --hash --trace %s"):format(file, state, traces[2]), nil,
      "GO_ON=1")
    assert.equal(0, code)
    local whole
    code, whole = program.run(("run %s --steps 80 --hash --trace %s"):format(file, traces[3]), nil, "GO_ON=1")
    assert.equal(0, code)
    assert.equal(whole, rest)
    local header, first, rows = program.read(traces[2]):match "^([^\n]*\n)([^\n]*\n)(.*)$"
    local before = program.read(traces[1])
    assert.equal(header, before:sub(1, #header))
    assert.equal(first, before:sub(-#first)) -- the second trace begins with the last row of the first trace
    assert.equal(program.read(traces[3]), before .. rows)
  end)

  it("reports that the rows of a trace are replaced", function()
    local file, state, trace = scene(), program.temporary ".imp", program.temporary ".csv"
    local words = trace .. " was replaced: its rows now begin at step 20"
    local function told(arguments)
      local code, _, err = program.run(("run %s %s --trace %s"):format(file, arguments, trace))
      assert.equal(0, code, err)
      return err:find(words, 1, true) ~= nil
    end
    assert.is_false(told("--steps 20 --save " .. state))
    assert.is_false(told "--steps 20")
    assert.is_true(told("--steps 40 --load " .. state))
    assert.truthy(program.read(trace):find("^time[^\n]*\n0%.33"))
    assert.is_true(told("--steps 40 --sandbox --load " .. state))
    assert.is_false(told("--steps 40 --quiet --load " .. state))
    os.remove(trace)
    assert.is_false(told("--steps 40 --load " .. state))
  end)

  it("reports a mismatch of run and state", function()
    local file, state = scene(), program.temporary ".imp"
    hash_of(("%s --steps 20 --save %s"):format(file, state))
    local function refused(expected_code, words, arguments)
      local code, _, err = program.run("run " .. arguments)
      assert.equal(expected_code, code, err)
      assert.truthy(err:find(words, 1, true), err)
    end
    refused(2, state .. " has seed 0, this run has 3 (--seed)", ("%s --seed 3 --load %s"):format(file, state))
    refused(2, state .. " has speed = 2, this run has 1 (--set)", ("%s --set speed=1 --load %s"):format(file, state))
    refused(2, " s, this run has 0.01 s (--dt)", ("%s --dt 0.01 --load %s"):format(file, state))
    refused(2, "step 20, after the end of this run at ", ("%s --steps 19 --load %s"):format(file, state))
    local name = file:match "([^/]+)%.lua$"
    local other = (" belongs to the scene '%s', this run to '"):format(name)
    refused(2, state .. other .. "pyramid'", ("examples/pyramid.lua --load %s"):format(state))
    refused(2, state .. other .. "stack'", ("examples/stack.lua --sandbox --load %s"):format(state))
    refused(2, "/nowhere: No such file or directory", ("%s --load /nowhere"):format(file))
    local cut = program.write(program.read(state):sub(1, -9), ".imp")
    refused(5, "damaged", ("%s --load %s"):format(file, cut))
    refused(5, "not a snapshot of a world", ("%s --load %s"):format(file, file))
    local bare, world = program.temporary ".imp", program.write([[
      return { setup = function() local world = require "impel".world {} world:body {} return { world = world } end }]])
    local save = ("-e 'local w = impel.world {} w:body {} assert(w:save %q)'"):format(bare)
    assert.equal(0, (program.run(save)))
    refused(2, "but not of a run", ("%s --load %s"):format(world, bare))
    -- Replace the run's record in the saved state.
    for _, odd in ipairs { "5", "{}", "{ scene = {}, seed = 0.5, params = 7 }" } do
      save = ("-e 'local w = impel.world {} w:body {} w:state { world = w } w:state(setmetatable({}, " ..
        "{ __save = function() return %s end, __load = print })) assert(w:save %q)'"):format(odd, bare)
      assert.equal(0, (program.run(save)))
      refused(2, "but not of a run", ("%s --load %s"):format(world, bare))
    end
  end)

  it("reports a scene file that changed after the save, and the step at which the recording starts", function()
    local file, state, recording = scene(), program.temporary ".imp", program.temporary ".rec"
    hash_of(("%s --steps 20 --save %s"):format(file, state))
    local code, out, err = program.run(("run %s --steps 30 --load %s --record %s"):format(file, state, recording))
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find(("recorded     %s, from step 21 on\n"):format(recording), 1, true), out)
    program.put(file, program.read(file) .. "\n-- another line")
    local words = ("impel: %s was saved with an earlier version of %s\n"):format(state, file)
    for _, way in ipairs { "", " --sandbox" } do
      code, _, err = program.run(("run %s --steps 30 --load %s%s"):format(file, state, way))
      assert.equal(0, code)
      assert.truthy(err:find(words, 1, true), err)
      code, _, err = program.run(("run %s --steps 30 -q --load %s%s"):format(file, state, way))
      assert.equal(0, code)
      assert.falsy(err:find("an earlier version", 1, true), err)
    end
    program.put(file, (program.read(file):gsub("s%.count %% 9", "s.count %% 8")))
    assert.equal(0, (program.run(("run %s --steps 30 -q --load %s"):format(file, state))))
  end)
end)

describe("impel run --check-determinism", function()
  it("passes a scene that depends on its state alone", function()
    local code, out, err = program.run(("run %s --steps 50 --check-determinism"):format(scene()))
    assert.equal(0, code, err)
    assert.truthy(out:find "determinism%s+50 steps computed twice, 3 new runs: no difference\n", out)
    assert.falsy(out:find("steps/s", 1, true))
    local _, plain = program.run("run examples/pyramid.lua --steps 40")
    local _, twice = program.run("run examples/pyramid.lua --steps 40 --check-determinism")
    assert.equal(plain:match "penetration[^\n]*", twice:match "penetration[^\n]*")
  end)

  it("passes if contacts become deeper after a reload than before", function()
    for _, name in ipairs { "bounce", "dominoes", "rays" } do
      local code, _, err = program.run(("run examples/%s.lua --steps 90 --check-determinism"):format(name))
      assert.equal(0, code, err)
    end
  end)

  it("passes if recreated bodies have data and are table keys", function()
    local code, out, err = program.run(("run %s --steps 60 --check-determinism"):format(scene(nil, [[
      s.list, s.by_body = s.list or {}, s.by_body or {}
      local old = table.remove(s.list, 1)
      if old then old:destroy() end
      for i = 1, 2 do
        if #s.list < 3 then
          local body = s.world:body { position = { s.count, 5 + 2 * i } }
          body.data = { count = 10 * s.count + i }
          s.by_body[body] = i
          s.list[#s.list + 1] = body
        end
      end
      if s.count % 7 == 3 then
        for i = #s.list, 1, -2 do table.remove(s.list, i):destroy() end
      end
    ]])))
    assert.equal(0, code, err)
    assert.truthy(out:find("60 steps computed twice", 1, true), out)
  end)

  it("reads the worlds in the state of a script: the hash at the first mention, the number at the next", function()
    local code, out, err = program.run "run examples/box_drop.lua --steps 5 --check-determinism"
    assert.equal(0, code, err)
    assert.truthy(out:find("5 steps computed twice", 1, true), out)

    local impel, state_text = require "impel", require "impel.world.state_text"
    local world, beside = impel.world {}, impel.world {}
    world:state { beside = beside, once_more = beside, n = 3 }
    local told = {}
    for _, pair in ipairs(state_text.list(world:snapshot())) do told[pair[1]] = pair[2] end
    assert.equal(("a world with hash %s"):format(beside.hash), told["state 1.beside"])
    assert.equal("world 2 of the snapshot", told["state 1.once_more"])
    assert.equal("3", told["state 1.n"])
  end)

  local function found(expected, hidden, update, steps)
    local file = scene(hidden, update)
    local code, _, err = program.run(("run %s --steps %d --check-determinism"):format(file, steps or 30))
    assert.equal(5, code, err)
    assert.truthy(err:find(expected), err)
  end

  it("names the step, the body and the field that a local variable drives", function()
    found("step 5: repeated after a restore: body 'ball' %(id 2%): center.x is %S+ now, 0 the first time\n",
      "local n = 0", "n = n + 1 if n == 10 then s.ball:apply_impulse(1, 0) end")
  end)

  it("names the path in the Lua state if the world itself does not differ", function()
    found('step 1: repeated after a restore: state 2.deep.name is "n2" now, "n1" the first time\n', "local n = 0",
      's.deep = s.deep or {} n = n + 1 s.deep.name = "n" .. n')
  end)

  it("finds state that a new run does not restore", function()
    found("step 3: reloaded at step 1: body 'ball' %(id 2%): center.x is %S+ in the new run, %S+ here\n",
      "local late = {}",
      "late[s.count] = true if s.count == 3 and late[1] then s.ball:set_velocity(0.25, 0) end")
    found("step 22: reloaded at step 20: body 'ball' %(id 2%): center.x is %S+ in the new run, %S+ here\n",
      "local late = {}",
      "late[s.count] = true if s.count == 22 and late[19] then s.ball:set_velocity(0.25, 0) end")
    found("step 20: the snapshot cannot be restored in a new run: the snapshot has a 'hit' handler "
      .. "%([%w_]+%.lua:%d+%) that this world",
      nil, 'if s.count == 11 then s.world:on("hit", function() end) end')
  end)
end)
