-- The status line, and the messages at the top.

local films = require "impel.viewer.film"
local printable = require "impel.base.printable"
local show = require "impel.base.show"
local theme = require "impel.viewer.ui.theme"

local status = {}

local HEIGHT = 24
local TEXT = 12
local FADE, STAY = 0.5, 3 -- [s] a message stays for the time STAY, then fades for the time FADE
local BACK, INK, DIM, BRIGHT = theme.title, theme.text, theme.dim, theme.focus
local BUBBLE = theme.panel >> 8
local GAP = 18
local ROOM = 90 -- [screen points] window height per displayed message

--- Height of the status line [points].
status.HEIGHT = HEIGHT

-- Return a speed as a fraction or an integer: 1/4, 1, 16.
local function speed_text(speed)
  if speed >= 1 then return ("%g"):format(speed) end
  local inverse = 1 / speed
  return inverse == math.floor(inverse) and ("1/%d"):format(inverse) or ("%.3g"):format(speed)
end

local function state_of(v)
  if v.failure then return "failed" end
  if v.paused then return "paused" end
  return ("speed %s, real-time factor %.2f"):format(speed_text(v.speed), v.factor)
end

--- Return the title of a scene, or its file's name.
function status.title_of(run)
  return (printable(run.scene.definition.title or run.scene.name):gsub("%s+", " "))
end

-- Return the parts of the status line from left to right, each with its colour.
local function parts_of(v)
  local world = v.run.world
  local title = status.title_of(v.run)
  local parts = { { title, INK } }
  if v.film then parts[2] = { films.text(v), theme.bad } end
  if world:is_valid() then
    local counts = world:counts(v.counts)
    parts[#parts + 1] = { ("%.3f s"):format(world.time), INK }
    parts[#parts + 1] = { state_of(v), (v.paused or v.failure) and BRIGHT or INK }
    parts[#parts + 1] = { ("%s, %s, %s"):format(show.counted(counts.bodies, "body", "bodies"),
      show.counted(counts.joints, "joint", "joints"), show.counted(counts.contacts, "contact", "contacts")), DIM }
    parts[#parts + 1] = { world.solver, DIM }
  end
  if v.following then parts[#parts + 1] = { "camera follows " .. printable(tostring(v.following)), DIM } end
  return parts
end

--- Draw the status line.
---@param width number      [points]
function status.draw(v, drawing, width, height)
  local top, middle = height - HEIGHT, height - HEIGHT / 2
  drawing:fill("panel", BACK, 0, { 0, top, width, top, width, height, 0, height })
  local right = ("%.0f fps   F1 help"):format(v.rate)
  local right_width = v.text_size(right, TEXT)
  local x = 10
  local room = width - right_width - GAP
  for i, part in ipairs(parts_of(v)) do
    local text = i == 1 and v.ui:fit(part[1], math.max(room - x, 0)) or part[1]
    local part_width = v.text_size(text, TEXT)
    if x + part_width > room then break end -- parts that do not fit are left out
    drawing:text("panel", part[2], TEXT, 0, x, middle, text)
    x = x + part_width + GAP
  end
  drawing:text("panel", DIM, TEXT, 1, width - 10, middle, right)
end

--- Draw the messages that have not faded yet.
function status.draw_messages(v, drawing, width, height)
  local now, y = v.clock(), 24
  for i = #v.messages, 1, -1 do
    if v.messages[i].at + STAY + FADE <= now then table.remove(v.messages, i) end
  end
  for i = math.max(1, #v.messages - math.max(1, height // ROOM) + 1), #v.messages do
    local message = v.messages[i]
    local alpha = math.floor(math.min((message.at + STAY + FADE - now) / FADE, 1) * 0xf4)
    local half = v.text_size(message.text, TEXT + 1) / 2
    local x, h = width / 2, 4
    local corners = { x - half, y - h, x + half, y - h, x + half, y + h, x - half, y + h }
    drawing:fill("panel", BUBBLE << 8 | alpha, 2 * h, corners)
    drawing:text("panel", INK & ~0xff | alpha, TEXT + 1, 0.5, x, y, message.text)
    y = y + 30
  end
end

return status
