-- Annotations for editors (LuaLS: `---@meta`), made from the registration tables: `impel api --annotations`.

local api = require "impel.reference.api"
local api_module = require "impel.reference.module"
local nearest = require "impel.base.nearest"
local pen = require "impel.picture.pen"
local scene_fields = require "impel.scene.fields"

local annotations = {}

local EVENTS = "impel.event_name" -- LuaLS alias that lists the names of events
-- names of the modules that are written in Lua
local MODULES = nearest.keys(getmetatable(require "impel").submodules)

-- type in the registration tables -> LuaLS type
local types = {
  number = "number", integer = "integer", boolean = "boolean", string = "string", bits = "integer", any = "any",
  table = "table", list = "table[]", vector = "impel.vector", points = "impel.vector[]", ["number[]"] = "number[]",
  ["function"] = "function", holes = "impel.vector[][]", heights = "(number|false)[]",
}

-- "parameter" or "class:method parameter" -> LuaLS type, if not a number
local parameter_types = {
  name = "string", fn = "function", event = EVENTS .. '|"step"|"substep"|"pre_solve"',
  a = "impel.body", b = "impel.body",
  body = "impel.body", table = "table", n = "integer", m = "integer", i = "integer", snapshot = "string",
  ["world:events name"] = EVENTS, ["joint:coordinate name"] = "string|integer", ["world:on fn"] = "fun(event: any)",
  ["coordinate:set_lock value"] = "number|false", ["impel.where c"] = "any", ["impel.where a"] = "any",
  ["impel.where b"] = "any", ["impel.value x"] = "any", ["body:apply_angular_impulse i"] = "number",
  material_a = "string", material_b = "string",
  ["world:mix_rule fn"] = "fun(a: impel.listed_material_options, b: impel.listed_material_options): number|nil",
  ["qp:solve program"] = "impel.solve_options", ["qp:solve x"] = "number[]",
  filter = "impel.filter_options", hit = "impel.hit", list = "table", rays = "number[]", results = "table",
  shape_a = "impel.shape", shape_b = "impel.shape", motion_a = "impel.motion_options|nil",
  motion_b = "impel.motion_options", shape = "impel.shape|impel.form_options",
  ["world:difference other"] = "impel.world|string",
  ["qp:multipliers rows"] = "number[]", ["qp:multipliers bounds"] = "number[]",
}

-- name of a result, or all text after "->" in a signature: LuaLS type, if not a number
local result_types = {
  mobility = "integer", freedom = "integer", rank = "integer", redundant = "impel.coordinate[]", basis = "number[][]",
  bodies = "impel.body[]", ["{ { x, y }, ... }"] = "number[][]",
  ["hit or nil"] = "impel.hit|nil", ["list"] = "table",
  ["t, x, y, nx, ny or nil"] = "number|nil t, number x, number y, number nx, number ny",
  friction_rule = "function|nil", restitution_rule = "function|nil",
  ["difference or nil"] = "impel.difference|nil",
  ["x or nil, message"] = "number[]|nil, string|nil", rows = "number[]", bounds = "number[]",
}

-- name of a method that returns an iterator -> type of the items
local iterated = {
  bodies = "impel.body", shapes = "impel.shape", joints = "impel.joint", contacts = "impel.contact",
  fields = "impel.field", rows = "impel.row", coordinates = "impel.coordinate", events = "impel.event",
  overlaps = "impel.shape", movers = "impel.mover",
  points = "integer, number, number, number, number, number",
}

local function is_class(word)
  return word ~= "impel" and api.tables()[word] ~= nil
end

-- Convert "body or joint" to "impel.body|impel.joint|nil".
local function type_of(words)
  local parts = {}
  for word in words:gsub(" or ", "|"):gmatch "[^|]+" do
    parts[#parts + 1] = is_class(word) and "impel." .. word or types[word]
  end
  return #parts > 0 and table.concat(parts, "|") or nil
end

local function quoted(choices)
  return '"' .. table.concat(choices, '"|"') .. '"'
end

local function options_class(name)
  return ("impel.%s_options"):format(name)
end


-- Fields -------------------------------------------------------------------------------------------------------------

local function put_property(out, class, entry)
  local choices = api.choices(class, entry)
  local kind = choices and quoted(choices) or type_of(entry.type) or "any"
  if entry.doc:find "%f[%a]nil%f[%A]" and kind ~= "any" then kind = kind .. "|nil" end
  out[#out + 1] = ("---@field %s %s  %s%s%s"):format(entry.name, kind, entry.doc, api.unit(entry),
    entry.writable and "" or " (read-only)")
end

local function option_type(option)
  if option.options then return options_class(option.options.name) .. (option.type == "list" and "[]" or "") end
  if option.choices then return quoted(option.choices) end
  return types[option.type] or "any"
end

-- Append an option table as a class.
local function put_options(out, name, made, options)
  out[#out + 1] = "---@class " .. options_class(name)
  for _, option in ipairs(options) do
    local range, default = api.range(option), api.default(made, option)
    local doc = (option.doc or "") .. api.unit(option) .. (range and ", " .. range or "")
      .. (default and ("; %s by default"):format(default) or "")
    local optional = (option.required and not option.position) and "" or "?"
    out[#out + 1] = ("---@field %s%s %s  %s"):format(option.name, optional, option_type(option), doc)
    if option.position then
      out[#out + 1] = ("---@field [%d] %s|nil  %s"):format(option.position, option_type(option), option.name)
    end
  end
  out[#out + 1] = ""
end


-- Methods ------------------------------------------------------------------------------------------------------------

-- Return the parameters of a signature: { name, optional }.
local function parameters(signature)
  local list, optional = {}, false
  local inside = signature:gsub(" %->.*$", "")
  for word in inside:gsub("{%.%.%.}", "options"):gmatch "[%[%a][%w_]*%]?%]?" do
    if word:sub(1, 1) == "[" then
      optional = true
      word = word:sub(2)
    end
    word = word:gsub("%]", "")
    if word ~= "" then list[#list + 1] = { name = word, optional = optional } end
  end
  return list
end

local function options_name(entry)
  local name = entry.options.name
  return name and api.nested()[name] and name or entry.name
end

local function parameter_type(where, entry, name)
  if name == "options" then return options_class(options_name(entry)) end
  return parameter_types[where .. " " .. name] or parameter_types[name] or "number"
end

local function put_results(out, entry)
  local results = entry.signature:match " %-> (.*)$"
  if not results then return end
  if results == "iterator" then
    out[#out + 1] = ("---@return fun(...): %s"):format(iterated[entry.name] or "any")
  elseif results == "..." then
    out[#out + 1] = "---@return number ..."
  elseif results == "body, body, ..." then
    out[#out + 1] = "---@return impel.body ..."
  elseif result_types[results] then
    out[#out + 1] = "---@return " .. result_types[results]
  elseif results:find " or " then
    out[#out + 1] = ("---@return %s|nil"):format(type_of(results))
  else
    for name in results:gmatch "[^, ]+" do
      local kind = result_types[name] or type_of(name)
      out[#out + 1] = kind and not result_types[name] and "---@return " .. kind
        or ("---@return %s %s"):format(kind or "number", name)
    end
  end
end

local function put_method(out, class, entry)
  local separator = class == "impel" and "." or ":"
  local where = class .. separator .. entry.name
  out[#out + 1] = ("---%s%s"):format(entry.doc, api.unit(entry))
  local names = {}
  if entry.signature:find("(body, ..., {...})", 1, true) then -- in Lua, no parameter can follow "..."
    out[#out + 1] = "---@param body impel.body"
    out[#out + 1] = ("---@param ... impel.body|%s"):format(options_class(entry.name))
    names = { "body", "..." }
  else
    for _, parameter in ipairs(parameters(entry.signature)) do
      out[#out + 1] = ("---@param %s%s %s"):format(parameter.name, parameter.optional and "?" or "",
        parameter_type(where, entry, parameter.name))
      names[#names + 1] = parameter.name
    end
  end
  put_results(out, entry)
  out[#out + 1] = ("function %s%s%s(%s) end"):format(class, separator, entry.name, table.concat(names, ", "))
  out[#out + 1] = ""
end


-- The whole text -----------------------------------------------------------------------------------------------------

-- Append the functions of a module that have a docstring.
local function put_functions(out, found)
  for _, each in ipairs(found.functions) do
    for _, text in ipairs(each.doc) do out[#out + 1] = "---" .. text end
    out[#out + 1] = ("function %s end"):format((each.title:gsub("^impel%.", "")))
    out[#out + 1] = ""
  end
end

-- Append the classes of Lua modules. Return the set of their names.
local function put_module_classes(out)
  local declared = {}
  for _, name in ipairs(MODULES) do
    local found = api_module.read(name)
    if found and #found.fields > 0 then
      declared[name] = true
      out[#out + 1] = "---@class impel." .. name
      for _, field in ipairs(found.fields) do out[#out + 1] = "---@field " .. field end
      out[#out + 1] = ("local %s = {}"):format(name)
      out[#out + 1] = ""
      put_functions(out, found)
    end
  end
  return declared
end

-- Append the classes of scene files and of views, for `---@type impel.scene_file` and `---@param view impel.view`.
local function put_scenes(out)
  out[#out + 1] = "---@class impel.scene_file"
  for _, field in ipairs(scene_fields.list) do
    out[#out + 1] = ("---@field %s%s %s  %s"):format(field.name, field.required and "" or "?", field.type, field.about)
  end
  out[#out + 1] = ""
  out[#out + 1] = "---@class impel.view"
  for _, field in ipairs(pen.fields) do
    local name, kind, about = table.unpack(field)
    out[#out + 1] = ("---@field %s %s  %s"):format(name, kind == "view" and "impel.view" or kind, about)
  end
  out[#out + 1] = "local view = {}"
  out[#out + 1] = ""
  put_functions(out, api_module.read "view")
end

local function put_class(out, class, declared)
  local members = api.tables()[class]
  out[#out + 1] = "---@class " .. (class == "impel" and class or "impel." .. class)
  for _, entry in ipairs(members) do
    if entry.kind == "property" then put_property(out, class, entry) end
  end
  if class == "impel" then
    out[#out + 1] = '---@field version string  "major.minor.patch"'
  end
  out[#out + 1] = ("local %s = {}"):format(class)
  for _, name in ipairs(class == "impel" and MODULES or {}) do
    if declared[name] then out[#out + 1] = "---@type impel." .. name end
    out[#out + 1] = ('impel.%s = require "impel.%s"'):format(name, name)
  end
  out[#out + 1] = ""
  for _, entry in ipairs(members) do
    if entry.kind == "method" then put_method(out, class, entry) end
  end
end

local function event_names()
  local names = {}
  for _, entry in ipairs(api.tables().event) do
    for _, name in ipairs(entry.events or {}) do names[name] = true end
  end
  return nearest.keys(names)
end

--- Return the annotations of the API as Lua text.
function annotations.text()
  local out = {
    "---@meta impel",
    "-- Made by `impel api --annotations` from the program's own tables; do not edit. Units are in brackets.",
    "",
    "---@alias impel.vector number[]|{ x: number, y: number }",
    ("---@alias %s %s"):format(EVENTS, quoted(event_names())),
    "",
    "---@class impel.hit  hit of a ray or a moving shape",
    "---@field body impel.body",
    "---@field shape impel.shape",
    "---@field x number  hit point [m]",
    "---@field y number",
    "---@field nx number  unit normal, out of the surface; 0, 0 for a ray from inside",
    "---@field ny number",
    "---@field fraction number  hit position on the path, 0 to 1",
    "",
    "---@class impel.difference  the first number in which two worlds differ",
    "---@field object string  world, body, shape, joint, contact, field or mover",
    "---@field field string  name of the property that differs; \"exists\" if only one world has the object",
    "---@field name string|nil  name of the object; for a contact, of its first body",
    "---@field name_b string|nil  name of a contact's second body",
    "---@field id integer|nil  creation number of the object; for a contact, of its first shape",
    "---@field other integer|nil  for a contact, creation number of its second shape; for a shape, of its body",
    "---@field a number|nil  value in the first world; nil if the values are strings",
    "---@field b number|nil  value in the second world",
    "",
  }
  local nested = api.nested()
  for _, name in ipairs(nearest.keys(nested)) do put_options(out, name, nil, nested[name]) end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      if entry.options and options_name(entry) == entry.name then
        put_options(out, entry.name, api.made_by(entry), entry.options)
      end
    end
  end
  put_scenes(out)
  local declared = put_module_classes(out)
  for i = #api.classes, 1, -1 do put_class(out, api.classes[i], declared) end
  out[#out + 1] = "return impel"
  return table.concat(out, "\n") .. "\n"
end

return annotations
