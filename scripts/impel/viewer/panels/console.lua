-- The viewer's console: a session of impel.repl on the viewer's run.

local edit = require "impel.viewer.ui.edit"
local panels = require "impel.viewer.panels.panel"
local printable = require "impel.base.printable"
local repl = require "impel.prompt.repl"
local theme = require "impel.viewer.ui.theme"

local LINE, PAD = theme.LINE, theme.PAD

local console, Panel = panels.class("console", "Console")

local HEIGHT = 208  -- [screen points] height of the panel
local MOST = 1000   -- limit of stored lines
local PATIENCE = 5  -- [s] time limit of a command; the window does not react while a command runs
local INDENT = 2    -- number of blanks before the continuation of a broken line
local KEYS = "Tab completes, Up and Down recall lines, Esc leaves the input line, ` closes."

local colors = { input = theme.accent, output = theme.text, failure = theme.bad, note = theme.dim }


-- Output -------------------------------------------------------------------------------------------------------------

local function put(self, kind, text)
  for line in (printable(text):gsub("\t", "    "):gsub("\n$", "") .. "\n"):gmatch "(.-)\n" do
    self.lines[#self.lines + 1] = { kind = kind, text = line }
  end
  if #self.lines > MOST then self.lines = table.move(self.lines, #self.lines - MOST + 1, #self.lines, 1, {}) end
  self.broken_at, self.scroll = nil, 0
end

-- A text may be a row of a table. Return the indent of its continuation lines: the start of the table's last column if
-- this is in the left half of the console; otherwise INDENT.
local function indent_of(text, columns)
  local last = text:match "^.*%S  +()%S" or text:match "^ +()" or 1
  return last - 1 <= columns // 2 and math.max(last - 1, INDENT) or INDENT
end

-- Return the displayed lines, at most `columns` characters wide, broken at blanks if possible.
local function shown_lines(self, columns)
  if self.broken_at == columns then return self.broken end
  local broken = {}
  for _, line in ipairs(self.lines) do
    local text, indent, next_indent = line.text, 0, indent_of(line.text, columns)
    while true do
      local room = columns - indent
      local cut = utf8.offset(text, room + 1) or #text + 1
      local rest = cut <= #text
      if rest then cut = text:sub(1, cut):match "^.*%S%s+()%S*$" or cut end
      broken[#broken + 1] = { kind = line.kind, text = (" "):rep(indent) .. text:sub(1, cut - 1) }
      if not rest then break end
      text, indent = text:sub(cut), next_indent
    end
  end
  self.broken, self.broken_at = broken, columns
  return broken
end

-- Draw a line in a proportional font. Columns are separated by two blanks and stay aligned.
local function draw_line(ui, x, y, cell, line)
  local free, at = x, 1
  for from, part in line.text:gmatch "()(%S+)" do
    local stop = from + #part - 1
    while true do -- words separated by one blank are drawn together
      local next_from, next_stop = line.text:find("^ %S+", stop + 1)
      if not next_from then break end
      stop = next_stop
    end
    if from >= at then
      local text = line.text:sub(from, stop)
      local column = utf8.len(line.text:sub(1, from - 1)) or from - 1
      local left = math.max(x + column * cell, free)
      ui:text(left, y, text, colors[line.kind])
      free, at = left + ui:text_width(text) + cell, stop + 1
    end
  end
end


-- The session --------------------------------------------------------------------------------------------------------

-- Return a stage through which a session uses the viewer's run. The stage has the methods of prompt/stage.lua.
local function stage_of(viewer)
  local function answer(ok, failure)
    if ok and ok ~= 0 then return true end -- the result of a step is the number of steps made
    return nil, failure or viewer.failure
  end
  return {
    current = function() return viewer.run end,
    step = function() return answer(viewer:step(1)) end,
    reset = function(_, set, seed) return answer(viewer:restart(set, seed)) end,
    open = function(_, name) return answer(viewer:open(name or viewer.run.scene.file)) end,
    close = function() end,
  }
end

local function session_of(self)
  if self.session or not self.viewer.run then return self.session end
  local clock = self.viewer.clock
  self.session = repl.new {
    write = function(...) self.written[#self.written + 1] = table.concat { ... } end,
    stage = stage_of(self.viewer), name = "console", keys = KEYS, clock = clock, seed = self.viewer.run.seed,
    interrupted = function() return self.until_time ~= nil and clock() > self.until_time end,
  }
  return self.session
end

local function flush(self)
  local text = table.concat(self.written)
  self.written = {}
  if text ~= "" then put(self, "output", text) end
end

local function report(self, failure)
  if failure.kind == "quit" then return self.viewer:toggle(console.name) end
  local message = failure.message
  if failure.kind == "interrupted" then message = ("stopped: it took longer than %d s"):format(PATIENCE) end
  put(self, "failure", message)
end

--- Evaluate a line as if it had been typed.
---@param line string
function Panel:feed(line)
  local session = session_of(self)
  put(self, "input", (self.more and ">> " or "> ") .. line)
  if not session then return put(self, "failure", "no scene is loaded") end
  self.until_time = self.viewer.clock() + PATIENCE
  local state, failure = session:feed(line)
  self.until_time = nil
  flush(self)
  self.more = state == "incomplete"
  if failure then report(self, failure) end
end

-- Handle the Tab key: complete the word, or list the possible completions.
local function complete(self, line)
  local session = session_of(self)
  if not session then return end
  local before = line.text:sub(1, line.cursor)
  local insert, below = session:tab(before, math.max(20, (self.columns or 80) - 4))
  line:insert(insert)
  if below then
    put(self, "input", (self.more and ">> " or "> ") .. before)
    put(self, "note", below)
  end
end


-- The panel ----------------------------------------------------------------------------------------------------------

local function scroll_by_wheel(self, ui, most)
  if ui.over == console.name and ui.wheel ~= 0 then
    self.scroll = self.scroll + math.floor(3 * ui.wheel + (ui.wheel > 0 and 0.5 or -0.5))
    ui.wheel = 0
  end
  self.scroll = math.max(0, math.min(self.scroll, most))
end

-- Draw the latest lines that fit above the prompt.
local function draw_output(self, ui, height)
  local x, y, width = ui:line(height)
  local cell = ui:text_width "0"
  self.columns = math.max(10, width // cell)
  local lines, rows = shown_lines(self, self.columns), math.max(1, height // LINE)
  scroll_by_wheel(self, ui, math.max(0, #lines - rows))
  if select(3, ui:touch("output", x, y, width, height)) then self.opened = true end
  local last = #lines - self.scroll
  local first = math.max(1, last - rows + 1)
  ui:enter(x, y, width, height)
  for i = first, last do
    draw_line(ui, x, y + height - (last - i + 0.5) * LINE, cell, lines[i])
  end
  ui:leave()
  if #lines > rows then
    local length = math.max(12, height * rows / #lines)
    ui:box(x + width - 2, y + (height - length) * (first - 1) / (#lines - rows), 3, length, theme.faint, 1.5)
  end
end

local function draw_prompt(self, ui)
  local x, y = ui.panel.x, ui.panel.y
  ui:text(x, y + theme.ROW / 2, self.more and ">>" or ">", theme.accent)
  ui.panel.x, ui.panel.width = x + 22, ui.panel.width - 22
  if self.opened then ui:take_focus("line", "text", true) end
  self.opened = false
  local line = ui:input("line", self.line, function(line) complete(self, line) end)
  if line then self:feed(line) end
end

function Panel:draw(ui)
  self.opened = self.opened or self.drawn ~= ui.frames - 1 -- move the keyboard focus to the input line
  self.drawn = ui.frames
  local x, y, width, height = ui:place(console.name, "bottom", 320, HEIGHT)
  self:begin(ui, x, y, width, height)
  draw_output(self, ui, height - theme.TITLE - 2 * PAD - theme.ROW - 8)
  ui:space(4)
  draw_prompt(self, ui)
  ui:finish_panel()
end

--- Close the console by the key ` that opened it, even while the user types.
function Panel:event(event)
  if event.type == "text" and event.text == "`" then return true end
  if event.type ~= "key" or event.key ~= "`" or event.ctrl or event.alt then return false end
  if event.down then self.viewer:toggle(console.name) end
  return true
end

function console.new(viewer)
  local self = setmetatable({ viewer = viewer, lines = {}, written = {}, scroll = 0, line = edit.new() }, Panel)
  put(self, "note", "Commands act on the displayed world: step(60)  reset{}  measure()  help().  " .. KEYS)
  return self
end

return console
