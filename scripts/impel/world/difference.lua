-- The result of world:difference as a sentence: "body 'crate' (id 3): velocity.x is 0.1 here, 0.2 there".

local difference = {}

local function number(value)
  local short = ("%.15g"):format(value)
  return tonumber(short) == value and short or ("%.17g"):format(value)
end

local function called(name) return name and (" '" .. name .. "'") or "" end

local function owner(d)
  if d.object == "world" then return "world" end
  if d.object == "contact" then
    return ("contact of%s (shape %d) and%s (shape %d)"):format(called(d.name), d.id, called(d.name_b), d.other)
  end
  local of = d.object == "shape" and d.other and (" of body %d"):format(d.other) or ""
  return d.id and ("%s%s (id %d%s)"):format(d.object, called(d.name), d.id, of) or d.object .. called(d.name)
end

--- Return the difference as a sentence.
---@param d table   result of world:difference
---@param here string|nil   word for the world of `d.a`, default "here"
---@param there string|nil  word for the world of `d.b`, default "there"
function difference.text(d, here, there)
  here, there = here or "here", there or "there"
  if d.field == "exists" then
    return ("%s is missing %s"):format(owner(d), d.a == 1 and there or here)
  end
  if not d.a then return ("%s: %s differs"):format(owner(d), d.field) end
  return ("%s: %s is %s %s, %s %s"):format(owner(d), d.field, number(d.a), here, number(d.b), there)
end

return difference
