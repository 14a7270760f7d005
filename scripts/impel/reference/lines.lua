-- Text lines of the reference: names, and descriptions in a column beside the names.

local lines = {}

local WIDTH, DOC_COLUMN = 120, 44 -- width of the text, and column at which descriptions begin

-- Append words to a line of text up to WIDTH. Continuation lines begin at `column`.
local function fill(out, row, column, text)
  for word in text:gmatch "%S+" do
    if #row + 1 + #word > WIDTH and #row >= column then
      out[#out + 1] = row
      row = (" "):rep(column - 1)
    end
    row = row .. " " .. word
  end
  out[#out + 1] = row
end

--- Append `what`, and `doc` in a column, broken into lines. column: default 44.
function lines.put(out, indent, what, doc, column)
  column = column or DOC_COLUMN
  local head = (" "):rep(indent) .. what
  if not doc or doc == "" then
    out[#out + 1] = head
  elseif #head >= column then
    out[#out + 1] = head
    fill(out, (" "):rep(column - 1), column, doc)
  else
    fill(out, head .. (" "):rep(column - 1 - #head), column, doc)
  end
end

--- Append a text, broken into lines.
function lines.wrap(out, indent, text) fill(out, (" "):rep(indent - 1), indent, text) end

--- Append a chapter of the reference.
---@param chapter table  title; head: lines; groups: { title, parts, apart: whether an empty line precedes each part }
function lines.chapter(out, chapter)
  out[#out + 1] = chapter.title
  if chapter.head then
    out[#out + 1] = ""
    table.move(chapter.head, 1, #chapter.head, #out + 1, out)
  end
  for _, group in ipairs(chapter.groups) do
    if group.title then
      out[#out + 1] = ""
      out[#out + 1] = "  " .. group.title
    end
    for _, part in ipairs(group.parts) do
      if group.apart then out[#out + 1] = "" end
      table.move(part.lines, 1, #part.lines, #out + 1, out)
    end
  end
end

return lines
