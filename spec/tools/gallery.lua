-- make gallery: takes pictures of all examples, makes films of some examples, and updates examples/README.md.
--
--   lua5.4 spec/tools/gallery.lua build [NAME...]          all, or only the named ones
--
-- `build/impel run` takes the pictures. In the README only the part from BEGIN to END is rewritten.

package.path = "spec/?.lua;" .. package.path

local FOLDER, README = "examples/gallery", "examples/README.md"
local SIZE, FILM_SIZE, FPS = "480x270", "384x216", 15
local COLUMNS = 4
local BEGIN, END = "<!-- gallery: written by make gallery -->\n", "<!-- end of the gallery -->\n"

-- Options by name of the example. at: time of the picture [s]; show: extra overlays; film: length of the film [s].
local scenes = require "tools.gallery_scenes"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function run(build, name, arguments)
  local command = ("%s/impel run %s -q %s"):format(build, name, arguments)
  if not os.execute(command) then error("failed: " .. command, 0) end
end

local function take(build, name)
  local scene = scenes[name]
  if not scene then error(name .. ": no entry in spec/tools/gallery_scenes.lua: add the time of its picture", 0) end
  local more = (scene.show and " --show=" .. scene.show or "") .. (scene.set and " " .. scene.set or "")
  run(build, name, ("--time %g --png %s/%s.png --size %s%s"):format(scene.at, FOLDER, name, SIZE, more))
  if not scene.film then return end
  run(build, name, ("--time %g --gif %s/%s.gif --size %s --fps %d%s"):format(scene.film, FOLDER, name, FILM_SIZE, FPS,
    more))
end

local function listed(build)
  local names = {}
  local pipe = assert(io.popen(build .. "/impel list"))
  for line in pipe:lines() do names[#names + 1] = line:match "^[%w_/]+" end
  if not pipe:close() or #names == 0 then error(build .. "/impel list failed", 0) end
  return names
end

-- Return the table of the pictures, with films where they exist.
local function gallery(names)
  local lines = { "|" .. (" |"):rep(COLUMNS), "|" .. ("---|"):rep(COLUMNS) }
  for first = 1, #names, COLUMNS do
    local cells = {}
    for i = first, first + COLUMNS - 1 do
      local name = names[i]
      cells[#cells + 1] = name and ("[![%s](gallery/%s.%s)](%s.lua)<br>`%s`"):format(name, name,
        scenes[name].film and "gif" or "png", name, name) or ""
    end
    lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

local function write_readme(names)
  local text = read(README)
  local _, first = text:find(BEGIN, 1, true)
  local last = text:find(END, 1, true)
  assert(first and last, README .. " has no gallery markers")
  local file = assert(io.open(README, "wb"))
  file:write(text:sub(1, first), gallery(names), text:sub(last))
  file:close()
end

if not os.execute "command -v ffmpeg >/dev/null" then error("the films need ffmpeg", 0) end
local build, wanted = arg[1], { table.unpack(arg, 2) }
local names = listed(build)
assert(os.execute("mkdir -p " .. FOLDER .. "/games"))
for _, name in ipairs(#wanted > 0 and wanted or names) do take(build, name) end
write_readme(names)
