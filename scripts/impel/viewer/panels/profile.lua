-- The viewer's panel of mean times by stage, and numbers of objects.

local panels = require "impel.viewer.panels.panel"
local theme = require "impel.viewer.ui.theme"

local profile, Panel = panels.class("profile", "Profile")

local WINDOW = 60 -- number of steps over which times are averaged

--- Stages of world:profile() in the order in which they run, with a description.
profile.stages = {
  { "broadphase", "finds shapes that may touch" }, { "narrowphase", "finds contact points" },
  { "islands", "groups connected bodies" }, { "prepare", "sets up rows" },
  { "solve", "substeps, with the scene's substep handlers" },
  { "store", "stores impulses for the next step" }, { "finalize", "poses, continuous collision" },
  { "sleep", "puts islands at rest to sleep" },
}

local function clear(self)
  self.sums, self.ring, self.at, self.count = {}, {}, 0, 0
end

-- Return the times of one step [s]. `wall` includes the scene's functions.
local function sample_of(self)
  local run = self.viewer.run
  local sample = run.world:profile(self.ring[self.at % WINDOW + 1])
  sample.wall = math.max(sample.step, run.seconds - (self.seconds or 0))
  self.seconds = run.seconds
  return sample
end

-- Take a sample after each step of the world.
function Panel:step()
  local slot = self.at % WINDOW + 1
  local old = self.ring[slot]
  for name, seconds in pairs(old or {}) do self.sums[name] = self.sums[name] - seconds end
  local sample = sample_of(self)
  for name, seconds in pairs(sample) do self.sums[name] = (self.sums[name] or 0) + seconds end
  self.ring[slot] = sample
  self.at, self.count = self.at + 1, math.min(self.count + 1, WINDOW)
  self.steps = self.steps + 1
end

--- Return mean times per step [s] over the last WINDOW steps, or nil before the first step.
---@return table|nil  wall: the whole time, the sum of `parts`; step: the time in world:step; stages: the time in the
---  stages of world:step; parts: list of { name, seconds, about }
function Panel:means()
  if self.count == 0 then return nil end
  local parts, stages = {}, 0
  for i, stage in ipairs(profile.stages) do
    local seconds = math.max(0, (self.sums[stage[1]] or 0) / self.count)
    parts[i] = { name = stage[1], seconds = seconds, about = stage[2] }
    stages = stages + seconds
  end
  local step, wall = self.sums.step / self.count, self.sums.wall / self.count
  local function add(name, seconds, about)
    parts[#parts + 1] = { name = name, seconds = math.max(0, seconds), about = about }
  end
  add("rest of the step", math.max(step - stages, 0), "events, bookkeeping")
  add("scene", wall - step, "scene.update, handlers of \"step\" and of events, and the call of world:step")
  return { parts = parts, step = step, wall = wall, stages = stages }
end

-- Count frames and steps in the last half second.
local function count_frames(self)
  local now = self.viewer.clock()
  self.since = self.since or now
  self.frames = self.frames + 1
  local elapsed = now - self.since
  if elapsed < 0.5 then return end
  self.frame_ms, self.frame_rate = 1000 * elapsed / self.frames, self.frames / elapsed
  self.step_rate = self.steps / elapsed
  self.since, self.frames, self.steps = now, 0, 0
end

-- Choose us or ms for times up to `seconds`. Return two values: a function that formats a time [s], and the unit.
local function writer(seconds)
  local factor, unit = 1e3, "ms"
  if seconds < 1e-4 then factor, unit = 1e6, "us" end
  return function(time) return ("%.3f"):format(factor * time) end, unit
end

local function draw_stages(self, ui)
  local means = self:means()
  if not means then return ui:label("No step yet.", theme.dim) end
  local write, unit = writer(means.wall)
  local longest = 0
  for _, part in ipairs(means.parts) do longest = math.max(longest, part.seconds) end
  for i, part in ipairs(means.parts) do
    local top = ui.panel.y
    local color = i <= #profile.stages and theme.accent or theme.warning
    ui:bar(part.name, longest > 0 and part.seconds / longest or 0, write(part.seconds), unit, color)
    if ui:touch(part.name, ui.panel.x, top, ui.panel.width, ui.panel.y - top) then ui:tooltip(part.about) end
  end
  ui:space(4)
  local share = means.wall > 0 and means.stages / means.wall or 0
  ui:row("sum of the stages", write(means.stages), unit)
  ui:row("step of the world", write(means.step), unit)
  ui:row("step with the scene", write(means.wall), unit)
  ui:row("share of time in stages", ("%.1f"):format(100 * share), "%")
end

--- Format a number of bytes in units of 1024.
---@return string value
---@return string unit
function profile.bytes(count)
  if count < 1024 then return ("%d"):format(count), "B" end
  if count < 1024 * 1024 then return ("%.1f"):format(count / 1024), "KiB" end
  return ("%.2f"):format(count / (1024 * 1024)), "MiB"
end

local function draw_counts(self, ui)
  self.counts = self.viewer.run.world:counts(self.counts)
  local counts = self.counts
  for _, name in ipairs { "bodies", "awake", "shapes", "joints", "contacts", "rows", "islands", "colours" } do
    ui:row(name, ("%d"):format(counts[name]), "")
  end
  ui:row("C memory", profile.bytes(counts.bytes))
  ui:row("Lua memory", profile.bytes(counts.lua_bytes))
end

function Panel:draw(ui)
  count_frames(self)
  self:begin(ui, ui:place(profile.name, "right", 256))
  ui:row("frame", self.frame_ms and ("%.2f"):format(self.frame_ms) or "-", "ms")
  ui:row("frames", self.frame_rate and ("%.1f"):format(self.frame_rate) or "-", "1/s")
  ui:row("steps", self.step_rate and ("%.1f"):format(self.step_rate) or "-", "1/s")
  ui:heading(("Mean of %d steps"):format(math.max(1, self.count)))
  draw_stages(self, ui)
  ui:heading "Counts"
  draw_counts(self, ui)
  ui:finish_panel()
end

-- Reset the panel after a restart of the run.
function Panel:reset()
  clear(self)
  self.seconds = self.viewer.run.seconds
end

function profile.new(viewer)
  local self = setmetatable({ viewer = viewer, frames = 0, steps = 0 }, Panel)
  self:reset()
  return self
end

return profile
