-- Folders in layers: lua5.4 spec/tools/layers.lua BUILD   (called by make check, from the top folder)
--
-- A folder uses only itself and the folders before it in ORDER: by include and by link in C, by require in Lua. So no two
-- folders need each other. Inside a folder at most CYCLE files may need one another in a circle, and a header of the core
-- is included by at most INCLUDED files, unless it is public or in base/. No file of core/ includes Lua, SDL or stdio.
-- Link edges are read from the object files in BUILD by nm; `require` counts wherever it stands in a file.
local build = arg[1] or "build"
local CYCLE, INCLUDED = 8, 30

local ORDER = {
  core = { "include", "base", "linalg", "geometry", "model", "solvers/soft", "solvers", "world", "query", "snapshot", "step", "draw",
    "record" },
  bindings = { "base", "picture", "window", "system", "sandbox", "objects", "state", "program" },
}
local FOREIGN = { ["stdio.h"] = true, ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["SDL.h"] = true }

local problems = {}
local function problem(...) problems[#problems + 1] = string.format(...) end

local function lines(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local edges = {} -- file -> { file = why }
local function edge(from, to, why)
  if from ~= to then edges[from][to] = edges[from][to] or why end
end

-- Includes. A name is looked for below the folder of the tree, then among the public headers.
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
    if tree == "core" and count > INCLUDED and not header:find "^core/base/" then
      problem("%s: included by %d files", header, count)
    end
  end
end

-- The source of an object file: a kernel has one object per lane width.
local function source_of(object)
  local path = object:sub(#build + 2):gsub("%.o$", "")
  while not edges[path .. ".c"] do path = assert(path:match "^(.*)_%w+$", object .. " has no source: make clean") end
  return path .. ".c"
end

local function add_links(tree)
  local defined, used = {}, {}
  local symbols = lines(("find %s/%s -name '*.o' | sort | xargs nm -A"):format(build, tree))
  for _, line in ipairs(symbols) do
    local object, kind, symbol = line:match "^([^:]+):%s*%x*%s+(%a) (%S+)$"
    if kind == "U" then used[#used + 1] = { object, symbol } elseif kind:find "[TDBRC]" then defined[symbol] = object end
  end
  for _, use in ipairs(used) do
    if defined[use[2]] then edge(source_of(use[1]), source_of(defined[use[2]]), use[2]) end
  end
end

-- The place of a file's folder in the order of its tree.
local function rank(path)
  local tree = path:match "^[^/]+"
  local folder, best = path:sub(#tree + 2):match "^(.*)/" or "", 0
  for place, name in ipairs(ORDER[tree]) do
    if folder == name then best = place end
  end
  if best == 0 then problem("%s: its folder has no place in the order", path) end
  return best
end

-- Strongly connected files of more than CYCLE (Tarjan 1972).
local function check_cycles()
  local index, low, stack, count = {}, {}, {}, 0
  local function visit(file)
    count = count + 1
    index[file], low[file] = count, count
    stack[#stack + 1] = file
    for other in pairs(edges[file] or {}) do
      if not index[other] then
        visit(other)
        low[file] = math.min(low[file], low[other])
      elseif index[other] > 0 then
        low[file] = math.min(low[file], index[other])
      end
    end
    if low[file] ~= index[file] then return end
    local circle = {}
    repeat
      local member = table.remove(stack)
      index[member] = 0
      circle[#circle + 1] = member
    until member == file
    table.sort(circle)
    if #circle > CYCLE then problem("a cycle of %d files: %s", #circle, table.concat(circle, " ")) end
  end
  for file in pairs(edges) do
    if not index[file] then visit(file) end
  end
end

for tree in pairs(ORDER) do
  add_includes(tree)
  add_links(tree)
end
local count, folders = 0, {}
for file, uses in pairs(edges) do
  count = count + 1
  local own = rank(file)
  folders[file:match "^(.*)/"] = true
  for other, why in pairs(uses) do
    if other:match "^[^/]+" == file:match "^[^/]+" and rank(other) > own then
      problem("%s uses %s (%s)", file, other, why)
    end
  end
end
check_cycles()
table.sort(problems)
for _, text in ipairs(problems) do io.stderr:write(text, "\n") end
print(("layers: %d files, %d problems"):format(count, #problems))
os.exit(#problems == 0 and 0 or 1)
