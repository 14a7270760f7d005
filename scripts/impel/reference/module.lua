-- The reference of a Lua module, from its comments.

local api_lines = require "impel.reference.lines"
local nearest = require "impel.base.nearest"

local api_module = {}

-- name of an object that a scene's function gets as an argument -> module of its class
local handed = { view = "picture.pen" }

--- Return the modules of `impel`, and submodules such as "rig.car", sorted.
function api_module.modules()
  local names = nearest.keys(getmetatable(require "impel").submodules)
  for _, name in ipairs(nearest.keys(getmetatable(require "impel.rig").submodules)) do
    names[#names + 1] = "rig." .. name
  end
  table.sort(names)
  return names
end

--- Return the modules, and "view".
function api_module.names()
  local names = api_module.modules()
  for name in pairs(handed) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Return the lines of a module's file, or nil if the file is missing.
local function read_file(name)
  local path = package.searchpath("impel." .. name, package.path)
  if not path then return nil end
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- Return the lines of the file that documents `name`, a public module or "view". Return nil for other names.
local function read(name)
  if handed[name] then return read_file(handed[name]) end
  return nearest.has(api_module.modules(), name) and read_file(name) or nil
end

-- Return "car:drive(speed)" for "Car.drive(car, speed)", or nil.
local function rig_title(line)
  local method, object, rest = line:match "^function %u[%w_]*%.([%w_]+)%(([%w_]+),? ?([^)]*)%)"
  if not method then method, object, rest = line:match "^local function ([%w_]+)%((parts),? ?([^)]*)%)" end
  return method and ("%s:%s(%s)"):format(object, method, rest)
end

-- Return the title of a function: "posture:set(pose)" for "Posture:set(pose)".
local function title(name, line)
  local method = name:match "^rig%." and rig_title(line)
  if method then return method end
  local object, separator, rest = line:match "^function ([%w_]+)([.:])([%w_]+%b())"
  if not object then
    local arguments = line:match "^return function(%b())" or line:match "^local function %w+(%b())"
    return arguments and "impel." .. name .. arguments
  end
  if object:match "^%u" then
    local first = object:sub(1, 1):lower() .. object:sub(2)
    return first:gsub("%u", function(letter) return "_" .. letter:lower() end) .. separator .. rest
  end
  return (separator == "." and "impel." .. name or object) .. separator .. rest
end

-- Return a line of a docstring as printed.
local function doc_line(line)
  local parameter = line:match "^@param (.*)$"
  if parameter then return "      " .. parameter end
  local result = line:match "^@return (.*)$"
  if result then return "      -> " .. result end
  return "    " .. line
end

local WIDTH, FURTHER = 120, "        " -- width of the text; indent of continuation lines of a parameter

-- Append a function's title and docstring as lines. Words beyond the width are moved to the next line.
local function put_function(out, each)
  out[#out + 1] = "  " .. each.title
  local rest
  for i, text in ipairs(each.doc) do
    local line = doc_line(text)
    if text:match "^%s" then line = FURTHER .. (rest and rest .. " " or "") .. text:match "^%s*(.*)$" end
    rest = nil
    if #line > WIDTH then
      local cut = line:sub(1, WIDTH + 1):match ".*() "
      line, rest = line:sub(1, cut - 1), line:sub(cut + 1)
    end
    out[#out + 1] = line
    local following = each.doc[i + 1]
    if rest and not (following and following:match "^%s") then
      out[#out + 1] = FURTHER .. rest
      rest = nil
    end
  end
end

-- Read the lines of a file from index `first` on. Append the text after each "@field" to found.fields, and a table
-- { title, line, doc } for each function with a docstring to found.functions. At a line like
-- require "impel.control.x"(class), append also the fields and functions of that module's file.
local function collect(name, lines, first, found)
  local doc = {}
  for k = first, #lines do
    local text = lines[k]:match "^%s*%-%-%- ?(.*)$"
    local field = text and text:match "^@field (.*)$"
    local part = lines[k]:match '^require "impel%.([%l_.]+)"%('
    if field then
      found.fields[#found.fields + 1] = field
    elseif text then
      if not text:match "^@class " then doc[#doc + 1] = text end
    else
      local line = lines[k]:match "^%s*(.*)$"
      local what = #doc > 0 and title(name, line)
      if what then found.functions[#found.functions + 1] = { title = what, line = line, doc = doc } end
      if part then collect(name, read_file(part) or {}, 1, found) end
      doc = {}
    end
  end
  return found
end

local known = {} -- name of a module -> result of api_module.read

--- Return the documented fields and functions of a module in Lua, or nil.
---@return table|nil  fields: texts; functions: { title, line, doc: lines }; lines; first: first line after the head
function api_module.read(name)
  if known[name] then return known[name] end
  local lines = read(name)
  if not lines then return nil end
  local first = 1
  while lines[first] and lines[first]:match "^%-%-" and not lines[first]:match "^%-%-%-" do first = first + 1 end
  known[name] = collect(name, lines, first, { fields = {}, functions = {}, first = first, lines = lines })
  return known[name]
end

--- Return the chapter of the module `name`. If `name` is a function of impel, such as "load_data", return the chapter
--- of its module. Return nil for other names.
function api_module.chapter(name)
  local of = getmetatable(require "impel").functions[name]
  name = of and of[1] or name
  local found = api_module.read(name)
  if not found then return nil end
  local head, fields, functions = {}, {}, {}
  for i = 1, found.first - 1 do head[i] = ("  " .. found.lines[i]:gsub("^%-%- ?", "")):gsub("%s+$", "") end
  for i, field in ipairs(found.fields) do
    fields[i] = { name = name .. "." .. field:match "^[%w_]+", lines = { "      " .. field },
      own = { ("  %s.%s"):format(name, field) } }
  end
  for i, each in ipairs(found.functions) do
    local out = {}
    put_function(out, each)
    functions[i] = { name = each.title:match "^[^(]+", lines = out }
  end
  local groups = { { parts = functions, apart = true } }
  if #fields > 0 then table.insert(groups, 1, { title = "fields", parts = fields }) end
  return { name = name, title = handed[name] and name or "impel." .. name, head = head, groups = groups }
end

--- Return the chapter of a module as text, or nil.
function api_module.text(name)
  local chapter, out = api_module.chapter(name), {}
  if not chapter then return nil end
  api_lines.chapter(out, chapter)
  return table.concat(out, "\n") .. "\n"
end

return api_module
