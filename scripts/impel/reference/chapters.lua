-- The chapters of the reference about scene files: scene, view, input, camera, colours and keys.
--
-- Fields of a chapter: title; head, a list of lines; groups, a list of { title or nil, parts }.
-- Fields of a part: name, such as "scene.update"; lines, printed in the chapter; own, printed for the part alone.

local api_module = require "impel.reference.module"
local camera_motion = require "impel.scene.camera_motion"
local fields = require "impel.scene.fields"
local input = require "impel.input"
local lines = require "impel.reference.lines"
local nearest = require "impel.base.nearest"
local palette = require "impel.picture.palette"
local pen = require "impel.picture.pen"

local chapters = {}

--- Chapters: name, and a line about the chapter.
chapters.list = {
  { name = "scene", about = "the table that a scene file returns: every field and function" },
  { name = "view", about = "drawing functions for scene.draw(s, view): lines, pictures, text, the HUD" },
  { name = "input", about = "keys, mouse, touches and gamepads of the player" },
  { name = "camera", about = "the fields of scene.camera and scene.view" },
  { name = "colours", about = "names and forms of colours, for looks and view" },
  { name = "keys", about = "names of keys; which of them the window uses itself" },
  { name = "sound", about = "sounds from WAV and OGG files" },
  { name = "file", about = "files in the scene's folder: paths, texts, data" },
}

local alias = { colors = "colours", colour = "colours" }

local builders = {}

-- Make a part. build(out, indent) appends its lines. The indent is 4 in a chapter, and 2 if the part is printed alone.
local function part(name, build)
  local out, own = {}, {}
  build(out, 4)
  build(own, 2)
  return { name = name, lines = out, own = own }
end

local function put_lines(out, indent, text)
  for line in text:gmatch "[^\n]+" do out[#out + 1] = (" "):rep(indent) .. line end
end


-- scene --------------------------------------------------------------------------------------------------------------

local function put_field(out, indent, field)
  local what = field.call and ("scene.%s%s"):format(field.name, field.call)
    or ("scene.%s  %s"):format(field.name, field.range or field.type)
  lines.put(out, indent, what, field.about .. (field.required and " (required)" or ""))
  lines.put(out, indent + 2, field.call and "called" or "read", field.called)
  put_lines(out, indent + 4, field.example)
end

function builders.scene()
  local head = {}
  lines.wrap(head, 2, "A scene file returns a table with these fields. Only setup is required; an unknown field is an "
    .. "error. The table itself is read once, when the file is loaded: assigning a field later has no effect. Of the "
    .. "tables in it, scene.view is read for each picture and scene.units for each plot. s is the "
    .. "table that setup returned. The examples pasted together are a file that runs:")
  head[#head + 1] = ""
  put_lines(head, 4, fields.EXAMPLE_HEAD)
  head[#head + 1] = "    ...                                       the examples below"
  head[#head + 1] = "    return scene"
  head[#head + 1] = ""
  lines.wrap(head, 2, "impel new NAME writes a scene file to begin with; impel run, view, play, test, sweep and tune "
    .. "take a scene file. For the module that loads scene files see impel api impel.scene.")
  local own, foreign = {}, {}
  for i, field in ipairs(fields.list) do
    own[i] = part("scene." .. field.name, function(out) put_field(out, 2, field) end)
  end
  for i, entry in ipairs(fields.foreign) do
    foreign[i] = part("scene", function(out, indent)
      lines.put(out, indent, entry.ours, entry.names:gsub(" ", ", "), 68)
    end)
    foreign[i].own = { ("  %s  for %s"):format(entry.ours, entry.names:gsub(" ", ", ")) }
  end
  return { title = "scene", head = head, groups = {
    { parts = own, apart = true },
    { title = "names in impel, and the names that they have in other engines (in lower case)", parts = foreign },
  } }
end


-- view ---------------------------------------------------------------------------------------------------------------

-- Return " [m]", or "".
local function unit(text) return text ~= "" and (" [%s]"):format(text) or "" end

function builders.view()
  local chapter = api_module.chapter "view"
  local own = {}
  for i, field in ipairs(pen.fields) do
    own[i] = part("view." .. field[1], function(out, indent)
      lines.put(out, indent, ("view.%s  %s"):format(field[1], field[2]), field[3])
    end)
  end
  for _, group in ipairs(chapter.groups) do
    for _, each in ipairs(group.parts) do
      local options = pen.options[each.name:match "[%w_]+$"]
      if options then
        each.lines[#each.lines + 1] = "      fields of the options"
        for _, option in ipairs(options) do
          local name, kind, measure, about = table.unpack(option)
          lines.put(each.lines, 8, name .. "  " .. pen.kind(kind) .. unit(measure), about)
        end
      end
    end
  end
  table.insert(chapter.groups, 1, { title = "fields, read-only", parts = own })
  return chapter
end


-- input --------------------------------------------------------------------------------------------------------------

-- Make a part that lists names.
local function names_part(name, title, list)
  return part(name, function(out, indent) lines.put(out, indent, title, table.concat(list, ", ")) end)
end

function builders.input()
  local chapter = api_module.chapter "input"
  chapter.title = 'input = require "impel.input"'
  table.insert(chapter.groups, 1, { title = "names of buttons and axes; for names of keys see impel api keys", parts = {
    names_part("input.mouse_buttons", "buttons of the mouse", input.mouse_buttons),
    names_part("input.axes", "axes of gamepads", input.axes),
    names_part("input.buttons", "buttons of gamepads", input.buttons),
  } })
  return chapter
end


-- camera -------------------------------------------------------------------------------------------------------------

local function camera_parts(prefix, list)
  local parts = {}
  for i, field in ipairs(list) do
    parts[i] = part(prefix .. field[1], function(out, indent)
      lines.put(out, indent, ("%s  %s"):format(indent == 2 and prefix .. field[1] or field[1], field[3]), field[4])
    end)
  end
  return parts
end

function builders.camera()
  local chapter = api_module.chapter "camera"
  chapter.title = "camera"
  table.insert(chapter.groups, 1, { title = "fields of scene.camera(s) and scene.view",
    parts = camera_parts("camera.", camera_motion.fields) })
  table.insert(chapter.groups, 2, { title = "fields of shake", parts = camera_parts("camera.shake.",
    camera_motion.shake_fields) })
  return chapter
end


-- colours ------------------------------------------------------------------------------------------------------------

-- Append the places where colours can be given: methods of view, and options.
local function put_takers(out, indent, view)
  local methods = {}
  for _, group in ipairs(view.groups) do
    for _, each in ipairs(group.parts) do
      local first = each.lines[1]
      if first:find "[(, ]color[,)]" then methods[#methods + 1] = each.name end
    end
  end
  lines.put(out, indent, "parameters", table.concat(methods, ", "))
  local options = {}
  for _, method in ipairs(nearest.keys(pen.options)) do
    for _, option in ipairs(pen.options[method]) do
      if option[2] == "color" then options[#options + 1] = ("%s of view:%s"):format(option[1], method) end
    end
  end
  for _, option in ipairs(require("impel.reference.api").nested().look) do
    if option.type == "color" then options[#options + 1] = ("%s of looks"):format(option.name) end
  end
  lines.put(out, indent, "options", table.concat(options, ", "))
end

function builders.colours()
  local head = {}
  lines.wrap(head, 2, "Colours of looks (body:set_look, shape:set_look, the option `look`) and of view. The named hues "
    .. "are those of Okabe and Ito, which people with any kind of colour vision can tell apart.")
  head[#head + 1] = ""
  put_lines(head, 4, 'body:set_look { color = "sky", outline = "#22272e" }\nview:circle(0, 2, 0.5, "#d55e0080")')
  local forms, names = {}, {}
  for i, form in ipairs(palette.forms) do
    forms[i] = part("colours", function(out, indent)
      lines.put(out, indent, ("%s  %s"):format(form[1], form[2]), form[3])
    end)
  end
  for i, name in ipairs(nearest.keys(palette.named)) do
    names[i] = part("colours." .. name, function(out, indent)
      out[1] = ("%s%-10s#%06x"):format((" "):rep(indent), name, palette.named[name] >> 8)
    end)
  end
  local takers = part("colours", function(out, indent) put_takers(out, indent, chapters.get "view") end)
  return { title = "colours", head = head, groups = {
    { title = "forms", parts = forms }, { title = "names", parts = names },
    { title = "parameters and options that take a colour", parts = { takers } },
  } }
end


-- keys ---------------------------------------------------------------------------------------------------------------

local function key_part(entry)
  return part("keys", function(out, indent) lines.put(out, indent, entry.label, entry.about, 24) end)
end

-- Return four lists: the window's shortcuts that the scene gets by scene.keys = { "all" }, those that it gets only by
-- the name of the key, those that it never gets, and the mouse actions.
local function shortcuts()
  local viewer_keys = require "impel.reference.keys"
  local all = viewer_keys.taken { keys = { "all" } }
  local yields, named, stay, mouse = {}, {}, {}, {}
  for _, entry in ipairs(viewer_keys.all()) do
    if entry.mouse then
      mouse[#mouse + 1] = key_part(entry)
    else
      local own = viewer_keys.taken { keys = { entry.key } }
      local list = viewer_keys.gives_way(entry, all) and yields or viewer_keys.gives_way(entry, own) and named or stay
      list[#list + 1] = key_part(entry)
    end
  end
  return yields, named, stay, mouse
end

function builders.keys()
  local head = {}
  lines.wrap(head, 2, "A key is named by its label in the user's layout, in lower case: by its character (\"w\", "
    .. "\"1\", \"-\", \"ö\") or by one of the names below. impel.input and scene.keys take these names.")
  head[#head + 1] = ""
  put_lines(head, 4, 'scene.keys = { "left", "right", "space" }      -- or { "all" }\n'
    .. 'if input.pressed "space" then ... end           -- in scene.update')
  head[#head + 1] = ""
  lines.wrap(head, 2, "In impel view the window uses some keys itself; for such a key input.down raises an error "
    .. "unless scene.keys lists the key. In impel play, with or without --fullscreen, the scene gets these keys even "
    .. "without scene.keys. F1 in the window shows which keys the scene has taken.")
  local foreign, theirs = {}, input.foreign
  for i, name in ipairs(nearest.keys(theirs)) do
    foreign[i] = ("%s: %s"):format(name:find " " and ("%q"):format(name) or name, theirs[name])
  end
  local yields, named, stay, mouse = shortcuts()
  local function row(list)
    local text = table.concat(list, list == foreign and ", " or " ")
    return { part("keys", function(out, indent) lines.wrap(out, indent, text) end) }
  end
  return { title = "keys", head = head, groups = {
    { title = "names", parts = row(input.keys) },
    { title = "names in other engines, each with the name in impel", parts = row(foreign) },
    { title = "used by the window in impel view unless scene.keys lists them; in impel play the scene gets all these "
      .. "keys",
      parts = yields },
    { title = "used by the window in impel view and impel play unless scene.keys lists them by name; \"all\" does not "
      .. "include them",
      parts = named },
    { title = "always used by the window", parts = stay },
    { title = "mouse actions of the window in impel view, not with the left button if scene.view.pull is false; "
      .. "none in impel play",
      parts = mouse },
  } }
end


-- List of chapters ---------------------------------------------------------------------------------------------------

local built = {}

for _, each in ipairs(chapters.list) do
  builders[each.name] = builders[each.name] or function() return api_module.chapter(each.name) end
end

--- Return the chapter with a name, or nil. A leading "impel." is ignored, except in "impel.scene", which is a module.
function chapters.get(name)
  name = alias[name] or name
  if name ~= "impel.scene" then name = name:gsub("^impel%.", "") end
  if not builders[name] then return nil end
  if not built[name] then
    built[name] = builders[name]()
    built[name].name = name
  end
  return built[name]
end

return chapters
