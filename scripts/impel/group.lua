-- impel.group: a list of bodies, such as bricks or the parts of a ship.
--
--   local bricks = impel.group()                        -- empty; impel.group(world), impel.group(list): their bodies
--   bricks:add(world:body { position = { 1, 2 } })
--   for _, body in bricks:each() do ... end             -- the loop may destroy, add and remove bodies
--   bricks:set { gravity_scale = 0, lock_y = true }
--   bricks:call("apply_force", 0, 10)
--   bricks:where(function(body) return body.mass > 2 end):destroy()
--   world:read(bricks:bodies(), numbers)
--   bricks:copy(5, 0):rotate(0.5)     -- see world/group_*.lua
--
-- Destroyed bodies leave the group. A body that world:restore recreates is in the group again, unless the group has
-- rebuilt its list in the meantime.

local arguments = require "impel.base.arguments"
local core = require "impel.core"
local nearest = require "impel.base.nearest"

local LEAST_ROOM = 64 -- a world records at least this number of destroyed bodies

local group = {}
local Group = {}
Group.__index = Group

-- list: bodies in the order of their addition, with destroyed and removed ones until it is rebuilt; a loop that has
--   begun continues over the old list
-- list.at: index of each body; the last index if the body was removed and added again
-- list.start: number of entries before the first living member
-- has: true for each member
-- worlds: number of destroyed bodies in each world at the last core.ended
-- living: number of living members at the last call of `follow`, or false if unknown
local function new()
  local self = setmetatable({ has = {}, gone = 0, living = false, worlds = setmetatable({}, { __mode = "k" }) }, Group)
  self.list = { at = {}, start = 0, owner = self }
  return self
end

-- Update `living` and `gone` for the bodies that were destroyed since the last call of `follow`.
local function follow(self)
  for world, since in next, self.worlds do
    local now, ended = core.ended(world, since, #self.list + LEAST_ROOM)
    self.worlds[world] = now
    if now ~= since and not ended then self.living, self.list.start = false, 0 end
    if self.living and ended then
      for _, body in ipairs(ended) do
        if self.has[body] then self.living, self.gone = self.living - 1, self.gone + 1 end
      end
    end
  end
end

local function tidy(self)
  local at, has = {}, {}
  local list = { owner = self, at = at, start = 0 }
  for i, body in ipairs(self.list) do
    if self.has[body] and self.list.at[body] == i and body:is_valid() then
      list[#list + 1] = body
      at[body], has[body] = #list, true
    end
  end
  self.list, self.has, self.gone, self.living = list, has, 0, #list
end

local function step(list, i)
  local self = list.owner
  for k = i + 1, #list do
    local body = list[k]
    if self.has[body] and list.at[body] == k and body:is_valid() then return k, body end
    self.gone = self.gone + 1
    if k == list.start + 1 then list.start = k end
  end
end

local BODY = { "body" }

local function check(what, body)
  if not arguments.fits(body, BODY) then arguments.check("group:" .. what .. ": argument 'body'", body, BODY) end
end

--- Iterate over the living bodies in the order of their addition.
function Group:each()
  follow(self)
  if 2 * self.gone > #self.list then tidy(self) end
  self.list.walked = true
  return step, self.list, self.list.start
end

--- Return a new list of the living bodies in order, for world:read and world:write.
---@return impel.body[] list
function Group:bodies()
  local list = {}
  for _, body in self:each() do list[#list + 1] = body end
  return list
end

--- Add bodies. Bodies that are members already are skipped.
---@return table self
function Group:add(...)
  for i = 1, select("#", ...) do
    local body = select(i, ...)
    check("add", body)
    if not body:is_valid() then arguments.fail("group:add: attempt to use %s", tostring(body)) end
    if not self.has[body] then
      if self.list.at[body] then -- after `remove` the body is still in the list
        self.gone = self.gone + 1
        if self.list.walked or 2 * self.gone > #self.list then tidy(self) end
      end
      local list = self.list
      list[#list + 1] = body
      list.at[body], self.has[body] = #list, true
      self.living = self.living and self.living + 1
      local world = body.world
      if not self.worlds[world] then self.worlds[world] = -1 end
    end
  end
  return self
end

--- Remove bodies from the group. They are not destroyed.
---@return table self
function Group:remove(...)
  for i = 1, select("#", ...) do
    local body = select(i, ...)
    check("remove", body)
    if self.has[body] and self.living then
      follow(self)
      self.living = self.living and body:is_valid() and self.living - 1 or self.living
    end
    self.has[body] = nil
  end
  return self
end

--- Return whether a body is a living member.
function Group:contains(body)
  check("contains", body)
  return self.has[body] == true and body:is_valid()
end

--- Return the number of living members.
function Group:count()
  follow(self)
  if 2 * self.gone > #self.list then tidy(self) end
  if not self.living then
    local n = 0
    for _ in self:each() do n = n + 1 end
    self.living = n
  end
  return self.living
end

Group.__len = Group.count

function Group:__tostring() return ("group of %d bodies"):format(self:count()) end

--- Return a new group of the bodies for which fn(body) returns a true value.
function Group:where(fn)
  arguments.check("group:where: argument 'fn'", fn, { "function" })
  local found = new()
  for _, body in self:each() do
    if fn(body) then found:add(body) end
  end
  return found
end

--- Return a new group of the bodies whose name matches a Lua pattern.
function Group:named(pattern)
  arguments.check("group:named: argument 'pattern'", pattern, { "string" })
  return self:where(function(body) return body.name and body.name:find(pattern) end)
end

--- Return a new group of the bodies with a shape of one of the categories.
---@param categories integer|string  bits, as in shape.category
function Group:of_category(categories)
  if type(categories) == "string" then categories = tonumber(categories) or categories end
  arguments.check("group:of_category: argument 'categories'", categories, { "integer" })
  return self:where(function(body)
    for shape in body:shapes() do
      if shape.category & categories ~= 0 then return true end
    end
  end)
end

--- Destroy all bodies.
function Group:destroy()
  self:call "destroy"
  tidy(self)
end

for _, part in ipairs { (require "impel.world.group_motion"), (require "impel.world.group_copy") } do
  -- `pairs` has no fixed order, which is harmless because the names in the parts differ
  for name, method in pairs(part) do Group[name] = method end
end
setmetatable(Group, { __index = function(_, key)
  local hint = math.type(key) and " (group:each() iterates over its bodies)" or nearest.hint(key, nearest.keys(Group))
  arguments.fail("a group has no %s%s", type(key) == "string" and "'" .. key .. "'" or tostring(key), hint)
end })

--- Make a group of the bodies of a list, a group or a world; nil: an empty group.
function group.new(members)
  local self = new()
  if getmetatable(members) == "world" then
    for body in members:bodies() do self:add(body) end
  elseif getmetatable(members) == Group then
    for _, body in members:each() do self:add(body) end
  elseif members ~= nil then
    if type(members) ~= "table" then
      arguments.fail("impel.group: a world or a list of bodies is expected, got %s", arguments.got(members))
    end
    arguments.list("impel.group: members", members)
    for i = 1, #members do self:add(members[i]) end -- not ipairs, because `add` must raise if a body is nil
  end
  return self
end

--- Make a group of the bodies make(1) .. make(n). If one cannot be made, the others are destroyed.
function group.spawn(n, make)
  arguments.check("impel.group.spawn: argument 'n'", n, { "integer", min = 0 })
  arguments.check("impel.group.spawn: argument 'make'", make, { "function" })
  local self = new()
  local made, message = pcall(function()
    for i = 1, n do
      local body = make(i)
      arguments.check(("impel.group.spawn: what make(%d) returns"):format(i), body, BODY)
      self:add(body)
    end
  end)
  if made then return self end
  self:destroy()
  error(message, 0) -- the message already has its source position
end

return setmetatable(group, { __call = function(_, members) return group.new(members) end })
