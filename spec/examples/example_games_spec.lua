-- The games of examples/games: each game is short, does not end without a player, and is won by its recorded input.
-- spec/tools/play_games.lua writes the recordings.

local scenes = require "impel.scene"

local shared = require "support.program"
local read = shared.read
local window = require("impel.picture").window()

after_each(shared.clean)

-- Return the last row of a trace, by column.
local function last_row(path)
  local header, last
  for line in io.lines(path) do
    header, last = header or line, line
  end
  local row, names = {}, {}
  for name in header:gmatch "[^,]+" do names[#names + 1] = name end
  for value in last:gmatch "[^,]+" do row[table.remove(names, 1)] = tonumber(value) end
  return row
end

describe("the game", function()
  for file in io.popen "ls examples/games/*.lua":lines() do
    local name = file:match "([%w_]+)%.lua$"
    local recording = ("examples/games/%s.rec"):format(name)

    describe(name, function()
      it("has less than 200 lines and all fields of a game", function()
        local text = read(file)
        local _, lines = text:gsub("\n", "")
        assert.is_true(lines < 200, lines .. " lines")
        assert.truthy(text:match "^%-%- %u")
        local definition = assert(scenes.load(file)).definition
        for _, field in ipairs { "title", "about", "view", "keys", "draw", "measure", "check" } do
          assert.is_not_nil(definition[field], field)
        end
      end)

      it("is won by its recording, without a window, with the same hash", function()
        local trace, picture = shared.temporary ".csv", shared.temporary ".png"
        local pictures = window and ("--size 320x180 --at 2 --png " .. picture) or ""
        local code, out, err = shared.run(("run %s --input %s --check --hash --trace %s %s"):format(file, recording,
          trace, pictures))
        assert.same({ 0, "" }, { code, err })
        assert.equal(read(recording):match '"hash":"(%x+)"}\n$' .. "\n", out)
        local row = last_row(trace)
        assert.same({ 1, 0 }, { row.won, row.lost })
        if not window then return end
        local _, _, pixels = window.decode_png(read(picture))
        local colours, count = {}, 0
        for at = 1, #pixels, 4 do
          local colour = pixels:sub(at, at + 3)
          count = count + (colours[colour] and 0 or 1)
          colours[colour] = true
        end
        -- A picture of the sky with one object has about five colours.
        assert.is_true(count > 20, count .. " colours")
      end)

      it("is not won by the first half of its recording", function()
        local steps = tonumber(read(recording):match '"end":(%d+)')
        local code, _, err = shared.run(("run %s --input %s --check -q --steps %d"):format(file, recording, steps // 2))
        assert.equal(1, code)
        assert.truthy(err:find "check failed: .*playing", err)
      end)

      it("waits for a player, also in a sandbox", function()
        local code, first, err = shared.run(("run %s --check --hash --time 1"):format(file))
        assert.same({ 0, "" }, { code, err })
        local _, again = shared.run(("run games/%s --hash --time 1 --sandbox -q"):format(name))
        assert.equal(first, again)
      end)
    end)
  end
end)
