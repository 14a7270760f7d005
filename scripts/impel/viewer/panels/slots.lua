-- Two saved states of the world, with the seed and parameters of the scene. F5 and Shift+F5 save, F7 and Shift+F7
-- restore.

local nearest = require "impel.base.nearest"
local panels = require "impel.viewer.panels.panel"
local theme = require "impel.viewer.ui.theme"

local slots, Panel = panels.class("slots", "Saved states")

--- Number of slots.
slots.COUNT = 2

local function key_of(number, key) return number == 1 and key or "Shift+" .. key end

--- Save the state of the world.
---@param v table    the viewer
---@param number integer
function slots.save(v, number)
  local run, values = v.run, {}
  for name, value in pairs(run.values) do values[name] = value end
  local ok, bytes = pcall(run.world.snapshot, run.world)
  if not ok then return v:say(("slot %d: %s"):format(number, bytes)) end
  v.slots[number] = { file = run.scene.file, scene = run.scene.name, seed = run.seed, values = values, bytes = bytes,
    step = run.count, time = run.world.time }
  v:say(("saved in slot %d at %.3f s: %s restores it"):format(number, run.world.time, key_of(number, "F7")), "slot")
end

-- Set the scene up again if the seed or the parameters of the run differ from those of the saved state.
local function prepare(v, slot)
  local same = v.run.seed == slot.seed
  for _, name in ipairs(nearest.keys(slot.values)) do same = same and v.run.values[name] == slot.values[name] end
  return same or v:restart(slot.values, slot.seed)
end

--- Restore a saved state, and return true. If this is impossible, the world stays and a message gives the reason.
function slots.load(v, number)
  local slot, scene = v.slots[number], v.run.scene
  if not slot then
    return v:say(("slot %d is empty: %s saves a state in it"):format(number, key_of(number, "F5")), "slot")
  end
  if slot.file ~= scene.file then
    return v:say(("slot %d belongs to the scene '%s', not to '%s': open its scene first"):format(number, slot.scene,
      scene.name), "slot")
  end
  if not v:may_leave() then return nil end
  if scene.recording then return v:seek(slot.step) ~= nil end
  if not prepare(v, slot) then return nil end
  v.mouse:release()
  local ok, message = v:restore(slot.bytes)
  local text = ok and ("slot %d: %.3f s"):format(number, slot.time)
  v:say(text or ("slot %d cannot be restored: %s"):format(number, message), "slot")
  return ok
end

function Panel:draw(ui)
  local v = self.viewer
  self:begin(ui, ui:place(slots.name, "right", 208))
  for number = 1, slots.COUNT do
    local slot = v.slots[number]
    ui:heading(slot and ("Slot %d: %.3f s"):format(number, slot.time) or ("Slot %d: empty"):format(number))
    if slot then ui:row("scene", slot.scene) end
    ui:row("save", key_of(number, "F5"), nil, theme.dim)
    ui:row("load", key_of(number, "F7"), nil, theme.dim)
    ui:space(4)
    ui:columns(2)
    if ui:button("save" .. number, "Save") then slots.save(v, number) end
    if ui:button("load" .. number, "Load") then slots.load(v, number) end
    ui:end_columns()
  end
  ui:finish_panel()
end

return slots
