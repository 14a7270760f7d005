-- Check, before each update, the fields of impel.optimal that may change. Allocates no memory if all are valid.

local arguments = require "impel.base.arguments"
local tasks = require "impel.control.optimal_tasks"

local TABLE, NUMBER, POINT = { "table" }, { "number" }, { "point" }
local LIMIT = { "number", min = 0, infinite = true, unit = "N m or N" }
local CONTACT = {
  { "point", { "point", unit = "m" } }, { "active", { "boolean" } }, { "reach", { "number", above = 0, unit = "m" } },
  { "friction", { "number", min = 0, unit = "1" } }, { "nx", NUMBER }, { "ny", NUMBER },
}
local AIMS = { "target", "target_speed", "target_acceleration" }

local function need(value, field, format, ...)
  if not arguments.fits(value, field) then arguments.check("impel.optimal: " .. format:format(...), value, field) end
end

local function check_task(i, task, size)
  need(task, TABLE, "tasks[%d]", i)
  local measure, fields = tasks.measures[task.kind], tasks.fields
  need(task.kind, fields.kind, "tasks[%d]: field 'kind'", i)
  need(task.weight, fields.weight, "tasks[%d]: field 'weight'", i)
  need(task.damping, fields.weight, "tasks[%d]: field 'damping'", i)
  if task.kind ~= "momentum" then need(task.stiffness, fields.stiffness, "tasks[%d]: field 'stiffness'", i) end
  if task.kind == "point" then need(task.point, fields.point, "tasks[%d]: field 'point'", i) end
  if task.only ~= nil then need(task.only, fields.only, "tasks[%d]: field 'only'", i) end
  if task.kind == "posture" then
    need(task.target, TABLE, "tasks[%d]: field 'target'", i)
    for k = 1, size do need(task.target[k], NUMBER, "tasks[%d]: target[%d]", i, k) end
  elseif task.kind ~= "momentum" then
    for a = 1, #AIMS do need(task[AIMS[a]], measure == 2 and POINT or NUMBER, "tasks[%d]: field '%s'", i, AIMS[a]) end
  end
  if task.kind == "joint" and not task.place or (task.kind == "point" or task.kind == "angle") and not task.body then
    arguments.fail("impel.optimal: tasks[%d] was not created with the controller; fields of tasks may change, but no "
      .. "tasks may be added", i)
  end
end

---@param numbers table[]  { name, field } for each field that is a number
---@param points integer   number of contacts at creation
return function(self, numbers, points)
  local size = self.multibody.size
  for i = 1, #numbers do need(self[numbers[i][1]], numbers[i][2], "field '%s'", numbers[i][1]) end
  need(self.max_torque, TABLE, "field 'max_torque'")
  need(self.load, TABLE, "field 'load'")
  need(self.tasks, TABLE, "field 'tasks'")
  need(self.contacts, TABLE, "field 'contacts'")
  for k = 1, size do
    need(self.max_torque[k], LIMIT, "max_torque[%d]", k)
    need(self.load[k], NUMBER, "load[%d]", k)
  end
  for i = 1, #self.tasks do check_task(i, self.tasks[i], size) end
  if #self.contacts ~= points then
    arguments.fail("impel.optimal: the controller was created with %d contacts, but now has %d", points, #self.contacts)
  end
  for i = 1, points do
    need(self.contacts[i], TABLE, "contacts[%d]", i)
    for f = 1, #CONTACT do
      local name, field = CONTACT[f][1], CONTACT[f][2]
      need(self.contacts[i][name], field, "contacts[%d]: field '%s'", i, name)
    end
  end
end
