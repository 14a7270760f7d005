-- The API reference, from the registration tables of the core: what `impel api` prints. Annotations for editors are
-- made from the same in annotations.lua.

local api_module = require "impel.api_module"
local core = require "impel.core"
local nearest = require "impel.nearest"

local api = {}

--- The classes in the order of the reference; "impel" is the module.
api.classes = { "impel", "world", "body", "shape", "joint", "coordinate", "field", "mover", "contact", "row", "event",
  "handler", "qp", "recording", "playback" }

local WIDTH, DOC_COLUMN = 120, 44 -- of the text; where docs begin, one line lower if what they are about is longer
local ENDLESS = 1e300 -- larger bounds are not shown

local tables -- core.api(), asked for once

--- The registration tables, as core.api() gives them.
function api.tables()
  tables = tables or core.api()
  return tables
end


-- Defaults -----------------------------------------------------------------------------------------------------------

local samples -- a fresh object of each class that an option table makes

local function make_samples()
  local world = core.world {}
  local body = world:body {}
  return { world = world, body = body, shape = body:circle { radius = 1 } }
end

local function show_default(value, option)
  if type(value) == "string" then return ("%q"):format(value) end
  if option.type == "bits" and value == -1 then return "all" end
  return type(value) == "number" and ("%.10g"):format(value) or tostring(value)
end

--- The default of an option as text, or nil where there is none or its doc says it: what a fresh object has.
---@param class string    class of what the constructor makes: "world", "body", "shape"
---@param option table
---@return string|nil
function api.default(class, option)
  local doc = option.doc or ""
  if option.required or doc:find "default" or doc:find "unless set" then return nil end
  samples = samples or make_samples()
  local object = samples[class]
  if not object then return nil end
  local ok, value = pcall(function() return object[option.name] end)
  if not ok or value == nil or type(value) == "function" or type(value) == "userdata" then return nil end
  return show_default(value, option)
end

--- The class of what a constructor makes: the word after "->", or nil.
function api.made_by(entry)
  return entry.signature and entry.signature:match "%-> (%a+)$"
end


-- Options ------------------------------------------------------------------------------------------------------------

local function bound(value)
  local text = ("%.10g"):format(value)
  return tonumber(text) == value and text or ("%.17g"):format(value) -- 2^53 - 1 has 16 digits
end

--- "in [0, 1]", ">= 0", "<= 9", or nil: the range of a number.
function api.range(option)
  local number = option.type == "number" or option.type == "integer"
  if not number or not option.lower then return nil end
  local below, above = option.lower > -ENDLESS, option.upper < ENDLESS
  if below and above then return ("in [%s, %s]"):format(bound(option.lower), bound(option.upper)) end
  if below then return ">= " .. bound(option.lower) end
  if above then return "<= " .. bound(option.upper) end
  return nil
end

--- The unit in brackets, or "".
function api.unit(entry)
  return entry.unit and entry.unit ~= "" and " [" .. entry.unit .. "]" or ""
end

--- The words that a property of the type "choice" may be: those of the constructor's option of its name.
---@param class string
---@param property table
---@return string[]|nil
function api.choices(class, property)
  if property.type ~= "choice" then return nil end
  for _, each in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[each]) do
      for _, option in ipairs(api.made_by(entry) == class and entry.options or {}) do
        if option.name == property.name and option.choices then return option.choices end
      end
    end
  end
  return nil
end

--- "number >= 0 [m]", "\"soft\" or \"si\"", "options of motor": what an option, or a property of the class, is.
function api.kind(option, class)
  local choices = option.choices or class and api.choices(class, option)
  if choices then return '"' .. table.concat(choices, '" or "') .. '"' end
  if option.options then return "options of " .. option.options.name end
  local kind = option.type == "vector" and "{ x, y }" or option.type == "bits" and "integer" or option.type
  local range = api.range(option)
  return kind .. (range and " " .. range or "") .. api.unit(option)
end

--- The option tables that stand in others, by name: limit, motor, servo, spring, soft, drive; and those that parameters
--- of methods are: filter, form, motion.
---@return table<string, table>
function api.nested()
  local found = {}
  local function look(options)
    for _, option in ipairs(options or {}) do
      if option.options and not found[option.options.name] then
        found[option.options.name] = option.options
        look(option.options)
      end
    end
  end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      look(entry.options)
      for _, options in ipairs(entry.takes or {}) do found[options.name] = options end
    end
  end
  return found
end


-- Text ---------------------------------------------------------------------------------------------------------------

-- Append "what    doc" with the doc in a column of its own, broken into lines.
local function put(out, indent, what, doc)
  local head = (" "):rep(indent) .. what
  if #head >= DOC_COLUMN then
    out[#out + 1] = head
    head = ""
  end
  local row = head .. (" "):rep(DOC_COLUMN - 1 - #head)
  for word in (doc or ""):gmatch "%S+" do
    if #row + 1 + #word > WIDTH and #row >= DOC_COLUMN then
      out[#out + 1] = row
      row = (" "):rep(DOC_COLUMN - 1)
    end
    row = row .. " " .. word
  end
  out[#out + 1] = row:match "^(.-)%s*$"
end

--- How a member is written: "world:step([n])", "body.angle", "impel.world {...}".
function api.title(class, entry)
  local dot = (entry.kind == "property" or class == "impel") and "." or ":"
  return class .. dot .. entry.name .. (entry.signature or ""):gsub("^{", " {")
end

local function property_notes(entry)
  local notes = {}
  if not entry.writable then notes[#notes + 1] = "read-only" end
  if entry.events then notes[#notes + 1] = "of " .. table.concat(entry.events, ", ") end
  return #notes > 0 and " (" .. table.concat(notes, "; ") .. ")" or ""
end

local function put_option(out, class, option)
  local doc = option.doc or ""
  local default = api.default(class, option)
  if default then doc = ("%s; %s by default"):format(doc, default) end
  if option.required then doc = doc .. " (required)" end
  local name = option.position and ("%s or [%d]"):format(option.name, option.position) or option.name
  put(out, 4, name .. "  " .. api.kind(option), doc)
end

local function put_options(out, class, options)
  for _, option in ipairs(options) do put_option(out, class, option) end
end

local function coordinate_words(entry)
  local words = {}
  for _, coordinate in ipairs(entry.coordinates) do
    words[#words + 1] = coordinate.name .. (coordinate.locked and " locked" or " free")
      .. (coordinate.own and ", its own" or "")
  end
  return table.concat(words, "; ")
end

-- All about one member.
local function put_member(out, class, entry)
  if entry.kind == "method" then
    put(out, 2, api.title(class, entry), entry.doc .. api.unit(entry))
  else
    put(out, 2, api.title(class, entry) .. "  " .. api.kind(entry, class), entry.doc .. property_notes(entry))
  end
  if entry.coordinates then put(out, 4, "coordinates", coordinate_words(entry)) end
  if entry.options then put_options(out, api.made_by(entry), entry.options) end
end

local function put_nested(out, name, options)
  out[#out + 1] = "  options of " .. name
  put_options(out, nil, options)
end

local function put_class(out, class)
  out[#out + 1] = class == "impel" and 'impel = require "impel"' or class
  for _, entry in ipairs(api.tables()[class]) do put_member(out, class, entry) end
end

local function put_all(out)
  for _, class in ipairs(api.classes) do
    put_class(out, class)
    out[#out + 1] = ""
  end
  out[#out + 1] = "options inside options"
  local nested = api.nested()
  for _, name in ipairs(nearest.keys(nested)) do put_nested(out, name, nested[name]) end
end


-- Names --------------------------------------------------------------------------------------------------------------

-- Members by their bare name in every class, and tables of options.
local function put_members(out, name)
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      if entry.name == name then put_member(out, class, entry) end
    end
  end
  local options = api.nested()[name]
  if options then put_nested(out, name, options) end
end

-- An option by its bare name, wherever it can be given.
local function put_option_everywhere(out, name)
  local function look(where, class, options)
    for _, option in ipairs(options or {}) do
      if option.name == name then
        out[#out + 1] = "  " .. where
        put_option(out, class, option)
      end
    end
  end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do look(api.title(class, entry), api.made_by(entry), entry.options) end
  end
  local nested = api.nested()
  for _, key in ipairs(nearest.keys(nested)) do look("options of " .. key, nil, nested[key]) end
end

-- The names that something has, for "did you mean": those of a class as "world:step" or "world.step", else all, classes
-- first.
local function known_names(class, separator)
  if class then
    local names = {}
    for i, entry in ipairs(api.tables()[class]) do names[i] = class .. separator .. entry.name end
    return names
  end
  local names = api.nested()
  for _, each in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[each]) do
      names[entry.name] = true
      for _, option in ipairs(entry.options or {}) do names[option.name] = true end
    end
  end
  for _, module in ipairs(api_module.names()) do names[module] = true end
  for f in pairs(getmetatable(require "impel").functions) do names[f] = true end
  local list = table.move(api.classes, 1, #api.classes, 1, {})
  return table.move(nearest.keys(names), 1, #nearest.keys(names), #list + 1, list)
end

-- Functions and fields of modules in Lua: "multibody:jacobian", "impel.multibody.new", "rig.car.drive" or, in every
-- module, by the bare name.
local function put_module_members(out, name)
  local module, member = name:gsub("^impel%.", ""):match "^([%w_.]+)[.:]([%w_]+)$"
  for _, each in ipairs(module and { module } or api_module.names()) do
    local text = api_module.member(each, member or name)
    if text then out[#out + 1] = text:sub(1, -2) end
  end
end

--- The reference as text: of everything, or of a class ("world"), a member ("world:revolute", "body.angle", "angle"),
--- an option ("anchor"), a table of options ("motor"), a module in Lua ("pd", "rig.car", "impel.pd"),
--- a function or field of one ("multibody:jacobian").
---@param name string|nil
---@return string|nil text
---@return string|nil message  where nothing has that name
function api.text(name)
  local out = {}
  if not name then
    put_all(out)
    return table.concat(out, "\n") .. "\n"
  end
  local class, separator, member = name:match "^([%w_]+)([.:])([%w_]+)$"
  local has_class = class and api.tables()[class]
  if api.tables()[name] then put_class(out, name) end
  local module = api_module.text(name:match "^impel%.(.+)$" or name)
  if module then out[#out + 1] = module:sub(1, -2) end
  if has_class then
    for _, entry in ipairs(api.tables()[class]) do
      if entry.name == member then put_member(out, class, entry) end
    end
  elseif not class then
    put_members(out, name)
    if #out == 0 then put_option_everywhere(out, name) end
  end
  if #out == 0 then put_module_members(out, name) end
  if #out > 0 then return table.concat(out, "\n") .. "\n" end
  local known = has_class and known_names(class, separator) or class and api.classes or known_names()
  local word = class and not has_class and class or name
  return nil, ("nothing in the API is called '%s'%s"):format(name, nearest.hint(word, known))
end

return api
