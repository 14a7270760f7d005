-- The reference of a module in Lua, from its own file: the comment that it begins with, and each function that has a
-- docstring. What `impel api pd` prints.

local nearest = require "impel.nearest"

local api_module = {}

local function submodules()
  return getmetatable(require "impel").submodules
end

--- The modules of `impel`, sorted; of those that have more inside ("rig") these too: "rig.car".
---@return string[]
function api_module.names()
  local names = nearest.keys(submodules())
  for _, name in ipairs(nearest.keys(getmetatable(require "impel.rig").submodules)) do
    names[#names + 1] = "rig." .. name
  end
  table.sort(names)
  return names
end

-- The lines of a module's file, or nothing: it is no module of impel, or its file is not there.
local function read(name)
  if not name:match "^[%l_]+[%.%l_]*$" or not submodules()[name:match "^[^.]+"] then return nil end
  local path = package.searchpath("impel." .. name, package.path)
  local file = path and io.open(path)
  if not file then return nil end
  local lines = {}
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  return lines
end

-- Of a rig's method, which is handed out with its parts: "Car.drive(car, speed)" as "car:drive(speed)", a local
-- "reach(parts, leg)" as "parts:reach(leg)". Nothing where a line is neither.
local function rig_title(line)
  local method, object, rest = line:match "^function %u[%w_]*%.([%w_]+)%(([%w_]+),? ?([^)]*)%)"
  if not method then method, object, rest = line:match "^local function ([%w_]+)%((parts),? ?([^)]*)%)" end
  return method and ("%s:%s(%s)"):format(object, method, rest)
end

-- "Posture:set(pose)" as "posture:set(pose)", "track.new(options)" as "impel.track.new(options)", a function without a
-- name as "impel.rig.car(world, options)".
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

-- A docstring's line as it is printed.
local function doc_line(line)
  local parameter = line:match "^@param (.*)$"
  if parameter then return "      " .. parameter end
  local result = line:match "^@return (.*)$"
  if result then return "      -> " .. result end
  return "    " .. line
end

--- The reference of a module as text, or of the one that a function is from.
---@param name string     "pd", "rig.car", "load_data"
---@return string|nil text  nothing where there is no such module
function api_module.text(name)
  local of = getmetatable(require "impel").functions[name]
  name = of and of[1] or name
  local lines = read(name)
  if not lines then return nil end
  local out, i = { "impel." .. name, "" }, 1
  while lines[i] and lines[i]:match "^%-%-" and not lines[i]:match "^%-%-%-" do
    out[#out + 1] = ("  " .. lines[i]:gsub("^%-%- ?", "")):gsub("%s+$", "")
    i = i + 1
  end
  local doc = {}
  for k = i, #lines do
    local text = lines[k]:match "^%-%-%- ?(.*)$"
    if text then
      doc[#doc + 1] = text:match "^%s" and "        " .. text:match "^%s*(.*)$" or doc_line(text)
    elseif #doc > 0 then
      local what = title(name, lines[k])
      if what then
        out[#out + 1] = ""
        out[#out + 1] = "  " .. what
        table.move(doc, 1, #doc, #out + 1, out)
      end
      doc = {}
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return api_module
