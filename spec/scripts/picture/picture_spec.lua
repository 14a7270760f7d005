-- Pictures and films of runs: their times and contents, files after a failure; the gallery.

local impel = require "impel"
local film = require "impel.picture.film"
local palette = require "impel.picture.palette"
local picture = require "impel.picture"

local raises = require "support.raises"
local shared = require "support.program"
local run, read, write, quote = shared.run, shared.read, shared.write, shared.quote

local window = picture.window()
local HAS_FFMPEG = film.has_ffmpeg()
local HAS_FFPROBE = os.execute "command -v ffprobe >/dev/null 2>&1"

-- A falling box, and a mark that the scene draws.
local SCENE = [[
local impel = require "impel"
return { title = "Fall", duration = 1, %s
setup = function()
  local world = impel.world { seed = 3 }
  local body = world:body { name = "crate", position = { 0, 0 } }
  body:box { 1, 1 }
  return { world = world, body = body }
end,
draw = function(s, view) view:point(0, 0, "red") %s end }
]]
local VIEW = "view = { x = 0, y = 0, height = 4 },"

local function scene(fields, draw)
  return SCENE:format(fields or VIEW, draw or "")
end

local function has(text, part)
  if not text:find(part, 1, true) then error(("no '%s' in %s"):format(part, text), 2) end
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- Return the colour 0xRRGGBB at a pixel of a PNG, and the size of the PNG.
local function pixel(bytes, x, y)
  local width, height, rgba = window.decode_png(bytes)
  assert(width, height)
  local at = 4 * (y * width + x) + 1
  return rgba:byte(at) << 16 | rgba:byte(at + 1) << 8 | rgba:byte(at + 2), width, height
end

-- Return ffprobe's data of a film: width, height, count of pictures, rate, pixel format.
local function probe(path)
  local pipe = io.popen("ffprobe -v error -count_frames -of csv=p=0 -show_entries "
    .. "stream=width,height,nb_read_frames,r_frame_rate,pix_fmt " .. quote(path) .. " 2>&1")
  local text = pipe:read "a"
  pipe:close()
  local width, height, format, rate, count = text:match "^(%d+),(%d+),(%w+),([%d/]+),(%d+)"
  if not width then error(text) end
  return { width = tonumber(width), height = tonumber(height), count = tonumber(count), rate = rate, format = format }
end

-- Create a folder that is removed after the test.
local folders = {}
local function folder()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute("mkdir " .. quote(name)))
  folders[#folders + 1] = name
  return name
end

local function clean()
  shared.clean()
  for _, name in ipairs(folders) do os.execute("rm -r " .. quote(name)) end
  folders = {}
end

local function pends(needed, what)
  if not needed then pending(what .. " is not there") end
  return not needed
end

describe("impel run", function()
  after_each(clean)

  it("gives the same hash with pictures and without, also for a scene that draws", function()
    local at = folder()
    local options = ("--svg %s/a.svg --at 0 --at 0.5 --show contacts,forces,rows,trails,names,grid"):format(at)
    if window then options = options .. (" --png %s/a.png"):format(at) end
    if window and HAS_FFMPEG then options = options .. (" --gif %s/a.gif --size 64x36"):format(at) end
    for _, name in ipairs { "-", "skate", "pile", "double_pendulum", "wheel_car" } do
      local input = name == "-" and scene(VIEW .. "update = function(s) s.body:apply_force(math.random(), 0) end,",
        "view:point(math.random(), 0)") or nil
      local _, plain = run(("run %s --hash -q --time 1"):format(name), input)
      local code, hash, err = run(("run %s --hash -q --time 1 %s"):format(name, options), input)
      assert.equal(0, code, err)
      assert.equal(plain, hash)
    end
  end)

  describe("--svg", function()
    it("takes the picture of the step nearest to --at", function()
      local one, other = shared.temporary ".svg", shared.temporary ".svg"
      assert.equal(0, (run(("run - -q --svg %s --at 0.257"):format(one), scene())))
      assert.equal(0, (run(("run - -q --svg %s --steps 15"):format(other), scene())))
      assert.equal(read(other), read(one))
      assert.equal(0, (run(("run - -q --svg %s --at 0.26"):format(one), scene())))
      assert.not_equal(read(other), read(one))
    end)

    it("shows the body where it fell to", function()
      -- Symplectic Euler with h = 1/240 s falls g t h / 2 farther than g t^2 / 2: 0.01 m or 1 pixel.
      local code, out, err = run("run - --svg - --steps 30 --size 400x400", scene())
      assert.equal(0, code, err)
      local y = tonumber(out:match 'd="M150 ([%d.]+)L250')
      assert.near(200 + 100 * (0.5 + 9.81 * 0.5 ^ 2 / 2), y, 2 + 0.5)
    end)

    it("numbers its files if --at is given several times, and names the files in the result", function()
      local at = folder()
      local code, out, err = run(("run - --svg %s/p.svg --at 0.1 --at 0 --at 0.2"):format(at), scene())
      assert.equal(0, code, err)
      has(out, ("pictures     %s/p_2.svg %s/p_1.svg %s/p_3.svg\n"):format(at, at, at))
      assert.not_equal(read(at .. "/p_1.svg"), read(at .. "/p_2.svg"))
      code, out, err = run(("run - --json --svg %s/p.svg"):format(at), scene())
      assert.equal(0, code, err)
      has(out, ('"pictures":["%s/p.svg"]'):format(at))
    end)

    it("writes nothing but the picture to standard output if the path is -", function()
      local code, out, err = run("run - --svg -", scene())
      assert.equal(0, code, err)
      assert.truthy(out:find "^<%?xml" and out:find "</svg>\n$", out)
    end)

    it("fits the world if the scene names no view", function()
      local code, out, err = run("run - --svg - --steps 0 --size 500x500", scene "")
      assert.equal(0, code, err)
      -- A box of 1 m with margins of 0.06 on each side fills 500 px.
      local edge = 500 * 0.06 / 1.12
      local left, bottom, right = out:match 'd="M([%d.]+) ([%d.]+)L([%d.]+)'
      assert.near(edge, tonumber(left), 0.01)
      assert.near(500 - edge, tonumber(bottom), 0.01)
      assert.near(500 - edge, tonumber(right), 0.01)
    end)

    it("adds overlays that --show names, and removes overlays named with a leading minus", function()
      local _, plain = run("run - --svg - --steps 1", scene())
      local _, named = run("run - --svg - --steps 1 --show names", scene())
      local _, none = run("run - --svg - --steps 1 --show=-shapes,-scene", scene())
      assert.falsy(plain:find(">crate<", 1, true))
      has(named, ">crate<")
      has(plain, "<path")
      assert.falsy(none:find("<path", 1, true))
      assert.falsy(none:find("<circle", 1, true))
    end)

    it("shows in a single picture the points of view:trail since the start of the run", function()
      local trail = 'local x, y = s.body:position() view:trail("crate", x, y)'
      local _, out = run("run - --svg - --steps 30", scene(VIEW, trail))
      local points = out:match '<polyline points="([%d. -]+)"'
      local _, count = points:gsub("%S+", "")
      assert.equal(62, count) -- x and y at the start and after each of 30 steps
    end)
  end)

  it("refuses contradictory options before the run", function()
    local at = folder()
    for arguments, message in pairs {
      ["--svg a.svg --at 1.1"] = "--at 1.1: the run ends at 1 s",
      ["--svg a.png"] = "--svg a.png: a name ending in .svg, or -, expected",
      ["--png a.jpg"] = "--png a.jpg: a name ending in .png, or -, expected",
      ["--gif -"] = "--gif -: a name ending in .gif expected",
      ["--at 1"] = "--at needs --png OUT or --svg OUT",
      ["--fps 3"] = "--fps needs --gif OUT or --mp4 OUT",
      ["--size 3x3"] = "--size needs --png OUT, --svg OUT, --gif OUT or --mp4 OUT",
      ["--show names"] = "--show needs --png OUT, --svg OUT, --gif OUT or --mp4 OUT",
      ["--svg a.svg --size 0x9"] = "--size: WIDTHxHEIGHT of 1..16384 pixels expected, got '0x9'",
      ["--svg a.svg --size 9"] = "--size: WIDTHxHEIGHT",
      ["--svg a.svg --at=-1"] = "--at: seconds >= 0 expected, got '-1'",
      ["--svg a.svg --show forecs"] = "--show: no overlay 'forecs' (did you mean 'forces'?)",
      ["--gif a.gif --fps 0"] = "--fps: more than 0, at most 1000 expected, got '0'",
      ["--gif a.gif --fps 60"] = "--gif: a GIF has at most 50 pictures per second, got 60",
      ["--svg - --json"] = "--json and the picture cannot both go to standard output",
      ["--svg - --hash"] = "--hash and the picture cannot both go to standard output",
      ["--svg - --png -"] = "--png - and --svg - cannot be combined",
      ["--svg - --plot -"] = "--plot - cannot be combined with --png - or --svg -",
      ["--svg - --at 0 --at 1"] = "--at: only one picture can go to standard output",
      ["--svg a.svg --row 1"] = "--row and --svg cannot be combined",
    } do
      local code, out, err = run("run - " .. arguments, scene(), ("cd %s &&"):format(quote(at)))
      assert.equal(2, code, arguments .. ": " .. err)
      assert.equal("", out)
      has(err, message)
    end
    assert.is_nil(io.popen("ls " .. quote(at)):read "l")
  end)

  it("prints the run's result if its last picture fails, and ends with the exit code of that failure", function()
    local whole = scene(VIEW .. "check = function() return true end,")
    local plain = select(2, run("run - --check --hash --steps 9", whole))
    local failing = scene(VIEW .. "check = function() return true end,", 'if s.world.tick == 9 then error "no ink" end')
    for _, sandbox in ipairs { "", " --sandbox" } do
      local options = ("run - --check --steps 9 --svg %s --at 0.1 --at 0.15"):format(shared.temporary ".svg") .. sandbox
      local code, out, err = run(options .. " --hash", failing)
      assert.same({ 3, plain }, { code, out })
      has(err, "no ink")
      code, out = run(options, failing)
      assert.equal(3, code)
      has(out, "check        passed")
      has(out, "_1.svg")
      assert.falsy(out:find("_2.svg", 1, true))
      has(select(2, run(options .. " --json", failing)), '"check":"passed"')
    end
    local gone = scene(VIEW, "if s.world.tick == 9 then s.world:destroy() end")
    local saved = shared.temporary ".lua"
    local code, out = run(("run - --steps 9 --svg %s --save %s"):format(shared.temporary ".svg", saved), gone)
    assert.same({ 3, "" }, { code, out })
    assert.falsy(exists(saved))
  end)

  it("ends with the scene's error if its draw raises", function()
    local path = shared.temporary ".svg"
    local code, _, err = run("run - -q --svg " .. path, scene(VIEW, 'if s.world.tick == 7 then error "no ink" end'))
    assert.equal(3, code)
    assert.truthy(err:find "stdin:%d+: no ink", err)
  end)

  it("keeps the previous file if the disk is full, and says so", function()
    local path = write("old", ".svg")
    -- `ulimit -f` counts blocks of 512 B.
    local code, _, err = run("run - -q --show grid --svg " .. path, scene(), "ulimit -f 2;")
    assert.equal(5, code, err)
    has(err, "cannot write " .. path)
    assert.equal("old", read(path))
  end)

  it("without the window's module names the packages, and writes SVG", function()
    local at = folder()
    local top = io.popen "pwd":read "l"
    assert(os.execute(("mkdir %s/build && cp %s %s/build && ln -s %s/scripts %s/examples %s"):format(at,
      quote(shared.path), at, top, top, at)))
    local before = ("cd %s && env LUA_CPATH= "):format(at)
    local function poor(arguments)
      local out, err = shared.temporary(), shared.temporary()
      local command = "%s build/impel run stack --time 0.1 -q %s >%s 2>%s"
      local _, _, code = os.execute(command:format(before, arguments, out, err))
      return code, read(err)
    end
    for _, kind in ipairs { "png", "gif", "mp4" } do
      local code, err = poor(("--svg b.svg --%s a.%s"):format(kind, kind))
      assert.equal(2, code, err)
      has(err, ("--%s: pictures in pixels need the module impel.window"):format(kind))
      has(err, "libsdl2-dev libsdl2-ttf-dev libpng-dev")
    end
    assert.is_false(exists(at .. "/b.svg"))
    assert.equal(0, (poor "--svg a.svg"))
    assert.is_true(exists(at .. "/a.svg"))
  end)

  describe("--png", function()
    it("shows the items of the drawing", function()
      if pends(window, "impel.window") then return end
      local path = shared.temporary ".png"
      local code, _, err = run(("run - -q --steps 0 --png %s --size 401x201"):format(path), scene())
      assert.equal(0, code, err)
      local bytes = read(path)
      local corner, width, height = pixel(bytes, 0, 0)
      assert.same({ 401, 201 }, { width, height })
      assert.equal(palette.background >> 8, corner)
      assert.equal(palette.styles.dynamic.fill >> 8, (pixel(bytes, 210, 110)))
      assert.equal(palette.named.red >> 8, (pixel(bytes, 200, 100))) -- a pixel of the mark that the scene draws
    end)

    it("goes to standard output too", function()
      if pends(window, "impel.window") then return end
      local code, out, err = run("run - --png - --size 32x16", scene())
      assert.equal(0, code, err)
      assert.same({ 32, 16 }, { select(2, pixel(out, 0, 0)) })
    end)
  end)

  describe("a film", function()
    it("has ceil((T + dt / 2) fps) pictures at the requested rate (T: duration of the run, dt: step)", function()
      if pends(window and HAS_FFMPEG and HAS_FFPROBE, "impel.window or ffmpeg") then return end
      for _, case in ipairs {
        { kind = "gif", fps = 30, time = 1, count = 31 }, { kind = "mp4", fps = 30, time = 1, count = 31 },
        { kind = "gif", fps = 7, time = 0.5, count = 4 }, { kind = "mp4", fps = 120, time = 0.25, count = 31 },
        { kind = "mp4", fps = 25, time = 0, count = 1 },
      } do
        local path = shared.temporary("." .. case.kind)
        local code, _, err = run(("run - -q --time %g --fps %g --%s %s --size 65x35"):format(case.time, case.fps,
          case.kind, path), scene())
        assert.equal(0, code, err)
        local found = probe(path)
        assert.equal(case.count, found.count)
        local above, below = found.rate:match "(%d+)/(%d+)"
        local exact = case.kind == "mp4" and 1e-9 or 0.01 -- the delays in a GIF are in hundredths of a second
        if case.count > 1 then assert.near(1 / case.fps, below / above, exact) end
        local odd = case.kind == "mp4" and 1 or 0 -- the sides of a film in H.264 are even numbers of pixels
        assert.same({ 65 - odd, 35 - odd }, { found.width, found.height })
        if case.kind == "mp4" then assert.equal("yuv420p", found.format) end
        assert.is_false(exists(path .. ".part"))
      end
    end)

    it("as GIF and as MP4 comes from the same run as a picture, and is named in the result", function()
      if pends(window and HAS_FFMPEG and HAS_FFPROBE, "impel.window or ffmpeg") then return end
      local at = folder()
      local code, out, err = run(("run - --size 64x36 --gif %s/a.gif --mp4 %s/a.mp4 --png %s/a.png"):format(at, at, at),
        scene())
      assert.equal(0, code, err)
      has(out, ("pictures     %s/a.png %s/a.gif %s/a.mp4\n"):format(at, at, at))
      assert.equal(31, probe(at .. "/a.gif").count)
      assert.equal(31, probe(at .. "/a.mp4").count)
    end)

    it("is complete up to the step at which Ctrl-C in the terminal interrupts the run", function()
      if pends(window and HAS_FFMPEG and HAS_FFPROBE, "impel.window or ffmpeg") then return end
      local at = folder()
      -- The signal goes to the whole process group, like Ctrl-C in a terminal.
      local interrupt = shared.write(
        'exec 3<&0; setsid "$@" <&3 3<&- & pid=$!; sleep 1; kill -s INT -- -$pid; wait $pid', ".sh")
      local code, _, err = run(("run - --time 100000 --size 64x36 --gif %s/a.gif --png %s/a.png --mp4 %s/a.mp4"):format(
        at, at, at), scene(), "sh " .. interrupt)
      assert.equal(130, code, err)
      has(err, "a.gif")
      assert.is_true(probe(at .. "/a.gif").count > 1)
      assert.equal(probe(at .. "/a.gif").count, probe(at .. "/a.mp4").count)
      assert.is_true(exists(at .. "/a.png"))
    end)

    it("of a failing run ends at the failure", function()
      if pends(window and HAS_FFMPEG and HAS_FFPROBE, "impel.window or ffmpeg") then return end
      local path = shared.temporary ".mp4"
      local code = run(("run - -q --size 64x36 --mp4 %s"):format(path),
        scene(VIEW .. 'update = function(s) if s.world.tick == 30 then error "enough" end end,'))
      assert.equal(3, code)
      assert.equal(16, probe(path).count)
    end)

    -- Create a fake ffmpeg: a shell script with the given body.
    local function pretending(body)
      local bin = folder()
      local file = assert(io.open(bin .. "/ffmpeg", "w"))
      file:write("#!/bin/sh\n", body, "\n")
      file:close()
      assert(os.execute("chmod +x " .. bin .. "/ffmpeg"))
      return ("PATH=%s:$PATH"):format(bin)
    end

    it("reports ffmpeg's message if it fails, early or late, and keeps the previous file", function()
      if pends(window, "impel.window") then return end
      for _, body in ipairs {
        "echo no such codec >&2; exit 3", "cat >/dev/null; echo no such codec >&2; exit 1",
        "head -c 20000 >/dev/null; echo no such codec >&2; exit 1",
      } do
        for _, kind in ipairs { "gif", "mp4" } do
          local path = write("old", "." .. kind)
          local code, _, err = run(("run - -q --size 64x36 --%s %s"):format(kind, path), scene(), pretending(body))
          assert.equal(5, code, err)
          assert.equal(("impel: cannot write %s: ffmpeg: no such codec\n"):format(path), err)
          assert.equal("old", read(path))
          assert.is_false(exists(path .. ".part"))
        end
      end
    end)

    it("is reported once to end early if the run stops before its end, with --sandbox too", function()
      if pends(window, "impel.window") then return end
      local path, before = shared.temporary ".mp4", pretending 'for last; do :; done; exec cat >"${last#file:}"'
      local function early(code, options, update)
        local ended, _, err = run(("run - -q --size 16x9 --time 0.2 --mp4 %s %s"):format(path, options),
          scene(VIEW .. ("update = function(s) if s.world.tick == 6 then %s end end,"):format(update)), before)
        assert.equal(code, ended, err)
        local _, count = err:gsub("impel: [^\n]*%.mp4: shorter than requested, because the run stopped early", "")
        assert.equal(code == 0 and 0 or 1, count, err)
        assert.equal((code == 0 and 7 or 4) * 16 * 9 * 4, #read(path), options)
      end
      early(0, "", "")
      early(0, "--sandbox", "")
      early(3, "", 'error "enough"')
      early(3, "--sandbox", 'error "enough"')
      early(6, "--sandbox --quota time=0.5", "while true do end")
    end)

    it("reports ffmpeg's exit status if it printed no message", function()
      if pends(window, "impel.window") then return end
      local path = shared.temporary ".mp4"
      local code, _, err = run(("run - -q --size 64x36 --mp4 %s"):format(path), scene(), pretending "exit 7")
      assert.equal(5, code)
      has(err, "ffmpeg ended with exit code 7")
    end)

    it("ends with exit code 5 if the disk is full", function()
      if pends(window and HAS_FFMPEG, "impel.window or ffmpeg") then return end
      for _, kind in ipairs { "gif", "mp4" } do
        local path = write("old", "." .. kind)
        local code, _, err = run(("run pyramid -q --time 1 --%s %s"):format(kind, path), nil, "ulimit -f 2;")
        assert.equal(5, code, err)
        has(err, "cannot write " .. path)
        assert.equal("old", read(path))
      end
    end)

    it("reports before the run a path that cannot be written", function()
      if pends(window and HAS_FFMPEG, "impel.window or ffmpeg") then return end
      local code, _, err = run("run - -q --mp4 /nowhere/a.mp4", scene())
      assert.equal(2, code)
      has(err, "cannot write /nowhere/a.mp4: No such file or directory")
    end)

    it("without ffmpeg writes pictures into a folder, and prints how to continue", function()
      if pends(window, "impel.window") then return end
      local bin, at = folder(), folder()
      for _, name in ipairs { "sh", "mkdir" } do
        assert(os.execute(("ln -s $(command -v %s) %s"):format(name, bin)))
      end
      for _, case in ipairs { { 0.5, 16 }, { 0.2, 7 } } do
        local code, out, err = run(("run - --time %g --size 64x36 --gif %s/a.gif"):format(case[1], at), scene(),
          "PATH=" .. bin)
        assert.equal(0, code, err)
        has(out, ("pictures     %s/a/\n"):format(at))
        has(err, ("%d pictures instead of %s/a.gif"):format(case[2], at))
        has(err, "ffmpeg -framerate 30 -i")
        assert.is_true(exists(("%s/a/a_%04d.png"):format(at, case[2])))
        -- Pictures of a longer, older film are removed.
        assert.is_false(exists(("%s/a/a_%04d.png"):format(at, case[2] + 1)))
        assert.same({ 64, 36 }, { select(2, pixel(read(at .. "/a/a_0001.png"), 0, 0)) })
      end
      local interrupted = [[
        return { setup = function() return { world = require "impel".world {} } end,
          update = function(s) if s.world.tick == 3 then os.execute "kill -INT $PPID" end end }]]
      local code, _, err = run(("run - --size 64x36 --gif %s/a.gif"):format(at), interrupted, "PATH=" .. bin)
      assert.equal(130, code, err)
      has(err, ("impel: %s/a/ shows the run until the interrupt\n"):format(at))
    end)
  end)
end)

describe("impel.picture", function()
  after_each(clean)

  local function world()
    local w = impel.world {}
    w:body { position = { 0, 2 } }:circle { radius = 0.5 }
    return w
  end

  it("accepts a world without a scene, and gives text or a file", function()
    local w, path = world(), shared.temporary ".svg"
    local before = w.hash
    local text = assert(picture.svg(w, nil, { view = { x = 0, y = 2, height = 2 }, width = 100, height = 100 }))
    has(text, '<circle cx="50" cy="50" r="25"')
    assert.is_true(picture.svg(w, path, { view = { x = 0, y = 2, height = 2 }, width = 100, height = 100 }))
    assert.equal(text, read(path))
    assert.equal(before, w.hash)
    local ok, message = picture.svg(w, "/nowhere/a.svg")
    assert.is_nil(ok)
    has(message, "/nowhere/a.svg")
  end)

  it("paints the same PNG into a file and as bytes", function()
    if pends(window, "impel.window") then return end
    local w, path = world(), shared.temporary ".png"
    local bytes = assert(picture.png(w, nil, { width = 64, height = 64 }))
    assert.is_true(picture.png(w, path, { width = 64, height = 64 }))
    assert.equal(bytes, read(path))
  end)

  it("films a world step by step", function()
    if pends(window and HAS_FFMPEG and HAS_FFPROBE, "impel.window or ffmpeg") then return end
    local w, path = world(), shared.temporary ".gif"
    w:step(10) -- steps before the film begins
    local movie = assert(picture.film(w, path, { fps = 20, width = 64, height = 36 }))
    for _ = 1, 60 do
      w:step()
      assert(movie:look())
    end
    assert.is_true((movie:close()))
    assert.is_true((movie:close()))
    assert.equal(21, movie.count)
    assert.equal(21, probe(path).count)
  end)

  it("refuses wrong arguments at the caller's line", function()
    local w = world()
    for message, call in pairs {
      ["a world or a run expected, got 3"] = function() picture.svg(3) end,
      ["path expected, got number"] = function() picture.svg(w, 3) end,
      ["unknown option 'widht' (did you mean 'width'?)"] = function() picture.svg(w, nil, { widht = 1 }) end,
      ["width of 1..16384 pixels expected, got 0"] = function() picture.svg(w, nil, { width = 0 }) end,
      ["height of 1..16384 pixels expected, got 1.5"] = function() picture.png(w, nil, { height = 1.5 }) end,
      ["fps must be a number > 0 and <= 1000"] = function() picture.film(w, "a.gif", { fps = 0 }) end,
      ["view.height: finite number > 0 expected, got 0"] = function()
        picture.svg(w, nil, { view = { height = 0 } })
      end,
      ["unknown field of view 'z'"] = function() picture.svg(w, nil, { view = { z = 0 } }) end,
      ["no overlay 'frces' (did you mean 'forces'?)"] = function() picture.svg(w, nil, { show = { "frces" } }) end,
    } do
      local ok, text = pcall(call)
      assert.is_false(ok)
      assert.truthy(text:find "^spec/scripts/picture/picture_spec.lua:%d+: picture", text)
      has(text, message)
    end
    local studio = picture.studio(w)
    raises("studio:write: kind must be one of 'png', 'svg', got 'gif' (string)", studio.write, studio, "gif", "a.gif")
    raises("studio:write: path must be a string, got nil", studio.write, studio, "svg")
    local none, message = picture.film(w, "a.avi")
    assert.is_nil(none)
    has(message, "film 'a.avi': a name ending in .gif or .mp4 expected")
  end)
end)

describe("the gallery", function()
  local LIMIT = 2000000 -- limit of the size of all committed pictures [B]
  local scenes = require "tools.gallery_scenes"
  local map = read "examples/README.md"

  local listed = {}
  for name in io.popen(quote(shared.path) .. " list"):read "a":gmatch "([%w_/]+)[^\n]*\n" do
    listed[#listed + 1] = name
  end

  it("has a picture of every example, listed in its index, and no others", function()
    local wanted = {}
    for _, name in ipairs(listed) do
      local entry = assert(scenes[name], name)
      wanted[name .. ".png"] = true
      if entry.film then wanted[name .. ".gif"] = true end
      has(map, ("](gallery/%s.%s)](%s.lua)"):format(name, entry.film and "gif" or "png", name))
    end
    local found = {}
    for file in io.popen "cd examples/gallery && ls -d *.* */*":lines() do found[file] = true end
    assert.same(wanted, found)
    local count = 0
    for _ in pairs(scenes) do count = count + 1 end
    assert.equal(#listed, count)
  end)

  it("stays below 2 MB", function()
    local total = 0
    for file in io.popen "find examples/gallery -type f":lines() do total = total + #read(file) end
    assert.is_true(total < LIMIT, total .. " bytes")
  end)

  it("holds pictures that decode and are not empty", function()
    if pends(window, "impel.window") then return end
    for _, name in ipairs(listed) do
      local width, height, rgba = window.decode_png(read(("examples/gallery/%s.png"):format(name)))
      assert.same({ 480, 270 }, { width, height }, name)
      local background, other = rgba:sub(1, 4), 0
      for at = 1, #rgba, 4 do
        if rgba:sub(at, at + 3) ~= background then other = other + 1 end
      end
      -- In a picture that is not empty, more than 500 of the 129600 pixels differ from the background.
      assert.is_true(other > 500, name .. " is empty")
    end
  end)
end)
