-- impel.tune: find the parameters of a scene with the least score, by CMA-ES or Nelder-Mead.
--
--   local found, failure = tune.run {
--     source = { text = text, chunk = chunk }, params = { "kp", "kd=0.1:100:log" }, budget = 500,
--   }
--
-- The search begins at the scene's own values. A candidate's score is the mean over the seeds.

local arguments = require "impel.base.arguments"
local csv = require "impel.base.csv"
local design = require "impel.batch.design"
local evaluate = require "impel.batch.evaluate"
local fail = require "impel.batch.failure"
local interval = require "impel.batch.interval"
local merged = require "impel.base.merged"
local params = require "impel.scene.params"
local processes = require "impel.processes"
local rows = require "impel.batch.sweep_rows"
local rowstore = require "impel.batch.rowstore"

local tune = {}

-- initial width of the search relative to a parameter's range (Hansen 2016, B.3)
local SIGMA = 0.3

local STRING, FLAG = { "string", optional = true }, { "boolean", optional = true }
local FIELDS = { -- options in addition to those of impel.evaluate
  params = { "table" }, budget = { "integer", min = 1 }, method = STRING, seeds = STRING, maximize = FLAG,
  seed = { "integer", optional = true }, sigma = { "number", above = 0, optional = true },
  population = { "integer", min = 2, optional = true }, speculative = FLAG, output = STRING, resume = FLAG,
  force = FLAG,
}

local METHODS = { cma = "impel.cma", ["nelder-mead"] = "impel.nelder_mead" }


-- Parameters and the unit cube ---------------------------------------------------------------------------------------

-- Parse a value of --param as an interval; or return nil and a message.
local function read_axis(description, text)
  local option = "--param " .. text
  local name, range = text:match("^([%a_][%w_]*)=(.+)$")
  name = name or text:match("^[%a_][%w_]*$")
  if not name then return nil, ("%s: name or name=from:to[:log] expected"):format(option) end
  local axis, message
  if description.params[name] then
    axis, message = interval.read(description.params, description.name, name, range, "tuned")
  else
    message = params.unknown(description.params, name)
  end
  if axis and axis.lower == axis.upper then axis, message = nil, ("%g..%g is empty"):format(axis.lower, axis.upper) end
  if axis then return axis end
  return nil, ("%s: %s"):format(option, message)
end

local function from_unit(axis, u)
  local value = interval.at(axis, u)
  if axis.integer then value = math.floor(value + 0.5) end
  return math.max(axis.lower, math.min(axis.upper, value))
end

local function read_axes(description, texts)
  local axes, seen = {}, {}
  for i, text in ipairs(texts) do
    local axis, message = read_axis(description, text)
    if not axis then return nil, message end
    if seen[axis.name] then return nil, ("--param %s: '%s' is given twice"):format(text, axis.name) end
    axes[i], seen[axis.name] = axis, true
  end
  return axes
end


-- Candidates ---------------------------------------------------------------------------------------------------------

-- Return the parameter values of a point, with the parameters' types.
local function decode(self, point)
  local specs, owner, values = self.description.params, self.description.name, {}
  for i, axis in ipairs(self.axes) do
    values[axis.name] = params.value(specs, axis.name, from_unit(axis, point[i]), owner)
  end
  return merged(self.options.set, values)
end

-- Return the parameter values of the first candidate: the values of --set, and the defaults of the other parameters.
local function own_values(self)
  return merged(self.layout.base)
end

-- Return the score in a row, and whether the run succeeded.
local function read_score(self, line)
  local fields = csv.split(line)
  local score = tonumber(fields[self.score_column])
  if fields[self.status_column] ~= "ok" or not score or score ~= score then return math.huge, false end
  return self.options.maximize and -score or score, true
end

-- Make the run of a job in this process and return its row.
local function run_here(self, job)
  local outcome = evaluate.run(self.options.source, evaluate.settings(self.options, job.set, job.seed))
  return (self.layout:row(job.index, job.set, job.seed, outcome))
end

-- Repeat a run, to check that scene and program are unchanged.
local function verify(self)
  return self.store:verify(function(index)
    -- Only the first `seeds` rows belong to the first candidate. Do not repeat a run of another candidate.
    if index > self.plan.seeds then return self.store.done[index] end
    local job = { index = index, set = own_values(self), seed = self.plan.seed_at(index) }
    local outcome = processes.call(function() return run_here(self, job) end, self.options.timeout)
    return outcome.values and outcome.values[1]
  end)
end

-- Make the missing runs. Return the lines of all rows, a table from index of the run to line; or nil, failure.
local function run_jobs(self, jobs)
  local options, lines, waiting = self.options, {}, {}
  for _, job in ipairs(jobs) do
    local line = self.store and self.store.done[job.index]
    if line and not self.layout:belongs(line, job.index, job.set, job.seed) then
      return fail("damaged", "%s: run %d is not in this search; did --param, --seeds, --set or --seed change?",
        options.output, job.index)
    end
    lines[job.index] = line
    if not line then waiting[#waiting + 1] = job end
  end
  local next_job, broken = 0, nil
  local complete, message = processes.run {
    workers = options.workers, timeout = options.timeout, say = options.say,
    jobs = function()
      next_job = next_job + 1
      return waiting[next_job]
    end,
    work = function(job) return run_here(self, job) end,
    done = function(job, outcome)
      local line = outcome.values and outcome.values[1]
        or self.layout:row(job.index, job.set, job.seed, { status = outcome.ended, message = outcome.reason })
      lines[job.index] = line
      self.status.cpu = self.status.cpu + outcome.cpu
      if not self.store then return end
      local ok, problem = self.store:add(job.index, line)
      if not ok then broken = problem end
    end,
    tick = function() return broken or options.watch and options.watch(self.status) end,
  }
  if broken then return fail("damaged", "%s", broken) end
  if message then return fail("internal", "%s", message) end
  if not complete then return fail("interrupted", "interrupted after %d runs", self.status.runs) end
  return lines
end

-- Return the scores of points, each the mean over the seeds; or nil and a failure.
local function score_points(self, sets)
  local jobs, status = {}, self.status
  for i, set in ipairs(sets) do
    for k = 1, self.plan.seeds do
      jobs[#jobs + 1] = { index = status.runs + #jobs + 1, set = set, seed = self.plan.seed_at(k), point = i }
    end
  end
  local lines, failure = run_jobs(self, jobs)
  if not lines then return nil, failure end
  local scores = {}
  for i in ipairs(sets) do scores[i] = 0 end
  for _, job in ipairs(jobs) do
    local score, good = read_score(self, lines[job.index])
    scores[job.point] = scores[job.point] + score / self.plan.seeds
    if not good then status.failed = status.failed + 1 end
  end
  status.runs = status.runs + #jobs
  for i, set in ipairs(sets) do
    if scores[i] < (status.best_value or math.huge) then
      status.best, status.best_value = set, scores[i]
      status.score = self.options.maximize and -scores[i] or scores[i]
    end
  end
  return scores
end


-- Tuning -------------------------------------------------------------------------------------------------------------

local function prepare(options)
  local method = METHODS[options.method or "cma"]
  if not method then return fail("usage", "--method: no method '%s'", tostring(options.method)) end
  local settings = evaluate.settings(options, nil, 0)
  local description, failure = evaluate.describe_apart(options.source, settings, options.timeout, options.say)
  if not description then return nil, failure end
  if not description.has.score then return fail("usage", "%s has no score()", description.file) end
  local axes, message = read_axes(description, options.params)
  if not axes then return fail("usage", "%s", message) end
  local plan, problem = design.new { params = description.params, seeds = options.seeds, owner = description.name }
  if not plan then return fail("usage", "%s", problem) end
  local layout, why = rows.layout(description, options)
  if not layout then return fail("usage", "%s", why) end
  local self = {
    options = options, description = description, axes = axes, plan = plan, layout = layout,
    status = { runs = 0, failed = 0, generation = 0, cpu = 0, budget = options.budget },
  }
  for i, name in ipairs(layout.columns) do
    if name == "score" then self.score_column = i elseif name == "status" then self.status_column = i end
  end
  local start, zeros, ones = {}, {}, {}
  for i, axis in ipairs(axes) do
    start[i], zeros[i], ones[i] = interval.share(axis, layout.base[axis.name]), 0, 1
  end
  self.start = start
  self.search = require(method).new {
    start = start, lower = zeros, upper = ones, sigma = options.sigma or SIGMA, seed = options.seed,
    population = options.method ~= "nelder-mead" and options.population or nil,
    speculative = options.method == "nelder-mead" and options.speculative or nil,
  }
  if options.output then
    self.store, failure = rowstore.open(options, layout, 1, 1)
    if not self.store then return nil, failure end
    local known = 0
    for _ in pairs(self.store.done) do known = known + 1 end
    if known > options.budget then
      self.store:leave()
      return fail("usage", "%s holds %d runs, more than the budget of %d", options.output, known, options.budget)
    end
    local same, other = verify(self)
    if not same then
      self.store:leave()
      return nil, other
    end
  end
  return self
end

-- Search until the budget is spent or the search ends. Return the reason, or nil and a failure.
local function search_on(self)
  local status, seeds = self.status, self.plan.seeds
  local scores, failure = score_points(self, { own_values(self) })
  if not scores then return nil, failure end
  status.start_score = status.score
  while true do
    local reason = self.search:done()
    if reason then return reason end
    local points = self.search:ask()
    if status.runs + #points * seeds > self.options.budget then return "budget" end
    local sets = {}
    for i, point in ipairs(points) do sets[i] = decode(self, point) end
    scores, failure = score_points(self, sets)
    if not scores then return nil, failure end
    self.search:tell(points, scores)
    status.generation = status.generation + 1
  end
end

--- Search for the parameters with the least score, the mean over the seeds. A run that fails has the worst possible
--- score.
---@param options table
---  source: { text, chunk }
---  params: list of "name" (from min to max) or "name=from:to[:log]"
---  budget: largest number of runs
---  method: "cma" (default) or "nelder-mead"
---  seeds: seeds of the runs, such as "1..4"
---  maximize: search for the largest score
---  seed: seed of the search
---  sigma: initial spread of the candidates / range of the parameter, default 0.3
---  population: candidates per generation of cma
---  speculative: whether nelder-mead evaluates all points that a step may need at once
---  set, settings, workers, timeout, output, resume, force, say: of sweep.run
---  watch(status): called often, true ends the search
---@return table|nil status
---  best: parameters with the least score, by name
---  score: score of `best`
---  start_score: score of the scene's own values
---  reason: why the search ended
---  runs, failed, generation, cpu [s]
---@return table|nil failure  with the status so far
function tune.run(options)
  options = evaluate.read("tune.run", options, FIELDS)
  arguments.list("tune.run: field 'params'", options.params, { "string" })
  local self, failure = prepare(options)
  if not self then return nil, failure end
  local reason, problem = search_on(self)
  self.status.reason = reason
  if self.store then
    local closed, message
    if problem and problem.kind == "damaged" then
      closed = self.store:leave() or true
    else
      closed, message = self.store:close()
    end
    if not closed then problem = { kind = "damaged", message = message } end
  end
  if problem then
    problem.status = self.status
    return nil, problem
  end
  return self.status
end

return tune
