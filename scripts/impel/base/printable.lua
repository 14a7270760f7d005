-- Makes text that readers of UTF-8, YAML and XML accept: bytes of invalid or invisible characters become \xNN.

local CONTROL_C1 = "^\xC2[\x80-\x9F]"         -- U+0080..U+009F
local NO_CHARACTER = "^\xEF\xBF[\xBE\xBF]"    -- U+FFFE, U+FFFF
local BYTE_ORDER_MARK = "^\xEF\xBB\xBF"       -- U+FEFF
local TURNS = "^\xE2\x80[\x8E\x8F\xAA-\xAE]" -- U+200E, U+200F, U+202A..U+202E, which change the direction of text
local ISOLATES = "^\xE2\x81[\xA6-\xA9]"      -- U+2066 to U+2069
-- Bytes with which no character of UTF-8 begins. The pattern matches several such bytes at once for speed.
local NO_BEGINNING = "^[\x80-\xC1\xF5-\xFF]+"

local function escape(bytes)
  return (bytes:gsub(".", function(c) return ("\\x%02X"):format(c:byte()) end))
end

-- Return the number of bytes at `at` to escape; 0 if a displayable character starts there.
local function unfit(text, at)
  if text:find("^[%c\127]", at) then return 1 end
  if text:find(CONTROL_C1, at) then return 2 end
  if text:find(NO_CHARACTER, at) or text:find(BYTE_ORDER_MARK, at) then return 3 end
  if text:find(TURNS, at) or text:find(ISOLATES, at) then return 3 end
  local length = utf8.len(text, at, at)
  return length and 0 or 1
end

-- Return whether a text can be displayed as it is.
local function is_fit(text)
  if text:find "[\0-\8\11-\31\127]" or not utf8.len(text) then return false end
  for _, odd in ipairs { CONTROL_C1, NO_CHARACTER, BYTE_ORDER_MARK, TURNS, ISOLATES } do
    if text:find(odd:sub(2)) then return false end
  end
  return true
end

-- Convert the longest run of text at `at` that one rule covers. Return the converted text and the position after it.
local function next_part(text, at, write)
  local plain = text:match("^[\n\t\32-\126]+", at)
  if plain then return plain, at + #plain end
  local invalid = text:match(NO_BEGINNING, at)
  if invalid then return (invalid:gsub(".", write)), at + #invalid end
  local bad = unfit(text, at)
  if bad > 0 then return write(text:sub(at, at + bad - 1)), at + bad end
  local character = utf8.char(utf8.codepoint(text, at))
  return character, at + #character
end

--- Return valid UTF-8 without control characters except newlines and tabs.
---@param text string
---@param write nil|fun(bytes: string): string  returns the text for a character or an invalid byte; default \xNN
---@return string
return function(text, write)
  write = write or escape
  if not text:find "[^\n\t\32-\126]" or is_fit(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    parts[#parts + 1], at = next_part(text, at, write)
  end
  return table.concat(parts)
end
