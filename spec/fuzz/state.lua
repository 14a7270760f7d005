-- Changes the Lua part of a snapshot and corrects its checksum. The snapshot is rejected with a reason and changes
-- nothing, or the restored world can be stepped.
--
--   If the input's first byte is 0, the other bytes replace the Lua part. Otherwise the other bytes are edits of 8
--   bytes: kind (1 byte), position (3 bytes), number (4 bytes).
local impel = require "impel"
local checksum = checksum -- luacheck: ignore 113   of lua_target.c

local Counter = {}
Counter.__index = Counter
function Counter:__save() return { n = self.n, inner = self.inner } end
function Counter:__load(kept)
  if type(kept) ~= "table" then error("a table expected", 0) end
  self.n, self.inner = kept.n, kept.inner
end

-- Build a world by the same calls each time, because snapshots must be exchangeable.
local function build()
  local world = impel.world { seed = 5 }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 20, 1, name = "floor" }
  local ball = world:body { position = { 0, 2 }, name = "ball", data = { hits = 0, list = { 1, 2.5, "three", true } } }
  ball:circle { radius = 0.5, data = "round" }
  local bob = world:body { position = { 2, 3 } }
  bob:circle { radius = 0.25 }
  local pin = world:revolute(ground, bob, { anchor = { 2, 5 }, data = { turns = 0 } })
  local kept = {
    ball = ball, world = world, pin = pin, numbers = { 1, 2, 3, 0 / 0, 1 / 0, math.mininteger }, text = "text\0more",
    [ball] = "by body", [true] = false, [2.5] = 1, counter = setmetatable({ n = 1, inner = { 7 } }, Counter),
  }
  kept.self = kept
  local aside = impel.world {} -- a world stored in the state of another world
  aside:body { position = { 0, 1 } }:circle { radius = 0.5 }
  kept.aside, kept.again = aside, { aside }
  aside:state { back = world }
  world:state(kept)
  local other = world:state { again = kept, n = 0 }
  world:on("begin_contact", function(event) ball.data.hits = ball.data.hits + 1 other.n = event.x and 1 end)
  world:on("step", function() kept.numbers[1] = (tonumber(kept.numbers[1]) or 0) + 1 end)
  world:field { kind = "custom", law = function(p) return -p.vx, 0 end }
  for _ = 1, 40 do world:step() end
  return world
end

local function size_of_core(shot) return (string.unpack("<I8", shot, 25)) end

local HEAD = 32 -- magic, version, length, checksum

local function edited(part, bytes)
  local kind = bytes:byte(1) or 1
  if kind == 0 then return bytes:sub(2) end
  for at = 2, #bytes - 7, 8 do
    local how, place, number = string.unpack("<BI3i4", bytes, at)
    place = 1 + place % math.max(#part, 1)
    local new = how % 6 == 0 and string.pack("B", number & 255) or how % 6 == 1 and string.pack("<i4", number)
      or how % 6 == 2 and string.pack("<i8", number) or how % 6 == 3 and string.pack("<d", number / 4)
    if new then
      part = part:sub(1, place - 1) .. new .. part:sub(place + #new)
    elseif how % 6 == 4 then -- delete, or duplicate
      local length = 1 + (number & 63)
      part = part:sub(1, place - 1) .. part:sub(number > 0 and place + length or math.max(place - length, 1))
    else
      local from = 1 + (number & 0xffff) % math.max(#part, 1)
      part = part:sub(1, place - 1) .. part:sub(from, from + (number >> 16 & 63)) .. part:sub(place + 1)
    end
  end
  return part
end

local function plain_errors(ok, message)
  if not ok and type(message) ~= "string" then error("the error is not a string: " .. tostring(message)) end
  return ok, message
end

return function(bytes)
  local world = build()
  local shot = world:snapshot()
  local core = size_of_core(shot)
  local part = edited(shot:sub(core + HEAD + 1), bytes)
  local changed = shot:sub(1, core + 16) .. string.pack("<I8", #part) .. checksum(part) .. part
  world:step()
  local before, hash = world:snapshot(), world.hash
  local ok, message = plain_errors(pcall(world.restore, world, changed))
  if not ok then
    assert(message:find "snapshot" or message:find "table expected", message)
    local same = world.hash == hash and world:snapshot() == before
    assert(same or not message:find "snapshot", "a rejected snapshot changed the world")
  end
  -- The restored tables may have other contents, so handlers may raise errors.
  for _ = 1, 3 do plain_errors(pcall(world.step, world)) end
  local again = world:snapshot()
  ok, message = plain_errors(pcall(world.restore, world, again))
  assert(ok or message:find "table expected", message)
  ok, message = plain_errors(pcall(world.restore, world, shot))
  if ok then
    assert(world:snapshot() == shot, "restoring does not give the saved state")
  else -- the restored state may contain ordinary tables instead of objects with __save
    assert(message:find "snapshot" or message:find "table expected", message)
  end
  world:destroy()
end
