-- Finds terms that the glossary of CONTRIBUTING.md replaces: lua5.4 spec/tools/terms.lua   (make terms, from the top
-- folder)
--
-- A word of the column "not in identifiers" must not be a part of an identifier in C or Lua. A phrase of the column
-- "not in prose" must not be in a comment, string or document. ALLOWED lists files in which a word has its ordinary
-- meaning.
local ALLOWED = {
  runner = { "^spec/", "^scripts/" }, -- runner of scenes or tests
  effort = { "optimal" },             -- effort of a control law
  gauge = { "games/lander" },         -- of fuel
  steer = { "games/topdown" },        -- a car
  strike = { "biped_walk" },          -- of a heel
  seams = { "bindings/base/foreign_", "^CHANGELOG", "impel%.h$" }, -- smooth_seams, an old name of an option
  shelf = { "terrain", "concave_spec", "games_locks_spec" },
  ["the shelf"] = { "terrain", "conveyor" },
}

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- Return the entries of a table cell, separated by commas.
local function entries(cell)
  local list = {}
  for entry in cell:gmatch "[^,]+" do list[#list + 1] = entry:match "^%s*(.-)%s*$" end
  if list[#list] == "" then list[#list] = nil end
  return list
end

local words, phrases, terms = {}, {}, 0 -- `phrases`: for each first word, a table of terms by phrase
local section = assert(read("CONTRIBUTING.md"):match "\n## Glossary\n(.-)\n## ", "CONTRIBUTING.md has no glossary")
for term, identifiers, prose in section:gmatch "\n| ([^|\n]-) | ([^|\n]-)| ([^|\n]-)|" do
  if term ~= "term" then
    terms = terms + 1
    for _, word in ipairs(entries(identifiers)) do words[word] = term end
    for _, phrase in ipairs(entries(prose)) do
      local first = phrase:match "%a+"
      phrases[first] = phrases[first] or {}
      phrases[first][phrase] = term
    end
  end
end
assert(terms > 20, "the glossary cannot be read")

local problems = 0
local function problem(path, line, what, term)
  problems = problems + 1
  print(("%s:%d: %s; the glossary says: %s"):format(path, line, what, term))
end

local function allowed(path, word)
  for _, pattern in ipairs(ALLOWED[word] or {}) do
    if path:find(pattern) then return true end
  end
  return false
end

-- The words in an identifier for which the glossary has another term. Underscores or CamelCase separate words.
local replaced = setmetatable({}, { __index = function(cache, identifier)
  local list = {}
  for part in identifier:gsub("(%l)(%u)", "%1_%2"):gmatch "%a+" do
    if words[part:lower()] then list[#list + 1] = part:lower() end
  end
  cache[identifier] = list
  return list
end })

-- Return the code of a line, then its comments and strings.
local function split(path, line)
  if path:find "%.md$" then return "", line end
  local prose = {}
  local code = line:gsub('"[^"]*"', function(text)
    prose[#prose + 1] = text
    return '""'
  end)
  local comment = path:find "%.lua$" and "%-%-.*$" or path:find "%.[ch]p?p?$" and "//.*$" or "#.*$"
  code = code:gsub(comment, function(text)
    prose[#prose + 1] = text
    return ""
  end)
  return code, table.concat(prose, " ")
end

local function check(path)
  local number, before = 0, ""
  for line in io.lines(path) do
    number = number + 1
    local code, prose = split(path, line)
    for identifier in code:gmatch "[%a_][%w_]*" do
      for _, word in ipairs(replaced[identifier]) do
        if not allowed(path, word) then problem(path, number, "`" .. identifier .. "`", words[word]) end
      end
    end
    -- A phrase may begin on the previous line.
    local text = (" " .. before .. " " .. prose:lower() .. " "):gsub("[^%a]+", " ")
    for first in text:gmatch "%a+" do
      for phrase, term in pairs(phrases[first] or {}) do
        if text:find(" " .. phrase .. " ", 1, true) and not (" " .. before .. " "):find(" " .. phrase .. " ", 1, true)
          and not allowed(path, phrase) then
          problem(path, number, "\"" .. phrase .. "\"", term)
        end
      end
    end
    before = prose:lower():gsub("[^%a]+", " "):match "(%a+ %a+ %a+) ?$" or ""
  end
end

-- Check the words in a file's own name. Corpora and golden files are data.
local function check_name(path)
  local name = path:match "[^/]+$"
  for _, word in ipairs(replaced[name]) do
    if not allowed(path, word) and not path:find "/corpus/" then problem(path, 0, "the file's name", words[word]) end
  end
end

local CHECKED = { c = true, h = true, cpp = true, lua = true, md = true, sh = true, mk = true, patch = true }
local list <close> = assert(io.popen "git ls-files 2>/dev/null || find . -type f")
for path in list:lines() do
  check_name(path)
  local kind = path:match "%.(%w+)$"
  if CHECKED[kind] and path ~= "CONTRIBUTING.md" and path ~= "spec/tools/terms.lua" then check(path) end
end
if problems > 0 then
  print(problems .. " terms that the glossary replaces")
  os.exit(1)
end
