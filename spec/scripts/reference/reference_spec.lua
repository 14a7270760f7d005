-- impel api: the reference and the annotations contain all entries of the registration tables.
local api = require "impel.reference.api"
local annotations = require "impel.reference.annotations"
local core = require "impel.core"

local program = require "support.program"
local tables = core.api()

local function has(text, words, what)
  assert.is_truthy(text:find(words, 1, true), ("no '%s' in the reference of %s"):format(words, what))
end

-- Call f(path, option, options) for each option, also for nested options.
local function each_option(path, options, f)
  for _, option in ipairs(options or {}) do
    f(path, option, options)
    each_option(path .. "." .. option.name, option.options, f)
  end
end

local function each_entry(f)
  for class, entries in pairs(tables) do
    for _, entry in ipairs(entries) do f(class, entry) end
  end
end

-- Run the program. Return exit code, stdout, stderr.
local function impel(arguments)
  local out, err = os.tmpname(), os.tmpname()
  local _, _, code = os.execute(("%s %s </dev/null >%s 2>%s"):format(program.quote(program.path), arguments, out, err))
  local stdout, stderr = program.read(out), program.read(err)
  os.remove(out)
  os.remove(err)
  return code, stdout, stderr
end

describe("the tables", function()
  it("document every option and every property with a unit", function()
    each_entry(function(class, entry)
      each_option(class .. "." .. entry.name, entry.options, function(path, option)
        assert.is_truthy(option.doc and option.doc ~= "", path .. "." .. option.name)
        if option.type == "table" then assert.is_string(option.options.name, path) end
      end)
      if entry.type == "number" then assert.is_truthy(entry.unit, class .. "." .. entry.name) end
    end)
  end)

  it("are all listed in api.classes, the order of the reference", function()
    local count = 0
    for class in pairs(tables) do
      count = count + 1
      has(" " .. table.concat(api.classes, " ") .. " ", " " .. class .. " ", "api.classes")
    end
    assert.equal(#api.classes, count)
  end)
end)

local everything = api.text()

describe("the reference", function()

  it("fits 120 columns except for unbreakable words", function()
    for line in everything:gmatch "[^\n]+" do
      assert.is_true(#line <= 120 or not line:find "^ +%S+ .* ", line)
      assert.is_nil(line:find "%s$", line)
    end
  end)

  it("is listed by chapters, each printed by its name", function()
    local contents = api.contents()
    local _, lines = contents:gsub("\n", "")
    assert.is_true(lines < 50, lines)
    local names = { "scene", "view", "input", "camera", "colours", "keys", "sound", "file", "options", "modules" }
    for _, name in ipairs(table.move(api.classes, 1, #api.classes, #names + 1, names)) do
      assert.is_truthy(contents:find("\n  " .. name .. "  +%l"), name)
      assert.is_string(api.text(name), name)
    end
    for _, name in ipairs(require("impel.reference.module").modules()) do
      has(contents, " " .. name, "the list of chapters")
      has(api.text "modules", "\n  " .. name .. " ", "modules")
    end
    for name in contents:gmatch "impel api ([%l][%w_.:]+) " do assert.is_string(api.text(name), name) end
    assert.equal(api.text "colours", api.text "colors")
  end)

  it("has every class and member, with units and docs", function()
    local flat = everything:gsub("%s+", " ")
    each_entry(function(class, entry)
      local name = class .. (entry.kind == "property" and "." or ":") .. entry.name
      local own = assert(api.text(name), name):gsub("%s+", " ")
      for _, text in ipairs { flat, own } do
        has(text, api.title(class, entry), name)
        has(text, (entry.doc:gsub("%s+", " ")), name)
      end
      if entry.unit and entry.unit ~= "" then has(own, "[" .. entry.unit .. "]", name) end
    end)
  end)

  it("has every option with its unit, range and doc, at every depth", function()
    local nested = api.nested()
    local function check(text, path, option)
      has(text, "\n    " .. option.name .. " ", path)
      local line = text:match("\n    " .. option.name .. " [^\n]*")
      if option.unit and option.unit ~= "" and not option.choices then has(line, "[" .. option.unit .. "]", path) end
      local range = api.range(option) or ""
      has(text, range, path)
      local numeric = option.type == "number" or option.type == "integer"
      for _, bound in ipairs(numeric and { option.lower, option.upper } or {}) do
        local told = math.abs(bound) >= 1e300
        for number in range:gmatch "%-?%d[%d.e+-]*" do told = told or tonumber(number) == bound end
        assert.is_true(told, path)
      end
      if option.options then has(line, "options of " .. option.options.name, path) end
    end
    each_entry(function(class, entry)
      local text = "\n" .. api.text(class .. ":" .. entry.name)
      for _, option in ipairs(entry.options or {}) do
        check(text, class .. ":" .. entry.name, option)
        each_option(option.name, option.options, function(path, inner, options)
          assert.is_truthy(nested[options.name], path)
          check("\n" .. api.text(options.name), path, inner)
          has(everything, "\n  options of " .. options.name .. "\n", path)
        end)
      end
    end)
  end)

  it("gives each option's default from the option's doc or, if the doc has none, from a new object", function()
    local function default(constructor, option, words)
      local text = api.text(constructor):gsub("%s+", " ")
      has(text:match(" " .. option .. " .*"), words, constructor)
    end
    default("body:circle", "friction", "has sqrt(a b); 0.6 by default")
    default("body:circle", "mask", "all by default")
    default("body:box", "density", "1 by default")
    default("impel.world", "gravity", "{ 0, -9.81 } by default")
    default("world:body", "gravity_scale", "1 by default")
    default("world:body", "type", '"dynamic" by default')
    default("world:revolute", "anchor", "b's position by default")
    default("world:drag", "hertz", "5 by default")
    local body, shape = core.world({}):body {}, core.world({}):body({}):circle { radius = 1 }
    each_entry(function(_, entry) -- each default in the reference is the actual default
      local object = ({ body = body, shape = shape })[api.made_by(entry)]
      for _, option in ipairs(object and entry.options or {}) do
        local told = api.default(api.made_by(entry), option)
        if told and told ~= "all" then
          local is = object[option.name]
          assert.equal(type(is) == "string" and ("%q"):format(is) or tostring(is):gsub("%.0$", ""), told)
        end
      end
    end)
  end)

  it("gives the coordinates that a joint locks", function()
    has(api.text "revolute", "x locked; y locked; angle free, its own", "revolute")
    has(api.text "world:weld", "x locked; y locked; angle locked", "weld")
    has(api.text "rope", "distance free, its own", "rope")
  end)

  it("finds classes, members with or without class, options and tables of options", function()
    assert.equal(api.text "world.revolute", api.text "world:revolute")
    has(api.text "destroy", "world:destroy()", "destroy")
    has(api.text "destroy", "joint:destroy()", "destroy")
    has(api.text "row", "row.impulse", "row")
    has(api.text "body", "world:body {...} -> body", "body")
    has(api.text "body", "body:apply_force(", "body")
    has(api.text "motor", "options of motor", "motor")
    has(api.text "pitch", "world:ratchet(a, b, {...}) -> joint\n    pitch  number in [0, 1000000] [rad]", "pitch")
    has(api.text "impel", "impel.world {...} -> world", "impel")
  end)

  it("finds a module by its full name, also if a class has that name, and impel's functions from modules", function()
    assert.equal(api.text "rng", api.text "impel.rng")
    assert.equal(api.text "rig.car", api.text "impel.rig.car")
    has(api.text "impel.recording", "recording.open(path)", "recording")
    assert.falsy(api.text("impel.recording"):find("recording:close()", 1, true))
    has(api.text "impel.load_data", "impel.data", "load_data")
    has(api.text "load_data", "impel.data", "load_data")
  end)

  it("leads from names of other engines to impel's", function()
    for theirs, ours in pairs { applyForce = "body:apply_force(", ["love.physics.newBody"] = "world:body{",
      ["love.graphics.print"] = "view:text(", ["love.keyboard.isDown"] = "input.down", fixedUpdate = "scene.update(",
      ["love.audio.newSource"] = "sound(" } do
      local text, message = api.text(theirs)
      assert.is_nil(text)
      has(message, "(in impel: " .. ours, theirs)
    end
  end)

  it("suggests the nearest name, or reports that none exists", function()
    for wrong, right in pairs { wrld = "world", ["body.angel"] = "body.angle", ["wrld:step"] = "world",
                                ["world:stp"] = "world:step", revolut = "revolute", achor = "anchor",
                                ["scene.updat"] = "scene.update", ["view:lin"] = "view:line", scen = "scene",
                                ["camera.folow"] = "camera.follow", ["posture:fad"] = "posture:fade" } do
      local text, message = api.text(wrong)
      assert.is_nil(text)
      has(message, ("nothing in the reference is called '%s' (did you mean '%s'"):format(wrong, right), wrong)
    end
    assert.same({ n = 2, nil, "nothing in the reference is called 'veloc' (did you mean 'velocity', "
      -- If no name is similar, the message lists names that contain the word.
      .. "'velocity_at' or 'set_velocity'?)" }, table.pack(api.text "veloc"))
    assert.same({ n = 2, nil, "nothing in the reference is called 'qqqqqq'" }, table.pack(api.text "qqqqqq"))
    assert.same({ n = 2, nil, "nothing in the reference is called 'keypressed' (in impel: input.pressed \"space\" in "
      .. "scene.update; impel api input)" }, table.pack(api.text "keypressed"))
    for _, odd in ipairs { "", ":", "world:", "a.b.c", "%", "world:%" } do assert.is_nil((api.text(odd))) end
  end)
end)

describe("the chapters of scenes", function()
  local fields = require "impel.scene.fields"
  local input = require "impel.input"
  local palette = require "impel.picture.palette"
  local pen = require "impel.picture.pen"
  local scenes = require "impel.scene"

  -- Return the text of a method's or function's entry.
  local function entry(name)
    return assert(api.text(name), name)
  end

  -- Check that the entry of a function documents each parameter.
  local function documents(name, f, is_method)
    local text, info = entry(name), debug.getinfo(f, "u")
    local list = text:match "%(([^)]*)%)"
    local _, count = list:gsub("[%w_]+", "")
    assert.equal(info.nparams - (is_method and 1 or 0), count, name)
    for parameter in list:gmatch "[%w_]+" do has(text, "\n      " .. parameter .. " ", name) end
  end

  it("have examples that together form a scene that runs, passes its check and draws", function()
    local text = { fields.EXAMPLE_HEAD }
    for _, field in ipairs(fields.list) do text[#text + 1] = field.example end
    local scene = assert(scenes.parse(table.concat(text, "\n") .. "\nreturn scene", "=example"))
    for _, field in ipairs(fields.list) do assert.equal(field.type, type(scene.definition[field.name]), field.name) end
    local run = assert(require("impel.scene.run").new(scene, {}))
    for _ = 1, 60 do assert(run:step()) end
    assert.same({}, run:check())
    assert.same({ speed = 0.0, x = 0.0 }, assert(run:measure()))
    assert.near(5, run:score(), 1e-9)
    has(assert(require("impel.picture").svg(run)), "fuel 10.0 s", "the picture")
    run:close()
  end)

  it("give for every field of a scene its type, when it is called or read, and an example", function()
    local text = api.text "scene"
    for _, field in ipairs(fields.list) do
      local own = entry("scene." .. field.name)
      has(text, "\n" .. own, field.name)
      has(own, field.call and fields.title(field.name) or "scene." .. field.name .. "  " .. (field.range or field.type),
        field.name)
      has(own:gsub("%s+", " "), (field.call and " called " or " read ") .. field.called, field.name)
      has(own, "\n      " .. field.example:match "^[^\n]*", field.name)
      local ok, message = scenes.parse(("return { setup = print, [%q] = %s }"):format(field.name,
        field.type == "table" and "1" or "{}"), "=wrong")
      assert.is_nil(ok)
      assert.equal(("wrong: scene.%s: %s expected, got %s (impel api scene.%s)"):format(field.name, field.type,
        field.type == "table" and "number" or "table", field.name), message)
    end
  end)

  it("have every method and field of a view, with its parameters and options", function()
    local text, methods = api.text "view", select(2, debug.getupvalue(pen.has_method, 1))
    local count = 0
    for name, method in pairs(methods) do
      count = count + 1
      has(text, "\n  view:" .. name .. "(", "view")
      documents("view:" .. name, method, true)
      for _, option in ipairs(pen.options[name] or {}) do
        has(entry("view:" .. name), "\n        " .. option[1] .. "  ", name)
      end
    end
    assert.is_true(count >= 15)
    for name in pairs(pen.options) do assert.is_function(methods[name]) end
    local view = pen.new "."
    pen.begin(view, {}, require("impel.camera").new { width_px = 4, height_px = 3 }, 0)
    for _, field in ipairs(pen.fields) do
      has(text, ("\n    view.%s  %s "):format(field[1], field[2]), "view")
      assert.equal(field[2] == "view" and "table" or field[2], type(view[field[1]]))
    end
  end)

  it("have every function of impel.input with its parameters, and all names of axes and buttons", function()
    local text = api.text "input"
    for name, f in pairs(input) do
      if type(f) == "function" and name ~= "hint" then
        has(text, "\n  impel.input." .. name .. "(", "input")
        documents("input." .. name, f)
      end
    end
    local flat = text:gsub("%s+", " ")
    for _, list in ipairs { input.axes, input.buttons, input.mouse_buttons } do
      has(flat, table.concat(list, ", "), "input")
    end
  end)

  it("have every field of a camera, and every method", function()
    local motion, cameras = require "impel.scene.camera_motion", require "impel.camera"
    local text = api.text "camera"
    for prefix, list in pairs { ["camera."] = motion.fields, ["camera.shake."] = motion.shake_fields } do
      for _, field in ipairs(list) do
        has(text, ("\n    %s  %s"):format(field[1], field[3]), "camera")
        has(entry(prefix .. field[1]), prefix .. field[1] .. "  " .. field[3], field[1])
        assert.is_false(field[2] {} and field[1] ~= "shake", field[1]) -- no field accepts an empty table, except shake
      end
    end
    local _, message = pcall(motion.check, { zoom = 1 }, "scene.view")
    for _, field in ipairs(motion.fields) do has(message, field[1], "the message") end
    for name, method in pairs(getmetatable(cameras.new { width_px = 4, height_px = 3 })) do
      if type(method) == "function" then documents("camera:" .. name, method, true) end
    end
  end)

  it("have every form and name of a colour", function()
    local text = api.text "colours"
    for name, color in pairs(palette.named) do
      assert.is_truthy(text:find(("\n    %s +#%06x\n"):format(name, color >> 8)), name)
      has(entry(name), ("#%06x"):format(color >> 8), name)
    end
    for _, form in ipairs(palette.forms) do
      has(text, form[1] .. "  " .. form[2], "colours")
      assert.equal("integer", math.type(palette.color(load("return " .. form[2])())), form[2])
    end
    for _, place in ipairs { "view:circle", "view:text", "tint of view:image", "outline of looks" } do
      has(text:gsub("%s+", " "), place, "colours")
    end
    local _, message = palette.color { 1, 0, 0 }
    assert.equal('a colour expected (a name, "#rrggbb", "#rrggbbaa", 0xRRGGBBAA), got a table', message)
    _, message = palette.color "purple"
    has(message, "names are black, blue", "the message")
  end)

  it("have every name of a key, and mark the keys that the window keeps", function()
    local keys = require "impel.reference.keys"
    local flat = api.text("keys"):gsub("%s+", " ")
    has(flat, table.concat(input.keys, " "), "keys")
    for theirs, ours in pairs(input.foreign) do
      assert.is_true(input.is_key(ours))
      has(flat, ours, theirs)
    end
    local all = keys.taken { keys = { "all" } }
    local text = api.text "keys"
    local yields, named, stay = text:match "unless scene.keys lists them.-\n(.-)\n\n.-\n(.-)\n\n.-\n(.-)\n\n"
    for _, entry_of in ipairs(keys.all()) do
      if entry_of.key then
        local plain = not (entry_of.ctrl or entry_of.alt)
        local place = not plain and stay or all(entry_of.key) and yields or named
        has("\n" .. place, "\n    " .. entry_of.label .. " ", entry_of.label)
      end
    end
    has(named, "F1 ", "keys")
    has(stay, "Ctrl+Q", "keys")
  end)

  it("lead from names of other programs to entries of the reference", function()
    local seen = {}
    for _, each in ipairs(fields.foreign) do
      assert.is_string(api.text(each.see), each.see)
      local first = each.ours:match "^[%w_]+[.:]?[%w_]*"
      assert.is_string(api.text(first == "sound" and "impel.sound" or first), first)
      for name in each.names:gmatch "%S+" do
        assert.is_nil(seen[name], name)
        assert.is_nil(fields.by_name[name], name)
        assert.is_nil(name:find "[^%l%d.]", name)
        seen[name] = true
      end
    end
  end)
end)

describe("the annotations", function()
  local text = annotations.text()

  -- Return the lines from `---@class` to the next empty line.
  local function block(class)
    return assert((text .. "\n"):match("\n(%-%-%-@class " .. class:gsub("%.", "%%.") .. "\n.-\n)\n"), class)
  end

  local function field(class, name)
    return assert(block(class):match("\n(%-%-%-@field " .. name .. "%??%s[^\n]*)"), class .. "." .. name)
  end

  it("are valid Lua code with the same text each time, and contain every module", function()
    assert.is_truthy(text:find "^%-%-%-@meta impel\n")
    assert.is_function(load(text, "=meta", "t"))
    assert.equal(text, annotations.text())
    local modules = getmetatable(require "impel").submodules
    for _, name in ipairs { "baumgarte", "input", "picture", "plot", "scene", "trace" } do
      assert.is_true(modules[name])
    end
    for name in pairs(modules) do
      has(text, ('impel.%s = require "impel.%s"'):format(name, name), name)
      assert.is_truthy(require("impel")[name])
    end
  end)

  it("have every property, with unit and access", function()
    each_entry(function(class, entry)
      if entry.kind ~= "property" then return end
      local line = field("impel." .. class, entry.name)
      has(line, entry.doc, class)
      if entry.unit and entry.unit ~= "" then has(line, "[" .. entry.unit .. "]", class) end
      assert.equal(not entry.writable, line:find("(read-only)", 1, true) ~= nil, line)
    end)
  end)

  it("have every method, with unit, parameters and results", function()
    each_entry(function(class, entry)
      if entry.kind ~= "method" then return end
      local separator = class == "impel" and "." or ":"
      local head = ("\nfunction %s%s%s("):format(class, separator, entry.name)
      local at = assert(text:find(head, 1, true), head)
      local above = text:sub(1, at):match "\n\n(.-)\n*$"
      above = above:match ".*\n\n(.*)$" or above -- the comment block directly above the function
      has(above, entry.doc, head)
      if entry.unit then has(above, "[" .. entry.unit .. "]", head) end
      local _, parameters = above:gsub("@param ", "")
      local inside = text:match("^function [^(]+%(([^)]*)%)", at + 1)
      local _, commas = inside:gsub(",", "")
      assert.equal(inside == "" and 0 or commas + 1, parameters, head)
      assert.equal(entry.signature:find(" -> ", 1, true) ~= nil, above:find("@return", 1, true) ~= nil, head)
      if entry.signature:find("{...}", 1, true) then has(above, "_options", head) end
    end)
  end)

  it("have a field for every option, with the option's unit, and without ? if the option is required", function()
    local nested = api.nested()
    local function check(class, option)
      local line = field(class, option.name)
      has(line, option.doc, class)
      if option.unit and option.unit ~= "" then has(line, "[" .. option.unit .. "]", class) end
      if option.options then has(line, ("impel.%s_options"):format(option.options.name), class) end
      if option.choices then has(line, '"' .. table.concat(option.choices, '"|"') .. '"', class) end
      if option.required and not option.position then assert.is_nil(line:find("?", 1, true), line) end
      if option.position then has(block(class), ("---@field [%d] "):format(option.position), class) end
    end
    each_entry(function(_, entry)
      local own = entry.options and entry.options.name
      local class = ("impel.%s_options"):format(own and nested[own] and own or entry.name)
      for _, option in ipairs(entry.options or {}) do check(class, option) end
    end)
    for name, options in pairs(nested) do
      for _, option in ipairs(options) do check(("impel.%s_options"):format(name), option) end
    end
  end)

  it("name only types that they define", function()
    local defined = {}
    for name in text:gmatch "%-%-%-@class (%S+)" do
      assert.is_nil(defined[name], name)
      defined[name] = true
    end
    for name in text:gmatch "%-%-%-@alias (%S+)" do defined[name] = true end
    for line in text:gmatch "%-%-%-@%a+ [^\n]*" do
      local types = line:gsub("  .*", "")
      for name in types:gmatch "impel%.[%w_]+" do assert.is_true(defined[name], line) end
    end
  end)

  it("have every field of a scene, and every field and method of a view", function()
    for _, each in ipairs(require("impel.scene.fields").list) do
      has(field("impel.scene_file", each.name), (" %s  %s"):format(each.type, each.about), each.name)
    end
    local fields = require("impel.picture.pen").fields
    for _, each in ipairs(fields) do has(field("impel.view", each[1]), each[3], each[1]) end
    for name in api.text("view"):gmatch "\n  view:([%w_]+)%(" do has(text, "\nfunction view:" .. name .. "(", name) end
  end)

  it("give the type of every iterator's values, and every event", function()
    each_entry(function(class, entry)
      if entry.signature and entry.signature:find "%-> iterator" then
        local above = text:match("([^\n]*)\nfunction " .. class .. ":" .. entry.name .. "%(")
        assert.is_truthy(above:find "@return fun%(%.%.%.%): [%a]" and not above:find "any", above)
      end
    end)
    local names = text:match "@alias impel.event_name ([^\n]*)"
    local world = core.world {}
    for name in names:gmatch '"([%w_]+)"' do world:on(name, print) end
    for _, name in ipairs { "hit", "joint_break", "warning" } do has(names, '"' .. name .. '"', "events") end
  end)
end)

describe("impel api", function()
  it("prints the list of chapters, everything, or the entries of a name", function()
    local code, out, err = impel "api"
    assert.same({ 0, api.contents(), "" }, { code, out, err })
    code, out, err = impel "api --all"
    assert.same({ 0, everything, "" }, { code, out, err })
    code, out, err = impel "api world:revolute"
    assert.same({ 0, api.text "world:revolute", "" }, { code, out, err })
  end)

  it("finds the entries with all given words in names or texts, or ends with exit code 1 if none exist", function()
    local code, out, err = impel "api --search dead_ZONE moon"
    assert.same({ 1, "", "impel: no entry of the reference has 'dead_ZONE' and 'moon'\n" }, { code, out, err })
    code, out = impel "api --search 'Dead zone'"
    assert.equal(0, code)
    has(out, "camera.dead_zone\n    camera.dead_zone  { width, height }", "the search")
    for _, word in ipairs { "RAYCAST", "pull", "keypressed", "left_shift", "orange", "two shapes", "validating" } do
      local found, count = assert(api.search { word }, word), 0
      for name, lines in ("\n" .. found):gmatch "\n(%S[^\n]*)(\n[^\n]+)" do
        count = count + 1
        local text = assert(api.text(name), name) -- the name of an entry is a valid argument of impel api
        assert.is_truthy((text .. name):lower():gsub("%s+", " "):find(word:lower(), 1, true), word .. ": " .. name)
        assert.is_truthy(lines:find "^\n    %S", lines)
      end
      assert.is_true(count > 0, word)
    end
    local apart = api.search { "mouse position" } -- both words occur in the entry, but not side by side
    has(apart, "\nimpel.input.mouse\n    impel.input.mouse()\n    Return the position of the mouse in the world.",
      "the search")
    local _, message = api.search { "z-order" }
    has(message, "(in impel: view:order(n) ", "the message")
    -- Each word of a search must occur in the entry.
    for name in ("\n" .. api.search { "one", "way" }):gmatch "\n(%S[^\n]*)" do
      local text = api.text(name):lower()
      assert.is_truthy(text:find("one", 1, true) and text:find("way", 1, true), name)
    end
  end)

  it("prints the documentation in the files of modules", function()
    for _, name in ipairs(require("impel.reference.module").names()) do
      local text = api.text(name == "view" and name or "impel." .. name)
      local head = name == "view" and "view:image(name, x, y, options)" or "impel." .. name -- `view` is an argument
      assert.truthy(text and text:find(head, 1, true), name)
      assert.is_true(#text > 200, name .. " has at most 200 characters")
    end
    local text = api.text "posture"
    for _, part in ipairs { "impel.posture.new(joints, options)", "posture:fade(strength, duration)",
      "-> number error  [rad" } do
      assert.truthy(text:find(part, 1, true), part)
    end
    assert.truthy(api.text "rig.biped":find("impel.rig.biped(world, options)", 1, true))
  end)

  it("prints every method and field of a multibody, with its parameters, results and units", function()
    local core_world = require("impel").world {}
    local base, arm = core_world.ground, core_world:body { position = { 1, 0 } }
    arm:circle { radius = 0.1 }
    core_world:revolute(base, arm, { anchor = { 0, 0 } })
    local mb = require("impel").multibody.new(core_world.ground)
    local whole, meta, methods = api.text "multibody", annotations.text(), 0
    -- The metatable and its __index may be two tables.
    for _, class in ipairs { getmetatable(mb), getmetatable(mb).__index } do
      for name, member in pairs(class) do
        if type(member) == "function" and not name:find "^__" then
          local separator = name == "new" and "impel.multibody." or "multibody:"
          local text = assert(api.text(separator .. name), "no reference of " .. separator .. name)
          has(whole, text, name)
          local list = text:match "%(([^)]*)%)"
          for parameter in list:gmatch "[%w_]+" do
            assert.is_truthy(text:find("\n      " .. parameter .. " %S"), name .. ": " .. parameter)
          end
          local info = debug.getinfo(member, "u")
          local _, commas = list:gsub("[%w_]+", "")
          assert.equal(info.nparams - (name == "new" and 0 or 1), commas, name)
          has(text, "\n      -> ", name)
          has(meta, ("\nfunction %s(%s) end\n"):format(separator:gsub("^impel%.", "") .. name, list), name)
          methods = methods + 1
        end
      end
    end
    assert.equal(2 * 14, methods) -- 14 methods in each of metatable and __index
    has(whole, "M(q) qdd + c(q, qd) = tau", "multibody")
    has(whole, "source: Featherstone", "multibody")
    -- Fields for internal use, which are not in the reference.
    local own = {}
    for name in ("parts part_of places tx ty px py w M c L gx gy"):gmatch "%S+" do own[name] = true end
    for name in pairs(mb) do
      if not own[name] then
        has(whole, "\n      " .. name .. " ", "multibody." .. name)
        has(meta, "\n---@field " .. name .. " ", name)
        has(assert(api.text("multibody." .. name)), "multibody." .. name, name)
      end
    end
  end)

  it("finds a function of a module with and without the module's name", function()
    assert.equal(api.text "multibody:point_bias", api.text "point_bias")
    assert.equal(api.text "impel.multibody.new", api.text "multibody.new")
    local code, out = impel "api multibody:jacobian"
    assert.equal(0, code)
    has(out, "multibody:jacobian(body, x, y, J)", "multibody:jacobian")
    assert.falsy(out:find("mass_matrix", 1, true))
    assert.is_nil((api.text "multibody:jacobain"))
  end)

  it("prints the methods of a rig's parts", function()
    for name, methods in pairs { quadruped = { "parts:reach(leg, x, y)" }, cloth = { "parts:strain()" },
      soft = { "parts:area_now()" }, crane = { "crane:hoist(speed)", "crane:release()" },
      car = { "car:drive(speed)", "car:speed()" }, arm = { "arm:move(angles, seconds)" },
      tracked = { "tank:drive(speed)" } } do
      local text = api.text("rig." .. name)
      for _, method in ipairs(methods) do has(text, "\n  " .. method .. "\n", name) end
      local _, count = text:gsub("\n  impel%.rig%." .. name .. "%(", "")
      assert.equal(1, count) -- only the constructor of the rig has this name
      assert.truthy(text:find("\n  impel.rig." .. name .. "(world, options)\n", 1, true))
    end
  end)

  it("prints annotations with --annotations or --meta", function()
    for _, flag in ipairs { "--annotations", "--meta" } do
      local code, out, err = impel("api " .. flag)
      assert.same({ 0, annotations.text(), "" }, { code, out, err })
    end
  end)

  it("ends with 2 and a hint for an unknown name, and for a name with --annotations", function()
    local code, out, err = impel "api body.angel"
    assert.same({ 2, "", "impel: nothing in the reference is called 'body.angel' (did you mean 'body.angle'?); impel "
      .. "api --search WORD searches all texts\n" }, { code, out, err })
    for _, two in ipairs { "world --annotations", "world --all", "--all --search x", "--search ''" } do
      code, out = impel("api " .. two)
      assert.same({ 2, "" }, { code, out }, two)
    end
    assert.equal(2, (impel "api world body"))
    assert.equal(2, (impel "api --wrong"))
  end)
end)
