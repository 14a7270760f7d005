-- A session at a prompt: evaluates chunks of text with a running scene.
--
--   local session = repl.new { write = io.write }
--   session:feed "step(60) world.time"     -- "done", "incomplete", or nil, failure
--
-- A failure is a table: kind ("usage", "scene", "diverged", "interrupted" or "quit"), message, traceback.

local complete = require "impel.prompt.complete"
local environment = require "impel.scene.environment"
local repl_stage = require "impel.prompt.stage"
local scenes = require "impel.scene"
local show = require "impel.base.show"

local repl = {}
local Session = {}
Session.__index = Session

local PATIENCE = 1       -- [s], a step that is still running is aborted this long after an interrupt
local LEAVE = "quit() or Ctrl-D leaves"
local KEYS = "Tab completes, Ctrl-C stops running code, Ctrl-D leaves."
-- limits of an incomplete chunk, which is compiled again with each new line
local MOST_LINES, MOST_BYTES = 1000, 1 << 17
local HOOK_COUNT = 10000 -- Lua instructions between two checks for an interrupt

-- Metatable of a failure that is raised as an error through the user's chunk.
local Raised = { __tostring = function(failure) return failure.message end }

local function raise(failure)
  error(setmetatable(failure, Raised), 0)
end


-- The scene ----------------------------------------------------------------------------------------------------------

-- Make the session's globals refer to the present run of the stage.
local function adopt(self)
  local run = self.stage:current()
  if run == self.run then return end
  local scene, globals = run.scene, self.globals
  self.run = run
  self.set_source(run.world)
  globals.scene, globals.s, globals.p, globals.world = scene.definition, run.state, run.values, run.world
  -- A chunk can read the globals of the scene's file.
  getmetatable(globals).__index = scene.globals
end

-- Make the stage change its run. If this fails, raise the failure.
local function change(self, method, ...)
  local ok, failure = self.stage[method](self.stage, ...)
  if not ok then raise(failure) end
  adopt(self)
end

-- Make a step of the scene, or of another `world`.
local function advance(self, world)
  local ok, failure
  if world == self.run.world then
    ok, failure = self.stage:step()
  else
    ok, failure = scenes.guard("step", world.step, world, 1)
    if not ok then failure.kind = "scene" end
  end
  if not ok then raise(failure) end
end


-- Functions of the session -------------------------------------------------------------------------------------------

local commands = {} -- each command has name, usage, about, run(self, ...)

local function command(name, usage, about, run)
  commands[#commands + 1] = { name = name, usage = usage, about = about, run = run }
end

command("step", "step(n)", "make n steps of the world with the scene's callbacks (default: 1); returns the time [s]",
  function(self, n)
    n = n == nil and 1 or n
    if not math.tointeger(n) or n < 0 then error(("step: steps >= 0 expected, got %s"):format(show.value(n)), 2) end
    local world = self.globals.world
    if show.class(world) ~= "world" then error(("step: world is %s, not a world"):format(show.value(world)), 2) end
    for _ = 1, n do
      self.stepping = true
      advance(self, world)
      self.stepping = false
      if self.options.interrupted() then raise { kind = "interrupted", message = "interrupted" } end
    end
    return world:is_valid() and world.time or nil
  end)

command("reset", "reset{kp = 5}  reset(7)", "set the scene up again, with parameters or a seed changed",
  function(self, first, second)
    local set, seed
    for _, given in ipairs { first, second } do
      if type(given) == "table" then
        set = given
      elseif math.tointeger(given) and given >= 0 then
        seed = math.tointeger(given)
      else
        error(("reset: a table of parameters or a seed expected, got %s"):format(show.value(given)), 2)
      end
    end
    change(self, "reset", set, seed)
  end)

command("measure", "measure()", "the scene's measures now", function(self)
  local scene = self.run.scene
  if not scene.definition.measure then error(("measure: %s has no measure()"):format(scene.name), 2) end
  return scene.definition.measure(self.run.state)
end)

command("check", "check()", "return whether the scene's checks hold, and the messages of failed checks", function(self)
  local scene = self.run.scene
  if not (scene.definition.check or scene.definition.checks) then
    error(("check: %s has no check()"):format(scene.name), 2)
  end
  local failed, failure = self.run:check()
  if not failed then raise(failure) end
  return #failed == 0, table.unpack(failed)
end)

command("open", "open \"FILE\"  open()", "open another scene, or reload the same file", function(self, file)
  if file ~= nil and type(file) ~= "string" then
    error(("open: the name of a scene file expected, got %s"):format(type(file)), 2)
  end
  change(self, "open", file)
end)

-- Return the items of an iterator as a list; an item of several values becomes a list.
local function collect(iterator, state, control)
  local found = {}
  while true do
    local values = table.pack(iterator(state, control))
    control = values[1]
    if control == nil then return found end
    found[#found + 1] = values.n == 1 and control or table.move(values, 1, values.n, 1, {})
  end
end

command("list", "list(pairs(t))", "collect the values of an iterator in a table", function(_, ...)
  if type((...)) ~= "function" then error(("list: an iterator expected, got %s"):format(type((...))), 2) end
  return collect(...)
end)

local function overview(self)
  local lines = {}
  for _, each in ipairs(commands) do lines[#lines + 1] = ("  %-24s %s"):format(each.usage, each.about) end
  return table.concat(lines, "\n") .. [[

  world  s  p  scene       the world; what setup returned; the parameters; the scene's table
Expressions are printed. ]] .. self.options.keys .. "\n"
end

command("help", "help(x)", "the reference of an object, or of a name in quotes: help \"world:revolute\"",
  function(self, ...)
    local about = ...
    if select("#", ...) == 0 then return self.options.write(overview(self)) end
    for _, each in ipairs(commands) do
      if about == each.name or about == rawget(self.globals, each.name) then
        return self.options.write(("  %s  %s\n"):format(each.usage, each.about))
      end
    end
    local name = show.class(about) or about == require "impel" and "impel" or about
    if type(name) ~= "string" then
      error("help: an object or a name in quotes expected, such as help \"world:step\"", 2)
    end
    local text, message = require("impel.reference.api").text(name)
    if not text then error("help: " .. message, 2) end
    self.options.write(text)
  end)

command("quit", "quit()", "leave the prompt; so does Ctrl-D", function()
  raise { kind = "quit", message = LEAVE }
end)


-- Evaluation ---------------------------------------------------------------------------------------------------------

-- Return a hook that ends interrupted steps after PATIENCE seconds.
local function watch(self)
  local first
  return function()
    if not self.options.interrupted() then return end
    first = first or self.options.clock()
    if self.stepping and self.options.clock() < first + PATIENCE then return end
    raise { kind = "interrupted", message = "interrupted" }
  end
end

local function evaluate(self, chunk)
  local function on_error(e)
    if getmetatable(e) == Raised then return e end
    local failure = scenes.raised(self.options.name, e)
    failure.kind = "scene"
    return failure
  end
  debug.sethook(watch(self), "", HOOK_COUNT)
  local results = table.pack(xpcall(chunk, on_error))
  debug.sethook()
  self.stepping = false
  if results[1] then return table.pack(table.unpack(results, 2, results.n)) end
  local failure = results[2]
  -- If memory is exhausted, the error is a text instead of a table.
  if type(failure) ~= "table" then failure = { kind = "scene", message = tostring(failure) } end
  return nil, failure
end

-- Return values as text. An iterator such as world:bodies() becomes the list of its items.
local function text_of(values, digits)
  if show.class(values[2]) == "cursor" then values = table.pack(collect(table.unpack(values))) end
  return show.values(values, digits)
end

-- Write the results of a chunk. The user's __tostring may raise an error.
local function print_results(self, values)
  if values.n == 0 then return true end
  local place = self.options.name .. ": the result cannot be printed"
  local ok, text = scenes.guard(place, text_of, values, self.options.digits)
  if not ok then return nil, { kind = "scene", message = text.message, traceback = text.traceback } end
  self.options.write(text, "\n")
  return true
end

--- Evaluate a line after the lines of an incomplete chunk, and write the results.
---@return string|nil state  "done" or "incomplete"
---@return table|nil failure
function Session:feed(line)
  adopt(self)
  local text = self.pending and self.pending .. "\n" .. line or line
  local chunk, message = environment.compile_line(text, "=" .. self.options.name, self.globals, self.line)
  if not chunk and message:find "<eof>$" then
    self.pending, self.pending_lines = text, (self.pending and self.pending_lines or 0) + 1
    if self.pending_lines <= MOST_LINES and #text <= MOST_BYTES then return "incomplete" end
    message = ("%s: more than %d lines or %d bytes, still incomplete: %s"):format(self.options.name, MOST_LINES,
      MOST_BYTES, message)
  end
  self.pending = nil
  if self.options.numbered then self.line = self.line + 1 + select(2, text:gsub("\n", "")) end
  if not chunk then return nil, { kind = "scene", message = message } end
  local values, failure = evaluate(self, chunk)
  if not values then return nil, failure end
  local ok, why = print_results(self, values)
  if not ok then return nil, why end
  return "done"
end

--- Discard the lines of an incomplete chunk.
---@return boolean whether the session had such lines
function Session:forget()
  local had = self.pending ~= nil
  self.pending = nil
  return had
end

--- Handle the Tab key by complete.tab. The lines of an incomplete chunk precede `text`.
function Session:tab(text, width)
  adopt(self)
  local before = self.pending and self.pending .. "\n" or ""
  return complete.tab(self.globals, before .. text, width)
end

--- Free the world, if it belongs to the session.
function Session:close()
  self.stage:close()
end

--- Begin a session.
---@param options table
---  write(...): receives results and print
---  file: a scene's name
---  find(name): returns the scene's loader
---  set, seed, dt, solver, threads: as in impel.run
---  interrupted() -> boolean
---  clock() -> seconds
---  digits: in results, default 6
---  numbered: true if the chunks are the lines of one text, so that messages have its line numbers
---  name: of chunks, default stdin
---  keys: text about the keys for help()
---  stage: as in stage.lua; with it, file, find, set, seed, dt, solver and threads are not used
---@return table|nil session
---@return table|nil failure
function repl.new(options)
  local self = setmetatable({ options = setmetatable(options, { __index = {
    interrupted = function() return false end, clock = os.clock, digits = 6, name = "stdin", keys = KEYS,
  } }), line = 0 }, Session)
  local globals, set_source = environment.new { seed = options.seed, print = environment.printer(options.write) }
  self.globals, self.set_source = setmetatable(globals, {}), set_source
  globals.impel = require "impel"
  for _, each in ipairs(commands) do
    globals[each.name] = function(...) return each.run(self, ...) end
  end
  globals.os.exit = globals.quit
  globals.quit = setmetatable({}, { __call = globals.quit, __tostring = function() return LEAVE end })
  globals.exit = globals.quit
  local stage, failure = options.stage, nil
  if not stage then stage, failure = repl_stage.new(options) end
  if not stage then return nil, failure end
  self.stage = stage
  adopt(self)
  return self
end

return repl
