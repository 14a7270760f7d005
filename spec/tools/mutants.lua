-- make mutants: would a spec notice? Small changes are made in the core, one at a time, and the specs are run until one
-- of them fails. What no spec notices is listed: either a spec is missing, or the change means the same.
--
--   lua5.4 spec/tools/mutants.lua BUILD [--count 200] [--seed 1] [--shard 1/1] [--slow 8] [--only 12,16]
--                                       [--ask rest,toi]
--
-- BUILD holds what `make mutants` made: objects of the core; the C specs, the module and the program, linked to
-- libcore.so; names of the Lua specs that are asked, too. The same seed makes the same changes; shards share them out.
-- A spec that takes more than `slow` seconds by itself is left out, as the rest would have to wait for it at every
-- change that nobody notices: show those to the slow ones by --only, --slow 60 and --ask, the names of the specs.
local arguments = { count = 200, seed = 1, shard = "1/1", slow = 8, only = "", ask = "" }
local build = assert(arg[1], "BUILD")
for i = 2, #arg, 2 do
  local name = arg[i]:match "^%-%-(%a+)$"
  assert(arguments[name], arg[i])
  arguments[name] = tonumber(arg[i + 1]) or arg[i + 1]
end
local shard, shards = arguments.shard:match "^(%d+)/(%d+)$"
shard, shards = tonumber(shard), tonumber(shards)
local only = {}
for number in tostring(arguments.only):gmatch "%d+" do only[tonumber(number)] = true end
local asked = {}
for name in arguments.ask:gmatch "[^,]+" do asked[name] = true end

package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
package.cpath = build .. "/../lua/?.so;" .. package.cpath -- not the one of BUILD, which is changed
local random = require("impel.rng").new(arguments.seed)

-- A change may make a loop endless: a spec that takes PATIENCE times as long as without, and GRACE, has noticed.
local PATIENCE, GRACE = 10, 5 -- [1], [s]

-- What is changed into what. A pattern is looked for in a line of code; its frontier keeps to whole operators.
local CHANGES = {
  { " < ", " <= " }, { " <= ", " < " }, { " > ", " >= " }, { " >= ", " > " }, { " == ", " != " }, { " != ", " == " },
  { " && ", " || " }, { " || ", " && " }, { " %+ ", " - " }, { " %- ", " + " }, { " %* ", " / " }, { " / ", " * " },
  { " %+= ", " -= " }, { " %-= ", " += " }, { "%f[%w]true%f[%W]", "false" }, { "%f[%w]false%f[%W]", "true" },
  { "if %((.+)%) {$", "if (!(%1)) {" }, { "%+%+(%a)", "--%1" }, { "return 0;", "return 1;" },
  { "%f[%w]0%f[^%w.]", "1" }, { "%f[%w]1%f[^%w.]", "2" },
}

local function run(command)
  local ok, how, code = os.execute(command)
  return ok == true, how, code
end

local function read_lines(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

local function words(command)
  local list = {}
  for word in io.popen(command):lines() do list[#list + 1] = word end
  return list
end

-- Lines that do something: no comments, no includes, no tables of data, inside of functions.
local function is_code(line)
  return line:find "^%s+%S" and not line:find "^%s*//" and not line:find "^%s*#" and not line:find "static const"
    and not line:find "IMP_ASSERT" and not line:find "^%s*%." and not line:find "^%s*{" and not line:find "^%s*case "
end

-- Every change that could be made: { file, line, change, column }.
local function all_changes()
  local list = {}
  for _, file in ipairs(words "find core -name '*.c' -o -path '*/soft/*.h' | sort") do
    local inside = false
    for n, line in ipairs(read_lines(file)) do
      if line:find "^%a.*%) {$" then inside = true elseif line == "}" then inside = false end
      local code = line:gsub("%s*//.*$", "")
      if inside and is_code(line) then
        for _, change in ipairs(CHANGES) do
          local from = code:find(change[1])
          if from then list[#list + 1] = { file = file, line = n, change = change } end
        end
      end
    end
  end
  return list
end

local function changed(line, change)
  local comment = line:match "%s*//.*$" or ""
  return (line:sub(1, #line - #comment):gsub(change[1], change[2], 1))
end

-- The file with one line changed, as text.
local function text_with(mutant)
  local lines = read_lines(mutant.file)
  mutant.before = lines[mutant.line]:match "^%s*(.-)%s*$"
  lines[mutant.line] = changed(lines[mutant.line], mutant.change)
  mutant.after = lines[mutant.line]:match "^%s*(.-)%s*$"
  return table.concat(lines, "\n") .. "\n"
end

-- A copy of the core and its objects for this shard, in which make compiles what a change touches.
local mine = ("%s/shard.%d"):format(build, shard)
local make = assert(os.getenv "MUTANTS", "called by make mutants")

-- Compile a mutant. False: the compiler refuses it, which is no change that anybody would make.
local function compile(mutant)
  run(("rm -rf %s && mkdir -p %s/%s && cp -a core scripts Makefile %s && cp -a %s/core %s/%s"):format(mine, mine, build,
    mine, build, mine, build))
  local out = assert(io.open(mine .. "/" .. mutant.file, "w"))
  out:write(text_with(mutant))
  out:close()
  return run(("cd %s && %s B=%s %s/libcore.so >log 2>&1 && mv %s/libcore.so ."):format(mine, make, build, build, build))
end

-- Specs by how likely they are to notice: those whose name has a word of the file's, then by their time.
local function specs_for(mutant, specs)
  local score = {}
  for _, spec in ipairs(specs) do
    local points = 0
    for word in mutant.file:match("([^/]+)%.[ch]$"):gmatch "%a+" do
      if spec.name:find(word:sub(1, 5), 1, true) then points = points + 1 end
    end
    score[spec] = points
  end
  local order = table.move(specs, 1, #specs, 1, {})
  table.sort(order, function(a, b)
    if score[a] ~= score[b] then return score[a] > score[b] end
    if a.seconds ~= b.seconds then return a.seconds < b.seconds end
    return a.name < b.name
  end)
  return order
end

-- The name of the spec that fails, or nil.
local function killer(mutant, specs)
  for _, spec in ipairs(specs_for(mutant, specs)) do
    local ok = run(("LD_LIBRARY_PATH=%s timeout %d %s >/dev/null 2>&1"):format(mine,
      math.ceil(GRACE + PATIENCE * spec.seconds), spec.command))
    if not ok then return spec.name end
  end
  return nil
end

-- Seconds that a command took, and its exit code.
local function timed(command)
  local timing = "date +%%s.%%N; %s >/dev/null 2>&1; code=$?; date +%%s.%%N; exit $code"
  local out = assert(io.popen(timing:format(command)))
  local start, stop = out:read("n", "n")
  local _, _, code = out:close()
  return stop - start, code
end

-- The C specs, and those in Lua that read much of what the core comes to: { name, command }.
local function all_specs()
  local list = {}
  for _, path in ipairs(words(("ls %s/spec/test_* | grep -v '[.]d$'"):format(build))) do
    list[#list + 1] = { name = path:match "test_([^/]+)$", command = path }
  end
  for path in assert(io.open(build .. "/in_lua")):read "a":gmatch "%S+" do
    local command = "env IMPEL=%s/impel %s $(command -v busted) --ignore-lua --cpath='%s/lua/?.so' %s"
    command = command:format(build, os.getenv "LUA" or "lua5.4", build, path)
    list[#list + 1] = { name = path:match "([^/]+)_spec%.lua$" .. ".lua", command = command }
  end
  return list
end

local specs, slow = {}, {}
for _, spec in ipairs(all_specs()) do
  if next(asked) == nil or asked[spec.name] then
    local code
    spec.seconds, code = timed(("LD_LIBRARY_PATH=%s timeout %d %s"):format(build, arguments.slow, spec.command))
    assert(code == 0 or code == 124, spec.name .. " fails without any change")
    local list = code == 0 and specs or slow
    list[#list + 1] = spec
    asked[spec.name] = nil
  end
end
assert(next(asked) == nil, ("no spec is named %s"):format(next(asked)))
for _, spec in ipairs(slow) do print("left out: " .. spec.name) end

local changes = all_changes()
local made, killed, survivors = 0, 0, {}
for i = 1, arguments.count do
  local mutant = changes[random:random(#changes)]
  if i % shards == shard - 1 and (next(only) == nil or only[i]) then
    if compile(mutant) then
      made = made + 1
      local by = killer(mutant, specs)
      local text = ("%s:%d: %s  ->  %s"):format(mutant.file, mutant.line, mutant.before, mutant.after)
      if by then killed = killed + 1 else survivors[#survivors + 1] = text end
      print(("%d %s %s"):format(i, by and "killed by " .. by or "SURVIVED", text))
    else
      print(("%d is no program: %s:%d"):format(i, mutant.file, mutant.line))
    end
    io.stdout:flush()
  end
end
print(("%d changes of %d possible ones, %d noticed, %.1f %%"):format(made, #changes, killed, 100 * killed / made))
for _, text in ipairs(survivors) do print("survived: " .. text) end
