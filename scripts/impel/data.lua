-- A world as plain Lua data: the modules impel.data and impel.load_data.

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local load_data = require "impel.data.load"
local schema = require "impel.data.schema"
local system = require "impel.system"
local text = require "impel.data.text"

local data = {}

--- Make a world from plain data, as world:export() returns it. A missing key has the constructor's default. If the
--- world cannot be made, nothing of it remains.
---@param t table  { gravity = { 0, -9.81 }, bodies = { ... }, joints = { ... }, fields = { ... } }
---@return impel.world  raises with the path of an invalid field
function data.load(t)
  local world, message = load_data.world(t)
  if not world then error(message, 2) end
  return world
end

--- Check data without making a world. Return true, or false and a message. Errors that occur only while a world is made
--- are not found.
function data.check(t)
  return pcall(schema.check, t)
end

-- Return fields and their nested fields as a list of plain tables.
local function describe(fields)
  local list = {}
  for i, f in ipairs(fields.list) do
    local t = { name = f.name, type = f.type, doc = f.doc, unit = f.unit, required = f.required, choices = f.choices }
    t.position = f.position
    if f.type == "number" or f.type == "integer" then t.lower, t.upper = f.lower, f.upper end
    if f.fields then t.fields = describe(f.fields) end
    list[i] = t
  end
  return list
end

local function describe_all(group)
  local all = {}
  for name, fields in pairs(group) do all[name] = describe(fields) end
  return all
end

--- Return the fields that data may have.
---@return table  { world = fields, body = fields, shape = { box = fields, ... }, joint = { weld = fields, ... }, field
---  = fields }; fields: list of { name, type, doc, unit, lower, upper, required, choices, position, fields }
function data.schema()
  local tables = schema.tables()
  return {
    format = schema.FORMAT, version = schema.VERSION, world = describe(tables.world), body = describe(tables.body),
    shape = describe_all(tables.shape), joint = describe_all(tables.joint),
    field = describe(tables.field),
  }
end

--- Return plain data as Lua source, "return { ... }". Equal data give equal text. Raises, with the path, for other
--- values.
function data.text(t)
  local ok, source = pcall(text.encode, t)
  if not ok then error(source, 2) end
  return source
end

--- Write a world to a file.
---@return boolean|nil ok  nil if nothing was written
---@return string[]|string left_or_message  what plain data cannot represent and was left out, or a message
function data.save(path, world)
  arguments.check("impel.data.save: argument 'path'", path, { "string" })
  arguments.check("impel.data.save: argument 'world'", world, { "world" })
  local exported, left = world:export { partial = true }
  local ok, message = data.write(path, exported)
  if ok then return true, left end
  return nil, message
end

--- Write plain data to a file as Lua source; an existing file is replaced only after success. Return true, or nil and a
--- message.
function data.write(path, t)
  arguments.check("impel.data.write: argument 'path'", path, { "string" })
  local ok, source = pcall(text.encode, t)
  if not ok then error(source, 2) end
  return system.replace(path, source)
end

--- Read plain data from a file of Lua source, which is parsed and not run. Return it, or nil and a message.
function data.read(path)
  arguments.check("impel.data.read: argument 'path'", path, { "string" })
  local source, message = system.read_file(path)
  if not source then return nil, ("cannot read %s"):format(message) end
  return text.decode(source, path)
end

return data
