-- make mutants: makes small changes in the core, one at a time, and runs the specs until one of them fails. Lists the
-- changes that no spec detects.
--
--   lua5.4 spec/tools/mutants.lua BUILD [--count 200] [--seed 1] [--shard 1/1] [--slow 8] [--only 12,16]
--                                       [--ask rest,toi]
--
-- BUILD holds the products of `make mutants`: objects of the core; the C specs, the module and the program, linked to
-- libcore.so; and the names of the Lua specs to run. The same seed makes the same changes. --shard 2/3 makes the second
-- third of the changes.
-- A spec that takes more than `slow` seconds is left out. To run slow specs, give their names with --ask, together with
-- --only and --slow 60.
local arguments = { count = 200, seed = 1, shard = "1/1", slow = 8, only = "", ask = "" }
local build = assert(arg[1], "the argument BUILD is missing: run make mutants")
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
-- Load the module impel of the unchanged core. The module in BUILD is linked to the mutant.
package.cpath = build .. "/../lua/?.so;" .. package.cpath
local random = require("impel.rng").new(arguments.seed)

-- A changed program may loop forever. A spec fails after PATIENCE times its usual time plus GRACE.
local PATIENCE, GRACE = 10, 5 -- [1], [s]

-- Replacements in a line of code: { pattern, text }.
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

-- Return whether a line is code inside a function, not a comment, an include or a table of data.
local function is_code(line)
  return line:find "^%s+%S" and not line:find "^%s*//" and not line:find "^%s*#" and not line:find "static const"
    and not line:find "IMP_ASSERT" and not line:find "^%s*%." and not line:find "^%s*{" and not line:find "^%s*case "
end

-- Return all possible changes: { file, line, change, column }.
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

-- Return the text of the file with one line changed.
local function text_with(mutant)
  local lines = read_lines(mutant.file)
  mutant.before = lines[mutant.line]:match "^%s*(.-)%s*$"
  lines[mutant.line] = changed(lines[mutant.line], mutant.change)
  mutant.after = lines[mutant.line]:match "^%s*(.-)%s*$"
  return table.concat(lines, "\n") .. "\n"
end

-- This shard's own copy of the core and its objects.
local mine = ("%s/shard.%d"):format(build, shard)
local make = assert(os.getenv "MUTANTS", "MUTANTS is not set: run make mutants")

-- Compile a mutant, the changed core. Return false if the compiler rejects the mutant.
local function compile(mutant)
  run(("rm -rf %s && mkdir -p %s/%s && cp -a core scripts Makefile %s && cp -a %s/core %s/%s"):format(mine, mine, build,
    mine, build, mine, build))
  local out = assert(io.open(mine .. "/" .. mutant.file, "w"))
  out:write(text_with(mutant))
  out:close()
  return run(("cd %s && %s B=%s %s/libcore.so >log 2>&1 && mv %s/libcore.so ."):format(mine, make, build, build, build))
end

-- Sort specs: specs whose name shares a word with the changed file come first, then fast specs.
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

-- Return the name of the first spec that fails, or nil.
local function killer(mutant, specs)
  for _, spec in ipairs(specs_for(mutant, specs)) do
    local ok = run(("LD_LIBRARY_PATH=%s timeout %d %s >/dev/null 2>&1"):format(mine,
      math.ceil(GRACE + PATIENCE * spec.seconds), spec.command))
    if not ok then return spec.name end
  end
  return nil
end

-- Return the time of a command [s] and its exit code.
local function timed(command)
  local timing = "date +%%s.%%N; %s >/dev/null 2>&1; code=$?; date +%%s.%%N; exit $code"
  local out = assert(io.popen(timing:format(command)))
  local start, stop = out:read("n", "n")
  local _, _, code = out:close()
  return stop - start, code
end

-- Return { name, command } of all C specs, and of the Lua specs that depend on many results of the core.
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
    assert(code == 0 or code == 124, spec.name .. " fails without a mutation")
    local list = code == 0 and specs or slow
    list[#list + 1] = spec
    asked[spec.name] = nil
  end
end
assert(next(asked) == nil, ("no spec is named %s"):format(next(asked)))
for _, spec in ipairs(slow) do print("too slow, left out: " .. spec.name) end

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
      print(("mutant %d does not compile: %s:%d"):format(i, mutant.file, mutant.line))
    end
    io.stdout:flush()
  end
end
print(("%d mutants of %d possible changes, %d killed, %.1f %%"):format(made, #changes, killed, 100 * killed / made))
for _, text in ipairs(survivors) do print("survived: " .. text) end
