-- Test the recipes of CONTRIBUTING.md: lua5.4 spec/tools/recipes.lua BUILD [NAME ...]   (called by make recipes)
--
-- A recipe is spec/recipes/NAME.patch and a scene that uses the addition: spec/recipes/NAME.lua, or an example in the
-- patch. spec/recipes/README.md has the limits on the files and lines of a recipe. Comments of a scene state further
-- conditions:
--   -- api: QUERY [= WORD]            impel api QUERY prints WORD, or the last word of QUERY
--   -- data: TEXT                     the world as plain data contains TEXT
--   -- command: NAME prints TEXT      impel NAME SCENE prints TEXT
--
-- All recipes are applied to one copy of the sources, which is built once. Recipes that conflict are tried one at a
-- time. If the copy does not build, all recipes are tried one at a time.
local build = arg[1] or "build"
local root = build .. "/recipes"
local tree, out = root .. "/tree", root .. "/out"
local PARTS = ".ci .clang-format .luacheckrc Makefile bindings core examples scripts spec"
local MAKE = "env -u MAKEFLAGS make -s -j$(nproc) -C %s B=build CC=gcc CFLAGS=-O0 EXTRA= LDFLAGS= WERROR=-Werror V= "
  .. "VIEWER=no SANDBOX=no LEARNING=no build/impel"

local function read(path)
  local file <close> = io.open(path)
  return file and file:read "a"
end

-- Return whether a shell command succeeds, and its output.
local function try(format, ...)
  local pipe = assert(io.popen(("(" .. format .. ") 2>&1"):format(...)))
  local text = pipe:read "a"
  return pipe:close() and true or false, text
end

local function run(format, ...)
  local ok, text = try(format, ...)
  if not ok then error(format:format(...) .. "\n" .. text, 0) end
  return text
end

local function expect(condition, format, ...)
  if not condition then error(format:format(...), 0) end
end

-- Read a patch. Return its files, its new files, and the number of lines that it adds or replaces in existing files.
local function recipe(name)
  local r = { name = name, patch = "spec/recipes/" .. name .. ".patch", scene = "spec/recipes/" .. name .. ".lua",
    out = out .. "/" .. name, files = {}, new = {}, changed = 0, lines = 0 }
  local text = assert(read(r.patch), "no recipe " .. name):gsub("diff %-%-git ", "\0%0")
  for part in text:gmatch "%z([^\0]+)" do
    local path = part:match " b/(%S+)"
    table.insert(r.files, path)
    if part:find("\nnew file mode", 1, true) then
      table.insert(r.new, path)
      r.scene = path:match "^examples/.*%.lua$" or r.scene
    else
      r.changed = r.changed + 1
      r.lines = r.lines + select(2, part:gsub("\n%+%f[^+]", ""))
    end
  end
  local most = "| `" .. name .. "` | (%d+) | (%d+) |"
  local files, lines = read "spec/recipes/README.md":match(most)
  r.most_files = assert(math.tointeger(files), "spec/recipes/README.md has no limits for " .. name)
  r.most_lines = math.tointeger(lines)
  return r
end

local function impel(format, ...) return run("cd %s && build/impel " .. format, tree, ...) end

local checks = {}

function checks.limits(r)
  expect(r.changed <= r.most_files and r.lines <= r.most_lines, "%d files, %d lines changed; at most %d, %d allowed",
    r.changed, r.lines, r.most_files, r.most_lines)
end

function checks.format(r)
  for _, path in ipairs(r.files) do
    if path:find "%.[ch]$" then run("cd %s && clang-format --dry-run -Werror %s", tree, path) end
    if path:find "%.lua$" then run("cd %s && luacheck --quiet %s", tree, path) end
  end
end

function checks.run(r) r.hash = impel("run %s --check --hash --record %s.rec --svg %s.svg", r.scene, r.out, r.out) end

function checks.save(r)
  impel("run %s --steps 10 -q --save %s.state", r.scene, r.out)
  local hash = impel("run %s --load %s.state --hash", r.scene, r.out)
  expect(hash == r.hash, "the hash of a run from a saved state is %s, of the whole run %s", hash, r.hash)
end

function checks.restore(r) impel("run %s --check-determinism -q", r.scene) end

function checks.replay(r)
  local hash = impel("replay %s.rec --hash", r.out)
  expect(hash == r.hash, "the hash of the replay is %s, of the run %s", hash, r.hash)
end

function checks.draw(r) expect(read(r.out .. ".svg"):find "<svg", "the SVG file has no picture") end

function checks.export(r)
  impel("run %s --steps 10 -q --save %s.lua", r.scene, r.out)
  local text = read(r.out .. ".lua")
  for word in r.text:gmatch "\n%-%- data: ([^\n]+)" do
    expect(text:find(word, 1, true), "%s.lua does not contain %s", r.out, word)
  end
  impel("run %s.lua --steps 10 -q", r.out)
end

function checks.api(r)
  for query in r.text:gmatch "\n%-%- api: ([^\n]+)" do
    local asked, word = query:match "^(.-) = (.+)$"
    asked, word = asked or query, word or query:match "[%w_]+$"
    expect(impel("api %s", asked):find(word, 1, true), "impel api %s does not contain %s", asked, word)
  end
end

function checks.command(r)
  for name, expected in r.text:gmatch "\n%-%- command: (%S+) prints ([^\n]+)" do
    local text = impel("%s %s", name, r.scene)
    expect(text:find(expected, 1, true), "impel %s prints %s", name, text)
  end
end

local ORDER = { "limits", "format", "run", "save", "restore", "replay", "draw", "export", "api", "command" }

-- Return the first failed check of a recipe and the reason, or nil.
local function failure(r)
  r.text = "\n" .. assert(read(tree .. "/" .. r.scene), r.scene)
  for _, check in ipairs(ORDER) do
    local ok, message = pcall(checks[check], r)
    if not ok then return check, message end
  end
end

local failed = 0

local function report(r, step, why)
  print(("%-13s %5d %5d  %-15s %s"):format(r.name, r.changed, r.lines, step and "FAILED: " .. step or "passed",
    table.concat(r.new, " ")))
  io.stdout:flush()
  if step then
    failed = failed + 1
    io.stderr:write(why:sub(-2000), "\n")
  end
end

-- Copy the sources and apply the patches of recipes. Return the recipes whose patches do not apply, with the reasons.
-- Unchanged files keep their modification time for make.
local function copy(recipes)
  local rejected = {}
  run("cd %s && rm -rf new && mkdir -p new tree/build", root)
  run("tar cf - --exclude=examples/gallery %s | tar xf - -C %s/new", PARTS, root)
  local apply = ("patch -d %s/new -p1 -s -t --no-backup-if-mismatch"):format(root)
  for _, r in ipairs(recipes) do -- each patch applies exactly, as with `git apply`
    local ok, text = try("%s -F0 --dry-run <%s", apply, r.patch)
    if not ok then rejected[r] = text end
  end
  for _, r in ipairs(recipes) do
    local ok, text = true, rejected[r]
    if not text then ok, text = try("%s --dry-run <%s", apply, r.patch) end
    if not ok then rejected[r] = text end
    if not rejected[r] then run("%s <%s", apply, r.patch) end
  end
  run("cd %s/new && find . -type f | while read -r f; do " ..
    "if cmp -s $f ../tree/$f; then touch -r ../tree/$f $f; else touch $f; fi; done", root)
  run("cd %s && mv tree/build new && rm -rf tree && mv new tree", root)
  return rejected
end

local function prove(recipes)
  local rejected = copy(recipes)
  local ok, text = try(MAKE, tree)
  local alone = {}
  for _, r in ipairs(recipes) do
    if #recipes > 1 and (rejected[r] or not ok) then
      table.insert(alone, r)
    elseif rejected[r] then
      report(r, "apply", rejected[r])
    elseif not ok then
      report(r, "build", text)
    else
      report(r, failure(r))
    end
  end
  for _, r in ipairs(alone) do prove { r } end
end

local names = table.move(arg, 2, #arg, 1, {})
if #names == 0 then
  for path in run "ls spec/recipes/*.patch":gmatch "[^\n]+" do table.insert(names, path:match "([%w_]+)%.patch$") end
end
local recipes = {}
for i, name in ipairs(names) do recipes[i] = recipe(name) end
run("mkdir -p %s", out)
out = run("realpath %s", out):match "[^\n]+"
for _, r in ipairs(recipes) do r.out = out .. "/" .. r.name end
print(("%-13s %5s %5s  %-15s %s"):format("recipe", "files", "lines", "", "new files"))
prove(recipes)
os.exit(failed == 0 and 0 or 1)
