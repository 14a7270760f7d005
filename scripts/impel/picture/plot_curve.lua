-- Reduce a curve to at most four samples per pixel column: the first, the least, the greatest and the last, so that
-- every peak is drawn. A non-finite sample makes a gap.

local svg_text = require "impel.picture.svg_text"

local curve = {}

local HUGE = 1e300 -- larger samples are not drawn, because their differences may be infinite

--- Return whether a sample can be drawn.
function curve.is_shown(x)
  return math.abs(x) < HUGE -- false if x is nan
end

-- Append the first, least, greatest and last sample of a column, each once, in order.
local function keep(column, list)
  table.sort(column)
  for i, sample in ipairs(column) do
    if sample ~= column[i - 1] then list[#list + 1] = sample end
  end
end

--- Return the indices of the drawn samples, as a list of runs without gaps. xs, ys [px].
function curve.runs(xs, ys)
  local runs, run, column, place = {}, nil, nil, nil
  for i, y in ipairs(ys) do
    local x = xs[i]
    if not (curve.is_shown(x) and curve.is_shown(y)) then
      if run then keep(column, run) end
      run = nil
    else
      if not run then
        run, place = {}, nil
        runs[#runs + 1] = run
      end
      local here = math.floor(x)
      if here ~= place then
        if place then keep(column, run) end
        column, place = { i, i, i, i }, here -- first, least, greatest, last sample
      else
        if y < ys[column[2]] then column[2] = i end
        if y > ys[column[3]] then column[3] = i end
        column[4] = i
      end
    end
  end
  if run then keep(column, run) end
  return runs
end

-- Return the SVG path through the samples with the indices `run`: steps if `stepped`, otherwise straight lines.
local function piece(xs, ys, run, stepped)
  local parts = {}
  for i, sample in ipairs(run) do
    local x, y = svg_text.number(xs[sample]), svg_text.number(ys[sample])
    if i == 1 then
      parts[1] = ("M%s %s"):format(x, y)
    elseif stepped then
      parts[i] = ("H%sV%s"):format(x, y)
    else
      parts[i] = ("L%s %s"):format(x, y)
    end
  end
  return table.concat(parts)
end

--- Return the path of a curve, and the indices of its isolated samples.
---@param xs number[]  [px]; a non-finite number makes a gap
---@param ys number[]  [px]
---@param stepped boolean  each value holds until the next
function curve.path(xs, ys, stepped)
  local parts, alone = {}, {}
  for _, run in ipairs(curve.runs(xs, ys)) do
    if #run == 1 then alone[#alone + 1] = run[1] else parts[#parts + 1] = piece(xs, ys, run, stepped) end
  end
  return table.concat(parts), alone
end

return curve
