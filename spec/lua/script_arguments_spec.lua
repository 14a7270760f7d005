-- The functions of the modules in Lua and the methods of what they make, called with all that is wrong: what is raised
-- is told in words of ours, never by Lua from inside a module. Modules are walked, so that a new one is tested the day
-- it is there.
local impel = require "impel"
local api_module = require "impel.api_module"
local objects = dofile "spec/lua/script_objects.lua"
local raises = dofile "spec/lua/raises.lua"

-- Not called: what writes the file that it is given, or reads one into a network; processes.call, for which a function
-- is all that it needs, and starts a process; and what only the laws of controllers call, with what their constructors
-- have checked, some of it in a step. Lua's mathematics is Lua's, word for word.
local OTHERS = { math = true }
local LEFT_OUT = { ["data.save"] = true, ["data.write"] = true, ["evolve.load"] = true, ["network.load"] = true,
  ["picture.png"] = true, ["picture.svg"] = true, ["processes.call"] = true, ["gains.check_feed_forward"] = true,
  ["gains.fill"] = true, ["gains.sampling"] = true, ["gains.when_of"] = true }

-- By which modules talk to what they stand on, no part of what `impel api` tells.
local PROTOCOL = { act = true, apply = true, learn = true, propose = true, resume = true }
-- Methods that write the file that they are given.
local WRITES = { ["trace.write"] = true, ["network.save_file"] = true }

local function has(object, key, f)
  local ok, found = pcall(function() return object[key] end)
  return ok and found == f
end

-- The names of an object's methods, in order.
local function methods_of(name, object)
  local meta = getmetatable(object)
  local sources, found, list = { object, meta }, {}, {}
  if type(meta.__index) == "table" then sources[#sources + 1] = meta.__index end
  for i = 1, 9 do -- the class that a function looks into
    local _, value = debug.getupvalue(type(meta.__index) == "function" and meta.__index or error, i)
    if type(value) == "table" and value ~= _G then sources[#sources + 1] = value end
  end
  for _, source in ipairs(sources) do
    for key, f in next, source do
      local is = type(key) == "string" and type(f) == "function" and not key:find "^_" and not found[key]
      if is and not PROTOCOL[key] and not WRITES[name .. "." .. key] and has(object, key, f) then
        found[key] = true
        list[#list + 1] = key
      end
    end
  end
  table.sort(list)
  return list
end

-- Functions by name; methods are walked below.
local function functions_of(name)
  local module, list = require("impel." .. name), {}
  if type(module) == "function" then return { [name] = module } end
  for key, f in pairs(module) do
    local is_method = type(f) == "function" and debug.getlocal(f, 1) == "self"
    if type(f) == "function" and not key:find "^_" and not is_method and not LEFT_OUT[name .. "." .. key] then
      list[name .. "." .. key] = f
    end
  end
  if (getmetatable(module) or {}).__call then list[name] = function(...) return module(...) end end
  return list
end

local function poison() error "poison" end

local function scene()
  local world, other = impel.world {}, impel.world {}
  local body = world:body { position = { 1, 0 } }
  body:circle { radius = 0.5 }
  local joint, gone = world:revolute(world.ground, body, {}), world:body {}
  gone:destroy()
  local values = { 0 / 0, math.huge, -1, 0.5, 3, "", "abc", true, {}, { 1, 2 }, { {} }, { x = {} }, { 0 / 0 },
    function() end, io.stdout, setmetatable({}, { __index = poison, __len = poison, __pairs = poison }), gone, body,
    joint, joint:coordinate "angle", world, other, other.ground }
  return world, joint, values
end

-- Whether the words are Lua's own, from inside a module; a function of the caller's may say what it likes.
local function is_internal(message)
  local ours = message:find("poison", 1, true) or message:find "attempt to use destroyed"
  return not ours and (message:find "attempt to %l+ a" or message:find("bad argument", 1, true)
    or message:find "attempt to %l+ [%w%s]*with")
end

describe("the modules in Lua", function()
  local warn = impel.stability.on_warning
  setup(function() impel.stability.on_warning = function() end end)
  teardown(function() impel.stability.on_warning = warn end)

  for _, name in ipairs(api_module.names()) do
    if not OTHERS[name] then
      it("tell in their own words what they do not take: " .. name, function()
        local world, joint, values = scene()
        for called, f in pairs(functions_of(name)) do
          local function try(...)
            local ok, message = pcall(f, ...)
            if ok then return end
            message = tostring(message)
            assert.is_nil(is_internal(message) or nil, called .. ": " .. message)
          end
          try()
          for _, a in ipairs(values) do
            try(a)
            for _, b in ipairs(values) do try(a, b) end
            for _, b in ipairs { joint, world, 1 } do
              try(b, a, {})
              try(b, a, "abc", 1)
              try(b, {}, a)
            end
          end
        end
        pcall(world.step, world) -- two controllers of one joint may have met
        assert.equal(16, #world.hash)
      end)
    end
  end

  it("have an object in spec/lua/script_objects.lua, or make none", function()
    for _, name in ipairs(api_module.names()) do
      local module = require("impel." .. name)
      local makes = type(module) == "function" or rawget(module, "new") or (getmetatable(module) or {}).__call
      if makes and not OTHERS[name] and name ~= "control" then -- of which others are made
        assert.is_true((objects.makers[name] ~= nil) ~= (objects.none[name] ~= nil), name)
      end
    end
  end)

  for name, make in pairs(objects.makers) do
    it("make what tells in its own words what it does not take: " .. name, function()
      local _, _, values = scene()
      for _, method in ipairs(methods_of(name, make())) do
        local object
        local function try(...)
          object = object or make()
          local ok, message = pcall(object[method], object, ...)
          message = ok and "" or tostring(message)
          if ok then object = nil end -- what was refused has changed nothing
          assert.is_nil(is_internal(message) or nil, ("%s:%s: %s"):format(name, method, message))
        end
        try()
        for _, a in ipairs(values) do
          try(a)
          try(a, a)
          for _, b in ipairs { 1, {} } do try(b, a) end
        end
      end
    end)
  end

  local source = { text = "return {}", chunk = "=none" }
  local function none() end
  for message, call in pairs {
    ["bad field 'grd' in sweep.run (did you mean 'grid'?)"] = { "sweep", "run", { source = source, grd = {} } },
    ["sweep.prepare: field 'source': field 'chunk' must be a string, got 3"] =
      { "sweep", "prepare", { source = { text = "", chunk = 3 } } },
    ["sweep.prepare: field 'grid'[2] must be a string, got 3"] =
      { "sweep", "prepare", { source = source, grid = { "kp=1", 3 } } },
    ["sweep.prepare: shard[1] must be an integer in [1, 4], got 5"] =
      { "sweep", "prepare", { source = source, shard = { 5, 4 } } },
    ["sweep.run needs the field 'output' or 'emit'"] = { "sweep", "run", { source = source } },
    ["tune.run needs the field 'budget', an integer >= 1"] = { "tune", "run", { source = source, params = { "kp" } } },
    ["tune.run: field 'params'[1] must be a string, got true"] =
      { "tune", "run", { source = source, params = { true }, budget = 9 } },
    ["bisect.seeds needs the field 'last'"] = { "bisect", "seeds", { source = source, first = 1 } },
    ["bisect.threshold needs the field 'from'"] = { "bisect", "threshold", { source = source, name = "kp" } },
    ["bisect.moment needs the field 'when'"] = { "bisect", "moment", { source = source } },
    ["bisect.moment: field 'workers' must be an integer >= 1, got 0"] =
      { "bisect", "moment", { source = source, when = "true", workers = 0 } },
    ["benchmark.run: field 'threads'[1] must be an integer, got 'two' (string)"] =
      { "benchmark", "run", none, { threads = { "two" } } },
    ["benchmark.run: field 'rounds' must be an integer >= 1, got 0"] = { "benchmark", "run", none, { rounds = 0 } },
    ["compare.run: field 'solvers' must be a list, got the key 'soft' (string)"] =
      { "compare", "run", none, { solvers = { soft = true } } },
    ["processes.call: argument 'work' must be a function, got nil"] = { "processes", "call" },
    ["processes.run: field 'timeout' must be a number > 0 [s], got 0"] =
      { "processes", "run", { jobs = none, work = none, done = none, timeout = 0 } },
    ["bad field 'sed' in scene.parse (did you mean 'seed'?)"] = { "scene", "parse", "", "=none", { sed = 1 } },
    ["plot: option 'labels'[1] must be a string, got 1"] =
      { "plot", "svg", impel.trace.from { time = { 0, 1 }, x = { 1, 2 } }, { labels = { 1 } } },
    ["plot: a trace of impel.trace expected in place 1, got 7"] = { "plot", "svg", { 7 } },
  } do
    it("name the field that is wrong: " .. message, function()
      raises(message, impel[call[1]][call[2]], table.unpack(call, 3))
    end)
  end

  it("tell of a scene that did not come, where measuring and comparing load it", function()
    for name, options in pairs { benchmark = {}, compare = { solvers = { "soft" } } } do
      local result, failure = impel[name].run(none, options)
      assert.is_nil(result)
      assert.equal("open() gave no scene", failure.message)
    end
  end)
end)
