-- impel replay: play a recording, and report where the result differs from the recorded result.

local console = require "impel.cli.console"
local json = require "impel.base.json"
local opt = require "impel.cli.options"
local recording = require "impel.recording"

local command = { name = "replay", about = "replay a recording of impel run --record and compare each step" }

function command.declare(parser)
  parser:argument("file", "a recording; - reads it from standard input"):argname("FILE")
  parser:option("--to", "play up to this tick (default: to the end); if a restore repeats the tick, up to its last "
    .. "occurrence"):argname("TICK")
    :convert(opt.integer("--to", 0))
  parser:flag("--seek", "with --to: start at the nearest full snapshot before the tick, and compare only the steps "
    .. "after that snapshot")
  parser:flag("--hash", "print only the hash of the last state instead of the table")
  parser:flag("--json", "print the result as one line of JSON instead of the table")
  parser:flag("--view", "show the recording in a window; with --to TICK, begin at that tick. Space pauses, Left and "
    .. "Right go back and forth by a step, F1 lists keys")
  parser:option("--frames", "with --view: close the window after N frames"):argname("N")
    :convert(opt.integer("--frames", 1))
  parser:flag("-q --quiet", "print only differences and errors")
  parser:flag("-v --verbose", "print tracebacks")
end

local function open_bytes(file)
  if file ~= "-" then return recording.open(file) end
  return recording.play(io.read "a" or "", "-")
end

-- Play up to frame `last`. Return the first difference or nil, and true after an interrupt. If the recording has no
-- details for the difference, the field `later` of the difference has the details from the next full snapshot.
local function play(playback, last, host, line)
  local first
  while playback.frame < last do
    if host.interrupted() then return first, true end
    line.show(function() return ("tick %d of %d"):format(playback.tick, playback.last) end)
    local same, d = playback:step()
    if same == false and not first then first = d end
    if first and d and d.field then
      if d ~= first then first.later = d end
      return first
    end
  end
  if not first and last == playback.frames then -- also compare the calls after the last step
    local same, d = playback:step()
    first = same == false and d or nil
  end
  return first
end

local function result_of(options, playback, difference, compared)
  return {
    recording = options.file, text = playback.text, frames = playback.frames, keyframes = playback.keyframes,
    first = playback.first, last = playback.last, played = playback.frame, tick = playback.tick,
    hash = playback.world.hash, ending = playback.ending, whole_bytes = playback.whole,
    compared = compared, difference = difference,
  }
end

local function result_table(result)
  local rows = {
    { "recording", result.recording },
    { "made by", result.text ~= "" and result.text or nil },
    { "steps", ("%d, ticks %d to %d"):format(result.frames, result.first, result.last) },
    { "played", ("to tick %d"):format(result.tick) },
    { "compared", ("%d of %d steps%s"):format(result.compared, result.frames, result.difference and ": differs" or
      result.compared > 0 and ": the same" or "") },
    { "ending", result.ending },
    { "hash", result.hash },
  }
  local lines = {}
  for _, row in ipairs(rows) do
    if row[2] then lines[#lines + 1] = ("%-12s %s\n"):format(row[1], row[2]) end
  end
  return table.concat(lines)
end

-- Describe where a cut or damaged recording ends; nil for a complete recording.
local function ending(file, playback)
  if playback.ending == "cut" then
    return ("%s was cut after tick %d: the steps up to this tick are intact"):format(file, playback.last)
  elseif playback.ending == "damaged" then
    return ("%s is damaged after byte %d: the steps up to tick %d are intact"):format(file, playback.whole,
      playback.last)
  end
end

-- Return the failure for a tick that the recording does not have.
local function out_of_reach(file, playback, tick)
  local lost = tick > playback.last and ending(file, playback)
  if lost then return { kind = "damaged", message = ("--to %d: %s"):format(tick, lost) } end
  local inside = tick >= playback.first and tick <= playback.last
  return { kind = "usage", message = ("--to %d: a tick in %d..%d expected%s"):format(tick, playback.first,
    playback.last, inside and "; a restore skipped this tick" or "") }
end

-- Print the difference, and whether the recording is cut or damaged. Return the exit code.
local function judge(options, playback, difference)
  local code = console.EXIT.ok
  if difference then
    code = console.EXIT.damaged
    console.say(("%s differs at %s"):format(options.file, recording.text(difference)))
    if difference.later then console.say("next full snapshot: " .. recording.text(difference.later)) end
  end
  local lost = ending(options.file, playback)
  if lost then console.say(lost) end
  return playback.ending == "damaged" and console.EXIT.damaged or code
end

-- Show the recording in the window.
local function show(host, options)
  local view = require "impel.cli.view"
  local window, missing = view.window()
  if not window then return console.report(missing, options) end
  local open = require("impel.viewer.played").find(options.file, options.to)
  return view.show(host, options, window, options.file, nil, function() return open end)
end

-- Return a message for options that conflict.
local function contradiction(options)
  if options.file == "" then return "the name of a recording expected, got ''" end
  if options.seek and not options.to then return "--seek needs --to TICK" end
  if options.frames and not options.view then return "--frames needs --view" end
  if options.view then
    if options.file == "-" then return "--view needs a file: the recording is read twice" end
    for _, name in ipairs { "hash", "json", "seek" } do
      if options[name] then
        return ("--view and --%s cannot be combined: --view prints and compares nothing"):format(name)
      end
    end
  end
  if options.hash and options.json then return "--hash and --json cannot be combined; --json contains the hash" end
end

function command.run(host, options)
  local wrong = contradiction(options)
  if wrong then return console.refuse(wrong, options) end
  local playback, message, kind = open_bytes(options.file)
  if not playback then return console.report({ kind = kind == "missing" and "usage" or "damaged", message = message },
    options) end
  local to = options.to
  if to and not playback:place(to) then return console.report(out_of_reach(options.file, playback, to), options) end
  if options.view then
    playback:close()
    return show(host, options)
  end
  local line = console.progress(host, options.quiet)
  local difference, interrupted, compared
  if options.seek then
    local _, d = playback:seek(to)
    difference, compared = d, playback.compared
  else
    local last = to and playback:place(to) or playback.frames
    difference, interrupted = play(playback, last, host, line)
    compared = playback.frame
  end
  line.clear()
  if interrupted then
    console.say(("interrupted after tick %d"):format(playback.tick))
    if difference then console.say(("%s differs at %s"):format(options.file, recording.text(difference))) end
    return console.EXIT.interrupted
  end
  local result = result_of(options, playback, difference, compared)
  if options.hash then io.stdout:write(result.hash, "\n") end
  if options.json then io.stdout:write(json.encode(result), "\n") end
  if not (options.hash or options.json or options.quiet) then io.stdout:write(result_table(result)) end
  return judge(options, playback, difference)
end

return command
