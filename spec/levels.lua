-- The shape of core/: lua5.4 spec/levels.lua   (called by make check, from the top folder)
--
-- Every header names its level in its first line ("// Level 3. ..."). A source file has the level of its header, which
-- has the same name or its first words (world_body.c: world.h), or names a level itself. A file includes nothing of a
-- higher level, and headers do not include one another in a circle. No file of core/ knows Lua, SDL or stdio.
-- spec/README.md has a word for every file of spec/.

-- The public header and its chapters have no level line: they are the lowest. The header includes the chapters.
local function is_public(name) return name == "impel.h" or name:find "^impel_[a-z]+%.h$" ~= nil end
local FOREIGN = { ["stdio.h"] = true, ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["SDL.h"] = true }

local problems = {}

local function problem(...)
  problems[#problems + 1] = string.format(...)
end

local function files(pattern)
  local list = {}
  local pipe = assert(io.popen("ls -1 " .. pattern .. " 2>/dev/null"))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- name -> { level, includes = list of names in core/, foreign = list }
local function read_core()
  local core = {}
  for _, path in ipairs(files("core/*.h core/*.c")) do
    local text = read(path)
    local name = path:match("[^/]+$")
    local entry = { level = tonumber(text:match("^// Level (%d+)%.")), includes = {}, foreign = {} }
    if is_public(name) then entry.level = 0 end
    for quote, include in text:gmatch('\n#%s*include%s*(["<])([^">]+)[">]') do
      local list = (quote == '"' and not FOREIGN[include]) and entry.includes or entry.foreign
      list[#list + 1] = include
    end
    -- The first line has no newline before it.
    local first = text:match('^#%s*include%s*"([^"]+)"')
    if first then table.insert(entry.includes, 1, first) end
    core[name] = entry
  end
  return core
end

local function level_of(core, name)
  if core[name].level then return core[name].level end
  local stem = name:match("^(.*)%.c$")
  while stem do
    if core[stem .. ".h"] then return core[stem .. ".h"].level end
    stem = stem:match("^(.*)_[^_]*$")
  end
  return nil
end

local function check_file(core, name)
  local entry, level = core[name], level_of(core, name)
  if not level then return problem("core/%s: first line: '// Level N. ...' expected", name) end
  for _, include in ipairs(entry.foreign) do
    if FOREIGN[include] then problem("core/%s: includes <%s>", name, include) end
  end
  for _, include in ipairs(entry.includes) do
    if not core[include] then
      problem("core/%s: includes \"%s\", which is not in core/", name, include)
    elseif (level_of(core, include) or 0) > level then
      problem("core/%s: level %d includes %s of level %d", name, level, include, level_of(core, include))
    end
  end
end

-- Follow the includes of a header; state is nil before, "open" during, "done" after its visit.
local function check_circle(core, name, state, path)
  if state[name] == "done" or not core[name] then return end
  path = path .. " -> " .. name
  if state[name] == "open" then return problem("circle of includes: %s", path:sub(5)) end
  state[name] = "open"
  for _, include in ipairs(core[name].includes) do check_circle(core, include, state, path) end
  state[name] = "done"
end

local core = read_core()
local names = {}
for name in pairs(core) do names[#names + 1] = name end
table.sort(names)
local state = {}
for _, name in ipairs(names) do
  check_file(core, name)
  check_circle(core, name, state, "")
end

-- What tells of a folder: a spec by its name alone, the rest as files.
local told = read "spec/README.md"
for _, path in ipairs(files("spec/c/*.[ch] spec/lua/*.lua spec/*.sh spec/*.lua spec/faults/*")) do
  local name = path:match "[^/]+$"
  local suite = name:match "^(test_.*)%.c$" or name:match "^(.*)_spec%.lua$"
  if suite then
    if not told:find("`" .. suite .. "`", 1, true) then problem("spec/README.md: no word of %s", path) end
  elseif not told:find(name, 1, true) then
    problem("spec/README.md: no word of %s", path)
  end
end

for _, text in ipairs(problems) do io.stderr:write(text, "\n") end
print(("levels: %d files, %d problems"):format(#names, #problems))
os.exit(#problems == 0 and 0 or 1)
