-- The speed gate: lua5.4 spec/tools/gate.lua BUILD COMPILER [--update]   (called by make gate and make gate-update)
--
-- Counts the instructions and the last-level cache misses of short bench scenes under callgrind and compares them with
-- spec/tools/gate.counts. A scene fails if it has more than 0.5 % more instructions or 5 % more misses. The counts
-- depend on the compiler. If the compiler is not that of gate.counts, or if the processor has no AVX2, the counts are
-- printed and no scene fails. The counts include the creation of the world and the steps.
--
-- BUILD/bench/impel is the program, COMPILER the first line of its compiler's --version. The profiles stay in
-- BUILD/SCENE.callgrind, for callgrind_annotate.
local build, compiler, mode = arg[1], arg[2], arg[3]

local COUNTS = "spec/tools/gate.counts"
local MORE_INSTRUCTIONS, MORE_MISSES = 0.005, 0.05
local CACHES = "--cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64"
local COUNTED = "--collect-atstart=no --toggle-collect=engine_begin --toggle-collect=engine_measure"

local SCENES = { -- name, size, steps
  { "large_pyramid", 40, 100 }, { "tumbler", 20, 300 }, { "washer", 30, 120 }, { "joint_grid", 30, 120 },
  { "compounds", 4, 200 }, { "rain", 6, 200 }, { "ragdolls", 40, 200 }, { "small_worlds", 120, 40 },
}

local function give_up(format, ...)
  io.stderr:write("gate: ", format:format(...), "\n")
  os.exit(2, true)
end

local function read(path)
  local file = io.open(path)
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

-- Return whether this machine has AVX2, so that the code for 8 lanes runs in AVX registers.
local function has_avx2()
  return ((read "/proc/cpuinfo" or ""):match "flags%s*:[^\n]*" or ""):find " avx2" ~= nil
end


-- Counting ------------------------------------------------------------------------------------------------------------

local function start(scene)
  local name, size, steps = table.unpack(scene)
  return assert(io.popen(([[cd '%s/bench' && exec env -i "$(command -v valgrind)" --tool=callgrind %s %s ]]
    .. [[--callgrind-out-file=../%s.callgrind ./impel %s %d %d lanes=8 2>&1]]):format(build, CACHES, COUNTED, name,
    name, size, steps)))
end

-- Return the sums of a profile by event, such as Ir (instructions) and DLmr (misses of reads).
local function sums_of(path)
  local text = read(path) or ""
  local events, totals = text:match "\nevents: ([^\n]+)", text:match "\ntotals: ([^\n]+)"
  local sums = {}
  local next_total = (totals or ""):gmatch "%d+"
  for event in (events or ""):gmatch "%S+" do sums[event] = math.tointeger(tonumber(next_total() or "0")) end
  return sums
end

-- Wait for the process of a scene. Return { instructions, misses, hash }.
local function finish(scene, pipe)
  local said = pipe:read "a"
  local ended = pipe:close()
  local sums = sums_of(("%s/%s.callgrind"):format(build, scene[1]))
  if not ended or (sums.Ir or 0) == 0 then give_up("%s: counting failed:\n%s", scene[1], said) end
  return {
    instructions = sums.Ir, misses = sums.ILmr + sums.DLmr + sums.DLmw, hash = said:match "hash=(%x+)" or "-",
  }
end

local function count_all()
  local pipe = assert(io.popen "getconf _NPROCESSORS_ONLN 2>/dev/null")
  local at_once = math.tointeger(tonumber(pipe:read "l")) or 1
  pipe:close()
  local running, counts = {}, {}
  for i = 1, #SCENES + at_once do
    local before = i - at_once
    if before >= 1 then counts[before] = finish(SCENES[before], running[before]) end
    if SCENES[i] then running[i] = start(SCENES[i]) end
  end
  return counts
end


-- Comparing -----------------------------------------------------------------------------------------------------------

-- Return the counts in gate.counts (by name of the scene), and the compiler that gate.counts names. Return nil if the
-- file or its line `compiler` is missing.
local function expected_counts()
  local text, counts = read(COUNTS), {}
  local counted = text and text:match "\ncompiler ([^\n]+)"
  if not counted then return nil end
  for name, instructions, misses in text:gmatch "\n([%w_]+) +(%d+) +(%d+)" do
    counts[name] = { instructions = tonumber(instructions), misses = tonumber(misses) }
  end
  return counts, counted
end

local function write_counts(counts)
  local lines = {
    "# Instructions and last-level cache misses of the gate's scenes. make gate compares, make gate-update writes.",
    "# A commit that raises a number gives the reason.", "compiler " .. compiler,
  }
  for i, scene in ipairs(SCENES) do
    lines[#lines + 1] = ("%-14s %12d %10d"):format(scene[1], counts[i].instructions, counts[i].misses)
  end
  local file, message = io.open(COUNTS, "w")
  if not file then give_up("cannot write %s", message) end
  file:write(table.concat(lines, "\n"), "\n")
  file:close()
  print(COUNTS .. " written")
end

-- Format a relative change, "+0.12 %"; a dash if there is no earlier count.
local function change(now, before)
  return before and ("%+.2f %%"):format(100 * (now / before - 1)) or "-"
end

-- Print a line for each scene. Return a list of messages, one for each scene that fails, and whether any scene has more
-- than 0.5 % fewer instructions.
local function compare(counts, expected)
  local wrong, better = {}, false
  print(("%-14s %14s %9s %11s %9s  %s"):format("scene", "instructions", "", "misses", "", "hash"))
  for i, scene in ipairs(SCENES) do
    local name, now, before = scene[1], counts[i], expected[scene[1]] or {}
    print(("%-14s %14d %9s %11d %9s  %s"):format(name, now.instructions, change(now.instructions,
      before.instructions), now.misses, change(now.misses, before.misses), now.hash))
    if not before.instructions then
      wrong[#wrong + 1] = ("%s has no count in %s"):format(name, COUNTS)
    elseif now.instructions > (1 + MORE_INSTRUCTIONS) * before.instructions then
      wrong[#wrong + 1] = ("%s: more than %g %% more instructions"):format(name, 100 * MORE_INSTRUCTIONS)
    elseif now.misses > (1 + MORE_MISSES) * before.misses then
      wrong[#wrong + 1] = ("%s: more than %g %% more cache misses"):format(name, 100 * MORE_MISSES)
    end
    better = better or before.instructions and now.instructions < (1 - MORE_INSTRUCTIONS) * before.instructions
  end
  return wrong, better
end

local function judge(expected, counted)
  local wrong, better = compare(count_all(), expected)
  if compiler ~= counted then
    print(("not compared: the counts were made with %s, this compiler is %s"):format(counted, compiler))
  elseif not has_avx2() then
    print "not compared: this processor has no AVX2"
  elseif #wrong > 0 then
    print(("gate: failed: %s.\ncallgrind_annotate %s/SCENE.callgrind lists the counts of each function; "
      .. "make gate-update stores the new counts."):format(table.concat(wrong, "; "), build))
    os.exit(1, true)
  else
    print("gate: passed" .. (better and "; a scene became cheaper: make gate-update stores its count" or ""))
  end
end

-- Count and write gate.counts. Fail if gate.counts names a different compiler or this processor has no AVX2.
local function update(expected, counted)
  if counted and counted ~= compiler then
    give_up("%s has the counts for the compiler %s, this compiler is %s; remove the file first to replace the counts",
      COUNTS, counted, compiler)
  end
  if not has_avx2() then give_up "this processor has no AVX2: its counts would differ from those of others" end
  local counts = count_all()
  compare(counts, expected or {})
  write_counts(counts)
end

if not (build and compiler) then give_up "use: lua5.4 spec/tools/gate.lua BUILD COMPILER [--update]" end
if not os.execute "command -v valgrind >/dev/null" then give_up "valgrind is not installed (sh .ci/deps gate)" end
local expected, counted = expected_counts()
if mode == "--update" then
  update(expected, counted)
elseif expected then
  judge(expected, counted)
else
  give_up("%s: the file, or its line 'compiler', is missing", COUNTS)
end
