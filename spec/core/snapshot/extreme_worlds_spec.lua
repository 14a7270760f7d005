-- Worlds at the ends of every range can be saved, restored, played, exported and loaded. IMPEL_FUZZ=N makes N / 100
-- random worlds (make fuzz). IMPEL_EXTREMES=FIRST-LAST selects seeds.
local extreme_worlds = require "core.snapshot.extreme_worlds"

local FUZZ = os.getenv "IMPEL_FUZZ"
local FIRST, LAST = (os.getenv "IMPEL_EXTREMES" or FUZZ and "1-" .. FUZZ // 100 or "1-300"):match "^(%d+)%-(%d+)$"
local TOGETHER = 50 -- worlds per test

describe("a world of extremes", function()
  for first = FIRST // 1, LAST // 1, TOGETHER do
    local last = math.min(first + TOGETHER - 1, LAST // 1)
    it(("is saved, restored, played back and loaded, for seeds %d to %d"):format(first, last), function()
      for number = first, last do
        local world <close>, recording = extreme_worlds.make(number)
        extreme_worlds.check(world, recording, "world " .. number)
      end
    end)
  end

  it("can have any one option at either end of its range", function()
    assert.is_true(extreme_worlds.try_options() > 2500)
  end)

  it("can have any one writable property at either end of its range", function()
    assert.is_true(extreme_worlds.try_properties() > 300)
  end)
end)
