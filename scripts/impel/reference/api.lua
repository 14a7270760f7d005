-- The reference that `impel api` prints.

local api_chapters = require "impel.reference.chapters"
local api_lines = require "impel.reference.lines"
local api_module = require "impel.reference.module"
local core = require "impel.core"
local nearest = require "impel.base.nearest"
local scene_fields = require "impel.scene.fields"

local api = {}

--- Classes in the order of the reference; "impel" is the module.
api.classes = { "impel", "world", "body", "shape", "joint", "coordinate", "field", "mover", "contact", "row", "event",
  "handler", "qp", "recording", "playback" }

-- class -> line about the class in the list of chapters
local abouts = {
  impel = "functions of the module: worlds, quadratic programs, recordings",
  world = "settings, bodies, joints, fields, queries, steps, events, snapshots, energy",
  body = "type, mass, pose, velocity, forces, shapes, looks",
  shape = "circles, boxes, polygons, chains: material, filter, sensor, looks",
  joint = "coordinates, drives and forces of all kinds of joints",
  coordinate = "a degree of freedom of a joint: lock, limit, motor, servo, spring",
  field = "force fields: uniform, attractor, wind, water, your own law",
  mover = "a character that walks, jumps and rides on moving bodies",
  contact = "two shapes that touch: points, normal, impulses",
  row = "a scalar constraint of a joint or contact, as solved in the last step",
  event = "the argument of handlers of world:on",
  handler = "a registered handler, as world:on returns it",
  qp = "a quadratic program",
  recording = "a recording that is being written",
  playback = "a recording that is played",
}

local MOST_NEAR = 3 -- largest number of suggestions for an unknown name
local ENDLESS = 1e300 -- bounds of this magnitude or more count as infinite and are not printed

local tables -- result of core.api(), cached

--- Return the registration tables of core.api().
function api.tables()
  tables = tables or core.api()
  return tables
end


-- Defaults -----------------------------------------------------------------------------------------------------------

local samples -- class -> new object, whose properties give the defaults of options

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

--- Return the default of an option as text, or nil if the option has no default or its description states the default.
--- The default is read from a new object of `class`, such as "world".
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

--- Return the class after "->" in a signature, or nil.
function api.made_by(entry)
  return entry.signature and entry.signature:match "%-> (%a+)$"
end


-- Options ------------------------------------------------------------------------------------------------------------

local function bound(value)
  local text = ("%.10g"):format(value)
  return tonumber(text) == value and text or ("%.17g"):format(value) -- a number such as 2^53 - 1 has 16 digits
end

--- Return the range of a number: "in [0, 1]", ">= 0", "<= 9", or nil.
function api.range(option)
  local number = option.type == "number" or option.type == "integer"
  if not number or not option.lower then return nil end
  local below, above = option.lower > -ENDLESS, option.upper < ENDLESS
  if below and above then return ("in [%s, %s]"):format(bound(option.lower), bound(option.upper)) end
  if below then return ">= " .. bound(option.lower) end
  if above then return "<= " .. bound(option.upper) end
  return nil
end

--- Return the unit of an entry in brackets, or "".
function api.unit(entry)
  return entry.unit and entry.unit ~= "" and " [" .. entry.unit .. "]" or ""
end

--- Return the choices of a property of the type "choice": those of the constructor's option of the same name. Return
--- nil for another type.
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

--- Return the kind of an option: "number >= 0 [m]".
function api.kind(option, class)
  local choices = option.choices or class and api.choices(class, option)
  if choices then return '"' .. table.concat(choices, '" or "') .. '"' end
  if option.options then return "options of " .. option.options.name end
  local kind = option.type == "vector" and "{ x, y }" or option.type == "bits" and "integer" or option.type
  local range = api.range(option)
  return kind .. (range and " " .. range or "") .. api.unit(option)
end

--- Return the option tables by name.
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

--- Return the title of a member: "world:step([n])", "body.angle", "impel.world {...}".
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
  api_lines.put(out, 4, name .. "  " .. api.kind(option), doc)
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

-- Append the entry of a member.
local function put_member(out, class, entry)
  if entry.kind == "method" then
    api_lines.put(out, 2, api.title(class, entry), entry.doc .. api.unit(entry))
  else
    api_lines.put(out, 2, api.title(class, entry) .. "  " .. api.kind(entry, class), entry.doc .. property_notes(entry))
  end
  if entry.coordinates then api_lines.put(out, 4, "coordinates", coordinate_words(entry)) end
  if entry.options then put_options(out, api.made_by(entry), entry.options) end
end

local function put_nested(out, name, options)
  out[#out + 1] = "  options of " .. name
  put_options(out, nil, options)
end


-- Chapters -----------------------------------------------------------------------------------------------------------

-- Make the chapter of a class, with a part for each of its members.
local function class_chapter(class)
  local parts = {}
  for i, entry in ipairs(api.tables()[class]) do
    local dot = (entry.kind == "property" or class == "impel") and "." or ":"
    parts[i] = { name = class .. dot .. entry.name, lines = {} }
    put_member(parts[i].lines, class, entry)
  end
  local title = class == "impel" and 'impel = require "impel"' or class
  return { name = class, title = title, groups = { { parts = parts } } }
end

local function options_chapter()
  local nested, parts = api.nested(), {}
  for i, name in ipairs(nearest.keys(nested)) do
    parts[i] = { name = name, lines = {} }
    put_nested(parts[i].lines, name, nested[name])
  end
  return { name = "options", title = "nested option tables", groups = { { parts = parts } } }
end

-- Make the chapter of modules: each name with the first sentence about the module.
local function modules_chapter()
  local parts = {}
  for i, name in ipairs(api_module.modules()) do
    local out, words = {}, {}
    for _, line in ipairs(api_module.chapter(name).head) do
      if line == "" then break end
      words[#words + 1] = line
    end
    local text = table.concat(words, " "):gsub("%s+", " "):gsub("^ impel%.[%w_.]+: ", "")
    api_lines.put(out, 2, name, text:match "^(.-%.)%s+%u" or text, 24)
    parts[i] = { name = "impel." .. name, lines = out }
  end
  local title = 'modules in Lua: impel.NAME, or require "impel.NAME"'
  return { name = "modules", title = title, groups = { { parts = parts } } }
end

-- Return a chapter by its complete name, or nil.
local function chapter(name)
  if api.tables()[name] then return class_chapter(name) end
  if name == "options" then return options_chapter() end
  if name == "modules" then return modules_chapter() end
  return nil
end

-- Return a chapter about scene files or a module in Lua, or nil. `name` may begin with "impel.".
local function lua_chapter(name)
  return api_chapters.get(name) or api_module.chapter(name:match "^impel%.(.+)$" or name)
end

-- Call f(chapter) for every chapter.
local function each_chapter(f)
  local done = {}
  for _, each in ipairs(api_chapters.list) do
    done[each.name] = each.name ~= "scene" -- "scene" is also the name of a module, which has its own chapter
    f(api_chapters.get(each.name))
  end
  for _, class in ipairs(api.classes) do f(class_chapter(class)) end
  f(options_chapter())
  for _, name in ipairs(api_module.names()) do
    if not done[name] then f(api_module.chapter(name)) end
  end
end

-- Call f(name, lines) for the head and for every part of every chapter.
local function each_part(f)
  each_chapter(function(each)
    if each.head then f(each.title:match "^impel%.[%w_.]+$" or each.name, each.head) end
    for _, group in ipairs(each.groups) do
      for _, part in ipairs(group.parts) do f(part.name, part.own or part.lines) end
    end
  end)
end

--- Return the list of chapters, the output of `impel api`.
function api.contents()
  local out = { "`impel api NAME` prints a chapter, or one entry of a chapter.", "", "scene files" }
  for _, each in ipairs(api_chapters.list) do api_lines.put(out, 2, each.name, each.about, 16) end
  out[#out + 1] = ""
  out[#out + 1] = "the engine"
  for _, class in ipairs(api.classes) do api_lines.put(out, 2, class, abouts[class], 16) end
  local nested = table.concat(nearest.keys(api.nested()), ", ")
  api_lines.put(out, 2, "options", "option tables inside other option tables: " .. nested, 16)
  out[#out + 1] = ""
  out[#out + 1] = "modules in Lua"
  api_lines.put(out, 2, "modules", "list of all modules, a line each: " .. table.concat(api_module.modules(), ", "), 16)
  out[#out + 1] = ""
  out[#out + 1] = "  impel api world:revolute    a method; also scene.update, view:image, input.pressed, camera.follow"
  out[#out + 1] = "  impel api anchor            every field, function and option of that name"
  out[#out + 1] = "  impel api --search WORD     entries that have the word in their name or text"
  out[#out + 1] = "  impel api --all             everything"
  return table.concat(out, "\n") .. "\n"
end


-- Search -------------------------------------------------------------------------------------------------------------

local function normal(text) return (text:lower():gsub("[%s_-]+", " ")) end

-- Return the list of lines of a part that contain at least one of the words, and the set of words that were found.
local function lines_with(part, words)
  local found, has = {}, {}
  local texts, normals = {}, {}
  for i, line in ipairs(part) do
    texts[i] = line:match "^%s*(.*)$"
    normals[i] = normal(texts[i])
  end
  for i, text in ipairs(texts) do
    local here, broken = false, false
    local following = normals[i + 1]
    local both = following and normals[i] .. " " .. following
    for _, word in ipairs(words) do
      if normals[i]:find(word, 1, true) then
        here, has[word] = true, true
      elseif both and both:find(word, 1, true) and not following:find(word, 1, true) then
        broken, has[word] = true, true
      end
    end
    if here or broken then found[#found + 1] = broken and text .. " " .. texts[i + 1] or text end
  end
  return found, has
end

--- Return the entries that contain all wanted words, ignoring case, with the lines that contain them; or nil, message.
--- A word may be a phrase; if a single phrase is not found, its words are searched for.
function api.search(wanted)
  local out, words, count = {}, {}, 0
  for i, word in ipairs(wanted) do words[i] = normal(word) end
  each_part(function(name, part)
    local shown, has = lines_with(part, words)
    for _, word in ipairs(words) do
      if not has[word] and not normal(name):find(word, 1, true) then return end
    end
    if #shown == 0 then shown[1] = part[1]:match "^%s*(.*)$" end
    count = count + 1
    if not out[name] then out[#out + 1], out[name] = name, {} end
    table.move(shown, 1, #shown, #out[name] + 1, out[name])
  end)
  if count == 0 then
    local phrase = #wanted == 1 and wanted[1]
    if phrase and phrase:find "%S%s+%S" then
      local single = {}
      for word in phrase:gmatch "%S+" do single[#single + 1] = word end
      return api.search(single)
    end
    local ours = phrase and scene_fields.ours(phrase)
    return nil, ("no entry of the reference has '%s'%s"):format(table.concat(wanted, "' and '"),
      ours and (" (in impel: %s)"):format(ours) or "")
  end
  local text = {}
  for _, name in ipairs(out) do text[#text + 1] = name .. "\n    " .. table.concat(out[name], "\n    ") end
  return table.concat(text, "\n") .. "\n"
end


-- Names --------------------------------------------------------------------------------------------------------------

-- Append the members of all classes, and the option table, whose name is `name`.
local function put_members(out, name)
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      if entry.name == name then put_member(out, class, entry) end
    end
  end
  local options = api.nested()[name]
  if options then put_nested(out, name, options) end
end

-- Append all options whose name is `name`, each with its constructor or option table.
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

-- Append the entries whose full name is `name`, such as "posture:fade". If `name` has no dot or colon, such as "fade",
-- append every entry whose last word is `name`.
local function put_parts(out, name)
  local whole = name:gsub("^impel%.", ""):gsub(":", ".")
  local is_bare = not whole:find(".", 1, true)
  local own = whole:match "^(.*)%.[^.]*$" or ""
  local chapter_name, member = own, whole:match "[^.]*$"
  local function look(each)
    for _, group in ipairs(each.groups) do
      for _, part in ipairs(group.parts) do
        local called = part.name:gsub("^impel%.", ""):gsub(":", ".")
        local last = called:match "^.*%.([^.]*)$"
        local fits = is_bare and last == member or called == whole
          or chapter_name == each.name and (last or called) == member
        local text = part.own or part.lines
        if fits then table.move(text, 1, #text, #out + 1, out) end
      end
    end
  end
  local known = not is_bare and lua_chapter(chapter_name)
  if known then look(known) end
  if #out > 0 then return end
  for _, each in ipairs(api_chapters.list) do look(api_chapters.get(each.name)) end
  for _, each in ipairs(api_module.names()) do
    if not api_chapters.get("impel." .. each) then look(api_module.chapter(each)) end
  end
end

-- Return the last word of the name of each entry of a chapter.
local function members_of(each)
  local list = {}
  for _, group in ipairs(each.groups) do
    for _, part in ipairs(group.parts) do list[#list + 1] = part.name:match "[^.:]*$" end
  end
  return list
end

--- Return the names of chapters, modules, members of classes and option tables.
function api.names()
  local list, seen = {}, {}
  local function add(name)
    if not seen[name] then list[#list + 1], seen[name] = name, true end
  end
  for _, each in ipairs(api_chapters.list) do add(each.name) end
  for _, class in ipairs(api.classes) do add(class) end
  for _, name in ipairs { "options", "modules" } do add(name) end
  for _, name in ipairs(api_module.names()) do add(name) end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do add(entry.name) end
  end
  for _, name in ipairs(nearest.keys(api.nested())) do add(name) end
  return list
end

-- Return all names without a dot or colon: the result of api.names, functions of modules, and options.
local function words()
  local list = api.names()
  for _, known in ipairs(nearest.keys(getmetatable(require "impel").functions)) do list[#list + 1] = known end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      for _, option in ipairs(entry.options or {}) do list[#list + 1] = option.name end
    end
  end
  return list
end

-- Return a hint such as " (did you mean 'world:step'?)", or "".
local function hint(name)
  local owner, separator, member = name:match "^([%w_.]+)([.:])([%w_]+)$"
  if not owner then return nearest.hint(name, words(), MOST_NEAR) end
  local each = chapter(owner) or lua_chapter(owner)
  if not each then return nearest.hint(owner, api.names(), MOST_NEAR) end
  return nearest.hint(member, members_of(each), MOST_NEAR, owner .. separator)
end

-- Return the impel name for a name of another engine, such as "applyForce" or "love.physics.newBody", or nil.
local function of_core(name)
  local owner, word = name:match "^(.-)[.:]?([%w_]+)$"
  if not word or owner ~= "" and not api.tables()[owner] and not owner:find "^love%." then return nil end
  samples = samples or make_samples()
  for _, object in ipairs { core, samples.world, samples.body, samples.shape } do
    local _, message = pcall(function() return object[word] end)
    local ours = type(message) == "string" and message:match "%(in impel: (.*)%)$"
    if ours then return ours end
  end
  return nil
end

local function unknown(name)
  local ours = not name:find "^love%.physics%." and scene_fields.ours(name) or of_core(name) or scene_fields.ours(name)
  local advice = ours and (" (in impel: %s)"):format(ours) or hint(name)
  return ("nothing in the reference is called '%s'%s"):format(name, advice)
end

--- Return the reference of a chapter ("scene"), member ("body.angle"), option ("anchor"), option table ("motor"),
--- module ("rig.car") or function ("multibody:jacobian"), or all of it.
---@return string|nil text
---@return string|nil message
function api.text(name)
  local out = {}
  if not name then
    each_chapter(function(each)
      if #out > 0 then out[#out + 1] = "" end
      api_lines.chapter(out, each)
    end)
    return table.concat(out, "\n") .. "\n"
  end
  for _, each in ipairs { chapter(name) or false, lua_chapter(name) or false } do
    if each then api_lines.chapter(out, each) end
  end
  local class, member = name:match "^([%w_]+)[.:]([%w_]+)$"
  if class and api.tables()[class] then
    for _, entry in ipairs(api.tables()[class]) do
      if entry.name == member then put_member(out, class, entry) end
    end
  elseif not class then
    put_members(out, name)
    if #out == 0 then put_option_everywhere(out, name) end
  end
  if #out == 0 and name:find "^[%w_.:]+$" then put_parts(out, name) end
  if #out > 0 then return table.concat(out, "\n") .. "\n" end
  return nil, unknown(name)
end

return api
