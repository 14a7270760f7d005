-- An editable line of text with a history.
--
--   local line = edit.new("kp = 90")
--   line:take(event)     -- true if handled
--
-- The cursor is the number of bytes before it. It is never inside a character.

local edit = {}
local Line = {}
Line.__index = Line

local MOST = 200 -- largest number of lines in the history

--- Make a line with the cursor at its end.
---@param text string|nil
function edit.new(text)
  local self = setmetatable({ history = {} }, Line)
  self:set(text or "")
  return self
end

--- Replace the text, with the cursor at its end.
function Line:set(text)
  self.text, self.cursor, self.at = text, #text, nil
end

--- Insert the first line of a text at the cursor.
function Line:insert(text)
  text = text:match "^[^\r\n]*":gsub("%c", "")
  if not utf8.len(text) then return end
  self.text = self.text:sub(1, self.cursor) .. text .. self.text:sub(self.cursor + 1)
  self.cursor = self.cursor + #text
end

--- Append the text to the history, unless it equals the last entry, and clear the line. Return the text.
function Line:submit()
  local text, history = self.text, self.history
  if text:find "%S" and history[#history] ~= text then history[#history + 1] = text end
  if #history > MOST then table.remove(history, 1) end
  self:set ""
  return text
end

local function erase(self, first, last)
  self.text = self.text:sub(1, first) .. self.text:sub(last + 1)
  self.cursor = first
end

local function left_of(self)
  return self.cursor == 0 and 0 or utf8.offset(self.text, -1, self.cursor + 1) - 1
end

local function right_of(self)
  return self.cursor == #self.text and self.cursor or utf8.offset(self.text, 2, self.cursor + 1) - 1
end

local function word_left(self)
  local before = self.text:sub(1, self.cursor)
  return #before:match "^(.-)[%w_]*[^%w_]*$"
end

local function word_right(self)
  return select(2, self.text:find("^[^%w_]*[%w_]*", self.cursor + 1))
end

-- Go through the history. The line being typed follows the last entry of the history.
local function recall(self, by)
  local history = self.history
  local at = (self.at or #history + 1) + by
  if at < 1 or at > #history + 1 then return end
  if not self.at then self.typed = self.text end
  self:set(at == #history + 1 and self.typed or history[at])
  if at <= #history then self.at = at end
end

local keys = {
  left = function(self, ctrl) self.cursor = ctrl and word_left(self) or left_of(self) end,
  right = function(self, ctrl) self.cursor = ctrl and word_right(self) or right_of(self) end,
  home = function(self) self.cursor = 0 end,
  ["end"] = function(self) self.cursor = #self.text end,
  backspace = function(self, ctrl) erase(self, ctrl and word_left(self) or left_of(self), self.cursor) end,
  delete = function(self) erase(self, self.cursor, right_of(self)) end,
  up = function(self) recall(self, -1) end,
  down = function(self) recall(self, 1) end,
}

local control = {
  a = keys.home, e = keys["end"],
  u = function(self) erase(self, 0, self.cursor) end,
  k = function(self) erase(self, self.cursor, #self.text) end,
  w = function(self) erase(self, word_left(self), self.cursor) end,
}

--- Handle a key or text event. Return whether it was handled.
---@param paste nil|fun(): string|nil  returns the clipboard's text, for Ctrl+V
function Line:take(event, paste)
  if event.type == "text" then
    self:insert(event.text)
    return true
  end
  if event.ctrl and event.key == "v" then
    self:insert(paste and paste() or "")
    return true
  end
  local action = event.ctrl and control[event.key] or keys[event.key]
  if not action then return false end
  action(self, event.ctrl)
  return true
end

return edit
