-- world:record, impel.recording, impel run --record and impel replay: recordings are played without the script.
-- Incomplete or damaged recordings are reported.
local impel = require "impel"
local played = require "support.played"
local program = require "support.program"

local function hash_at(world) return world.hash end

-- Use handlers of every kind, which draw from the world's random generator.
local function lively(world)
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 20, 1, center = { 0, -0.5 } }
  for i = 1, 6 do
    world:body({ name = "crate" .. i, position = { i - 3, 0.6 + i % 2 } }):box { 0.8, 0.8, pre_solve = i == 3,
      filter = i == 4 and function() return world:random() > 0.5 end or nil }
  end
  local rod = world:body { name = "rod", position = { 6, 3 } }
  rod:box { 1, 0.2 }
  world:constraint(rod, { dynamic = true, C = function(a) return a.y - 3 - 0.1 * world.time end })
  world:field { kind = "custom", dynamic = true, bodies = { rod }, law = function() return 0.3, 0 end }
  world:on("substep", function() world:find("crate1"):apply_force(2 * world:random(), 0) end)
  world:on("pre_solve", function(contact) contact.friction = 0.05 end)
  world:on("step", function()
    if world.tick % 9 == 4 then world:body({ position = { 2 * world:random(), 5 } }):circle { radius = 0.2 } end
    if world.tick % 20 == 19 then world:find("crate" .. world:random(2, 6)):set_velocity(0, 2) end
  end)
end

describe("a recording", function()
  after_each(program.clean)

  it("is played back to the same bits without the script", function()
    local hashes = {}
    local bytes, world = played.bytes(120, function(w, i) hashes[i - 1] = hash_at(w) end, lively)
    local playback <close> = assert(impel.playback(bytes))
    assert.equal(120, playback.frames)
    assert.equal("whole", playback.ending)
    for i = 1, 119 do
      assert.is_true(playback:step())
      assert.equal(hashes[i], playback.world.hash)
    end
    assert.is_true(playback:step())
    assert.is_nil(playback:step())
    assert.is_nil(playback.world:difference(world))
    for _, tick in ipairs { 0, 119, 60, 61, 3, 118, 1 } do
      assert.is_true(playback:seek(tick))
      assert.equal(tick, playback.tick)
      assert.equal(hashes[tick], playback.world.hash)
    end
  end)

  it("ends with its scope, and reports a full disk without failing a step of the world", function()
    local world = impel.world {}
    world:body({}):circle { radius = 1 }
    local path = program.temporary()
    do
      local recording <close> = assert(world:record(path, { text = "of a spec", keyframe_steps = 3 }))
      world:step(10)
      assert.same({ 10, 4, true }, { recording.steps, recording.keyframes, recording.on })
    end
    world:step()
    local playback = assert(impel.recording(path))
    assert.same({ 10, "of a spec", "whole" }, { playback.frames, playback.text, playback.ending })
    local full = io.open("/dev/full", "rb")
    if not full then return end
    full:close()
    local recording, message = world:record "/dev/full"
    assert.is_nil(recording)
    assert.truthy(message:find("cannot write /dev/full", 1, true))
    world:step()
    assert.equal(12, world.tick)
  end)

  it("does not contain refused calls", function()
    local world <close> = impel.world {}
    local still = world:body { type = "kinematic" }
    local a, b = world:body { position = { 1, 0 } }, world:body { position = { 2, 0 } }
    local gone = world:body {}
    gone:destroy()
    local kept <close> = world:record()
    local before = world.hash
    local calls = {
      function() world:drag(still, {}) end, function() world:drag(gone, {}) end,
      function() world:drag(a, { hertz = -1 }) end,
      function() world:drag(a, { max_force = 0 / 0 }) end, function() world:revolute(a, a, {}) end,
      function() world:revolute(still, world.ground, {}) end, function() world:gear { joint1 = a, joint2 = b } end,
      function() world:constraint(a, { C = function() return 0 end }) end,
      function() world:body { mass = -1 } end, function() a:circle { radius = -1 } end,
      function() a:polygon { points = { { 0, 0 }, { 1, 1 }, { 0, 1 }, { 1, 0 } } } end,
      function() world:field { kind = "drag", linear = 0 / 0 } end,
    }
    local function is_refused(call) assert.is_false((pcall(call))) end
    for i, call in ipairs(calls) do
      is_refused(call)
      assert.equal(before, world.hash)
      local made = world:body { position = { 3 * i, 5 } }
      made:circle { radius = 0.2 }
      world:step()
      before = world.hash
    end
    kept:close()
    local playback <close> = assert(impel.recording.play(kept:take(), "of refused calls"))
    for i = 1, #calls do
      local same, d = playback:step()
      assert.is_true(same, d and ("call %d: %s"):format(i, impel.recording.text(d)))
    end
    assert.equal(before, playback.world.hash)
  end)

  it("names the tick if the world was changed, and the body if the tick has a keyframe", function()
    local bytes = played.bytes(40, nil, nil, { keyframe_steps = 20 })
    local playback = assert(impel.playback(bytes))
    playback:seek(19)
    playback.world:find("crate"):set_velocity(1, 0)
    local same, found = playback:step()
    assert.is_false(same)
    assert.same({ 20, "body", "crate" }, { found.tick, found.object, found.name })
    assert.truthy(impel.recording.text(found):find("tick 20: hash %x+ expected, got %x+: body 'crate'"))
    assert.is_true(playback:seek(5))
  end)

  -- Add crates that do not touch each other, so a change of one crate affects no other crate.
  local function apart(world)
    world:body({ type = "static", name = "floor" }):box { 60, 1, center = { 0, -0.5 } }
    for i = 1, 9 do
      world:body({ name = "crate" .. i, position = { 3 * i - 15, 3 + 0.1 * i }, angular_velocity = i })
        :box { 1, 1 }
    end
    world:body({ name = "sleeper", position = { 18, 0.5 } }):box { 1, 1 }
  end

  it("names the differing body and field at the exact tick, also between keyframes", function()
    local bytes = played.bytes(60, nil, apart, { keyframe_steps = 50 })
    local playback <close> = assert(impel.playback(bytes))
    local undisturbed <close> = assert(impel.playback(bytes))
    undisturbed:seek(13)
    local bit = 1 + 2 ^ -52
    local function found_after(name, change)
      playback:seek(3)
      playback:seek(12)
      local body = playback.world:find(name)
      change(body)
      local same, found = playback:step()
      assert.is_false(same)
      assert.equal(13, found.tick)
      return found, playback.world:find(name)
    end
    for i = 1, 9 do
      local name = "crate" .. i
      local found, body = found_after(name, function(b) b.angular_velocity = b.angular_velocity * bit end)
      local same = body.angle == undisturbed.world:find(name).angle -- rounding may leave the angle unchanged
      local field = same and "velocity" or "pose"
      assert.same({ "body", name, body.id, field }, { found.object, found.name, found.id, found.field })
      assert.equal(same and body.angular_velocity or nil, found.now.angular)
      found, body = found_after(name, function(b)
        local x, y = b:position()
        b:set_position(x, y * bit)
      end)
      assert.same({ "body", name, body.id, "pose" }, { found.object, found.name, found.id, found.field })
      local x, y = body:position()
      assert.same({ x = x, y = y, angle = body.angle }, found.now)
      local text = impel.recording.text(found)
      local said = "tick 13: hash %%x+ expected, got %%x+: body '%s' %%(id %d%%): pose differs first; the replay has x "
      assert.truthy(text:find(said:format(name, body.id)), text)
    end
    -- The trace stores one byte for all bodies at rest, so a difference of a resting body has no name and field.
    local found = found_after("floor", function(b) b:set_position(0, 1e-9) end)
    assert.same({ "body" }, { found.object, found.name, found.field })
    assert.truthy(impel.recording.text(found):find("first difference in properties of bodies", 1, true))
    found = found_after("crate1", function(b) b.world:set_gravity(0, -9) end)
    assert.same({ "world" }, { found.object, found.name, found.field })
  end)

  it("names a body that is asleep but was recorded awake, and the reverse", function()
    local bytes = played.bytes(200, nil, apart, { keyframe_steps = 1000 })
    local playback <close> = assert(impel.playback(bytes))
    playback:seek(150)
    local body = playback.world:find "sleeper"
    assert.is_false(body.awake)
    body.awake = true
    local _, found = playback:step()
    assert.same({ 151, "body", "sleeper", "awake" }, { found.tick, found.object, found.name, found.field })
    playback:rewind(playback.frame)
    playback:seek(2)
    playback.world:find("crate4").awake = false
    _, found = playback:step()
    assert.same({ 3, "body", "crate4", "awake" }, { found.tick, found.object, found.name, found.field })
  end)

  it("without a path is kept in memory, with the bytes that a file would contain", function()
    local bytes = played.bytes(30, nil, lively)
    local world = impel.world { seed = 5 }
    lively(world)
    local recording, pieces = assert(world:record()), {}
    assert.is_nil(recording.path)
    for i = 1, 30 do
      world:step()
      if i % 7 == 0 then pieces[#pieces + 1] = recording:take() end
    end
    pieces[#pieces + 1] = recording:take()
    assert.equal("", recording:take())
    assert.equal("cut", assert(impel.playback(table.concat(pieces))).ending)
    assert.is_true(recording:close())
    pieces[#pieces + 1] = recording:take()
    assert.equal("", recording:take())
    assert.equal(bytes, table.concat(pieces))
  end)

  it("ends when its world is destroyed; recording.steps remains readable", function()
    for _, path in ipairs { program.temporary(".rec"), false } do
      local world = impel.world {}
      local recording = assert(world:record(path or nil))
      world:step(5)
      world:destroy()
      assert.same({ false, 5 }, { recording.on, recording.steps })
      local playback = assert(impel.playback(path and program.read(path) or recording:take()))
      assert.same({ "whole", 5 }, { playback.ending, playback.frames })
      playback:close()
      assert.is_true(recording:close())
    end
  end)

  it("that is written to a file refuses take(); invalid file names are refused", function()
    local world, path = impel.world {}, program.temporary(".rec")
    local function why(f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      return message
    end
    local recording <close> = assert(world:record(path))
    assert.truthy(why(recording.take, recording):find(("the recording is in the file '%s'"):format(path), 1, true))
    for _, wrong in ipairs { "", "a.rec\0b" } do
      assert.truthy(why(world.record, world, wrong):find("world:record: argument 'path' must", 1, true))
      assert.truthy(why(impel.recording, wrong):find("impel.recording: argument 'path' must", 1, true))
    end
    local none, message = impel.world {} :record(path)
    assert.same({ nil, ("cannot write %s: another recording is writing to this file"):format(path) }, { none, message })
  end)

  it("belongs to one world: two worlds recorded and restored at the same time are played back separately", function()
    local paths, worlds, shots, hashes = { program.temporary(), program.temporary() }, {}, {}, {}
    for i, path in ipairs(paths) do
      worlds[i] = impel.world { seed = i }
      assert(worlds[i]:record(path, { keyframe_steps = 4 + i }))
      lively(worlds[i])
    end
    for step = 1, 40 do
      for i, world in ipairs(worlds) do
        if step == 10 + i then shots[i] = world:snapshot() end
        if step == 20 + 5 * i then world:restore(shots[i]) end
        world:step()
        hashes[i] = hashes[i] or {}
        hashes[i][step] = world.hash
      end
    end
    for i, world in ipairs(worlds) do
      world:destroy()
      local playback <close> = assert(impel.recording(paths[i]))
      assert.same({ 40, "whole" }, { playback.frames, playback.ending })
      for step = 1, 40 do
        assert.is_true(playback:step())
        assert.equal(hashes[i][step], playback.world.hash)
      end
      assert.is_nil(playback:step())
      for step = 39, 1, -3 do
        assert.is_true(playback:rewind(playback.frame - step))
        assert.equal(hashes[i][step], playback.world.hash)
      end
    end
  end)

  it("ends at the restored state if a restore follows the last step", function()
    local bytes, world
    do
      local path = program.temporary()
      world = impel.world {}
      world:body({}):circle { radius = 1 }
      local recording = assert(world:record(path))
      world:step(4)
      local shot = world:snapshot()
      world:step(6)
      world:restore(shot)
      assert(recording:close())
      bytes = program.read(path)
    end
    local playback <close> = assert(impel.playback(bytes))
    for _ = 1, 10 do assert.is_true(playback:step()) end
    assert.same({ 10, 10 }, { playback.tick, playback.world.tick })
    assert.is_nil(playback:step())
    assert.same({ 10, 4, 4 }, { playback.frame, playback.tick, playback.world.tick })
    assert.equal(world.hash, playback.world.hash)
    assert.is_true(playback:seek(10))
    assert.same({ 10, 10 }, { playback.tick, playback.world.tick })
  end)

  it("is refused if its format is not the library's; the message names both formats", function()
    local bytes = played.bytes(2)
    local nothing, message = impel.playback(bytes:sub(1, 8) .. ("<I8"):pack(1) .. bytes:sub(17))
    assert.is_nil(nothing)
    assert.equal("the recording has format 1, but this library plays only format 2", message)
  end)

  it("seeks to the last frame of a tick that was recorded twice because of a restore", function()
    local shot
    local bytes = played.bytes(13, function(w, i)
      if i == 6 then shot = w:snapshot() end
      if i == 11 then w:restore(shot) end
    end)
    local playback <close> = assert(impel.playback(bytes))
    local ticks, last = {}, {}
    repeat
      ticks[playback.frame] = playback.world.tick
      last[playback.world.tick] = playback.frame
    until not playback:step()
    assert.same({ 0, 10 }, { playback.first, playback.last })
    for tick = 0, 10 do
      assert.is_true(playback:seek(tick))
      assert.same({ tick, tick, last[tick] }, { playback.tick, playback.world.tick, playback.frame })
    end
    assert.same({ 10, 6 }, { ticks[10], ticks[11] })
  end)

  it("reports a tick that a restore skipped, and the number of steps of a seek", function()
    local later
    played.bytes(20, function(w, i) if i == 20 then later = w:snapshot() end end)
    local playback <close> = assert(impel.playback(
      played.bytes(8, function(w, i) if i == 5 then w:restore(later) end end, nil, { keyframe_steps = 3 })))
    local ok, message = pcall(playback.seek, playback, 11)
    assert.is_false(ok)
    assert.truthy(message:find("in [0, 23], got 11, which a restore skipped", 1, true), message)
    for _, way in ipairs { { 0, 0 }, { 2, 2 }, { 3, 0 }, { 1, 1 }, { 3, 0 }, { 4, 1 }, { 23, 1 }, { 2, 2 } } do
      assert.is_true(playback:seek(way[1]))
      assert.equal(way[2], playback.compared, "to " .. way[1])
    end
    playback:rewind(1)
    assert.equal(1, playback.compared)
    playback:step()
    assert.equal(1, playback.compared)
    repeat until not playback:step()
    assert.equal(0, playback.compared)
  end)

  it("raises on misuse and ends with its playback", function()
    local playback = played.short()
    playback:seek(2)
    local body = playback.world:find "crate"
    local function why(f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      return message
    end
    assert.truthy(why(playback.seek, playback, 6):find("must be a recorded tick in [0, 5], got 6", 1, true))
    assert.truthy(why(playback.world.record, playback.world):find("of a playback cannot be recorded", 1, true))
    playback:close()
    assert.truthy(why(playback.step, playback):find("destroyed playback", 1, true))
    assert.is_false(body:is_valid())
    local nothing, message = impel.playback "abc"
    assert.is_nil(nothing)
    assert.equal("the bytes are not a recording of a world", message)
  end)
end)

describe("the table of recorded calls", function()
  -- Functions that take a non-const world but do not change its state.
  local exempt = {}
  for name in ([[imp_world_next_contact imp_body_next_contact imp_world_rows imp_joint_rows imp_contact_rows
    imp_row_jacobian imp_world_mobility imp_world_redundant imp_world_weak_lock imp_world_nullspace
    imp_world_islands imp_draw_world imp_poses_store imp_shape_overlaps
    imp_world_residual imp_world_raycast imp_world_raycast_any imp_world_raycast_all imp_world_raycast_many
    imp_world_shapecast imp_world_shapecast_all imp_world_overlap imp_world_overlap_point imp_world_overlap_box
    imp_world_overlap_circle imp_world_nearest imp_world_closest imp_world_time_of_impact
    imp_world_record imp_world_record_end imp_world_begin_restore]]):gmatch "%S+" do exempt[name] = true end
  local frames = { imp_world_step = true, imp_world_restore = true, imp_restore_end = true,
    imp_world_destroy = true }

  it("contains every function of the API that changes a world", function()
    local list, inside = program.read "core/record/record_table.h", program.read "core/world/calls.h"
    local outside = ""
    for _, file in ipairs { "api", "record", "record_lists" } do
      outside = outside .. program.read(("core/record/%s.c"):format(file))
    end
    local seen = 0
    for path in io.popen("ls core/include/impel*.h"):lines() do
      for mark, name, arguments in program.read(path):gmatch "\n(IMP_%u+) [^;(]-(imp_[%w_]+)(%b())" do
        local changes = (" " .. arguments):find "[ (,]ImpWorld %*%l" and not arguments:find "const ImpWorld %*"
        if changes then
          seen = seen + 1
          assert.equal(exempt[name] and "IMP_API" or "IMP_CALL", mark, name)
        end
        if mark == "IMP_CALL" then
          assert.truthy(frames[name] or list:find("%(" .. name:sub(5) .. "[,)]"), name .. " is not in record_table.h")
          assert.truthy(outside:find(("\n[%%w_ ]+ %s%%("):format(name)), name .. " is not defined in core/record")
          assert.truthy(inside:find(("impi_%s("):format(name:sub(5)), 1, true) or name:find "_callback$", name)
        end
      end
    end
    assert.is_true(seen > 80)
  end)
end)

describe("impel replay", function()
  after_each(program.clean)

  local function recorded(arguments)
    local path = program.temporary(".rec")
    local code = program.run(("run examples/%s -q --record %s"):format(arguments, path))
    assert.equal(0, code)
    return path
  end

  it("refuses contradictory options", function()
    for arguments, message in pairs {
      ["--frames 3"] = "--frames needs --view",
      ["--hash --json"] = "--hash and --json cannot be combined; --json contains the hash",
      ["--view --json"] = "--view and --json cannot be combined: --view prints and compares nothing",
      ["--seek"] = "--seek needs --to TICK",
    } do
      local code, _, said = program.run("replay nothing.rec " .. arguments)
      assert.equal(2, code)
      assert.truthy(said:find(message, 1, true), said)
    end
  end)

  it("refuses a tick that a restore skipped", function()
    local later
    played.bytes(20, function(w, i)
      if i == 20 then later = w:snapshot() end
    end)
    local bytes = played.bytes(8, function(w, i)
      if i == 5 then w:restore(later) end
    end)
    local path = program.write(bytes, ".rec")
    local code, _, said = program.run(("replay %s --to 12"):format(path))
    assert.equal(2, code)
    assert.truthy(said:find("--to 12: a tick in 0..23 expected; a restore skipped this tick", 1, true), said)
    code, _, said = program.run(("replay %s --to 24"):format(path))
    assert.equal(2, code)
    assert.truthy(said:find("--to 24: a tick in 0..23 expected\n", 1, true), said)
    assert.equal(0, (program.run(("replay %s -q --to 21"):format(path))))
    assert.equal(0, (program.run(("replay %s -q --to 22 --seek"):format(path))))
  end)

  it("plays a recording of impel run --record", function()
    for _, name in ipairs { "bridge.lua", "platformer.lua", "skate.lua", "wind_flags.lua", "triggers.lua" } do
      local path = recorded(name .. " --steps 60")
      local code, out = program.run("replay --json " .. path)
      assert.equal(0, code, name)
      assert.truthy(out:find('"frames":60,', 1, true) and out:find('"ending":"whole"', 1, true), out)
      local _, hash = program.run(("run examples/%s -q --hash --steps 60"):format(name))
      assert.equal(hash:match "%x+", out:match '"hash":"(%x+)"', name)
    end
  end)

  it("plays a recording whose process was killed or whose disk was full", function()
    local path = program.temporary(".rec")
    os.execute(([[
      %s run examples/bridge.lua --steps 100000000 -q --record %s 2>/dev/null & pid=$!
      for i in $(seq 600); do
        [ -f %s ] && [ "$(wc -c <%s)" -gt 60000 ] && break
        sleep 0.05
      done
      kill -9 $pid; wait $pid 2>/dev/null]]):format(program.quote(program.path), path, path, path))
    local code, out, err = program.run("replay " .. path)
    assert.equal(0, code)
    assert.truthy((out .. err):find "was cut after tick %d+")
    path = program.temporary(".rec")
    local blocks = "ulimit -f 64;" -- largest size of a file, in blocks of 512 or 1024 bytes
    code, out, err = program.run(("run examples/bridge.lua --steps 4000 --record %s"):format(path), nil, blocks)
    assert.equal(5, code)
    assert.truthy((out .. err):find "cannot write .*; the part of the recording that was written can be replayed")
    code, out, err = program.run("replay " .. path)
    assert.equal(0, code)
    assert.truthy((out .. err):find "was cut after tick %d+")
  end)

  it("plays a truncated file up to its end, and reports the position of damage", function()
    local path = recorded "bridge.lua --steps 50"
    local bytes = program.read(path)
    local cut = program.write(bytes:sub(1, -40), ".rec")
    local code, out, err, _ = program.run("replay " .. cut)
    assert.equal(0, code)
    assert.truthy((out .. (err or "")):find "cut after tick %d+")
    local at = #bytes - 400 -- a position after the first full state
    local damaged = program.write(bytes:sub(1, at) .. "\xff\xff" .. bytes:sub(at + 3), ".rec")
    code, out, err = program.run("replay " .. damaged)
    assert.equal(5, code)
    assert.truthy((out .. (err or "")):find "is damaged")
    code, out, err = program.run "replay no-such-file.rec"
    assert.equal(2, code)
    assert.truthy((out .. (err or "")):find "cannot read recording")
    code, out, err = program.run("replay " .. program.write("no recording", ".rec"))
    assert.equal("", out)
    assert.equal(5, code)
    assert.truthy(err:find("are not a recording of a world", 1, true))
    for _, size in ipairs { 1, 20, 47, 48, 80 } do
      code, _, err = program.run("replay " .. program.write(bytes:sub(1, size), ".rec"))
      assert.equal(5, code)
      assert.truthy(err:find(" cut before ", 1, true), err)
    end
    for _, way in ipairs { "", " --seek" } do -- tick 50 is after the end of the cut file
      code, _, err = program.run(("replay %s --to 50%s"):format(damaged, way))
      assert.equal(5, code)
      assert.truthy(err:find("--to 50: " .. damaged .. " is damaged after byte", 1, true), err)
      code, _, err = program.run(("replay %s --to 51%s"):format(cut, way))
      assert.equal(5, code)
      assert.truthy(err:find("was cut after tick", 1, true), err)
    end
  end)

  it("prints the number of compared steps, and reads a recording from standard input", function()
    local path = recorded "bridge.lua --steps 20"
    for arguments, words in pairs { [""] = "20 of 20 steps: the same\n", ["--to 0"] = "0 of 20 steps\n",
      ["--to 7 --seek"] = "7 of 20 steps: the same\n" } do
      local code, out = program.run(("replay - %s"):format(arguments), program.read(path))
      assert.equal(0, code)
      assert.truthy(out:find("compared     " .. words, 1, true), out)
    end
    local code, _, err = program.run("replay - --view")
    assert.equal(2, code)
    assert.truthy(err:find("--view needs a file", 1, true), err)
  end)
end)

describe("impel replay --view", function()
  local fake = require "support.viewer_fake"
  local viewers, watched = require "impel.viewer", require "impel.viewer.played"
  local path

  before_each(function() path = program.write((played.bytes(40)), ".rec") end)
  after_each(program.clean)

  local function open(to)
    local window, clock = fake.window(), fake.clock()
    local find = watched.find(path, to)
    return assert(viewers.new({ kind = require("impel.system").kind }, { window = window, file = path, paused = true,
      clock = clock.read, sleep = clock.sleep, settings = false, set = {}, find = function() return find end }))
  end

  it("steps forward to the end, where it pauses, and back to the first step", function()
    local view = open()
    assert.equal(0, view.run.count)
    assert.equal(40, view:step(40))
    view.paused = false
    view:step(3)
    assert.same({ 40, true }, { view.run.count, view.paused })
    local last = view.run.world.hash
    assert.equal(10, view:back(10))
    assert.equal(30, view.run.count)
    local hash = view.run.world.hash
    for _, step in ipairs { 12, 40, -3, 99, 30 } do view:seek(step) end -- drag along the timeline and beyond its ends
    assert.same({ 30, hash }, { view.run.count, view.run.world.hash })
    local range = view.history:range(view.run)
    assert.same({ 0, 40 }, { range.first, range.last })
    assert.near(40 * view.run.world.dt, range.to - range.from, 1e-9)
    assert.equal(30, view:back(1000))
    assert.equal(0, view:back(1))
    view:step(40)
    assert.equal(last, view.run.world.hash)
    assert.is_nil(view.failure)
    view:close()
  end)

  it("begins at the given tick, and shows a step that differs from the recording", function()
    local view = open(20)
    assert.equal(20, view.run.count)
    view.run.world:find("crate"):set_velocity(3, 0)
    view:step(1)
    assert.truthy(view.failure.message:find("differs at tick 21: hash %x+ expected"))
    view:back(21)
    view:step(5)
    assert.is_nil(view.failure)
    view:close()
  end)
end)
