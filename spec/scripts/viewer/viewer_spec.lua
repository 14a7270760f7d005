-- The cases of display.lua and the command `impel view`, each in a process of its own under Xvfb.

local shared = require "support.program"
local xvfb = require "support.xvfb"

local quote = shared.quote
local has_window = package.searchpath("impel.window", package.cpath) ~= nil

local EXAMPLE = "pendulum"

describe("the window", function()
  local server, reason
  local state = shared.temporary() -- folder for preferences
  os.remove(state)

  setup(function()
    if has_window then server, reason = xvfb.start() else reason = "built without SDL2" end
  end)

  teardown(function()
    if server then server:stop() end
    os.execute("rm -rf " .. quote(state))
    shared.clean()
  end)

  -- Return a command prefix with a display, a folder for preferences and a time limit of 60 s.
  local function environment(display)
    return ("timeout -k 1 60 env -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER XDG_STATE_HOME=%s DISPLAY=%s"):format(
      quote(state), display)
  end

  local function run(arguments, display)
    return shared.run(arguments, nil, environment(display or server.display))
  end

  if has_window then
    for _, case in ipairs(require "scripts.viewer.display") do
      it(case.name, function()
        if not server then return pending(reason) end
        local out = shared.temporary()
        local paths = ("LUA_PATH=%s LUA_CPATH=%s"):format(quote(package.path), quote(package.cpath))
        local ok = os.execute(("%s %s lua5.4 spec/scripts/viewer/display.lua %s >%s 2>&1"):format(
          environment(server.display), paths, quote(case.name), out))
        assert.is_true(ok, shared.read(out))
      end)
    end
  end

  it("shows a given number of frames and exits", function()
    if not server then return pending(reason) end
    local code, out, err = run(("view %s --software --frames 20"):format(EXAMPLE))
    assert.same({ 0, "", "" }, { code, out, err })
    code = run(("%s --software --frames 2"):format(EXAMPLE))
    assert.equal(0, code)
    code = run "view examples --software --frames 2 --size 400x300"
    assert.equal(0, code)
  end)

  it("writes a trace of the shown run", function()
    if not server then return pending(reason) end
    local trace = shared.temporary ".csv"
    assert.equal(0, (run(("view %s --software --frames 30 --trace %s"):format(EXAMPLE, trace))))
    local lines = {}
    for line in io.lines(trace) do lines[#lines + 1] = line end
    assert.is_true(#lines >= 2)
    local reference = shared.temporary ".csv"
    shared.run(("run %s --steps %d --trace %s -q"):format(EXAMPLE, #lines - 2, reference))
    -- The run in the window has the same trace as the run without a window.
    assert.equal(shared.read(reference), shared.read(trace))
  end)

  it("exits with code 3 after the given number of frames if the scene fails", function()
    if not server then return pending(reason) end
    local broken = shared.write "return { setup = function() error 'no' end }"
    local code, _, err = run(("view %s --software --frames 3"):format(broken))
    assert.equal(3, code)
    assert.is_truthy(err:find("no", 1, true))
  end)

  -- Run the example in a window. When its trace has ten rows, run `command`, in which $pid is the program's process.
  -- Return the program's exit code.
  local function disturbed(display, trace, err, command)
    local script = ("%s view %s --software --trace %s & pid=$!; n=0; "
      .. "until [ \"$(wc -l <%s)\" -gt 10 ] || [ $n -gt 200 ]; do sleep 0.1; n=$((n + 1)); done; %s; wait $pid")
      :format(quote(shared.path), EXAMPLE, trace, trace, command)
    return select(3, os.execute(("%s sh -c %s 2>%s"):format(environment(display), quote(script), err)))
  end

  it("reports that its settings cannot be saved, and exits with code 0", function()
    if not server then return pending(reason) end
    local code, out, err = shared.run(("view %s --software --frames 2"):format(EXAMPLE), nil,
      environment(server.display):gsub("XDG_STATE_HOME=%S+", "XDG_STATE_HOME=/dev/null/none"))
    assert.same({ 0, "" }, { code, out })
    assert.is_truthy(err:find("cannot write /dev/null/none", 1, true), err)
  end)

  it("completes the trace and exits with code 130 if it is interrupted", function()
    if not server then return pending(reason) end
    local trace = shared.temporary ".csv"
    local code = disturbed(server.display, trace, "/dev/null", "kill -INT $pid")
    assert.equal(130, code)
    assert.is_true(select(2, shared.read(trace):gsub("\n", "")) > 10)
    assert.equal("\n", shared.read(trace):sub(-1))
  end)

  it("loses no recorded row when the display disappears", function()
    if not server then return pending(reason) end
    local own = assert(xvfb.start())
    local trace, err = shared.temporary ".csv", shared.temporary()
    local code = disturbed(own.display, trace, err, "kill " .. own.pid)
    own.pid = nil
    assert.equal(2, code, shared.read(err))
    assert.is_truthy(shared.read(err):find("display", 1, true))
    local text = shared.read(trace)
    assert.equal("\n", text:sub(-1))
    assert.is_true(select(2, text:gsub("\n", "")) > 10)
  end)
end)

describe("without a display", function()
  after_each(shared.clean)

  it("view reports the missing display and exits with code 2", function()
    local code, out, err = shared.run(("view %s"):format(EXAMPLE), nil,
      "env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER XDG_STATE_HOME=/dev/null/none "
      .. "XDG_RUNTIME_DIR=/dev/null/none")
    assert.equal(2, code)
    assert.equal("", out)
    assert.is_truthy(err:find(has_window and "display" or "built without", 1, true), err)
  end)

  it("view reports wrong options and files", function()
    for arguments, expected in pairs {
      ["view --size big x"] = "--size: WIDTHxHEIGHT in 64..16384 expected, got 'big'",
      ["view --size 20x20 x"] = "--size",
      ["view --speed 0 x"] = "--speed: a number in 0.015625..64 expected, got '0'",
      ["view --frames 0 x"] = "--frames",
      ["view --every 2 x"] = "--every needs --trace OUT",
      ["pendulun"] = "unknown command 'pendulun'",
    } do
      local code, _, err = shared.run(arguments)
      assert.equal(2, code, arguments)
      assert.is_truthy(err:find(expected, 1, true), err)
    end
  end)
end)
