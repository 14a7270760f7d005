-- impel.sound: samples of the audio device against closed forms.

local impel = require "impel"

local program = require "support.program"
local raises = require "support.raises"

local HAS_MIXER = pcall(require, "impel.mixer")
local RATE, BLOCK = 44100, 512 -- sample rate [Hz] and block length [frames] of the device

local quote = program.quote

local function line_of(command)
  local pipe = assert(io.popen(command, "r"))
  local line = pipe:read "l"
  pipe:close()
  return line
end

-- Return a WAV file of 16-bit PCM with the samples f(t, channel) of `count` frames.
local function wave(count, f, channels, rate)
  channels, rate = channels or 2, rate or RATE
  local samples = {}
  for i = 0, count - 1 do
    for channel = 1, channels do
      samples[#samples + 1] = ("<i2"):pack(math.floor(f(i / rate, channel) + 0.5))
    end
  end
  local data = table.concat(samples)
  return ("<c4I4c4c4I4I2I2I4I4I2I2c4s4"):pack("RIFF", 36 + #data, "WAVE", "fmt ", 16, 1, channels, rate,
    2 * channels * rate, 2 * channels, 16, "data", data)
end

local FREQUENCY, AMPLITUDE, COUNT = 441, 8000, 4400 -- the sound has 44 periods of 100 frames
-- The phase of 0.5 rad avoids samples of value 0.
local function tone(t) return AMPLITUDE * math.cos(2 * math.pi * FREQUENCY * t + 0.5) end

local folder

local function put(name, bytes)
  program.put(folder .. "/" .. name, bytes)
  return folder .. "/" .. name
end

-- Lua code that precedes each script below.
local PRELUDE = [[
local impel = require "impel"
local system = require "impel.system"
local function wait(seconds) system.poll({}, seconds) end
-- Wait until the device has played `seconds` of sound, which the driver `disk` writes to a file.
local function hear(seconds)
  local function size() return select(2, assert(system.read_head(os.getenv "SDL_DISKAUDIOFILE", 0))) end
  local due, start = size() + seconds * 44100 * 4, system.clock()
  while size() < due do
    assert(system.clock() < start + 30, "the device takes no sound")
    wait(0.002)
  end
end
]]

-- Run a script in plain Lua in the folder of the sound files, with an SDL audio driver. Return its output.
local function run(text, driver, out)
  local path = put("script.lua", PRELUDE .. text)
  local here = line_of "pwd"
  local function whole(paths) return (paths:gsub("%f[^;\0]([^;/])", here .. "/%1")) end
  local variables = ("LUA_PATH=%s LUA_CPATH=%s SDL_AUDIODRIVER=%s SDL_DISKAUDIOFILE=%s SDL_DISKAUDIODELAY=2"):format(
    quote(whole("scripts/?.lua;scripts/?/init.lua;spec/?.lua;") .. ";"), quote(whole(package.cpath)),
    driver or "dummy", quote(out or "/dev/null"))
  local pipe = assert(io.popen(("%s timeout 60 lua5.4 %s 2>&1"):format(variables, quote(path)), "r"))
  local printed = pipe:read "a"
  assert.is_true(pipe:close(), printed)
  return (printed:gsub("CRITICAL: [^\n]*\n", ""))
end

-- Return the samples of the device from the first non-zero one, a list for each side, and the script's output.
local function hear(text)
  local out = folder .. "/heard.raw"
  local printed = run("impel.sound.listen(error)\n" .. text .. "\nimpel.sound.close()", "disk", out)
  local bytes = program.read(out)
  local left, right, began = {}, {}, false
  for at = 1, #bytes - 3, 4 do
    local l, r = ("<i2i2"):unpack(bytes, at)
    began = began or l ~= 0 or r ~= 0
    if began then left[#left + 1], right[#right + 1] = l, r end
  end
  return left, right, printed
end

-- Return the largest difference between `count` samples and f(i), i = 0, 1, ...
local function off(samples, count, f)
  local most = 0
  for i = 0, count - 1 do most = math.max(most, math.abs((samples[i + 1] or math.huge) - f(i))) end
  return most
end

local function describe_heard(name, body)
  describe(name, HAS_MIXER and body or function()
    pending "built without SDL2_mixer"
  end)
end

setup(function()
  folder = line_of "mktemp -d"
  put("tone.wav", wave(COUNT, tone))
  put("mono.wav", wave(2200, tone, 1, RATE / 2))
  put("sides.wav", wave(COUNT, function(t, channel) return channel == 1 and tone(t) or 3000 end))
  put("level.wav", wave(8820, function() return 10000 end))
  put("tone.ogg", program.read "spec/golden/tone.ogg")
end)

teardown(function()
  os.execute("rm -rf " .. quote(folder))
end)

describe_heard("an audible sound", function()
  it("gives the file's samples, one by one, and silence after them", function()
    local left, right = hear "impel.sound('sides.wav'):play() hear(0.3)"
    assert.equal(0, off(left, COUNT, function(i) return math.floor(tone(i / RATE) + 0.5) end))
    assert.equal(0, off(right, COUNT, function() return 3000 end))
    for i = COUNT + 1, #left do assert.is_true(left[i] == 0 and right[i] == 0) end
  end)

  it("has the product of three volumes: the volume given to play, the sound's and the master volume", function()
    local left = hear [[
      local s = impel.sound "tone.wav"
      s.volume = 0.5
      impel.sound.master(0.8)
      s:play { volume = 0.25 } hear(0.3)]]
    -- The samples of the file and of the device are rounded.
    assert.is_true(off(left, COUNT, function(i) return 0.1 * tone(i / RATE) end) <= 0.5 + 0.05 + 1e-3)
  end)

  it("is left for pan -1, right for 1, and as in the file for 0", function()
    for _, case in ipairs { { -1, 1, 0 }, { -0.25, 1, 0.75 }, { 0, 1, 1 }, { 0.5, 0.5, 1 }, { 1, 0, 1 } } do
      local left, right = hear(("impel.sound('tone.wav'):play { pan = %g } hear(0.3)"):format(case[1]))
      for side, samples in ipairs { left, right } do
        local gain = case[1 + side]
        assert.is_true(off(samples, COUNT, function(i) return gain * tone(i / RATE) end) <= 0.5 + 0.5 * gain + 1e-3)
      end
    end
  end)

  -- SDL_mixer's panning silences one side if the other side has 193 of 255 or more.
  it("is on both sides for all pans between -1 and 1", function()
    for _, pan in ipairs { 1 / 255, -1 / 255, 0.24, -0.24, 0.99 } do
      local left, right = hear(("impel.sound('level.wav'):play { pan = %g } hear(0.3)"):format(pan))
      assert.is_near(10000 * math.min(1, 1 - pan), left[100], 0.51)
      assert.is_near(10000 * math.min(1, 1 + pan), right[100], 0.51)
    end
  end)

  it("is read at the speed of its pitch", function()
    for _, pitch in ipairs { 0.25, 0.5, 1.5, 2, 3.7, 4 } do
      local left = hear(("impel.sound('tone.wav'):play { pitch = %g } hear(0.6)"):format(pitch))
      local count = math.ceil(COUNT / pitch)
      -- The chord of a cosine is off by at most A (2 pi f / R)^2 / 8.
      local bound = AMPLITUDE * (2 * math.pi * FREQUENCY / RATE) ^ 2 / 8 + 1 + 0.01
      -- The device holds the last frame to the end, so skip the last frame.
      local inside = math.floor((COUNT - 1) / pitch)
      assert.is_true(off(left, inside, function(i) return tone(i * pitch / RATE) end) <= bound)
      assert.equal(0, left[count + 1])
      assert.are_not.equal(0, left[count - 2])
    end
  end)

  it("repeats without a gap in a loop, at any pitch, and ends when loop is false", function()
    for _, pitch in ipairs { 1, 1.3 } do
      local left = hear(("impel.sound('tone.wav'):play { loop = true, pitch = %g } hear(0.5)"):format(pitch))
      local bound = AMPLITUDE * (2 * math.pi * FREQUENCY / RATE) ^ 2 / 8 + 1 + 0.01
      -- 12000 samples are more than two repetitions of the sound of 4400 samples.
      assert.is_true(off(left, 12000, function(i) return tone(i * pitch / RATE) end) <= bound)
    end
    local _, _, printed = hear [[
      local v = impel.sound("tone.wav"):play { loop = true }
      hear(0.3)
      print(require("impel.mixer").counts())
      v.loop = false
      hear(0.3)
      print(require("impel.mixer").counts())]]
    assert.equal("1\t1\n0\t1\n", printed)
  end)

  it("follows the fields of its voice while it plays", function()
    local left, right = hear [[
      local v = impel.sound("level.wav"):play { loop = true }
      hear(0.2)
      v.volume, v.pan = 0.5, -0.5
      hear(0.3)]]
    assert.equal(10000, left[1])
    assert.equal(5000, left[#left - BLOCK])
    assert.equal(2500, right[#right - BLOCK])
  end)

  it("is silent while its voice is paused, and resumes at the same sample", function()
    local left = hear [[
      local v = impel.sound("tone.wav"):play()
      v.paused = true
      hear(0.2)
      v.paused = false
      hear(0.3)]]
    local heard = {}
    for _, x in ipairs(left) do heard[#heard + 1] = x ~= 0 and x or nil end
    assert.equal(COUNT, #heard)
    assert.equal(0, off(heard, COUNT, function(i) return math.floor(tone(i / RATE) + 0.5) end))
  end)

  -- A sudden cut is heard as a click, because successive samples differ by the amplitude of the wave.
  it("has no click when it is stopped or becomes quieter", function()
    for _, change in ipairs { "v:stop()", "s:stop()", "v.volume = 0.2", "s.volume = 0.2", "impel.sound.master(0.2)" } do
      local left = hear(([[
        local s = impel.sound "level.wav"
        local v = s:play { loop = true }
        hear(0.15)
        %s
        hear(0.1)]]):format(change))
      local most = 0
      for i = 2, #left do most = math.max(most, math.abs(left[i] - left[i - 1])) end
      assert.is_true(most <= math.ceil(10000 / BLOCK), change) -- the volume changes linearly over a block
      assert.equal(change:find "stop" and 0 or 2000, left[#left], change)
    end
  end)

  it("may be mono, of another rate, or OGG Vorbis", function()
    -- SDL resamples with its own filter, so frequency and power are compared.
    for _, case in ipairs { { "mono.wav", FREQUENCY, COUNT / RATE }, { "tone.ogg", 440, 0.2 } } do
      local left, right = hear(("impel.sound('%s'):play() hear(0.5)"):format(case[1]))
      local count = math.floor(case[3] * RATE)
      local crossings, power = 0, 0
      for i = 2, count do
        if left[i - 1] < 0 and left[i] >= 0 then crossings = crossings + 1 end
        power = power + left[i] ^ 2
        assert.equal(left[i], right[i])
      end
      assert.is_near(case[2] * case[3], crossings, 1, case[1])
      -- The bound of 3 % allows for the two ends of the sound and for lossy coding.
      assert.is_near(AMPLITUDE / math.sqrt(2), math.sqrt(power / count), 0.03 * AMPLITUDE, case[1])
    end
  end)

  it("is added to others, and saturates without overflow", function()
    local left = hear [[
      local s = impel.sound "level.wav"
      for _ = 1, 3 do s:play() end
      hear(0.3)]]
    assert.equal(30000, left[#left > 600 and 600])
    left = hear [[
      local s = impel.sound "level.wav"
      for _ = 1, 20 do s:play() end
      hear(0.3)]]
    assert.equal(32767, left[1200])
  end)

  -- The loud sound plays with the loop and 30 of the quiet sounds.
  it("replaces the quietest of 32 voices; only a loop replaces a loop", function()
    local left = hear [[
      local s = impel.sound "level.wav"
      s:play { volume = 0.001, loop = true }
      for _ = 1, 40 do s:play { volume = 0.01 } end
      s:play { volume = 0.5 }
      s:play { volume = 0.005 }
      hear(0.2)]]
    assert.is_near(10 + 30 * 100 + 5000, left[1000], 1)
  end)

  it("plays 20000 times without a growth of memory; after a reset, no voice and no sound is left", function()
    local _, _, printed = hear [[
      local mixer = require "impel.mixer"
      local function resident()
        local file = io.open "/proc/self/statm"
        if not file then return 0 end
        local pages = file:read("a"):match "^%d+ (%d+)"
        file:close()
        return tonumber(pages) * 4
      end
      local s = impel.sound "tone.wav"
      local function play(count)
        for i = 1, count do
          s:play { pitch = 0.25 + i % 15 / 4, loop = i % 2 == 0 }
          if i % 100 == 0 then wait(0.001) end
        end
        collectgarbage()
      end
      play(5000)
      local before = resident()
      play(20000)
      local holds_back = (os.getenv "LD_PRELOAD" or ""):find "asan" -- the sanitizer delays the release of freed memory
      print((mixer.counts()), holds_back ~= nil or resident() - before < 128)
      for i = 1, 200 do
        local other = impel.sound(i % 2 == 0 and "sides.wav" or "level.wav")
        other:play { loop = true }
      end
      collectgarbage()
      local voices, sounds = mixer.counts()
      print(voices, sounds)
      s:stop()
      impel.sound.reset()
      s = nil
      collectgarbage()
      collectgarbage()
      hear(0.1)
      print(mixer.counts())]]
    assert.equal("32\ttrue\n32\t3\n0\t0\n", printed)
  end)

  it("plays to its end after Lua has collected it", function()
    local left = hear [[
      impel.sound("level.wav"):play()
      collectgarbage()
      collectgarbage()
      hear(0.4)]]
    assert.equal(0, off(left, 8820, function() return 10000 end))
  end)

  it("is silent in a forked process, which does not wait for the device", function()
    local _, _, printed = hear [[
      local s = impel.sound "tone.wav"
      for _ = 1, 20 do
        s:play { loop = true }
        local id = system.fork()
        if id == 0 then
          for _ = 1, 50 do s:play() end
          s:stop()
          s = nil
          collectgarbage()
          system.exit(require("impel.mixer").counts() == 0 and 7 or 8)
        end
        print((select(2, system.wait(id))))
      end]]
    assert.equal(("7\n"):rep(20), printed)
  end)

  it("pauses with the run in the window, and ends with it", function()
    put("scene.lua", [[
      local impel = require "impel"
      return { setup = function()
        impel.sound("level.wav"):play { loop = true }
        return { world = impel.world {} }
      end }]])
    local left, _, printed = hear(([[
      local find, viewer = require "impel.cli.find", require "impel.viewer"
      local fake = require "support.viewer_fake"
      local clock, handle = fake.clock(), fake.window()
      local v = assert(viewer.new({ kind = system.kind, examples = "" }, { file = %q, window = handle,
        clock = clock.read, sleep = clock.sleep, settings = false, find = function(name, opened)
          return find.loader({}, { file = name, opened = opened }, { clear = function() end })
        end }))
      v:frame()
      hear(0.2)
      v.paused = true
      v:frame()
      hear(0.2)
      print((require("impel.mixer").counts()))
      v.paused = false
      v:restart()
      v:frame()
      hear(0.1)
      print((require("impel.mixer").counts()))
      v:close()
      print((require("impel.mixer").counts()))]]):format(folder .. "/scene.lua"))
    assert.equal("1\n1\n0\n", printed)
    local quiet = 0
    for _, x in ipairs(left) do quiet = quiet + (x == 0 and 1 or 0) end
    -- The pause begins up to a block late, and fading takes another block.
    assert.is_true(quiet >= 0.2 * RATE - 2 * BLOCK, quiet)
  end)
end)

describe("an inaudible sound", function()
  local SCENE = [[
    local impel = require "impel"
    local scene = { duration = 1 }
    function scene.setup(_, seed)
      local world = impel.world { seed = seed }
      world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
      for i = 1, 5 do
        world:body { position = { 0.1 * i, 1.1 * i } }:circle { radius = 0.5, restitution = 0.5 }
      end
      local s = { world = world }
      SETUP
      return s
    end
    return scene]]
  local SOUNDS = [[
      local hit, hum = impel.sound "tone.wav", impel.sound "tone.ogg"
      s.voice = hum:play { loop = true, volume = 0.2 }
      s.hit = hit
      world:on("begin_contact", function(event)
        hit:play { volume = math.min(1, 0.1 + world.tick / 100), pan = -0.5, pitch = 1.5 }
        s.voice.pitch = 1.2
        hit.volume = 0.5
        impel.sound.master(0.9)
        if world.tick > 30 then s.voice:stop() hit:stop() end
      end)]]

  local function hash_of(name, options)
    local path = quote(folder .. "/" .. name)
    local code, out, err = program.run(("run %s --hash --quiet --seed 3 %s"):format(path, options))
    assert.equal(0, code, err)
    return out
  end

  it("leaves the simulation unchanged, with a device or without, in a sandbox too", function()
    put("with.lua", (SCENE:gsub("SETUP", function() return SOUNDS end)))
    put("without.lua", (SCENE:gsub("SETUP", "")))
    local expected = hash_of("without.lua", "")
    assert.equal(expected, hash_of("with.lua", ""))
    assert.equal(expected, hash_of("with.lua", "--sandbox"))
    local play = [[
      local scene = assert(impel.scene.load "with.lua")
      local s, world = assert(scene:setup(scene:values {}, 3))
      world:step(60)
      print(world.hash)]]
    play = play:gsub('"with.lua"', function() return ("%q"):format(folder .. "/with.lua") end)
    local silent = run(play)
    assert.equal(silent, run('impel.sound.listen(error)\n' .. play, HAS_MIXER and "dummy" or "none"))
    assert.equal(silent, run('impel.sound.listen()\n' .. play, "none"))
    assert.is_truthy(expected:find(silent:match "%x+", 1, true), expected .. silent)
  end)

  it("has the same state as an audible sound, and a snapshot holds the state", function()
    local text = [[
      local world = impel.world {}
      local s = { hit = impel.sound "tone.wav" }
      s.voice = s.hit:play { loop = true, volume = 0.5 }
      world:state(s)
      local bytes = world:snapshot()
      print(system.checksum(bytes))
      s.voice.volume, s.hit.volume = 0.25, 0.75
      world:restore(bytes)
      print(s.voice.volume, s.hit.volume, tostring(s.hit))
      s.voice.pan = 1
      s.hit:play()]]
    local silent = run(text)
    assert.is_truthy(silent:find "\n0.5\t1\tsound 'tone.wav'\n$", silent)
    assert.equal(silent, run("impel.sound.listen()\n" .. text, "dummy"))
  end)

  it("reports once that there is no device, or that impel was built without SDL2_mixer", function()
    local text = [[
      impel.sound.listen(print)
      local s = impel.sound "tone.wav"
      s:play():stop()
      impel.sound("tone.wav"):play()
      impel.sound.close()]]
    assert.is_truthy(run("require 'impel.core'\n" .. text, "none"):find("^no sound: [^\n]+\n$"))
    local without = "package.preload['impel.mixer'] = function() error \"module 'impel.mixer' not found\" end\n"
    assert.equal("no sound: this impel was built without SDL2_mixer (Debian: libsdl2-mixer-dev)\n",
      run(without .. text))
  end)

  it("may be played thousands of times without a growth of memory", function()
    local s = impel.sound(folder .. "/tone.wav")
    local function play(count)
      for i = 1, count do s:play { pitch = 0.5 + i % 3, volume = 0.5 }.pan = 0.5 end
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    play(1000)
    local before = play(1000)
    assert.is_true(play(5000) - before < 4) -- [KB]
  end)
end)

describe("an invalid sound", function()
  -- Return a WAV file with part of its header replaced.
  local function broken(at, bytes)
    local whole = wave(100, tone)
    return whole:sub(1, at - 1) .. bytes .. whole:sub(at + #bytes)
  end

  it("is an error with the name of the file and the reason, with a device or without, in a sandbox too", function()
    local ogg = program.read "spec/golden/tone.ogg"
    local whole = wave(100, tone)
    local files = {
      { "empty.wav", "", "an empty file" },
      { "text.wav", "RIFF is how it begins", "neither a WAV nor an OGG file" },
      { "mp3.wav", "ID3\4\0\0\0\0\0\0", "neither a WAV nor an OGG file" },
      { "head.wav", whole:sub(1, 30), "the file is cut off" },
      { "cut.wav", whole:sub(1, -3), "the file is cut off" },
      { "none.wav", broken(41, ("<I4"):pack(0)), "no samples in it" },
      { "kind.wav", broken(21, ("<I2"):pack(85)),
        "samples of the format 85, which is not PCM, float, ADPCM, A-law or mu-law" },
      { "six.wav", broken(23, ("<I2"):pack(6)), "6 channels, 1 or 2 expected" },
      { "rate.wav", broken(25, ("<I4"):pack(0)), "0 samples a second, 1000 to 384000 expected" },
      { "order.wav", broken(13, "xxxx"), "its samples come before their format" },
      { "chunk.wav", broken(37, "xxxx"), "no samples in it" },
      { "cut.ogg", ogg:sub(1, 40), "the file is cut off" },
      { "opus.ogg", ogg:sub(1, 28) .. "OpusHead" .. ogg:sub(37), "OGG without Vorbis in it" },
    }
    local calls = {}
    for _, file in ipairs(files) do
      put(file[1], file[2])
      calls[#calls + 1] = ("print(select(2, pcall(impel.sound, '%s')))"):format(file[1])
    end
    calls[#calls + 1] = "print(select(2, pcall(impel.sound, 'tune.wav')))"
    calls[#calls + 1] = "print(select(2, pcall(impel.sound, 'long.wav')))"
    assert(os.execute(("truncate -s 67108865 %s/long.wav"):format(quote(folder))))
    put("bad.lua", ("local impel = require 'impel'\nreturn { duration = 0, setup = function()\n%s\n"
      .. "return { world = impel.world {} } end }"):format(table.concat(calls, "\n")))
    local all = table.concat(calls, "\n")
    local outputs = { run(all), run("impel.sound.listen()\n" .. all, "dummy") }
    for _, options in ipairs { "", "--sandbox" } do
      local code, _, err = program.run(("run %s --quiet %s"):format(quote(folder .. "/bad.lua"), options))
      assert.equal(0, code, err)
      outputs[#outputs + 1] = err:gsub("^sandbox: [^\n]*\n", "")
    end
    for _, output in ipairs(outputs) do
      local lines = {}
      for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
      assert.equal(#files + 2, #lines, output)
      for i, file in ipairs(files) do
        local words = ("impel.sound: '%s/%s': %s"):format(folder, file[1], file[3])
        assert.is_truthy(lines[i]:find(words, 1, true), words .. " | " .. lines[i])
      end
      local missing = ("impel.sound: 'tune.wav' not found in '%s'"):format(folder)
      assert.is_truthy(lines[#files + 1]:find(missing, 1, true), output)
      assert.is_truthy(lines[#files + 2]:find("long.wav': longer than 64 MB", 1, true), output)
    end
    assert(os.remove(folder .. "/long.wav"))
  end)

  it("with a valid head is an error when it is decoded", function()
    if not HAS_MIXER then return pending "built without SDL2_mixer" end
    local ogg = program.read "spec/golden/tone.ogg"
    put("inside.ogg", ogg:sub(1, 100) .. ("\0"):rep(#ogg - 100))
    local printed = run "impel.sound.listen(error) print(select(2, pcall(impel.sound, 'inside.ogg')))"
    assert.is_truthy(printed:find(("impel.sound: '%s/inside.ogg': "):format(folder), 1, true), printed)
  end)

  it("argument is an error that names it and its range", function()
    local s = impel.sound(folder .. "/tone.wav")
    local v = s:play()
    local nan = 0 / 0
    raises("impel.sound: argument 'name' must be a string, got nil", function() impel.sound() end)
    raises("impel.sound.listen: argument 'tell' must be a function, got 1", impel.sound.listen, 1)
    raises("impel.sound.pause: argument 'paused' must be true or false, got nil", impel.sound.pause)
    raises("bad field 'volum' in sound:play (did you mean 'volume'?)", function() s:play { volum = 1 } end)
    raises("sound:play: options must be a table, got 1", function() s:play(1) end)
    for _, volume in ipairs { nan, -0.1, 1.5, math.huge, "1", true } do
      raises("sound:play: field 'volume' must be a finite number in [0, 1], got",
        function() s:play { volume = volume } end)
      raises("sound.volume must be a finite number in [0, 1], got", function() s.volume = volume end)
      raises("voice.volume must be a finite number in [0, 1], got", function() v.volume = volume end)
      raises("impel.sound.master: argument 'volume' must be a finite number in [0, 1], got",
        function() impel.sound.master(volume) end)
    end
    raises("sound:play: field 'pan' must be a finite number in [-1, 1], got -1.5", function() s:play { pan = -1.5 } end)
    raises("sound:play: field 'pitch' must be a finite number in [0.25, 4], got 0", function() s:play { pitch = 0 } end)
    raises("sound:play: field 'loop' must be true or false, got 1", function() s:play { loop = 1 } end)
    raises("voice.pitch must be a finite number in [0.25, 4], got nan", function() v.pitch = nan end)
    raises("voice.paused must be true or false, got nil", function() v.paused = nil end)
    raises("no field 'panning' in voice", function() v.panning = 1 end)
    raises("no field 'volum' in sound (did you mean 'volume'?)", function() s.volum = 1 end)
    raises("no field 'plai' in sound (did you mean 'play'?)", function() s:plai() end)
    raises("no field 'stopp' in voice (did you mean 'stop'?)", function() v:stopp() end)
    assert.equal(1, s.volume)
    assert.equal(1, v.pitch)
  end)
end)
