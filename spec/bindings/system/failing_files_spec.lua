-- A preloaded library makes the n-th write, sync, rename, open or close fail. The previous file stays complete.
local picture = require "impel.picture"
local parts = require "impel.base.parts"

local program = require "support.program"

local window = picture.window()
local in_sandbox = parts.missing "SANDBOX" and pending or it -- declares a case that needs the sandbox

local library = (os.getenv "IMPEL" or "build/impel"):gsub("[^/]*$", "") .. "spec/failing_files.so"
if library:sub(1, 1) ~= "/" then library = io.popen("pwd"):read "l" .. "/" .. library end
local file = io.open(library, "rb")
-- The tests do not run with a sanitizer, because the sanitizer's library must be preloaded first.
local there = file ~= nil and (os.getenv "LUA_PRELOAD" or "") == ""
if file then file:close() end

local SPACE, BROKEN = 28, 5 -- ENOSPC, EIO
local words = { [SPACE] = "No space left", [BROKEN] = "Input/output error" }

local folder, log

local function shell(command) return io.popen(command):read "a" end

-- Run the program and let its n-th system call fail; options.only, if given, names the only call that counts. Return
-- the exit code, standard error, and the name of the failed call ("" if none failed).
local function run(arguments, n, errno, options)
  os.remove(log)
  local before = ("%s FAIL_AT=%d FAIL_WITH=%d FAIL_LOG=%s FAIL_BELOW=%s/ LD_PRELOAD=%s"):format(options.before or "", n,
    errno, log, folder, library)
  if options.only then before = ("FAIL_ONLY=%s %s"):format(options.only, before) end
  local code, _, err = program.run(arguments, nil, before)
  local told = io.open(log)
  local call = told and told:read "a" or ""
  if told then told:close() end
  return code, err, call
end

local function listed() return shell("ls -A " .. folder) end

-- Return the content of a file ("" if the file is missing) and whether the file exists.
local function text_of(path)
  local found = io.open(path, "rb")
  local text = found and found:read "a" or ""
  if found then found:close() end
  return text, found ~= nil
end

-- For each system call, or each call named options.only: run the program while this call fails, and pass the result to
-- `check`. Return the number of failures of each call.
local function fail_each(arguments, prepare, check, options)
  options = options or {}
  local failed = {}
  for n = 1, 40 do
    local errno = n % 2 == 0 and SPACE or BROKEN
    prepare()
    local code, err, call = run(arguments, n, errno, options)
    if call == "" then return failed end
    failed[call] = (failed[call] or 0) + 1
    check(call, code, err, words[errno])
  end
  error "it never ends"
end

describe("a failed write", function()
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

  -- Check that the error is reported once and that the program ends with this code, 5 by default.
  local function tells(call, code, err, why, path, expected)
    assert.equal(expected or 5, code, call .. ": " .. err)
    local _, count = err:gsub("cannot write [^\n]*" .. path:gsub("%p", "%%%0") .. ": [^\n]*" .. why, "")
    assert.equal(1, count, call .. ": " .. err)
  end

  local CALLS = { "open", "write", "fsync", "close", "rename" }

  -- Check that the previous file remains after each failed call. `names`: names of the calls that fail; nil: every call
  -- fails once.
  local function replaces(name, arguments, expected, names, before)
    local path = folder .. "/" .. name
    local function prepare() program.put(path, "what was there") end
    local function check(call, code, err, why)
      local text = program.read(path)
      assert.equal(name .. "\n", listed(), call)
      if code == 0 then -- code 0: the failed call was the sync of the folder, after the rename
        return assert.not_equal("what was there", text, call)
      end
      assert.equal("what was there", text, call)
      tells(call, code, err, why, path, expected)
    end
    local failed = {}
    for _, only in ipairs(names or { false }) do
      for call, count in pairs(fail_each(arguments:format(path), prepare, check, { only = only or nil,
        before = before })) do failed[call] = count end
    end
    for _, call in ipairs(names or CALLS) do assert.truthy(failed[call], "never failed: " .. call) end
  end

  it("keeps the state that --save was to replace", function()
    replaces("state", "run examples/pyramid.lua --steps 3 --save %s")
  end)

  it("keeps the data that --save was to replace", function()
    replaces("state.lua", "run examples/pyramid.lua --steps 3 --save %s")
  end)

  it("keeps the world that world:save was to replace", function()
    replaces("world", [[-e 'local w = impel.world {} local ok, why = w:save "%s" if not ok then error(why, 0) end']], 3)
  end)

  it("keeps the picture that --svg was to replace", function()
    replaces("end.svg", "run examples/pyramid.lua --steps 3 --svg %s")
  end)

  it("keeps the picture that --png was to replace", function()
    if not window then return pending "impel.window is not there" end
    replaces("end.png", "run examples/pyramid.lua --steps 3 --size 64x36 --png %s")
  end)

  it("keeps the measurement that bench --json was to replace", function()
    replaces("time.json", "bench examples/pyramid.lua --steps 2 --rounds 1 --warmup 0 --json %s")
  end)

  in_sandbox("keeps the state that --save was to replace, in a sandbox", function()
    replaces("state", "run examples/pyramid.lua --steps 3 --sandbox --save %s")
  end)

  in_sandbox("keeps the picture that --svg was to replace, in a sandbox", function()
    replaces("end.svg", "run examples/pyramid.lua --steps 3 --sandbox --svg %s")
  end)

  -- Uses a fake ffmpeg that copies its input.
  local function films(name, option)
    if not window then return pending "impel.window is not there" end
    local bin = program.temporary()
    os.remove(bin)
    os.execute("mkdir " .. bin)
    finally(function() os.execute("rm -r " .. bin) end)
    program.put(bin .. "/ffmpeg", '#!/bin/sh\nfor last; do :; done\nexec cat >"${last#file:}"\n')
    os.execute("chmod +x " .. bin .. "/ffmpeg")
    replaces(name, "run examples/pyramid.lua --time 0.02 --size 32x18 " .. option .. " %s", 5,
      { "open", "write", "fsync", "rename" }, ("PATH=%s:$PATH"):format(bin))
  end

  it("keeps the film that --mp4 was to replace", function() films("film.mp4", "--mp4") end)

  in_sandbox("keeps the film that --gif was to replace, in a sandbox", function()
    films("film.gif", "--sandbox --gif")
  end)

  -- Check that the recording can be replayed. If it has no complete frame, check the error message of replay instead.
  local function records(arguments, expected)
    local path, steps, most = folder .. "/life.rec", 6, 0
    local failed = fail_each(arguments:format(steps, path), function() os.remove(path) end,
      function(call, code, err, why)
        tells(call, code, err, why, path, expected)
        local replayed, out, told = program.run("replay -q --json " .. path)
        if replayed ~= 0 then
          assert.equal(0, most, call .. ": " .. told)
          local said = told:find "No such file" or told:find "cut before" or told:find "recording of a world"
          return assert.truthy(said, call .. ": " .. told)
        end
        local frames, ending = tonumber(out:match '"frames":(%d+)'), out:match '"ending":"(%a+)"'
        local over = call == "close" or call == "fsync" -- these calls fail after the whole recording was written
        assert.equal(over and "whole" or "cut", ending, call)
        assert.is_true(frames >= most, call)
        most = frames
      end)
    assert.truthy(failed.open and failed.write and failed.close)
    assert.equal(steps, most)
  end

  it("ends a recording at its last whole frame", function()
    records "run examples/pyramid.lua --steps %d --record %s"
  end)

  in_sandbox("ends a recording at its last whole frame, in a sandbox", function()
    records "run examples/pyramid.lua --steps %d --sandbox --record %s"
  end)

  it("ends a recording by world:record at its last whole frame", function()
    records([[-e 'local w = impel.world {} w:body({}):circle { radius = 1 }
      local steps, path = %d, "%s"
      local recording, why = w:record(path)
      if not recording then error(why, 0) end
      w:step(steps)
      local ok, problem = recording:close()
      if not ok then error(problem, 0) end']], 3)
  end)

  local SCENE = [[
    return { params = { a = { 1.0, min = 0, max = 9 } },
      setup = function(p) return { world = require("impel").world { gravity = { 0, -p.a } }, a = p.a } end,
      measure = function(s) return { time = s.world.time } end,
      score = function(s) return (s.a - 3) ^ 2 end }]]

  -- Check that the file keeps its previous complete rows and gets no incomplete row, and that the command can resume.
  -- cut(complete text): content of the file before the command; nil: no file.
  local function resumes(command, cut)
    local path = folder .. "/rows.csv"
    local arguments = ("%s -j 1 -q -o %s"):format(command:format(program.write(SCENE)), path)
    assert.equal(0, (program.run(arguments)))
    local whole = program.read(path)
    local before = cut and cut(whole)
    local kept = before and before:match "^.*\n" or "" -- the last line is incomplete
    local function prepare()
      os.remove(path)
      if before then program.put(path, before) end
    end
    local failed = fail_each(arguments .. (before and " --resume" or ""), prepare, function(call, code, err, why)
      local text, found = text_of(path)
      if code == 0 then
        assert.equal(whole, text, call)
      else
        assert.truthy(code == 5 or code == 2 and call ~= "write", call)
        assert.truthy(err:find(why, 1, true) and err:find(path, 1, true), call .. ": " .. err)
        assert.equal(kept, text:sub(1, #kept), call)
        for line in text:sub(#kept + 1):gmatch "([^\n]*\n)" do assert.truthy(whole:find(line, 1, true), line) end
        local torn = text:match "[^\n]*$"
        assert.truthy(torn == "" or text == before, call .. ": " .. torn)
      end
      local resumed, _, told = program.run(arguments .. (found and " --resume" or ""))
      assert.equal(0, resumed, call .. ": " .. told)
      assert.equal(whole, program.read(path), call)
    end)
    assert.truthy(failed.open and failed.write)
    return failed
  end

  it("leaves only whole rows of a sweep, and the sweep can be resumed", function()
    resumes "sweep %s --grid a=1:3:2 --steps 2"
  end)

  it("keeps the rows that a resumed sweep found in its file, whatever their order", function()
    local failed = resumes("sweep %s --grid a=1:3:2 --steps 2", function(whole)
      local header, first, second = whole:match "^([^\n]*\n)([^\n]*\n)([^\n]*\n)$"
      return header .. second .. first:sub(1, 5)
    end)
    assert.truthy(failed.ftruncate and failed.rename)
  end)

  it("leaves only whole runs in the history of a search, and the search can be resumed", function()
    resumes "tune %s --param a --budget 2 --steps 2"
  end)

  -- Check that a trace that was cut short has the first rows of the complete trace. Return the calls that failed.
  local function traces(arguments)
    local path = folder .. "/trace.csv"
    arguments = arguments:format(path)
    assert.equal(0, (program.run(arguments)))
    local whole = program.read(path)
    local failed = fail_each(arguments, function() os.remove(path) end, function(call, code, err, why)
      local text = text_of(path)
      if code == 0 then return assert.equal(whole, text) end -- the program repeated the failed write line by line
      assert.equal(whole:sub(1, #text), text, call)
      assert.truthy(text == "" or text:sub(-1) == "\n", call .. ": " .. text:sub(-80))
      assert.truthy(code == 5 or code == 2 and call ~= "write", call)
      assert.truthy(err:find(why, 1, true) and err:find("cannot write trace " .. path, 1, true), call .. ": " .. err)
    end)
    assert.truthy(failed.open and failed.write)
    return failed
  end

  it("ends a trace at its last whole row", function()
    traces "run examples/pyramid.lua --steps 300 --trace %s" -- the number of writes depends on the running time
    local failed = traces "run examples/pyramid.lua --steps 2 --trace %s"
    assert.truthy(failed.fsync and failed.close)
  end)

  in_sandbox("ends a trace at its last whole row, in a sandbox", function()
    local failed = traces "run examples/pyramid.lua --steps 2 --sandbox --trace %s"
    assert.truthy(failed.fsync and failed.close)
  end)
end)
