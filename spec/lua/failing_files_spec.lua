-- Files whose n-th write, sync, rename, opening or closing fails: what was there is whole, nothing is left beside it,
-- the program says why and ends with its code. By a library that goes before the C library (spec/faults).
local program = dofile "spec/lua/program.lua"

local library = (os.getenv "IMPEL" or "build/impel"):gsub("[^/]*$", "") .. "spec/failing_files.so"
if library:sub(1, 1) ~= "/" then library = io.popen("pwd"):read "l" .. "/" .. library end
local file = io.open(library, "rb")
local there = file ~= nil and (os.getenv "LUA_PRELOAD" or "") == "" -- a sanitizer wants to be the first
if file then file:close() end

local SPACE, BROKEN = 28, 5 -- ENOSPC, EIO
local words = { [SPACE] = "No space left", [BROKEN] = "Input/output error" }

local folder, log

local function shell(command) return io.popen(command):read "a" end

-- Run with the n-th call failing -> code, standard error, the call that failed or ""
local function run(arguments, n, errno)
  os.remove(log)
  local before = ("FAIL_AT=%d FAIL_WITH=%d FAIL_LOG=%s FAIL_BELOW=%s/ LD_PRELOAD=%s"):format(n, errno, log, folder,
    library)
  local code, _, err = program.run(arguments, nil, before)
  local told = io.open(log)
  local call = told and told:read "a" or ""
  if told then told:close() end
  return code, err, call
end

local function listed() return shell("ls -A " .. folder) end

-- Every call that there is fails once: `check(call, code, err)` after each.
local function fail_each(arguments, prepare, check)
  local failed = {}
  for n = 1, 40 do
    for _, errno in ipairs { SPACE, BROKEN } do
      prepare()
      local code, err, call = run(arguments, n, errno)
      if call == "" then return failed end
      failed[call] = (failed[call] or 0) + 1
      check(call, code, err, words[errno])
    end
  end
  error "it never ends"
end

describe("files that fail", function()
  if not there then
    pending "without the library of spec/faults"
    return
  end

  before_each(function()
    folder, log = program.temporary(), program.temporary()
    os.remove(folder)
    os.execute("mkdir " .. folder)
  end)

  after_each(function()
    os.execute("rm -rf " .. folder)
    program.clean()
  end)

  local function replaces(name, arguments)
    local path = folder .. "/" .. name
    local function prepare()
      local old = assert(io.open(path, "wb"))
      old:write "what was there"
      old:close()
    end
    local failed = fail_each(arguments:format(path), prepare, function(call, code, err, why)
      local text = program.read(path)
      assert.equal(name .. "\n", listed(), call)
      if code == 0 then -- what cannot be undone any more: the folder is synced, or is not
        assert.not_equal("what was there", text, call)
        return
      end
      assert.equal("what was there", text, call)
      assert.truthy(err:find(why, 1, true), call .. ": " .. err)
      assert.truthy(err:find(name, 1, true), err)
    end)
    for _, call in ipairs { "open", "write", "fsync", "close", "rename" } do
      assert.truthy(failed[call], "never failed: " .. call)
    end
  end

  it("leave the state that --save was to replace", function()
    replaces("state", "run examples/pyramid.lua --steps 3 --save %s")
  end)

  it("leave the data that --save was to replace", function()
    replaces("state.lua", "run examples/pyramid.lua --steps 3 --save %s")
  end)

  it("leave the world that world:save was to replace", function()
    replaces("world", [[-e 'local w = impel.world {} local ok, why = w:save "%s" if not ok then error(why, 0) end']])
  end)

  it("leave the picture that --svg was to replace", function()
    replaces("end.svg", "run examples/pyramid.lua --steps 3 --svg %s")
  end)

  it("leave the state that --save was to replace, where the run is in a sandbox", function()
    replaces("state", "run examples/pyramid.lua --steps 3 --sandbox --save %s")
  end)

  -- What is there of a recording is played; or nothing of it was whole, and replay says so.
  local function records(arguments)
    local path, played = folder .. "/life.rec", 0
    local failed = fail_each(arguments:format(path), function() os.remove(path) end, function(call, code, err, why)
      local replayed, _, told = program.run("replay -q " .. path)
      if code ~= 0 then assert.truthy(err:find(why, 1, true), call .. ": " .. err) end
      if replayed == 0 then
        played = played + 1
      else
        assert.not_equal(0, code, call)
        local said = told:find "No such file" or told:find "cut before" or told:find "no recording"
        assert.truthy(said, call .. ": " .. told)
      end
    end)
    assert.truthy(failed.open and failed.write)
    assert.is_true(played > 4)
  end

  it("end a recording at its last whole frame", function()
    records "run examples/pyramid.lua --steps 6 --record %s"
  end)

  it("end a recording at its last whole frame, where the run is in a sandbox", function()
    records "run examples/pyramid.lua --steps 6 --sandbox --record %s"
  end)

  it("end the rows of a sweep at a whole one, and the sweep goes on from there", function()
    local path = folder .. "/rows.csv"
    local scene = program.write([[
      return { params = { a = { 1.0, min = 0, max = 9 } },
        setup = function(p) return { world = require("impel").world { gravity = { 0, -p.a } } } end,
        measure = function(s) return { time = s.world.time } end }]])
    local arguments = ("sweep %s --grid a=1:3:3 --steps 2 -j 1 -q -o %s"):format(scene, path)
    assert.equal(0, (program.run(arguments)))
    local whole = program.read(path)
    local failed = fail_each(arguments, function() os.remove(path) end, function(call, code, err, why)
      local found = io.open(path)
      local text = found and found:read "a" or ""
      if found then found:close() end
      if code ~= 0 then assert.truthy(err:find(why, 1, true), call .. ": " .. err) end
      if code == 0 then assert.equal(whole, text, call) end
      local resumed, _, told = program.run(arguments .. (found and " --resume" or ""))
      assert.equal(0, resumed, call .. ": " .. told)
      assert.equal(whole, program.read(path), call)
    end)
    assert.truthy(failed.open and failed.write)
  end)

  it("end a trace at its last whole row", function()
    local path = folder .. "/trace.csv"
    local arguments = "run examples/pyramid.lua --steps 300 --trace " .. path
    assert.equal(0, (program.run(arguments)))
    local whole = program.read(path)
    local failed = fail_each(arguments, function() os.remove(path) end,
      function(call, code, err, why)
        local found = io.open(path)
        local text = found and found:read "a" or ""
        if found then found:close() end
        assert.truthy(text == "" or text:sub(-1) == "\n", call .. ": " .. text:sub(-80))
        local width
        for line in text:gmatch "([^\n]*)\n" do
          local _, commas = line:gsub(",", "")
          if not line:find "^#" then
            width = width or commas
            assert.equal(width, commas, line)
          end
        end
        if code == 0 then return assert.equal(whole, text) end -- tried again, line by line
        assert.truthy(err:find(why, 1, true), call .. ": " .. err)
      end)
    assert.truthy(failed.open and failed.write)
  end)
end)
