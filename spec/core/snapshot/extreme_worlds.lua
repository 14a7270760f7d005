-- Worlds with the extremes of every registered range in core.api(): options of constructors, writable properties,
-- arguments of methods. Such worlds can be saved, restored, recorded, played, exported and loaded.
local assert = require "luassert"
local choices = require("impel.reference.api").choices
local core = require "impel.core"
local impel = require "impel"
local decode = require("impel.data.text").decode
local legal = require "support.legal"

local extreme_worlds = {}

local api = core.api()
local inf = math.huge
local POINTS = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0.5, 0.2 }, { 0, 1 } }

-- Values for options without a registered range, near bounds that the library checks.
local SIZES = { 0, 1, 0.37, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 30, 1e3, 1e5, 1e6, 9.9e6, 1e7, 1e8, 1e9, 1e12, 1e15, 2e15 }

local entries = {} -- "class.name" -> entry
for class, list in pairs(api) do
  for _, entry in ipairs(list) do entries[class .. "." .. entry.name] = entry end
end

-- Return values for a numeric option: the ends of its range, values just inside the ends, 0, and common sizes.
local function numbers_of(option)
  local lower, upper = option.lower or -inf, option.upper or inf
  local whole = option.type == "integer" or option.type == "bits"
  local list = {}
  local function add(x)
    if x >= lower and x <= upper and x - x == 0 then
      list[#list + 1] = whole and math.tointeger(x // 1) or not whole and x or nil
    end
  end
  for _, bound in ipairs { lower, upper } do
    add(bound)
    add(bound * (1 - 1e-9))
    add(bound * (1 + 1e-9))
  end
  if lower == 0 then add(5e-324) end
  for _, size in ipairs(SIZES) do
    add(size)
    add(-size)
  end
  return list
end

-- Draw a value of an option with the generator `dice`. Return nil for an option without extremes.
local draw

local function draw_table(dice, options, most)
  local t, list = {}, {}
  for _, option in ipairs(options) do
    if option.required then t[option.name] = draw(dice, option) else list[#list + 1] = option end
  end
  for _ = 1, dice:random(0, most) do
    local option = list[dice:random(math.max(#list, 1))]
    if option then t[option.name] = draw(dice, option) end
  end
  return t
end

local kinds = {}
function kinds.number(dice, option)
  local list = numbers_of(option)
  if option.upper == inf and option.lower == 0 and dice:random(12) == 1 then return inf end
  return list[dice:random(#list)]
end
kinds.integer, kinds.bits = kinds.number, kinds.number
kinds["number or nil"] = kinds.number
function kinds.boolean(dice) return dice:random(2) == 1 end
function kinds.choice(dice, option) return option.choices and option.choices[dice:random(#option.choices)] end
function kinds.vector(dice)
  local function one() return SIZES[dice:random(#SIZES)] * (dice:random(2) * 2 - 3) end
  return { one(), one() }
end
function kinds.points(dice)
  local scale, x, list = 10 ^ dice:random(-4, 7), dice:random(4) == 1 and 9e6 or 0, {}
  for i, p in ipairs(POINTS) do list[i] = { x + scale * p[1], scale * p[2] } end
  return list
end
function kinds.heights(dice)
  local scale, list = 10 ^ dice:random(-4, 7), {}
  for i = 1, dice:random(2, 6) do list[i] = scale * dice:random() end
  return list
end
function kinds.table(dice, option) return option.options and draw_table(dice, option.options, 4) end

function draw(dice, option)
  local kind = kinds[option.type]
  return kind and kind(dice, option)
end

-- Typical options of each constructor, for objects that touch each other.
local typical = {
  circle = { radius = 0.5 }, box = { 1, 0.5 }, polygon = { points = POINTS },
  capsule = { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.2 },
  segment = { from = { -1, 0 }, to = { 1, 0 } }, chain = { points = { { 1, 0 }, { 0, 0 }, { -1, 0.2 } } },
  heights = { values = { 0, 1, 0.5 }, spacing = 1 },
  pulley = { ground_a = { -1, 4 }, ground_b = { 1, 4 } }, mover = { position = { -3, 0 } },
}
local FIELDS = {
  uniform = { acceleration = { 0, 0 } }, attractor = { strength = 1, softening = 1 }, spring = { stiffness = 1 },
  drag = { linear = 1 }, vortex = { circulation = 1, linear = 1 }, wind = { velocity = { 1, 0 } },
  buoyancy = { density = 1 }, explosion = { impulse = 1 },
  custom = { law = function(body) return -body.x, -body.vy end },
}
for kind, options in pairs(FIELDS) do options.kind = kind end
local SHAPES, JOINTS = require("support.kinds").shapes, {}
for _, name in ipairs(require("support.kinds").joints) do
  if name ~= "constraint" then JOINTS[#JOINTS + 1] = name end
end

-- Return typical options, with a few extremes.
local function options_of(dice, name, most)
  local t, entry = {}, nil
  for _, class in ipairs { "world", "body", "impel" } do
    local found = entries[class .. "." .. name]
    if found and found.options then entry = entry or found end
  end
  for key, value in pairs(typical[name] or {}) do t[key] = value end
  local list = entry.options
  for _ = 1, dice:random(0, most) do
    local option = list[dice:random(#list)]
    if option.name ~= "joint1" and option.name ~= "joint2" then
      if option.position then t[option.position] = nil end
      t[option.name] = draw(dice, option)
    end
  end
  return t
end

-- Solvers with a fixed number of sweeps per substep. A substep of any other solver does up to 200 factorizations and
-- 25000 sweeps.
local SWEEPING = { soft = true, si = true, ngs = true, split = true, xpbd = true }
local MOST_WORK = 20000 -- largest number of sweeps of a step
local FEW_SUBSTEPS = 20

-- Reduce options that together take minutes: many substeps of many sweeps, or many substeps of a solver that factors a
-- matrix.
local function bounded(options)
  if not SWEEPING[options.solver or "soft"] and (options.substeps or 1) > FEW_SUBSTEPS then
    options.substeps = FEW_SUBSTEPS
  end
  for _, sweeps in ipairs { "iterations", "position_iterations" } do
    if (options.substeps or 1) * (options[sweeps] or 1) > MOST_WORK then options[sweeps] = nil end
  end
  if (options.substeps or 1) > 30 and (options.dt or 0) > 0.1 then options.substeps = nil end
  options.threads = options.threads and math.min(options.threads, 2)
  return options
end

local FUNCTIONS = {
  function(w, a, _, t) return w:constraint(a, { C = function(p) return p.y - 3 * p.x end, param = t }) end,
  function(w, a, b, t)
    t.C = function(p, q) return p:point(0.5, 0) - q:point(-0.5, 0) end
    return w:constraint(a, b, t)
  end,
  function(w, a, _, t)
    t.C = function(p, _, param) return p.angle * param.gain - param.gain end
    t.param = { gain = 0.5 }
    return w:constraint(a, t)
  end,
}

-- Return a position, mostly in the 4 m by 4 m around the bodies.
local function place(dice)
  if dice:random(8) == 1 then return kinds.vector(dice) end
  return { 4 * dice:random() - 2, 4 * dice:random() }
end

-- Return the result of a call, or nil if it is refused with a message.
local function try(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  assert.is_string(result)
  return nil
end

-- Methods that are not called. All other methods of every class are called with extreme numbers.
local HARMLESS = { save = true, load = true, record = true, restore = true, destroy = true, step = true, state = true,
  forget_state = true, on = true, mix_rule = true, snapshot = true }
local METHODS = {}
for name in pairs(legal) do
  local class, method = name:match "^(%a+)%.(.*)$"
  local made = entries[name].options and entries[name].signature:find "%->"
  if not HARMLESS[method] and not made then METHODS[#METHODS + 1] = { class = class, name = method } end
end
table.sort(METHODS, function(a, b) return a.class .. a.name < b.class .. b.name end)

local WRITABLE = {}
for class, list in pairs(api) do
  for _, entry in ipairs(list) do
    local sized = entry.type == "number" or entry.type == "integer" or entry.type == "boolean" or entry.type == "bits"
      or entry.type == "choice"
    if entry.kind == "property" and entry.writable and sized then
      local option = { name = entry.name, type = entry.type, lower = entry.lower, upper = entry.upper,
        choices = choices(class, entry) }
      WRITABLE[#WRITABLE + 1] = { class = class, entry = option }
    end
  end
end
table.sort(WRITABLE, function(a, b) return a.class .. a.entry.name < b.class .. b.entry.name end)

-- Replace each float in an argument, also in nested tables, by a random number from SIZES with a random sign.
local function extreme_arguments(dice, value)
  if math.type(value) == "float" then return SIZES[dice:random(#SIZES)] * (dice:random(2) * 2 - 3) end
  if type(value) == "table" and not getmetatable(value) then
    local t, keys = {}, {}
    for key in pairs(value) do keys[#keys + 1] = key end
    -- The order of `pairs` differs between runs. Sorted keys make the world reproducible from its seed.
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do t[key] = extreme_arguments(dice, value[key]) end
    return t
  end
  return value
end

local function pick(dice, world, class)
  if class == "world" then return world end
  local list = {}
  if class == "body" then for body in world:bodies() do list[#list + 1] = body end end
  if class == "mover" then for mover in world:movers() do list[#list + 1] = mover end end
  if class == "field" then for field in world:fields() do list[#list + 1] = field end end
  if class == "shape" then
    for body in world:bodies() do for shape in body:shapes() do list[#list + 1] = shape end end
  end
  if class == "joint" or class == "coordinate" then
    for joint in world:joints() do
      if class == "joint" then list[#list + 1] = joint end
      if class == "coordinate" then
        try(function() for coordinate in joint:coordinates() do list[#list + 1] = coordinate end end)
      end
    end
  end
  return list[dice:random(math.max(#list, 1))]
end

local function call_method(dice, world)
  local method = METHODS[dice:random(#METHODS)]
  local object = pick(dice, world, method.class)
  if not object then return end
  local right = legal[method.class .. "." .. method.name]
  if type(right) == "function" then
    local ok, list = pcall(right, { world = world, body = pick(dice, world, "body"), shape = pick(dice, world, "shape"),
      joint = pick(dice, world, "joint") })
    if not ok then return end
    right = list
  end
  local given = extreme_arguments(dice, right)
  local entry = entries[method.class .. "." .. method.name]
  if entry.options and dice:random(2) == 1 and #right == 1 then given[1] = draw_table(dice, entry.options, 3) end
  try(object[method.name], object, table.unpack(given, 1, #right))
end

-- Set a random property of a random object of the world. In a handler, set a property of `contact`, the handler's
-- argument.
local function set_property(dice, world, contact)
  local it = WRITABLE[dice:random(#WRITABLE)]
  while contact and it.class ~= "contact" do it = WRITABLE[dice:random(#WRITABLE)] end
  local object = contact or pick(dice, world, it.class)
  local value = draw(dice, it.entry)
  if it.entry.name == "threads" then value = dice:random(2) end
  if it.class == "world" and (it.entry.name == "substeps" or it.entry.name:find "iterations$") then
    value = math.min(value, FEW_SUBSTEPS)
  end
  if object == nil or value == nil then return end
  if it.class == "world" and it.entry.name == "solver" and not SWEEPING[value] and world.substeps > FEW_SUBSTEPS then
    return
  end
  try(function() object[it.entry.name] = value end)
end

-- Return a world of random extremes and its recording.
function extreme_worlds.make(number)
  local dice = impel.rng.new(number)
  local world
  while not world do world = try(impel.world, bounded(options_of(dice, "world", 4))) end
  local kept = dice:random(2) == 1 and world:record(nil, { keyframe_steps = dice:random(3) == 1 and 2 or 0 })
  try(world.material, world, "stuff", options_of(dice, "material", 3))
  try(world.mix, world, "stuff", "stuff", options_of(dice, "mix", 2))
  local bodies, joints = {}, {}
  if dice:random(2) == 1 then
    try(function() world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } } end)
  end
  for _ = 1, dice:random(1, 6) do
    local options = options_of(dice, "body", 3)
    options.position = place(dice)
    local body = try(world.body, world, options)
    if body then
      bodies[#bodies + 1] = body
      for _ = 1, dice:random(0, 3) do
        local kind = SHAPES[dice:random(#SHAPES)]
        local shape = options_of(dice, kind, 3)
        if dice:random(6) == 1 then shape.material = "stuff" end
        if not try(body[kind], body, shape) then try(body[kind], body, typical[kind]) end
      end
    end
  end
  if #bodies == 0 then bodies[1] = try(world.body, world, {}) end
  local function either() return bodies[dice:random(math.max(#bodies, 1))] end
  for _ = 1, dice:random(0, 4) do
    local kind = JOINTS[dice:random(#JOINTS)]
    local options = options_of(dice, kind, 4)
    local signature = entries["world." .. kind].signature
    local a, b = dice:random(3) == 1 and world.ground or either(), either()
    local joint
    if signature:find "^%(a, b" then
      joint = try(world[kind], world, a, b, options)
    elseif signature:find "^%(" then
      joint = try(world[kind], world, b, options)
    elseif #joints > 0 then
      options.joint1, options.joint2 = joints[dice:random(#joints)], joints[dice:random(#joints)]
      joint = try(world[kind], world, options)
    end
    if joint then joints[#joints + 1] = joint end
  end
  if dice:random(3) == 1 and #bodies > 0 then
    try(FUNCTIONS[dice:random(#FUNCTIONS)], world, either(), either(), options_of(dice, "constraint", 3))
  end
  for _ = 1, dice:random(0, 2) do
    local options, kind = options_of(dice, "field", 3), draw(dice, entries["world.field"].options[1])
    for key, value in pairs(FIELDS[kind]) do
      if key == "kind" or options[key] == nil then options[key] = value end
    end
    try(world.field, world, options)
  end
  if dice:random(3) == 1 then
    local options = options_of(dice, "mover", 4)
    options.position = place(dice)
    try(world.mover, world, options)
  end
  if not kept then kept = world:record(nil) end
  local function add_shape()
    local body, kind = pick(dice, world, "body"), SHAPES[dice:random(#SHAPES)]
    if body then try(body[kind], body, options_of(dice, kind, 3)) end
  end
  local function act()
    local what = dice:random(5)
    if what == 1 then add_shape() elseif what < 4 then call_method(dice, world) else set_property(dice, world) end
  end
  local handlers = {}
  if dice:random(4) == 1 then
    local left = 60 -- number of further operations; each operation may add a shape that touches many others
    handlers[1] = world:on("substep", function()
      if left > 0 and dice:random(3) == 1 then
        left = left - 1
        act()
      end
    end)
    handlers[2] = world:on("pre_solve", function(contact) set_property(dice, world, contact) end)
    for body in world:bodies() do for shape in body:shapes() do shape.pre_solve = true end end
  end
  for _ = 1, dice:random(0, 4) do
    for _ = 1, dice:random(0, 4) do act() end
    try(world.step, world, 1)
  end
  for _, handler in ipairs(handlers) do handler:destroy() end
  return world, kept
end

local function check_snapshot(world, hint)
  local hash = world.hash
  local bytes = world:snapshot { state = false }
  local ok, message = pcall(world.restore, world, world:snapshot())
  assert(ok, ("%s refuses its own snapshot: %s"):format(hint, message))
  assert.equal(hash, world.hash, hint)
  assert(bytes == world:snapshot { state = false }, hint .. ": the snapshot differs after a restore")
  local fresh <close> = impel.world {}
  ok, message = pcall(fresh.restore, fresh, bytes)
  assert(ok, ("a fresh world refuses the snapshot of %s: %s"):format(hint, message))
  assert.equal(hash, fresh.hash, hint)
  assert.is_nil(world:difference(fresh), hint)
  fresh.fault = world.fault
  local again, why = pcall(fresh.step, fresh)
  -- The variables of the handler are not saved.
  if not again and tostring(why):find "is not in this world" then return end
  assert.equal(again, (pcall(world.step, world)), hint)
  assert.equal(world.hash, fresh.hash, hint .. " continues differently")
end

-- Check that a world loaded from exported data exports the same data.
local function check_export(world, hint)
  -- The export of a world with functions fails, unless `partial` omits the functions.
  local whole, data = pcall(world.export, world)
  local left_out
  if not whole then data, left_out = world:export { partial = true } end
  assert(data, ("%s is not exported: %s"):format(hint, left_out))
  local text = impel.data.text(data)
  local ok, loaded = pcall(function() return impel.load_data(assert(decode(text))) end)
  assert(ok, ("the export of %s cannot be loaded: %s"):format(hint, loaded))
  assert(not whole or text == impel.data.text((loaded:export())), hint .. ": the export differs after a load")
  loaded:destroy()
end

local function check_recording(world, kept, hint)
  kept:close()
  local playback <close> = assert(impel.recording.play(kept:take(), hint))
  repeat
    local same, d = playback:step()
    assert(same ~= false, d and ("%s: playback differs from recording: %s"):format(hint, impel.recording.text(d)))
  until same == nil
  assert.equal(world.hash, playback.world.hash, hint)
end

--- Save, restore, export and load a world, and play its recording. `kept`: the recording; `hint`: text for failures.
function extreme_worlds.check(world, kept, hint)
  check_snapshot(world, hint)
  check_export(world, hint)
  check_recording(world, kept, hint)
end


-- One at a time -------------------------------------------------------------------------------------------------------

-- Values for options without a registered range. Only the largest accepted value is tested.
local LADDER = { 1e300, 1e16, 2e15, 1e15, 1e12, 1e9, 1e8, 1e7, 1e6, 1000, 1, 0.01 }

-- Return lists of values for an option. Only the first accepted value of each list is tested.
local function extremes_of(option)
  local kind, lists = option.type, {}
  local function add(...) lists[#lists + 1] = { ... } end
  local function ladder(sign, wrap)
    local list = {}
    for i, x in ipairs(LADDER) do list[i] = wrap(sign * x) end
    lists[#lists + 1] = list
  end
  if kind == "boolean" then
    add(true)
    add(false)
  elseif kind == "choice" then
    for _, word in ipairs(option.choices or {}) do add(word) end
  elseif kind == "vector" then
    for _, sign in ipairs { 1, -1 } do
      ladder(sign, function(x) return { x, x } end)
      ladder(sign, function(x) return { x, 0 } end)
    end
    add { 0, 0 }
  elseif kind == "number" or kind == "integer" or kind == "bits" then
    local whole = kind ~= "number"
    local function wrap(x) return whole and math.tointeger(x) or not whole and x or nil end
    for _, end_ in ipairs { { option.lower or -inf, -1 }, { option.upper or inf, 1 } } do
      local bound, sign = end_[1], end_[2]
      if bound - bound == 0 then
        add(wrap(bound), wrap(bound * (1 + 1e-4)), wrap(bound * (1 - 1e-4)), not whole and 1e-4 or nil)
      elseif not whole then
        add(bound)
        ladder(sign, wrap)
      else
        add(math.maxinteger)
        add(math.mininteger)
      end
    end
    add(whole and 0 or 0.0)
  end
  return lists
end

-- For each option in the list `options` and in its nested lists, and for each extreme of the option, call
-- `make(values, hint)`, where `values` is a copy of `base` with this option set. `make` returns whether the value was
-- accepted.
local function each_option(options, name, base, make)
  local function walk(list, path, wrap)
    for _, option in ipairs(list) do
      local hint = path .. "." .. option.name
      if option.options and option.type == "table" then
        walk(option.options, hint, function(key, value, position)
          local inner = {}
          for _, other in ipairs(option.options) do
            if other.required then inner[other.name] = 1 end
          end
          inner[key] = value
          return wrap(option.name, inner, position)
        end)
      else
        for _, values in ipairs(extremes_of(option)) do
          for _, value in ipairs(values) do
            if make(wrap(option.name, value, option.position), ("%s = %s"):format(hint, tostring(value))) then break end
          end
        end
      end
    end
  end
  walk(options, name, function(key, value, position)
    local t = {}
    for k, v in pairs(base) do t[k] = v end
    if position then t[position] = nil end
    t[key] = value
    return t
  end)
end

local function stage()
  local world = impel.world {}
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
  local a, b = world:body { position = { 0, 0.5 } }, world:body { position = { 0.2, 1.4 } }
  local shape = a:box { 1, 1 }
  b:circle { radius = 0.4 }
  return world, a, b, shape
end

local function run(world, hint)
  for _ = 1, 2 do try(world.step, world) end
  check_snapshot(world, hint)
  check_export(world, hint)
end

-- Options whose extremes would make a test take seconds.
local SLOW = { threads = true, iterations = true, substeps = true }

--- Test each option of each constructor at each of its extremes. All options but the tested one have typical values.
--- Returns the number of tests.
function extreme_worlds.try_options()
  local count = 0
  local function attempt(hint, make)
    local world <close>, made = make()
    if made ~= nil then
      count = count + 1
      run(world, hint)
    end
    return made ~= nil
  end
  for _, class in ipairs { "world", "body" } do
    for _, entry in ipairs(api[class]) do
      local made = entry.signature and entry.signature:match "%-> (%a+)$"
      local bases = entry.name == "field" and FIELDS or { typical[entry.name] or {} }
      if entry.options and made and made ~= "table" then
        for _, base in pairs(bases) do
          each_option(entry.options, entry.name, base, function(options, hint)
            return attempt(hint, function()
              local world, a, b = stage()
              if made == "shape" then return world, try(b[entry.name], b, options) end
              if made ~= "joint" then return world, try(world[entry.name], world, options) end
              if entry.name == "constraint" then
                return world, try(FUNCTIONS[2], world, a, b, options)
              elseif entry.signature:find "^%(a, b" then
                return world, try(world[entry.name], world, a, b, options)
              elseif entry.signature:find "^%(" then
                return world, try(world[entry.name], world, b, options)
              end
              options.joint1, options.joint2 = world:revolute(a, b, {}), world:prismatic(world.ground, b, {})
              return world, try(world[entry.name], world, options)
            end)
          end)
        end
      end
    end
  end
  each_option(entries["impel.world"].options, "world", {}, function(options, hint)
    for name in pairs(SLOW) do options[name] = options[name] and math.min(options[name], 64) end
    return attempt(hint, function()
      local world = try(impel.world, options)
      if not world then return stage(), nil end
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
      try(function() world:body({ position = { 0, 0.5 } }):box { 1, 1 } end)
      return world, true
    end)
  end)
  return count
end

--- Test each writable property of each class at each of its extremes.
function extreme_worlds.try_properties()
  local count = 0
  local function objects()
    local world, a, b, shape = stage()
    local joint = world:prismatic(a, b, { motor = { speed = 1, max_force = 1 }, servo = { target = 1, max_force = 1 } })
    local list = { world = { world }, body = { a, world:body { type = "kinematic", position = { 5, 5 } } },
      shape = { shape }, joint = { joint }, coordinate = { joint:coordinate "x" },
      mover = { world:mover(typical.mover) }, field = {} }
    for _, options in pairs(FIELDS) do table.insert(list.field, world:field(options)) end
    return world, list
  end
  for _, it in ipairs(WRITABLE) do
    local _, all = objects()
    for which = 1, #(all[it.class] or {}) do
      for _, values in ipairs(extremes_of(it.entry)) do
        for _, value in ipairs(values) do
          if SLOW[it.entry.name] then value = math.min(value, 64) end
          local world <close>, list = objects()
          local accepted = pcall(function() list[it.class][which][it.entry.name] = value end)
          if accepted then
            count = count + 1
            run(world, ("%s.%s = %s"):format(it.class, it.entry.name, tostring(value)))
            break
          end
        end
      end
    end
  end
  return count
end

return extreme_worlds
