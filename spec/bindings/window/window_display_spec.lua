-- The cases of window_display.lua with a dummy driver and Xvfb.

local pictures = require "support.pictures"
local program = require "support.program"
local xvfb = require "support.xvfb"

local quote = program.quote
local NONE = "env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER -u SDL_RENDER_DRIVER "

-- Run a case. Return its output and whether it passed.
local function run(name, environment)
  local out = program.temporary()
  local paths = ("LUA_PATH=%s LUA_CPATH=%s"):format(quote(package.path), quote(package.cpath))
  local ok = os.execute(("%s %s %s lua5.4 spec/bindings/window/window_display.lua %s >%s 2>&1"):format(NONE,
    environment, paths, quote(name), out))
  local text = program.read(out)
  return text, ok and text:find "done\n$" ~= nil
end

local function check(name, environment)
  local text, ok = run(name, environment)
  assert.is_true(ok, text)
end

if not pictures.window then
  describe("a window", function() it("opens", function() pending(pictures.reason) end) end)
  return
end

local cases = require "bindings.window.window_display"

describe("a window of the dummy driver", function()
  teardown(program.clean)
  for _, case in ipairs(cases) do
    it(case.name, function() check(case.name, "SDL_VIDEODRIVER=dummy") end)
  end
end)

describe("a window under Xvfb", function()
  local server, reason

  setup(function() server, reason = xvfb.start() end)
  teardown(function()
    if server then server:stop() end
    program.clean()
  end)

  for _, case in ipairs(cases) do
    it(case.name, function()
      if not server then return pending(reason) end
      check(case.name, "DISPLAY=" .. server.display)
    end)
  end

  it("draws triangles with OpenGL", function()
    if not server then return pending(reason) end
    check("draws by triangles nearly the pixels of a surface", "SDL_RENDER_DRIVER=opengl DISPLAY=" .. server.display)
  end)

  for _, driver in ipairs { "", "SDL_RENDER_DRIVER=opengl " } do
    it("survives the loss of its display if the painter is " .. (driver == "" and "impel" or "OpenGL"), function()
      if not server then return pending(reason) end
      local own = assert(xvfb.start())
      local kill = ("KILL='kill -9 %s' "):format(own.pid)
      own.pid = nil
      check("survives the loss of its display", driver .. kill .. "DISPLAY=" .. own.display)
    end)
  end
end)

describe("without a display", function()
  local script = [[local w, m = require("impel.window").open() print(w, m)]]
  local paths = ("LUA_PATH=%s LUA_CPATH=%s"):format(quote(package.path), quote(package.cpath))
  teardown(program.clean)

  local function open(environment)
    local out = program.temporary()
    os.execute(("%s %s %s lua5.4 -e %s >%s 2>&1"):format(NONE, environment, paths, quote(script), out))
    return program.read(out)
  end

  it("window.open returns nil and a message, and prints nothing", function()
    assert.equal("nil\tno display: neither DISPLAY nor WAYLAND_DISPLAY is set\n", open "")
    assert.equal("nil\tno display: no display server answers at DISPLAY = ':4711'\n", open "DISPLAY=:4711")
    assert.equal("nil\tno display: SDL_VIDEODRIVER is 'no-such': no-such not available\n",
      open "SDL_VIDEODRIVER=no-such")
  end)

  it("a driver without output is used only by name", function()
    assert.matches("^impel%.window: ", open "SDL_VIDEODRIVER=dummy")
    assert.matches("^nil\tno display: ", open "DISPLAY=")
  end)
end)

describe("the program", function()
  it("needs SDL in window.so only", function()
    if not os.execute "command -v ldd >/dev/null 2>&1" then return pending "ldd is not here" end
    local core = package.searchpath("impel.core", package.cpath)
    for _, path in ipairs { program.path, core } do
      local pipe = io.popen("ldd " .. quote(path))
      local text = pipe:read "a"
      pipe:close()
      assert.is_nil(text:find("SDL", 1, true))
      assert.is_nil(text:find("png", 1, true))
    end
  end)
end)
