-- Calls the functions of the Lua modules and the methods of their objects with wrong arguments of every kind. Each
-- error names the caller's line and comes from impel, not from Lua.
local impel = require "impel"
local api_module = require "impel.reference.module"
local objects = require "scripts.base.script_objects"
local raises = require "support.raises"

-- OTHERS: names in the reference that are not tested: `math` has Lua's own functions, and `view` is not a module.
-- LEFT_OUT: functions that are not called, because they write a file, read a network, start a process, open an audio
-- device, or expect checked arguments.
local OTHERS = { math = true, view = true }
local LEFT_OUT = { ["data.save"] = true, ["data.write"] = true, ["evolve.load"] = true, ["network.load"] = true,
  ["picture.png"] = true, ["picture.svg"] = true, ["processes.call"] = true, ["gains.check_feed_forward"] = true,
  ["gains.fill"] = true, ["gains.sampling"] = true, ["gains.when_of"] = true, ["sound.listen"] = true }

-- Methods of a controller class that only impel.control calls.
local PROTOCOL = { act = true, apply = true }
-- Methods that write the given file.
local WRITES = { ["trace.write"] = true, ["network.save_file"] = true }

local function has(object, key, f)
  local ok, found = pcall(function() return object[key] end)
  return ok and found == f
end

local function methods_of(name, object)
  local meta = debug.getmetatable(object) -- the metatable of `view` is hidden
  local sources, found, list = { object, meta }, {}, {}
  if type(meta.__index) == "table" then sources[#sources + 1] = meta.__index end
  for i = 1, 9 do -- if __index is a function, the class is one of the function's upvalues
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

-- Phrases of Lua's own error messages.
local LUAS = { "attempt to %l+ a", "attempt to %l+ [%w%s]*with", "attempt to get length", "attempt to compare",
  "bad argument", "stack overflow", "index is n", "index is N", "'for' ", "integer representation", "cannot resume",
  "impel/[%w_/]+%.lua:%d+: " }

local function is_internal(message)
  local first = message:match "^[^\n]*"
  if first:find("poison", 1, true) or first:find "attempt to use destroyed" then return false end
  for _, pattern in ipairs(LUAS) do
    if first:find(pattern) then return true end
  end
  return false
end

-- Call f. An error must name the line of the call in this function.
local function blamed(f, ...)
  local result = f(...)
  return result
end
local LINE = debug.getinfo(blamed, "S").short_src .. ":" .. debug.getinfo(blamed, "S").linedefined + 1 .. ": "

-- Return how an error's position or wording is wrong, or nil. Errors of the caller's own functions are allowed.
local function fault(message)
  message = tostring(message)
  if message:find("poison", 1, true) then return nil end
  if message:sub(1, #LINE) ~= LINE then return "not at the caller's line: " .. message end
  return is_internal(message:sub(#LINE + 1)) and "in Lua's words: " .. message or nil
end

-- Step the world of an object after a load. Return an error that a check of the loaded state should have found.
local function go_on(object)
  local has_world, world = pcall(function() return object.world end)
  if not has_world or getmetatable(world) ~= "world" then return nil end
  local ok, message = pcall(world.step, world)
  return not ok and is_internal(tostring(message):gsub("^[^\n]-:%d+: ", "")) and message or nil
end

-- Pattern of a method in a module's reference: "  track:sample(t, values, rates)".
local METHOD = "\n  ([%l_]+):([%w_]+)%("

-- Return the functions of `objects.makers` that create objects of the module.
local function makers_of(name)
  local makers = {}
  for of, make in pairs(objects.makers) do
    if of == name or of:match "^(.*)%.[^.]+$" == name then makers[of] = make end
  end
  return makers
end

describe("the Lua modules", function()
  local warn = impel.stability.on_warning
  setup(function() impel.stability.on_warning = function() end end)
  teardown(function() impel.stability.on_warning = warn end)

  for _, name in ipairs(api_module.names()) do
    if not OTHERS[name] then
      it("raise impel's errors, not Lua's, for wrong arguments: " .. name, function()
        local world, joint, values = scene()
        for called, f in pairs(functions_of(name)) do
          local function try(...)
            local ok, message = pcall(blamed, f, ...)
            local wrong = not ok and fault(message)
            if wrong then error(called .. ": " .. wrong, 0) end
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
        pcall(world.step, world) -- two controllers of one joint may raise an error
        assert.equal(16, #world.hash)
      end)
    end
  end

  it("have an object in spec/scripts/base/script_objects.lua, or create no objects", function()
    for _, name in ipairs(api_module.names()) do
      local module = OTHERS[name] and {} or require("impel." .. name)
      local makes = type(module) == "function" or rawget(module, "new") or (getmetatable(module) or {}).__call
        or api_module.text(name):find(METHOD)
      if makes and not OTHERS[name] then
        assert.is_true((next(makers_of(name)) ~= nil) ~= (objects.none[name] ~= nil), name)
      end
    end
  end)

  it("have every documented method called with wrong arguments by this spec", function()
    for _, name in ipairs(api_module.names()) do
      local walked = {}
      for of, make in pairs(makers_of(name)) do
        for _, method in ipairs(methods_of(of, (make()))) do walked[method] = true end
      end
      for object, method in api_module.text(name):gmatch(METHOD) do
        local left_out = WRITES[name .. "." .. method] or object == "film" and not objects.makers["picture.film"]
        assert.is_true(walked[method] or left_out, ("%s:%s of impel.%s"):format(object, method, name))
      end
    end
  end)

  for name, make in pairs(objects.makers) do
    it("create objects whose methods raise impel's errors, not Lua's, for wrong arguments: " .. name, function()
      local _, _, values = scene()
      for _, method in ipairs(methods_of(name, (make()))) do
        local made -- an object, and valid arguments for its methods
        local function object()
          made = made or table.pack(make())
          return made[1]
        end
        local function try(...)
          local one = object()
          local ok, message = pcall(blamed, one[method], one, ...)
          local wrong
          if not ok then wrong = fault(message) elseif method == "load" then wrong = go_on(one) end
          if ok then made = nil end -- a rejected call must not have changed the object
          if wrong then error(("%s:%s: %s"):format(name, method, wrong), 0) end
        end
        local function legal(k)
          object()
          return made[k]
        end
        try()
        object()
        local count = made.n
        for _, a in ipairs(values) do
          try(a)
          try(a, a)
          for _, b in ipairs { 1, {} } do try(b, a) end
          for k = 2, count do
            try(legal(k), a)
            try(legal(k), 1, a)
            try(legal(k), 1, 1, a)
          end
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
    ["plot: argument 1, item 1: a trace of impel.trace expected, got 7"] = { "plot", "svg", { 7 } },
  } do
    it("name the wrong field: " .. message, function()
      raises(message, impel[call[1]][call[2]], table.unpack(call, 3))
    end)
  end

  it("return nil and a failure if benchmark.run or compare.run gets no scene", function()
    for name, options in pairs { benchmark = {}, compare = { solvers = { "soft" } } } do
      local result, failure = impel[name].run(none, options)
      assert.is_nil(result)
      assert.equal("open() returned no scene", failure.message)
    end
  end)
end)
