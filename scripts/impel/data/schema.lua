-- Fields of a world as plain data, with checks. An invalid value raises a text without a source position, such as
-- "bodies[3].shapes[1].radius: number >= 0 [m] expected, got -1".

local arguments = require "impel.base.arguments"
local core = require "impel.core"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"

local schema = {}

schema.FORMAT, schema.VERSION = "impel.world", 1

local MAX_DEPTH = 100 -- maximum nesting depth of a user's data; Lua allows about 200 levels in an expression

-- Options that cannot be data: functions, and options that need a function.
local no_data = { break_if = true, filter = true, law = true, param = true, dynamic = true }


-- Tables --------------------------------------------------------------------------------------------------------------

local function field(name, kind, doc, more)
  return merged({ name = name, type = kind, doc = doc, required = false, lower = -math.huge, upper = math.huge }, more)
end

local function join(first, options, last)
  local list, index = {}, {}
  for _, group in ipairs { first, options, last or {} } do
    for _, f in ipairs(group) do
      if not no_data[f.name] and not index[f.name] then
        list[#list + 1] = f
        index[f.name] = f
      end
    end
  end
  return { list = list, index = index, names = nearest.keys(index) }
end

-- Convert a list of options to fields, recursively.
local function prepare(options)
  local list = {}
  for i, option in ipairs(options) do
    local f = field(option.name, option.type, option.doc, option)
    if option.options then f.fields = join({}, prepare(option.options)) end
    if option.name == "data" or option.name == "look" then f.type = "data" end
    list[i] = f
  end
  return list
end

local function names_of(list)
  local names = {}
  for i, entry in ipairs(list) do names[i] = entry.name end
  return names
end

local coordinate_of_joint = join({}, {
  field("joint", "joint", "the joint: its number in joints, or its name", { required = true }),
  field("coordinate", "string", "name of a coordinate of this joint", { required = true }),
})

local view = join({}, {
  field("x", "number", "x coordinate of the view's center", { unit = "m" }),
  field("y", "number", "y coordinate of the view's center", { unit = "m" }),
  field("height", "number", "visible height", { unit = "m", lower = 0 }),
})

local function world_fields(options)
  return join({
    field("format", "string", ("%q"):format(schema.FORMAT)),
    field("version", "integer", "version of the format: 1", { lower = 1 }),
    field("title", "string", "title of the scene"), field("about", "string", "description of the scene"),
    field("duration", "number", "simulated time of a run", { unit = "s", lower = 0 }),
    field("view", "table", "camera of the scene: { x, y, height }", { fields = view }),
  }, options, {
    field("bodies", "bodies", "list of bodies, in the order of their creation"),
    field("joints", "joints", "list of joints, in the order of their creation"),
    field("fields", "fields", "list of force fields, in the order of their creation"),
  })
end

-- Return the fields of all kinds of force fields.
local function force_field_fields(options)
  for _, f in ipairs(options) do
    if f.name == "bodies" or f.name == "except" then
      f.type = "body_list"
      f.doc = f.doc:gsub("{ body, ... }", "list of bodies, each by its index in the list 'bodies' or by its name")
    elseif f.name == "region" then
      f.type = "box"
    end
  end
  return join({}, options)
end

-- Return the options of a mover that are not fields of its body.
local function mover_fields(options)
  local list, of_body = {}, { name = true, position = true, data = true }
  for _, f in ipairs(options) do
    if not of_body[f.name] then list[#list + 1] = f end
  end
  return join({}, list)
end

local function body_fields(options, movers)
  return join({}, options, {
    field("mover", "table", "if the body belongs to a character mover: the options of world:mover except name, "
      .. "position and data; the mover's capsule is not listed in shapes", { fields = movers }),
    field("center", "vector", "centre of mass in world coordinates, stored so that loading restores exactly the same "
      .. "numbers; must agree with position and shapes; computed by default", { unit = "m" }),
    field("shapes", "shapes", "list of shapes, in the order of their creation"),
  })
end

local function shape_fields(options, kinds)
  return join({
    field("type", "choice", "the constructor: body:box, ...", { required = true, choices = kinds }),
  }, options, {
    field("order", "integer", "the shapes of all bodies are created in increasing order of this number, and shapes "
      .. "with equal numbers in the order of the list; 0 by default"),
  })
end

-- Return the fields of a joint; its first parameters are bodies.
local function joint_fields(entry, kinds)
  local first = {
    field("kind", "choice", "the constructor: world:revolute, ...", { required = true, choices = kinds }),
  }
  for name in entry.signature:match "^%(?([^{]*)":gmatch "%a+" do
    local doc = "a body: its number in bodies, its name, or \"ground\" or 0 for the world's ground body"
    first[#first + 1] = field(name, "body", doc, { required = true })
  end
  local options = prepare(entry.options)
  for _, f in ipairs(options) do
    if f.name:find "^joint%d$" then
      f.type = "term"
      f.doc = "number in joints, or name, of a joint that precedes this one: means the joint's own coordinate; or "
        .. "{ joint = ..., coordinate = ... }"
    end
  end
  return join(first, options, {
    field("idle", "boolean", "true for a joint that connects no dynamic body, which is possible after the type of a "
      .. "body was changed; by default such a joint is an error"),
  })
end

-- { world, body, shape = { box = fields, ... }, joint, field }
local tables

local function build()
  local api = core.api()
  local shapes, joints, body, mover = {}, {}, nil, nil
  tables = { shape = {}, joint = {} }
  for _, entry in ipairs(api.body) do
    if entry.signature == "{...} -> shape" then shapes[#shapes + 1] = entry end
  end
  for _, entry in ipairs(api.world) do
    local makes_joint = entry.signature and entry.signature:find "%-> joint$"
    if makes_joint and entry.coordinates then joints[#joints + 1] = entry end
    if entry.signature == "{...} -> field" then tables.field = force_field_fields(prepare(entry.options)) end
    if entry.signature == "{...} -> body" then body = entry end
    if entry.signature == "{...} -> mover" then mover = entry end
  end
  tables.body = body_fields(prepare(body.options), mover_fields(prepare(mover.options)))
  for _, entry in ipairs(api.impel) do
    if entry.name == "world" then tables.world = world_fields(prepare(entry.options)) end
  end
  tables.shape_types, tables.joint_kinds = names_of(shapes), names_of(joints)
  for _, entry in ipairs(shapes) do
    tables.shape[entry.name] = shape_fields(prepare(entry.options), tables.shape_types)
  end
  for _, entry in ipairs(joints) do tables.joint[entry.name] = joint_fields(entry, tables.joint_kinds) end
end

--- Return all fields.
---@return table tables  world, body, field, shape[type], joint[kind]: each with list, index and names of fields { name,
---  type, unit, doc, lower, upper, required, choices, position, fields }
function schema.tables()
  if not tables then build() end
  return tables
end


-- Messages ------------------------------------------------------------------------------------------------------------

local function fail(path, ...)
  error((path == "" and "" or path .. ": ") .. string.format(...), 0)
end
schema.fail = fail

local function got(value)
  local kind = type(value)
  if kind == "string" then return ("'%s'"):format(arguments.short(value)) end
  if kind == "table" or kind == "function" or kind == "thread" then return "a " .. kind end
  if kind == "userdata" then
    local class = getmetatable(value)
    return type(class) == "string" and "a " .. class or "a userdata"
  end
  if math.type(value) == "float" then return ("%.14g"):format(value) end
  return tostring(value)
end
schema.got = got

local function inside(path, name) return path == "" and name or path .. "." .. name end

local function range(f)
  local unit = f.unit and f.unit ~= "" and f.unit ~= "1" and (" [%s]"):format(f.unit) or ""
  if f.lower > -math.huge and f.upper < math.huge then
    return (" in [%.10g, %.10g]%s"):format(f.lower, f.upper, unit)
  end
  if f.lower > -math.huge then return (" >= %.10g%s"):format(f.lower, unit) end
  return unit
end


-- Checks --------------------------------------------------------------------------------------------------------------

local function check_number(value, f, path)
  local whole = f.type == "number" or math.type(value) and math.tointeger(value)
  if type(value) == "number" and whole and value >= f.lower and value <= f.upper then return end
  fail(path, "%s%s expected, got %s", f.type, range(f), got(value))
end

local function check_vector(value, _, path)
  local x, y, count = nil, nil, 0
  if type(value) == "table" then
    x, y = value[1] or value.x, value[2] or value.y
    for _ in next, value do count = count + 1 end
  end
  local finite = arguments.is_finite(x) and arguments.is_finite(y)
  if finite and count == 2 then return end
  fail(path, "a vector { x, y } of two finite numbers expected, got %s", got(value))
end

-- Call `each` for the items 1 to n of a list. Raise if the table has other keys.
local function check_list(value, path, what, each)
  if type(value) ~= "table" then fail(path, "a list of %s expected, got %s", what, got(value)) end
  local count = #value
  for key in next, value do
    if math.type(key) ~= "integer" or key < 1 or key > count then
      fail(path, "a list of %s expected, got the key %s", what, got(key))
    end
  end
  for i = 1, count do each(value[i], ("%s[%d]"):format(path, i)) end
end

local function one_of(value, names, path)
  if nearest.has(names, value) then return end
  fail(path, "one of %s expected, got %s%s", table.concat(names, ", "), got(value), nearest.hint(value, names))
end

-- Raise with the alphabetically first unknown key of a table.
local function refuse_unknown(value, fields, positions, path)
  local worst
  for key in next, value do
    if not fields.index[key] and not positions[key] then
      local name = type(key) == "string" and key or ("[%s]"):format(got(key))
      if not worst or name < worst then worst = name end
    end
  end
  if not worst then return end
  local where = path == "" and "the data" or path
  if no_data[worst] then fail(inside(path, worst), "a function is not data") end
  fail("", "bad field '%s' in %s%s", arguments.short(worst), where, nearest.hint(worst, fields.names))
end

local function is_reference(value) return type(value) == "string" or math.tointeger(value) end

-- Return a function that raises if `accept` rejects a value.
local function is_a(expected, accept)
  return function(value, _, path)
    if not accept(value) then fail(path, "%s, got %s", expected, got(value)) end
  end
end

local check_table

local checks = {
  number = check_number, integer = check_number, vector = check_vector,
  bits = function(value, _, path)
    local is_whole = type(value) == "number" and (math.tointeger(value) or value >= 2.0 ^ 63 and value < 2.0 ^ 64)
    local is_text = type(value) == "string" and #value <= 18 and value:find "^0x%x+$"
    if not (is_whole or is_text) then
      fail(path, "an integer of at most 64 bits or a string \"0x...\" expected, got %s", got(value))
    end
  end,
  boolean = is_a("true or false expected", function(value) return type(value) == "boolean" end),
  string = is_a("a string expected", function(value) return type(value) == "string" end),
  choice = function(value, f, path) one_of(value, f.choices, path) end,
  points = function(value, f, path)
    check_list(value, path, "points { x, y }", function(point, at) check_vector(point, f, at) end)
  end,
  heights = function(value, _, path)
    check_list(value, path, "heights", function(height, at)
      if height ~= false and not (type(height) == "number" and height - height == 0) then
        fail(at, "a finite number expected, or false for a gap, got %s", got(height))
      end
    end)
  end,
  table = function(value, f, path) check_table(value, f.fields, path) end,
  list = function(value, f, path)
    check_list(value, path, "tables", function(item, at) check_table(item, f.fields, at) end)
  end,
  data = function(value, _, path) schema.copy(value, path) end,
  body = is_a("a body expected (its number in bodies, its name, or \"ground\")", is_reference),
  joint = is_a("a joint expected (its number in joints or its name)", is_reference),
}

function checks.holes(value, f, path)
  check_list(value, path, "holes", function(hole, at) checks.points(hole, f, at) end)
end

function checks.term(value, f, path)
  if type(value) == "table" then return check_table(value, coordinate_of_joint, path) end
  checks.joint(value, f, path)
end

function check_table(value, fields, path)
  if type(value) ~= "table" then fail(path, "a table expected, got %s", got(value)) end
  local positions = {}
  for _, f in ipairs(fields.list) do
    if f.position then positions[f.position] = true end
  end
  for _, f in ipairs(fields.list) do
    local given = value[f.name]
    if given == nil and f.position then given = value[f.position] end
    if given ~= nil then
      checks[f.type](given, f, inside(path, f.name))
    elseif f.required then
      -- First report an unknown key, because it may be a misspelling of the missing key.
      refuse_unknown(value, fields, positions, path)
      fail(inside(path, f.name), "it is missing")
    end
  end
  refuse_unknown(value, fields, positions, path)
end

-- Return a function that checks a table: first the value of its field `key`, then the fields that belong to this value.
local function check_by(key, names, list_of)
  return function(value, path)
    if type(value) ~= "table" then fail(path, "a table expected, got %s", got(value)) end
    if value[key] == nil then fail(inside(path, key), "it is missing") end
    one_of(value[key], names(), inside(path, key))
    check_table(value, list_of()[value[key]], path)
  end
end

local check_shape = check_by("type", function() return tables.shape_types end, function() return tables.shape end)
local check_joint = check_by("kind", function() return tables.joint_kinds end, function() return tables.joint end)

function checks.shapes(value, _, path) check_list(value, path, "shapes", check_shape) end
function checks.joints(value, _, path) check_list(value, path, "joints", check_joint) end
function checks.fields(value, _, path)
  check_list(value, path, "fields", function(force, at) check_table(force, tables.field, at) end)
end

function checks.body_list(value, f, path)
  check_list(value, path, "bodies", function(body, at) checks.body(body, f, at) end)
end

function checks.box(value, _, path)
  local good, count = type(value) == "table", 0
  for i = 1, good and 4 or 0 do good = good and type(value[i]) == "number" and value[i] - value[i] == 0 end
  for _ in next, good and value or {} do count = count + 1 end
  if not good or count ~= 4 then fail(path, "{ x1, y1, x2, y2 }, four finite numbers, expected, got %s", got(value)) end
end

function checks.bodies(value, _, path)
  check_list(value, path, "bodies", function(body, at) check_table(body, tables.body, at) end)
end

--- Check the data of a world: every key, and every value by itself; references are checked when the world is created.
--- Raises a text that begins with the path of the invalid value.
function schema.check(data)
  schema.tables()
  if type(data) ~= "table" then fail("", "a table with the data of a world expected, got %s", got(data)) end
  if data.format ~= nil and data.format ~= schema.FORMAT then
    fail("format", "'%s' expected, got %s", schema.FORMAT, got(data.format))
  end
  if math.type(data.version) and data.version > schema.VERSION then
    fail("version", "%d is the newest version that this impel reads, got %s", schema.VERSION, got(data.version))
  end
  check_table(data, tables.world, "")
end


-- The user's own data -------------------------------------------------------------------------------------------------

local scalar = { ["nil"] = true, boolean = true, number = true, string = true }
local may_be_key = { boolean = true, number = true, string = true }

-- Raise an error about a value. walk.keys: keys that lead to the value.
local function refuse(walk, ...)
  local path = { walk.path }
  for _, key in ipairs(walk.keys) do path[#path + 1] = ("[%s]"):format(got(key)) end
  fail(table.concat(path), ...)
end

-- Copy a table. walk.path: start of messages; walk.keys: keys that lead to the table; walk.above: enclosing tables.
local function copy(value, walk)
  if type(value) ~= "table" then refuse(walk, "plain data expected, got %s", got(value)) end
  if debug.getmetatable(value) then refuse(walk, "plain data expected, got a table with a metatable") end
  if walk.above[value] then refuse(walk, "plain data expected, got a table inside itself") end
  if #walk.keys >= MAX_DEPTH then fail(walk.path, "tables are nested deeper than %d", MAX_DEPTH) end
  local t, depth = {}, #walk.keys + 1
  walk.above[value] = true
  for key, item in next, value do
    if not may_be_key[type(key)] then refuse(walk, "plain data expected, got %s as a key", got(key)) end
    if not scalar[type(item)] then
      walk.keys[depth] = key
      item = copy(item, walk)
    end
    t[key] = item
  end
  walk.above[value], walk.keys[depth] = nil, nil
  return t
end

--- Return a copy of plain data: nil, booleans, numbers, strings, and acyclic tables of them without metatables. Raises
--- a text that begins with `path` for other values.
function schema.copy(value, path)
  if scalar[type(value)] then return value end
  return copy(value, { path = path, keys = {}, above = {} })
end

return schema
