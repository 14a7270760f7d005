-- The engines' programs. PROGRAM SCENE SIZE STEPS [key=value ...] prints key=value pairs in its last line; `ms` [CPU ms
-- per step] is required. Exit code 64: unknown scene.

local programs = {}

local NO_SUCH_SCENE = 64

-- The other engines' programs in the build, and the package that each needs.
local BUILT = {
  { key = "chipmunk", title = "Chipmunk", package = "chipmunk-dev" },
  { key = "box2d", title = "Box2D 2.4", package = "libbox2d-dev" },
}

local function is_there(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function quote(path)
  return "'" .. path:gsub("'", [['\'']]) .. "'"
end

-- Return a title like "impel, 4 lanes, 2 threads", without default values.
local function title_of(title, lanes, threads)
  if lanes ~= 0 then title = ("%s, %d lanes"):format(title, lanes) end
  if threads ~= 1 then title = ("%s, %d threads"):format(title, threads) end
  return title
end

local function add_impel(list, options)
  for _, threads in ipairs(options.threads) do
    for _, lanes in ipairs(options.lanes) do
      list[#list + 1] = {
        program = "impel", title = title_of("impel", lanes, threads), lanes = lanes, threads = threads,
        command = quote(options.build .. "/bench/impel"), arguments = { "lanes=" .. lanes, "threads=" .. threads },
      }
    end
  end
end

local function add_built(list, options, left_out)
  for _, built in ipairs(BUILT) do
    local path = options.build .. "/bench/" .. built.key
    if is_there(path) then
      list[#list + 1] = {
        program = built.key, title = built.title, threads = 1, command = quote(path), arguments = {},
      }
    else
      left_out[#left_out + 1] = ("%s: %s is not built (Debian: apt-get install %s)"):format(built.title, path,
        built.package)
    end
  end
end

-- Add the peers. A peer gets no argument for one thread.
local function add_peers(list, options)
  for _, peer in ipairs(options.peers) do
    for _, threads in ipairs(options.threads) do
      list[#list + 1] = {
        program = "peer", title = title_of(peer.title, 0, threads), peer = peer.title, threads = threads,
        command = peer.command, arguments = threads > 1 and { "threads=" .. threads } or {},
      }
    end
  end
end

--- List all runs of a scene, impel first.
---@param options table  result of options.parse
---@return table[] runs  each { program, title, command, arguments, threads, lanes (impel only), peer (peers only) }
---@return string[] left_out  the missing programs, and what to install
function programs.list(options)
  local list, left_out = {}, {}
  add_impel(list, options)
  add_built(list, options, left_out)
  add_peers(list, options)
  return list, left_out
end

--- Run a command and return the lines that it prints. If it fails, return nil, a message with its last line, and its
--- exit code (nil if a signal killed it).
function programs.lines(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  local ok, how, code = pipe:close()
  if ok then return lines end
  local last = lines[#lines]
  return nil, ("failed: %s: %s %d%s"):format(command, how == "exit" and "exit code" or "signal", code,
    last and ": " .. last or ""), how == "exit" and code or nil
end

-- Parse a line "key=value ...". The stages are in the order of the line.
local function read_line(line)
  local result = { stages = {}, compiler = line:match "compiler=(.*)$" }
  for key, value in line:gmatch "([%w_]+)=(%S+)" do
    local number, stage = tonumber(value), key:match "^stage_(.+)$"
    if stage and number then
      result.stages[#result.stages + 1] = { name = stage, ms = number }
    elseif key == "hash" then
      result.hash = value
    elseif key ~= "compiler" then
      result[key] = number or value
    end
  end
  return result
end

--- Run a program once.
---@param run table    an element of programs.list
---@param scene table  a scene of scenes.lua
---@return table|nil result    values of its last line; stages: list of { name, ms }; nil if it failed or does not have
---  the scene
---@return string|nil message  why it failed; nil if it does not have the scene
function programs.run(run, scene, steps)
  local words = { run.command, scene.scene or scene.name, scene.size, steps, table.unpack(run.arguments) }
  local command = table.concat(words, " ")
  local lines, message, code = programs.lines(command)
  if code == NO_SUCH_SCENE then return nil end
  if not lines then return nil, message end
  local result = read_line(lines[#lines] or "")
  if type(result.ms) ~= "number" or result.ms ~= result.ms then
    return nil, ("failed: %s: its last line has no ms=: %s"):format(command, lines[#lines] or "it printed nothing")
  end
  return result
end

return programs
