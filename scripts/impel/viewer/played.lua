-- A recording in the window: a scene whose world plays it. Steps come from the recording, and the way back is a seek:
-- it goes to the very first step. A step that does not come to what it came to is shown as a failure; the next one
-- goes on.
--
-- Who pulls a body, or changes anything else, makes the steps behind that differ; a step back across a whole state puts
-- it right.

local recording = require "impel.recording"
local scenes = require "impel.scene"

local played = {}
local History = {}
History.__index = History

--- A scene of a recording, in the place of what a file would give.
---@param path string
---@param to integer|nil  the tick to begin at
---@return fun(): table  that makes the scene
function played.find(path, to)
  local text = ([[
    return { title = "played", setup = function()
      local playback = assert(require("impel").recording(%q))
      %s
      return { world = playback.world, playback = playback }
    end }
  ]]):format(path, to and ("playback:seek(%d)"):format(to) or "")
  return function()
    local scene = assert(scenes.parse(text, "=" .. path))
    scene.recording = path
    return scene
  end
end

-- A step of the run, from the recording.
local function step(run, playback, ended)
  local same, difference = playback:step()
  run.count, run.time = playback.frame, run.world.time
  if same == nil then ended() end
  if same ~= false then return true end
  return nil, { kind = "diverged", message = run.scene.recording .. " differs at " .. recording.text(difference) }
end

--- Let the run be played, if its scene is a recording.
---@param run table     of impel.run
---@param ended fun()   called where there is no step any more
---@return table|nil history  in the place of viewer_history's; nil: it is a scene like any other
function played.take(run, ended)
  if not run.scene.recording then return nil end
  local playback = run.state.playback
  run.step = function(self) return step(self, playback, ended) end
  run.count, run.time = playback.frame, run.world.time
  return setmetatable({ playback = playback }, History)
end

--- Nothing is to be kept.
function History.keep() end

--- Whether all comes back: there is nothing but the world.
function History.is_whole() return true end

--- How many steps there are to go back.
function History:count() return self.playback.frame end

--- Go to a step, back or forth.
---@param run table
---@param frame integer  the step
---@return integer steps  how many the run went forth; less than 0: back
function History:seek(run, frame)
  local playback = self.playback
  local from, to = playback.frame, math.max(0, math.min(frame, playback.frames))
  if to < from then playback:rewind(from - to) elseif to > from then playback:seek(playback.first + to) end
  run.count, run.time, run.fault = playback.frame, run.world.time, nil
  return playback.frame - from
end

--- The steps that `seek` reaches: all of the recording.
---@param run table
---@return table  first, last: steps; from, to: times [s]
function History:range(run)
  local frame, dt = self.playback.frame, run.world.dt
  local time = run.world.time
  return { first = 0, last = self.playback.frames, from = time - frame * dt,
    to = time + (self.playback.frames - frame) * dt }
end

--- Go back.
---@param run table
---@param steps integer
---@return integer steps  how many it were
function History:back(run, steps)
  local from = self.playback.frame
  local frame = math.max(from - steps, 0)
  if frame == from then return 0 end
  self.playback:rewind(from - frame)
  run.count, run.time, run.fault = frame, run.world.time, nil
  return from - frame
end

return played
