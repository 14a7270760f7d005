-- Names on the command line that are not regular files. Each name gives an error within seconds.

local program = require "support.program"

local PATIENCE = 60 -- [s]

describe("a path other than a regular file", function()
  local folder, scene

  local function shell(line, ...) assert(os.execute(line:format(...))) end

  setup(function()
    local pipe = assert(io.popen("mktemp -d", "r"))
    folder = pipe:read "l"
    pipe:close()
    scene = folder .. "/scene.lua"
    local file = assert(io.open(scene, "w"))
    file:write "return { setup = function() return { world = require 'impel'.world {} } end }"
    file:close()
    shell("mkdir %s/folder && mkfifo %s/pipe && truncate -s 10G %s/long && mkdir %s/folder.csv", folder, folder, folder,
      folder)
  end)

  teardown(function()
    program.clean()
    os.execute("rm -rf " .. folder)
  end)

  local function run(words)
    return program.run(words, nil, ("cd %s && timeout %d"):format(folder, PATIENCE))
  end

  local function refused(words, says)
    local code, _, err = run(words)
    assert.is_true(code == 2 or code == 5, ("%s: %s, %s"):format(words, code, err))
    assert.is_truthy(err:find(says, 1, true), err)
    assert.is_nil(err:find("stopping", 1, true), err)
    return code
  end

  it("is refused as a scene", function()
    refused("run folder --steps 1", "scene folder: Is a directory")
    refused("run long --steps 1", "scene long: larger than the limit (64 MB)")
    refused("run /dev/zero --steps 1 --sandbox", "scene /dev/zero: larger than the limit (1 MB)")
  end)

  it("is refused as a state file, with and without a sandbox", function()
    for _, state in ipairs {
      { "folder", "folder: Is a directory" }, { "long", "long: larger than the limit (4096 MB)" },
      { "/dev/zero", "/dev/zero: larger than the limit (1 MB)" },
      { "/proc/self/mem", "/proc/self/mem: Input/output error" },
    } do
      local words = "run scene.lua --steps 1 --load " .. state[1]
      assert.equal(refused(words, state[2]), refused(words .. " --sandbox", state[2]), words)
    end
    refused("run scene.lua --steps 1 --sandbox --load pipe", "pipe: a pipe without a writer")
  end)

  it("is refused without a name", function()
    for _, option in ipairs { "trace", "plot", "save", "load", "record", "png", "svg", "gif", "mp4" } do
      for _, sandbox in ipairs { "", " --sandbox" } do
        assert.equal(2, (run(("run scene.lua --steps 1 --%s ''%s"):format(option, sandbox))), option)
      end
    end
    refused("replay ''", "the name of a recording expected, got ''")
  end)

  it("is refused as a recording and as a trace", function()
    refused("replay folder", "recording folder: Is a directory")
    refused("replay long", "recording long: larger than the limit")
    refused("plot folder.csv", "trace folder.csv: Is a directory")
  end)

  it("is refused if it is a pipe with a silent writer", function()
    require "impel.core"
    local name = folder .. "/pipe"
    shell("(sleep 2 >%s) &", name)
    local text, message = require("impel.system").read_file(name, 100, 0.3)
    assert.is_nil(text)
    assert.are.equal(name .. ": a pipe that its writer keeps open without writing to it", message)
  end)

  it("is reported before the first step if it is an output", function()
    for _, sandbox in ipairs { "", " --sandbox" } do
      for _, option in ipairs { "save /nope/x", "trace /nope/x.csv", "svg /nope/x.svg", "save folder" } do
        local path = option:match " (.*)"
        local code, _, err = run(("run scene.lua --time 100000 --%s%s"):format(option, sandbox))
        assert.are.equal(2, code, err)
        assert.is_truthy(err:find(("--%s: cannot write %s: "):format(option:match "%a+", path), 1, true), err)
      end
    end
  end)

  it("is read completely and once if it is a pipe with a writer", function()
    local code, whole, err = run "run scene.lua --steps 1 --hash"
    assert.are.equal(0, code, err)
    for _, words in ipairs { "pipe", "--sandbox pipe" } do
      shell("(cd %s && sleep 0.2 && cat scene.lua >pipe) &", folder)
      local out
      code, out, err = run(("run %s --steps 1 --hash"):format(words))
      assert.are.equal(0, code, err)
      assert.are.equal(whole, out)
    end
  end)
end)
