-- The timeline in the toolbar: stored states, position of the run.

local theme = require "impel.viewer.ui.theme"

local timeline = {}

local KNOB, GAP = 6, 8

local function seconds(time) return ("%.2f s"):format(time) end

--- Draw the timeline, and seek after a drag.
function timeline.draw(v, ui, x, y, width, height)
  local range, count, middle = v.history:range(v.run), v.run.count, y + height / 2
  local from, to = seconds(range.from), seconds(range.to)
  local left, right = ui:text_width(from, theme.SMALL), ui:text_width(to, theme.SMALL)
  ui:text(x, middle, from, theme.dim, 0, theme.SMALL)
  ui:text(x + width, middle, to, theme.dim, 1, theme.SMALL)
  x, width = x + left + GAP, width - left - right - 2 * GAP
  if width < 4 * KNOB then return end
  local hover, held = ui:touch("timeline", x, y, width, height)
  local steps, inner = range.last - range.first, width - 2 * KNOB
  local share = math.max(0, math.min(1, (ui.mouse.x - x - KNOB) / inner))
  local wanted = range.first + math.floor(share * steps + 0.5)
  local state = ui:state "timeline"
  if held and steps > 0 and wanted ~= state.wanted then
    state.wanted = wanted
    v:seek(wanted)
    count = v.run.count
  elseif not held then
    state.wanted = nil
  end
  if hover and steps > 0 then
    local time = range.from + share * (range.to - range.from)
    ui:tooltip(("%s: click or drag to go there; Left and Right go by steps"):format(seconds(time)), held, y)
  end
  local at = steps > 0 and (count - range.first) / steps or 1
  ui:box(x, middle - 2, width, 4, theme.track, 2)
  ui:box(x, middle - 2, KNOB + at * inner, 4, steps > 0 and theme.accent or theme.track, 2)
  ui:disk(x + KNOB + at * inner, middle, KNOB, (hover or held) and theme.text or theme.knob)
end

return timeline
