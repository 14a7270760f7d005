-- Malicious scenes. `name`: title. `code`: expected exit code. `says`: text or pattern that stderr must contain.
-- `options`: options of `impel run`. `quota`: value of its option --quota.
-- `source`: text of the scene. If it is nil, `setup`, `update`, `check` and `measure` are the bodies of the scene's
-- functions, and `top` is code before the functions. `setup` can use `impel` and `world`; the other functions can use
-- `s`, a table with the fields `world` and `b` (a body).

local LOOP, MEMORY, TIME = "while true do end", "memory", "quota: the script did not end within"

-- A setup that the sandbox rejects raises an error in the scene.
local function refused(name, setup, says) return { name = name, code = 3, setup = setup, says = says } end

-- Code that never ends is stopped by the time quota.
local function endless(name, part, body, options)
  return { name = name, code = 6, [part] = body, quota = "time=0.25", says = TIME, options = options }
end

local function greedy(name, setup, memory)
  return { name = name, code = 6, setup = setup, quota = ("memory=%d,time=60"):format(memory or 16), says = MEMORY }
end

-- Code that is allowed and has no effect.
local function harmless(name, setup) return { name = name, code = 0, setup = setup } end

return {
  -- access to hidden functions ---------------------------------------------------------------------------------------
  harmless("hidden functions, through a nested scene", [[
    local globals = require("impel.scene.environment").new {}
    for _, name in ipairs { "debug", "io", "package" } do
      assert(globals[name] == nil and globals._G[name] == nil and not pcall(globals.require, name), name)
      assert(globals.load("return " .. name)() == nil, name)
    end]]),

  -- endless loops ----------------------------------------------------------------------------------------------------
  endless("loop in the file", "top", LOOP),
  { name = "loop of long calls of a module, reported at the scene's line", code = 6, quota = "time=0.25",
    says = TIME .. " 0%.25 s; it was at [^\n]*/attack%d+%.lua:%d+\n", setup = [[
    local numbers, encode = {}, require("impel.base.json").encode
    for i = 1, 1e5 do numbers[i] = i end
    while true do encode(numbers) end]] },
  endless("loop in setup", "setup", LOOP),
  endless("loop in update", "update", LOOP),
  endless("loop in check", "check", LOOP, "--check"),
  endless("loop in measure", "measure", LOOP, "--row 1"),
  endless("loop in a handler of steps", "setup", "world:on('step', function() while true do end end)"),
  endless("loop in a handler of substeps", "setup", "world:on('substep', function() while true do end end)"),
  endless("loop in a handler of contacts", "setup", [[
    world:body { type = "static" }:box { width = 9, height = 1 }
    world:body { position = { 0, 1 } }:box { width = 1, height = 1 }
    world:on("begin_contact", function() while true do end end)]]),
  endless("loop in a filter of shapes", "setup", [[
    world:body { type = "static" }:box { width = 9, height = 1 }
    world:body { position = { 0, 1 } }:box { width = 1, height = 1 }.filter = function() while true do end end]]),
  endless("loop in a coroutine", "setup", "coroutine.wrap(function() while true do end end)()"),
  endless("loop in a coroutine of a coroutine", "setup", [[
    coroutine.wrap(function() coroutine.wrap(function() while true do end end)() end)()]]),
  endless("coroutines that yield forever", "setup", [[
    local co = coroutine.wrap(function() while true do coroutine.yield() end end)
    while true do co() end]]),
  endless("loop in __index", "setup", "local _ = setmetatable({}, { __index = function() while true do end end }).x"),
  endless("loop in __tostring", "setup", "print(setmetatable({}, { __tostring = function() while true do end end }))"),
  endless("loop in __close", "setup",
    "do local x <close> = setmetatable({}, { __close = function() while true do end end }) end"),
  endless("loop in __concat", "setup",
    "local _ = setmetatable({}, { __concat = function() while true do end end }) .. ''"),
  endless("loop in __pairs", "setup",
    "for _ in pairs(setmetatable({}, { __pairs = function() while true do end end })) do end"),
  endless("loop in a comparator", "setup", "table.sort({ 3, 1, 2 }, function() while true do end end)"),
  endless("loop in a callback of gsub", "setup", "(('x'):rep(3)):gsub('x', function() while true do end end)"),
  endless("loop in the metatable of the scene", "source", [[
    return setmetatable({}, { __index = function() while true do end end, __len = function() while true do end end })
      and (function() while true do end end)()]]),
  endless("loop in __tostring of an error", "setup",
    "error(setmetatable({}, { __tostring = function() while true do end end }))"),
  endless("pcall without end", "setup", "while true do pcall(function() while true do end end) end"),
  endless("xpcall whose handler loops", "setup", [[
    xpcall(error, function() while true do end end)]]),
  endless("handlers that raise without end", "setup", [[
    while true do xpcall(error, function() error(1) end) end]]),
  endless("errors without end", "update", "while true do pcall(error, {}) end"),
  endless("a pattern that backtracks", "setup", "(('a'):rep(64)):find(('a-'):rep(32) .. 'b')"),
  endless("a pattern with captures that backtracks", "setup", "(('a'):rep(40)):find(('(.-)'):rep(30) .. 'b')"),
  endless("table.move over the whole range of integers", "setup", "table.move({}, 1, 1 << 60, 2)"),
  endless("table.concat over values of __index", "setup", [[
    table.concat(setmetatable({}, { __index = function() return "" end }), "", 1, 1 << 40)]]),
  endless("table.insert with a false length", "setup",
    "table.insert(setmetatable({}, { __len = function() return 1 << 62 end, __index = table }), 1, 1)"),
  endless("worlds without end", "setup", "while true do impel.world {} end"),
  endless("load of an endless chunk", "setup", "load(function() return ' ' end)"),
  endless("a step with an endless loop of queries", "update",
    "for i = 1, math.huge do s.world:raycast(0, 0, 1, 0) end"),
  endless("an endless loop of calls of the engine's scripts", "setup", [[
    local rng = impel.rng.new(1)
    while true do rng:random(1, 9) end]]),

  -- unlimited memory -------------------------------------------------------------------------------------------------
  refused("an error with the text of a quota", "error 'not enough memory'", "not enough memory"),
  greedy("string.rep", "local _ = ('x'):rep(1 << 30)"),
  greedy("string.rep, caught", "while true do pcall(string.rep, 'x', 1 << 30) end"),
  greedy("a string that doubles", "local x = 'x' while true do x = x .. x end"),
  greedy("a table that grows", "local t = {} while true do t[#t + 1] = {} end"),
  greedy("a table that grows under pcall",
    "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end"),
  greedy("a table that grows in the handler of an error",
    "xpcall(error, function() local t = {} while true do t[#t + 1] = {} end end)"),
  greedy("table.concat",
    "local x, t = ('x'):rep(1 << 20), {} for i = 1, 1000 do t[i] = x end local _ = table.concat(t)"),
  greedy("gsub", "local _ = (('x'):rep(1 << 16)):gsub('x', ('y'):rep(1 << 16))"),
  greedy("string.format",
    "local x, t = ('x'):rep(1 << 20), {} for i = 1, 99 do t[i] = x end _ = ('%s'):rep(99):format(table.unpack(t))"),
  greedy("coroutines", "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end"),
  greedy("load of a long chunk", "load(function() return 'x = 1 ' .. ('y'):rep(1000) .. ' = 2 ' end)"),
  greedy("bodies", "for i = 1, 1e9 do world:body { position = { i, 0 } } end"),
  greedy("shapes", "local b = world:body {} for i = 1, 1e9 do b:box { width = 1, height = 1 } end", 4),
  greedy("referenced worlds", "local t = {} while true do t[#t + 1] = impel.world {} end"),
  greedy("referenced snapshots", [[
    for i = 1, 500 do world:body { position = { 3 * i, 0 } }:box { width = 1, height = 1 } end
    local t = {}
    while true do t[#t + 1] = world:snapshot() end]]),
  greedy("a snapshot of a text repeated a thousand times", [[
    local x, t = ('x'):rep(1 << 20), {}
    for i = 1, 1000 do t[i] = x end
    world:state(t)
    world:snapshot()]]),
  greedy("drawings", "local d = require('impel.drawing').new() while true do d:dot('mark', nil, 0, 0) end"),
  greedy("quadratic programs", "local t = {} while true do t[#t + 1] = require('impel.core').qp(40, 40) end"),
  { name = "messages", code = 6, setup = "while true do print(('x'):rep(100)) end", quota = "log=0.1,time=60",
    says = "MB of messages" },
  { name = "messages without a newline", code = 6, setup = "print(('x'):rep(1 << 20))", quota = "log=0.1,time=60",
    says = "MB of messages" },
  { name = "rows of a trace", code = 6, measure = "return { x = 1 }", quota = "files=0.01,time=60",
    options = "--steps 100000 --trace TRACE.csv", says = "MB of files" },

  { name = "a title that takes long to escape", code = 0, options = "--json", source = [[
    return { title = ("\xFF"):rep(8 << 20), setup = function() return { world = require "impel".world {} } end }]] },
  { name = "a message that takes minutes to escape", code = 6, setup = "error(('\\xFF'):rep(8 << 20))",
    quota = "log=0.1,time=60", says = "MB of messages" },
  { name = "thousands of parameters", code = 0, source = [[
    local params = {}
    for i = 1, 20000 do params["p" .. i] = { default = 1, help = ("\xFF"):rep(100) } end
    return { params = params, setup = function() return { world = require "impel".world {} } end }]] },
  endless("one long call of the engine", "setup", [[
    for i = 1, 50 do world:body { position = { 0, i } }:box { width = 1, height = 1 } end
    world.iterations, world.substeps = 100000, 1000
    world:step(1e9)]]),

  -- limits of Lua itself ---------------------------------------------------------------------------------------------
  refused("table.unpack of too many values", "local _ = { table.unpack({}, 1, 1e8) }", "too many results"),
  refused("string.format with a width", "string.format('%99999d', 1)", "invalid"),
  refused("recursion", "local function f() return 1 + f() end f()", "stack overflow"),
  refused("recursion through C", "local function f() return (('x'):gsub('x', f)) end f()", "overflow"),
  refused("coroutines in coroutines", "local function f() return coroutine.wrap(f)() end f()", "overflow"),
  refused("recursion of __index",
    "local t = {} for _ = 1, 3000 do t = setmetatable({}, { __index = t }) end local _ = t.x", "__index"),
  refused("a pattern too complex", "(('x'):rep(300000)):find(('x?'):rep(300000) .. 'y')", "too complex"),
  refused("utf8.codepoint of too many values", "local _ = { utf8.codepoint(('x'):rep(1e7), 1, -1) }", "too long"),
  refused("string.pack with a size", "string.pack('i99', 1)", "limits"),
  refused("nesting of source text", "assert(load(('('):rep(1000) .. ')'))", ""),
  refused("an inconsistent comparator",
    "local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function() return true end)", "invalid order"),

  -- functions that the sandbox lacks ---------------------------------------------------------------------------------
  refused("io", "io.open('/etc/passwd')", "io"),
  refused("io.popen", "io.popen('id')", "io"),
  refused("os", "os.execute('id')", "os"),
  refused("debug", "debug.getregistry()", "debug"),
  refused("package", "package.loadlib('libc.so.6', '*')", "package"),
  refused("string.dump", "string.dump(function() end)", "dump"),
  refused("a module's name of 60 MB", "require(('x'):rep(60 << 20))",
    "a name of 62914560 bytes; a sandbox allows 4096"),
  refused("a module's name longer than a message", "require(('a.'):rep(40 << 20) .. 'b')", "a sandbox allows 4096"),
  refused("a path of 60 MB", "assert(loadfile(('/./x'):rep(15 << 20) .. '.lua'))", "a sandbox allows 4096"),
  refused("an engine module's name of 60 MB", "require('impel.' .. ('x'):rep(60 << 20))", "not in a sandbox"),
  endless("names that take long to check", "setup", [[
    local long = ('a.'):rep(20 << 20) .. 'b'
    while true do pcall(require, long) end]]),
  refused("modules of Lua by require", "require('io')", "io"),
  refused("debug by require", "require('debug')", "debug"),
  refused("package by require", "require('package')", "package"),
  refused("the window", "require('impel.window')", "sandbox"),
  refused("processes",
    "assert(impel.processes.run { jobs = function() return 1 end, work = function() end, "
    .. "done = function() end })", "sandbox"),
  refused("signals", "assert(require('impel.system').kill(1))", "sandbox"),
  refused("forks", "assert(require('impel.system').fork())", "sandbox"),
  refused("a sandbox in the sandbox", "assert(require('impel.sandbox').start { work = function() end })", ""),
  refused("files by the recorder", "assert(impel.recorder.open('CANARY.csv'))", "sandbox"),
  refused("files by data", "assert(impel.data.save('CANARY', world))", "sandbox"),
  refused("pictures", "assert(impel.picture.svg(world, 'CANARY'))", "sandbox"),
  refused("reading by trace", "assert(impel.trace.read('/etc/passwd'))", "passwd"),
  refused("the environment of the command line", "require('impel.cli').main({ 'run', '/etc/passwd' })", ""),
  refused("files by the world", "assert(world:save('CANARY'))", "not permitted"),
  refused("reading by the world", "assert(world:load('CANARY'))", "not permitted"),
  refused("collectgarbage stop", "collectgarbage('stop')", "sandbox"),
  refused("__gc", "setmetatable({}, { __gc = function() while true do end end })", "__gc"),
  refused("__gc added after setmetatable",
    "local m = {} setmetatable({}, m) m.__gc = function() end setmetatable({}, m)", "__gc"),
  refused("__gc added to the class of impel.rng", "impel.rng.new(1).__index.__gc = 1 impel.rng.new(2)", "__gc"),

  -- bytecode and paths -----------------------------------------------------------------------------------------------
  refused("bytecode", "assert(load('\\27Lua'))", "binary"),
  refused("bytecode in mode 'b'", "assert(load('\\27Lua', 'x', 'b'))", "binary"),
  refused("bytecode by a function",
    "local n = 0 assert(load(function() n = n + 1 return n == 1 and '\\27Lua' or nil end))", "binary"),
  refused("bytecode by require", "require 'bytecode'", "binary"),
  refused("bytecode by dofile", "dofile 'FOLDER/bytecode.lua'", "binary"),
  refused("require upwards", "require '..outside'", "words"),
  refused("require with slashes", "require '../outside'", "words"),
  refused("require from the root", "require '/etc/passwd'", "words"),
  refused("require through a link", "require 'link'", "not found"),
  refused("require through a linked folder", "require 'linked.outside'", "not found"),
  refused("require with a zero byte", "require 'a\\0b'", "words"),
  refused("dofile upwards", "dofile 'FOLDER/../outside.lua'", "reads"),
  refused("dofile of a file other than Lua", "dofile '/etc/passwd'", "reads"),
  refused("dofile through a link", "dofile 'FOLDER/link.lua'", "reads"),
  refused("loadfile of a device", "assert(loadfile '/dev/zero')", "reads"),
  refused("loadfile of standard input", "assert(loadfile())", "path"),
  refused("a file with a zero byte", "assert(loadfile 'FOLDER/a.lua\\0.lua')", "a file name with a zero byte"),

  -- changed metatables -----------------------------------------------------------------------------------------------
  refused("the metatable of strings", "getmetatable('').__index = function() end", "boolean"),
  refused("the metatable of strings, through a nested scene",
    "require('impel.scene.environment').new({}).getmetatable('').__index = function() end", "nil"),
  refused("the metatable of objects, through a nested scene",
    "require('impel.scene.environment').new({}).debug.getmetatable(world).__gc(world)", "'debug'"),
  refused("registry and hooks, through a nested scene",
    "require('impel.scene.environment').new({}).debug.getregistry()", "'debug'"),
  refused("the metatable of the engine", "getmetatable(world).__index = nil", ""),
  refused("the metatable of impel", "getmetatable(impel).__index = nil", "boolean"),
  harmless("libraries", [[
    for name in pairs(string) do string[name] = function() error "poison" end end
    for name in pairs(table) do table[name] = error end
    for name in pairs(math) do math[name] = error end]]),
  harmless("globals", [[
    local all = _G
    for name in pairs(all) do all[name] = nil end]]),
  harmless("modules of the engine's scripts", [[
    local modules = {}
    for i, name in ipairs { "base.json", "base.nearest", "scene", "scene.run", "recorder", "pairs", "rng", "math",
      "scene.environment" } do
      modules[i] = require("impel." .. name)
    end
    for _, module in ipairs(modules) do
      for key in pairs(module) do module[key] = function() error "poison" end end
    end]]),
  harmless("the core", [[
    local core = require "impel.core"
    for key in pairs(core) do core[key] = error end]]),
  harmless("classes of the engine's scripts", "impel.rng.new(1).__index.random = error"),
  { name = "the class of scene.draw's view", code = 3, options = "--svg TRACE.svg",
    says = "no field or method '__index'", source = [[
    return {
      setup = function() return { world = require "impel".world {} } end,
      draw = function(_, view)
        for key in pairs(view.__index) do view.__index[key] = function() error "poison" end end
      end,
    }]] },
  harmless("threads", "world.threads = 64"),

  -- handles ----------------------------------------------------------------------------------------------------------
  refused("a method on another class", "world.body(world:body {}, {})", "world"),
  refused("a method on a table", "local b = world:body {} b.apply_force({}, 1, 2)", "body"),
  refused("a method on a number", "local b = world:body {} b.position(1)", "body"),
  refused("__gc by hand", "world.__gc(world)", "__gc"),
  refused("__close by hand", "local b = world:body {} b.__close(b)", "__close"),
  refused("a destroyed world", "world:destroy() world:body {}", "destroyed"),
  refused("a destroyed body", "local b = world:body {} b:destroy() b:position()", "destroyed"),
  refused("a joint of two worlds", "world:revolute(world:body {}, impel.world {}:body {}, { anchor = { 0, 0 } })", ""),
  refused("a step inside a handler", "world:on('step', function() world:step() end) world:step()", ""),
  refused("a foreign metatable", "setmetatable(world, {})", "table expected"),

  -- the terminal -----------------------------------------------------------------------------------------------------
  harmless("printed escape codes", "print('\\27[2J\\27]0;title\\7\\8\\127\\r', '\\xC2\\x9B31m', '\\xff')"),
  refused("escape codes in an error", "error('\\27[2J\\27[31m')", "\\x1B"),
  refused("escape codes in a name", "local b = world:body { name = '\\27[2J' } b:destroy() b:position()", "\\x1B"),
  refused("escape codes in a chunk's name", "load('error(\\'x\\')', '@\\27[2J')()", "\\x1B"),
  { name = "escape codes in the title", code = 0, source = [[
    return { title = "\27[2J", setup = function() return { world = require "impel".world {} } end }]] },
  { name = "escape codes in a check", code = 1, check = "return false, '\\27[2J'", options = "--check",
    says = "\\x1B" },
  { name = "escape codes in a parameter", code = 3, source = [[
    return { params = { ["\27[2J"] = {} }, setup = function() end }]] },

  -- other failures ---------------------------------------------------------------------------------------------------
  { name = "a non-finite state", code = 4, setup = [[
    local b = world:body {}
    b:circle { radius = 1 }
    world:on("substep", function() b:apply_force(1e14, 0) end)]] },
  { name = "an error with nil", code = 3, setup = "error()" },
  { name = "an error with a table", code = 3, setup = "error {}" },
  { name = "yielding out of a step", code = 3, update = "coroutine.yield()" },
  { name = "a check with too many results", code = 3, check = "return table.unpack({}, 1, 1e7)", options = "--check" },
  { name = "a measure with a table as its name", code = 3, measure = "return { [{}] = 1 }", options = "--row 1" },
}
