-- Runs the rounds of the benchmark. Programs take turns, so that the machine's load affects all.

local programs = require "bench.programs"

local turns = {}

-- Merge the result of a round into the entry. Return a message if its hash differs from the first round's.
local function merge(entry, result)
  local best = entry.result
  entry.all[#entry.all + 1] = result.ms
  if not best then
    entry.result = result
    return
  end
  if result.hash ~= best.hash then
    return ("failed: %s: the hash differs between rounds: %s, %s"):format(entry.run.title, tostring(best.hash),
      tostring(result.hash))
  end
  best.ms = math.min(best.ms, result.ms)
  if best.wall and result.wall then best.wall = math.min(best.wall, result.wall) end
  for i, stage in ipairs(best.stages) do
    local again = result.stages[i]
    if again then stage.ms = math.min(stage.ms, again.ms) end
  end
end

local function take_turn(entry, scene, complain)
  if entry.failed or entry.absent then return end
  local result, message = programs.run(entry.run, scene, entry.steps)
  if result then message = merge(entry, result) end
  entry.absent = not result and not message
  entry.failed = message
  if message then complain(("%s: %s"):format(scene.name, message)) end
end

--- Run a scene.
---@param scene table   a scene of scenes.lua
---@param runs table[]  result of programs.list
---@param complain fun(message: string)  called for each failure
---@return table[] entries  in the order of the runs; only runs of impel if the scene is `alone`. run: the run; steps:
---  number of steps; result: returned by programs.run, with the least times of all rounds, nil if no round succeeded;
---  all: list of the rounds' times [ms]; failed: message of a failure, or nil; absent: whether the program lacks the
---  scene
function turns.run(scene, runs, rounds, complain)
  local entries = {}
  for _, run in ipairs(runs) do
    if run.program == "impel" or not scene.alone then
      local steps = scene.shorter and scene.shorter[run.program] or scene.steps
      entries[#entries + 1] = { run = run, steps = steps, all = {} }
    end
  end
  for round = 1, rounds do
    local first, last, by = 1, #entries, 1
    if round % 2 == 0 then first, last, by = last, first, -by end
    for i = first, last, by do take_turn(entries[i], scene, complain) end
  end
  return entries
end

return turns
