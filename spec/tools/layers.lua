-- Checks the layers of folders: lua5.4 spec/tools/layers.lua BUILD   (called by make check, from the top folder)
--
-- A folder uses only itself and the folders before it in ORDER: by include and by link in C, by require in Lua. Inside
-- a folder a dependency cycle contains at most CYCLE files. At most INCLUDED files include a header of core/ or
-- bindings/, unless it is public or in base/. No file of core/ includes Lua, SDL or stdio. The links are read by nm
-- from the object files in BUILD. A file in scripts/impel itself, which is a public module, has the same place in ORDER
-- as the last folder that it uses.
local build = arg[1] or "build"
local CYCLE, INCLUDED = 8, 30

local ORDER = {
  core = { "include", "base", "linalg", "geometry", "model", "solvers/soft", "solvers", "world", "query",
    "snapshot", "step", "draw", "record" },
  bindings = { "base", "picture", "window", "system", "sandbox", "objects", "state", "program" },
  scripts = { "base", "series", "search", "world", "data", "scene", "control", "rig/shared", "rig", "learn", "picture",
    "reference", "prompt", "batch", "sandbox", "viewer/ui", "viewer/panels", "viewer", "cli", "templates" },
}
local FOREIGN = { ["stdio.h"] = true, ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["SDL.h"] = true }

local problems = {}
local function problem(...) problems[#problems + 1] = string.format(...) end

local function lines(command)
  local list = {}
  for line in assert(io.popen(command)):lines() do list[#list + 1] = line end
  return list
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local edges = {} -- file -> { file = reason }, inside a tree
local function edge(from, to, why)
  if from ~= to then edges[from][to] = edges[from][to] or why end
end

-- Add a dependency for each #include. The names of headers are relative to the folder of the tree.
local function add_includes(tree)
  local included, paths = {}, lines(("find %s -name '*.[ch]'"):format(tree))
  for _, path in ipairs(paths) do edges[path] = {} end
  for _, path in ipairs(paths) do
    for quote, name in ("\n" .. read(path)):gmatch '\n#%s*include%s*(["<])([^">]+)[">]' do
      local header = tree .. "/" .. name
      if FOREIGN[name] and tree == "core" then problem("%s: includes <%s>", path, name) end
      if quote == '"' and edges[header] then
        edge(path, header, "include")
        included[header] = (included[header] or 0) + 1
      end
    end
  end
  for header, count in pairs(included) do
    if count > INCLUDED and not header:find "/base/" then
      problem("%s: included by %d files", header, count)
    end
  end
end

-- Add a dependency for each `require` between scripts, except in comments.
local function add_requires()
  local paths, file_of = lines "find scripts/impel -name '*.lua'", {}
  for _, path in ipairs(paths) do
    edges[path] = {}
    file_of[path:match "^scripts/(.*)%.lua$":gsub("/init$", ""):gsub("/", ".")] = path
  end
  for _, path in ipairs(paths) do
    for name in read(path):gsub("%-%-[^\n]*", ""):gmatch "require[ (,]+[\"'](impel[%w_.]*)[\"']" do
      if file_of[name] then edge(path, file_of[name], "require") end
    end
  end
end

-- Return the source of an object file. A kernel has an object file for each lane width.
local function source_of(object)
  local path = object:sub(#build + 2):gsub("%.o$", "")
  while not edges[path .. ".c"] do path = assert(path:match "^(.*)_%w+$", object .. " has no source: make clean") end
  return path .. ".c"
end

local function add_links(tree)
  local defined, used = {}, {}
  for _, line in ipairs(lines(("find %s/%s -name '*.o' | sort | xargs nm -A"):format(build, tree))) do
    local object, kind, symbol = line:match "^([^:]+):%s*%x*%s+(%a) (%S+)$"
    if kind == "U" then used[#used + 1] = { object, symbol } end
    if kind:find "[TDBRC]" then defined[symbol] = object end
  end
  for _, use in ipairs(used) do
    if defined[use[2]] then edge(source_of(use[1]), source_of(defined[use[2]]), use[2]) end
  end
end

-- Return the rank of a file: the position of its folder in the order of its tree.
local places = {}
local function rank(path)
  if places[path] then return places[path] end
  local tree, folder = path:gsub("^scripts/impel", "scripts"):match "^(%w+)/?(.*)/"
  local best = folder == "" and 1 or 0
  places[path] = best -- a preliminary value ends the recursion if files require each other
  for place, name in ipairs(ORDER[tree]) do
    if folder == name then best = place end
  end
  if best == 0 then problem("%s: its folder is missing in the order of layers", path) end
  for other in pairs(folder == "" and edges[path] or {}) do best = math.max(best, rank(other)) end
  places[path] = best
  return best
end

-- Find strongly connected components of more than CYCLE files (Tarjan 1972).
local function check_cycles()
  local index, low, stack, count = {}, {}, {}, 0
  local function visit(file)
    count = count + 1
    index[file], low[file] = count, count
    stack[#stack + 1] = file
    for other in pairs(edges[file] or {}) do
      if not index[other] then visit(other) end
      low[file] = math.min(low[file], low[other])
    end
    if low[file] ~= index[file] then return end
    local circle = {}
    repeat
      circle[#circle + 1] = table.remove(stack)
      low[circle[#circle]] = math.huge -- this file has its component: it no longer lowers `low` of other files
    until circle[#circle] == file
    table.sort(circle)
    if #circle > CYCLE then problem("a cycle of %d files: %s", #circle, table.concat(circle, " ")) end
  end
  for file in pairs(edges) do
    if not index[file] then visit(file) end
  end
end

for _, tree in ipairs { "core", "bindings" } do
  add_includes(tree)
  add_links(tree)
end
add_requires()
local count = 0
for file, uses in pairs(edges) do
  count = count + 1
  for other, why in pairs(uses) do
    if rank(other) > rank(file) then problem("%s uses %s (%s)", file, other, why) end
  end
end
check_cycles()
table.sort(problems)
for _, text in ipairs(problems) do io.stderr:write(text, "\n") end
print(("layers: %d files, %d problems"):format(count, #problems))
os.exit(#problems == 0 and 0 or 1)
