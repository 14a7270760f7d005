-- Tests scenes as data. The bytes are Lua source, or random numbers that draw a table from the schema. Source is
-- rejected with a reason, or is plain data. Data are rejected with the path of the wrong field, or make a world that
-- can be stepped and exported to data that load again.
--
--   the first byte: if 0, the rest are the random numbers for a table; else the rest is source
local impel = require "impel"
local schema = impel.data.schema()
local source = require "impel.data.text"

-- Drawing -------------------------------------------------------------------------------------------------------------

local bytes, at = "", 1

local function draw(limit)
  local byte = bytes:byte(at) or 0
  at = at + 1
  return byte % limit
end

local function draw_number()
  local odd = { 0, -1, 1, 0 / 0, 1 / 0, 1e300, 1e-300, 1e7, 2 ^ 53, math.maxinteger, math.mininteger, 0.5, 1e-9 }
  local how = draw(8)
  if how == 0 then return odd[1 + draw(#odd)] end
  if how == 1 then return draw(16) end
  return (draw(256) - 128) / 16
end

local function draw_vector() return { draw_number(), draw_number() } end

local function draw_list(most, one)
  local list = {}
  for i = 1, draw(most + 1) do list[i] = one() end
  return list
end

local words = { "a", "b", "soft", "ice", "impel.world", "", "static", ("x"):rep(300), "a\0b" }

local draw_table

local draws = {
  number = draw_number, integer = function() return draw(4) == 0 and draw_number() or draw(12) end,
  bits = function() return draw(256) end,
  boolean = function() return draw(2) == 0 end, string = function() return words[1 + draw(#words)] end,
  vector = draw_vector, points = function() return draw_list(9, draw_vector) end,
  holes = function() return draw_list(2, function() return draw_list(5, draw_vector) end) end,
  heights = function() return draw_list(9, function() return draw(8) > 0 and draw_number() end) end,
  data = function() return { draw_number(), { word = words[1 + draw(#words)] } } end,
}

local wrong = {
  draw_number, draws.string, draws.boolean, draw_vector, function() return {} end, function() return draws end,
}

local kinds = {}
for _, group in ipairs { "shape", "joint" } do
  kinds[group] = {}
  for name in pairs(schema[group]) do table.insert(kinds[group], name) end
  table.sort(kinds[group])
end

local function draw_kind(group)
  local kind = kinds[group][1 + draw(#kinds[group])]
  local t = draw_table(schema[group][kind])
  t.type = kind
  return t
end

local function draw_value(field)
  if draw(40) == 39 then return wrong[1 + draw(#wrong)]() end
  if field.choices then return field.choices[1 + draw(#field.choices)] end
  if field.type == "bodies" then return draw_list(4, function() return draw_table(schema.body) end) end
  if field.type == "shapes" then return draw_list(3, function() return draw_kind "shape" end) end
  if field.type == "joints" then return draw_list(3, function() return draw_kind "joint" end) end
  if field.type == "fields" then return draw_list(2, function() return draw_table(schema.field) end) end
  if field.fields then
    return field.type == "list" and draw_list(3, function() return draw_table(field.fields) end)
      or draw_table(field.fields)
  end
  return (draws[field.type] or draw_number)()
end

function draw_table(fields)
  local t = {}
  for _, field in ipairs(fields) do
    if field.required then t[field.name] = draw_value(field) end
  end
  for _ = 1, draw(8) do
    local field = fields[1 + draw(#fields)]
    t[field.name] = draw_value(field)
  end
  return t
end


-- Checks --------------------------------------------------------------------------------------------------------------

-- Limit substeps and iterations, because an input must be fast.
local function limit(world)
  world.substeps = math.min(world.substeps, 8)
  world.iterations = math.min(world.iterations, 30)
  world.position_iterations = math.min(world.position_iterations, 30)
  world.threads = 1
end

-- Step the world. The only allowed errors are a stop at a non-finite body and the limit of contacts.
local function step(world)
  local ok, message = pcall(world.step, world)
  local expected = type(message) == "string" and (message:find "non%-finite" or message:find "max_contacts")
  assert(ok or expected, message)
end

local function check_world(world)
  limit(world)
  local exported = world:export { partial = true }
  local text = impel.data.text(exported)
  local read, message = source.decode(text, "exported")
  assert(read, message)
  assert(impel.data.text(read) == text, "the text of the read data differs")
  local again = impel.load_data(read)
  again:destroy()
  for _ = 1, 2 do step(world) end
  -- Compare hashes, not snapshots: a restore may change the generations of handles, which only snapshots contain.
  local shot, hash = world:snapshot(), world.hash
  step(world)
  local next = world.hash
  world:restore(shot)
  assert(world.hash == hash, "the restored world has another hash")
  step(world)
  assert(world.hash == next, "a step from the same state gives another hash")
end

return function(input)
  bytes, at = input, 2
  local data, message
  if input:byte(1) == 0 then
    data = draw_table(schema.world)
    data.bodies = data.bodies or draw_list(4, function() return draw_table(schema.body) end)
    if draw(2) == 0 then data.joints = draw_list(3, function() return draw_kind "joint" end) end
  else
    data, message = source.decode(input:sub(2), "input")
    assert(data ~= nil or type(message) == "string")
  end
  local known, why = impel.data.check(data)
  assert(known or type(why) == "string")
  local ok, world = pcall(impel.load_data, data)
  assert(ok or type(world) == "string" and #world > 0)
  assert(known or not ok, "a world was created from rejected data")
  if not ok then return end
  check_world(world)
  world:destroy()
end
