-- Eight scenes have the recorded hashes on every machine. This is the short form of `make determinism`.
local program = require "support.program"

after_each(program.clean)

local MOST = 100 -- steps

describe("eight scenes give the hashes in spec/golden/hashes", function()
  local expected = {}
  for line in io.lines "spec/golden/hashes" do
    local scene, steps, hash = line:match "^(%S+) (%d+) (%x+)$"
    assert(hash, line)
    steps = tonumber(steps)
    if steps <= MOST then expected[#expected + 1] = { scene = scene, steps = steps, hash = hash } end
  end
  assert(#expected == 24)

  for _, way in ipairs {
    { name = "with default options", before = "", options = "" },
    { name = "without lanes, on two threads", before = "IMPEL_LANES=1", options = "--threads 2" },
    { name = "in lanes of 8", before = "IMPEL_LANES=8", options = "" },
  } do
    it(way.name, function()
      for _, one in ipairs(expected) do
        local file = ("examples/%s.lua"):format(one.scene)
        if not io.open(file) then file = ("spec/golden/scenes/%s.lua"):format(one.scene) end
        local code, out, err = program.run(("run %s -q --hash --steps %d %s"):format(file, one.steps, way.options), nil,
          way.before)
        assert.equal(0, code, err)
        assert.equal(one.hash .. "\n", out, ("%s after %d steps"):format(one.scene, one.steps))
      end
    end)
  end
end)
