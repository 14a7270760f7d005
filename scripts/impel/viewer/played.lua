-- Playback of a recording in the window. A step that differs from the recording is a failure.

local recording = require "impel.recording"
local scenes = require "impel.scene"

local played = {}
local History = {}
History.__index = History

--- Return a function that returns a scene made of a recording. to: tick to begin at, default the first.
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

-- Make a step of the run from the recording.
local function step(run, playback, ended)
  local same, difference = playback:step()
  run.count, run.time = playback.frame, run.world.time
  if same == nil then ended() end
  if same ~= false then return true end
  return nil, { kind = "diverged", message = run.scene.recording .. " differs at " .. recording.text(difference) }
end

--- If the scene of a run is a recording, take the run's steps from the recording, and return the history of the run (an
--- object with the methods of viewer/history.lua). Otherwise return nil. ended(): called at the end of the recording.
function played.take(run, ended)
  if not run.scene.recording then return nil end
  local playback = run.state.playback
  run.step = function(self) return step(self, playback, ended) end
  run.count, run.time = playback.frame, run.world.time
  return setmetatable({ playback = playback }, History)
end

--- Do nothing: the recording holds all steps.
function History.keep() end

--- Return true: going back restores the whole state, because the scene of a recording has no state outside its world.
function History.is_whole() return true end

--- Return the number of steps before the current one.
function History:count() return self.playback.frame end

--- Go to a step. Return the number of steps gone forward (negative: back).
function History:seek(run, frame)
  local playback = self.playback
  local from, to = playback.frame, math.max(0, math.min(frame, playback.frames))
  if to < from then playback:rewind(from - to) elseif to > from then playback:seek(playback.first + to) end
  run.count, run.time, run.fault = playback.frame, run.world.time, nil
  return playback.frame - from
end

--- Return the range of `seek`, the whole recording, as a table: first, last: steps; from, to: times [s].
function History:range(run)
  local frame, dt = self.playback.frame, run.world.dt
  local time = run.world.time
  return { first = 0, last = self.playback.frames, from = time - frame * dt,
    to = time + (self.playback.frames - frame) * dt }
end

--- Go back by a number of steps. Return the number of steps gone back.
function History:back(run, steps)
  local from = self.playback.frame
  local frame = math.max(from - steps, 0)
  if frame == from then return 0 end
  self.playback:rewind(from - frame)
  run.count, run.time, run.fault = frame, run.world.time, nil
  return from - frame
end

return played
