-- Suggests suites whose names are similar to NAME: lua5.4 spec/tools/nearest.lua NAME SUITE... (called by make spec)
package.path = "scripts/?.lua;" .. package.path
local nearest = require "impel.base.nearest"

local words, having = {}, {} -- list of all words in names of suites; map from a word to suites
for _, suite in ipairs { table.unpack(arg, 2) } do
  for word in suite:gmatch "[^/_]+" do
    if not having[word] then words[#words + 1], having[word] = word, {} end
    table.insert(having[word], suite)
  end
end
local near = {}
for _, word in ipairs(nearest.list(arg[1]:match "[^/_]*$", words, 3)) do
  table.move(having[word], 1, 4, #near + 1, near)
end
io.stderr:write(("no spec name contains '%s'; %s\n"):format(arg[1],
  #near > 0 and "did you mean " .. table.concat(near, ", ") .. "?" or "names are paths: core/geometry/toi"))
os.exit(1)
