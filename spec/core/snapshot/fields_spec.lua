-- Every member of every struct that is written, compared or recorded has a line in the table of the struct, and every
-- line has a member. This spec reads the sources.

local function lines_of(command)
  local pipe <close> = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  return list
end

local function read(path)
  local file <close> = assert(io.open(path))
  return (file:read "a":gsub("/%*.-%*/", ""):gsub("//[^\n]*", ""):gsub("\\\n", " "))
end

-- Return the members of a struct from the text between its braces: { name =, type = or members = }, in order.
local function members_of(text)
  local list = {}
  local inner = {}
  text = text:gsub("struct%s*(%b{})", function(body)
    inner[#inner + 1] = members_of(body:sub(2, -2))
    return "INNER" .. #inner
  end)
  text = text:gsub("__attribute__%s*%b()", ""):gsub("IMPI_ARRAY%s*%b()", "LIST ")
  for declaration in text:gmatch "[^;]+" do
    local pointer = declaration:match "%(%s*%*%s*const%s*([%w_]+)" or declaration:match "%(%s*%*%s*([%w_]+)"
    local type, names = declaration:match "^%s*([%w_]+)%s+(.*)$"
    if pointer then
      list[#list + 1] = { name = pointer }
    elseif type then
      while names:match "^[%w_]+%s+[%w_*]" do type, names = names:match "^([%w_]+)%s+(.*)$" end
      for name in (names:gsub("%b[]", "")):gmatch "[^,]+" do
        local number = tonumber(type:match "INNER(%d+)")
        list[#list + 1] = { name = name:match "([%w_]+)%s*$", type = type, members = inner[number] }
      end
    end
  end
  return list
end

-- Return the structs of the core's headers by name.
local function structs()
  local found = {}
  for _, path in ipairs(lines_of "find core -name '*.h'") do
    for name, body in read(path):gmatch "struct%s+(%w+)%s*(%b{})" do found[name] = members_of(body:sub(2, -2)) end
  end
  return found
end

-- Macros of table lines whose second argument is the member.
local SECOND = { TURN = true, WALK = true, PLAIN_AS = true, PARTS_AS = true, LIST_AS = true, HOOK_AS = true }

-- Return the tables: { where =, struct =, lines = { [member] = true } }.
local function tables()
  local list = {}
  for _, path in ipairs(lines_of "grep -rlE '^static const ImpiField ' core") do
    for struct, text in read(path):gmatch "#define STRUCT (%w+)\n(.-)#undef STRUCT" do
      for name, body in text:gmatch "static const ImpiField ([%w_]+)%[%] = (%b{})" do
        local lines = {}
        for kind, arguments in body:gmatch "([%u_]+)(%b())" do
          local first, second = arguments:match "^%(%s*([^,()]+)%s*,?%s*([^,()]*)"
          lines[SECOND[kind] and second or first] = true
        end
        list[#list + 1] = { where = path .. ": " .. name, struct = struct, lines = lines }
      end
    end
  end
  return list
end

-- Return a message for each member without a line and each line without a member.
local function differences(entry, known)
  local wrong, seen = {}, {}
  local function walk(members, prefix)
    for _, member in ipairs(members) do
      local path, inside = prefix .. member.name, false
      for line in pairs(entry.lines) do inside = inside or line:sub(1, #path + 1) == path .. "." end
      if entry.lines[path] then
        seen[path] = true
      elseif inside then
        walk(member.members or known[member.type], path .. ".")
      else
        wrong[#wrong + 1] = path .. " has no line"
      end
    end
  end
  walk(known[entry.struct], "")
  for line in pairs(entry.lines) do
    if not seen[line] then wrong[#wrong + 1] = line .. " is no member" end
  end
  table.sort(wrong)
  return wrong
end

describe("the tables of fields", function()
  local known, list = structs(), tables()

  it("are found", function()
    assert.is_true(#list > 40, #list)
    assert.is_true(#known.ImpWorld > 60 and #known.ImpiBody > 40)
  end)

  for _, entry in ipairs(list) do
    it("have a line for each member of " .. entry.struct .. ", in " .. entry.where, function()
      assert.same({}, differences(entry, known))
    end)
  end

  it("fail the comparison if any one line is missing", function()
    for _, entry in ipairs(list) do
      for line in pairs(entry.lines) do
        local fewer = {}
        for other in pairs(entry.lines) do fewer[other] = other ~= line or nil end
        assert.is_true(#differences({ struct = entry.struct, lines = fewer }, known) > 0, entry.where .. ": " .. line)
      end
    end
  end)
end)
