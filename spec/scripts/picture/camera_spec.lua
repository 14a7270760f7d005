-- The camera of a scene: following, dead zones, bounds, smoothing, shake, invalid input; in windows and pictures.

local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local motions = require "impel.scene.camera_motion"
local picture = require "impel.picture"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"

local function camera(options)
  local all = { width_px = 800, height_px = 400 }
  for name, value in pairs(options or {}) do all[name] = value end
  return cameras.new(all)
end

local function nothing() return nil end

-- Return the camera's position after each view. Pictures are 1 s apart unless `times` are given.
local function pass(views, c, times)
  local motion, places = motions.new(), {}
  c = c or camera()
  for i, view in ipairs(views) do
    motions.check(view, "scene.camera")
    motion:move(c, view, times and times[i] or i, nothing)
    places[i] = { c.x, c.y }
  end
  return places, c
end

local function near(expected, place, tolerance)
  assert.near(expected[1], place[1], tolerance or 1e-9)
  assert.near(expected[2], place[2], tolerance or 1e-9)
end

describe("a turned camera", function()
  it("maps its right and up axes to right and up in the picture, and inverts the map for every pixel", function()
    -- The scale is 100 pixels a metre, and the camera's right is the world's up.
    local c = camera { x = 2, y = 3, height = 4, angle = math.pi / 2 }
    near({ 400, 200 }, { c:to_screen(2, 3) })
    near({ 500, 200 }, { c:to_screen(2, 4) })
    near({ 400, 100 }, { c:to_screen(1, 3) })
    c.angle = 0.7
    c:resize(1600, 900, 2)
    for _, at in ipairs { { 0, 0 }, { 1600, 900 }, { 12.25, 400 } } do
      near(at, { c:to_screen(c:to_world(at[1], at[2])) })
    end
  end)

  it("pans with the cursor, zooms at the cursor and fits boxes whole", function()
    local c = camera { x = 1, y = 1, height = 8, angle = -0.4 }
    local x, y = c:to_world(100, 50)
    c:pan(30, -7)
    near({ 130, 43 }, { c:to_screen(x, y) })
    c:zoom(1.7, 130, 43)
    near({ 130, 43 }, { c:to_screen(x, y) })
    c:fit(0, 0, 10, 1, 0)
    for _, corner in ipairs { { 0, 0 }, { 10, 0 }, { 10, 1 }, { 0, 1 } } do
      local px, py = c:to_screen(corner[1], corner[2])
      assert.is_true(px > -1e-9 and px < 800 + 1e-9 and py > -1e-9 and py < 400 + 1e-9)
    end
    local x1, y1, x2, y2 = c:bounds() -- the bounds enclose the corners of the rotated picture
    local most_x, most_y = -math.huge, -math.huge
    for _, corner in ipairs { { 0, 0 }, { 800, 0 }, { 800, 400 }, { 0, 400 } } do
      local wx, wy = c:to_world(corner[1], corner[2])
      most_x, most_y = math.max(most_x, wx), math.max(most_y, wy)
    end
    near({ most_x, most_y }, { x2, y2 })
    near({ 2 * c.x - most_x, 2 * c.y - most_y }, { x1, y1 })
  end)
end)

describe("a scene's camera", function()
  it("is at the given x and y, and follows the target along an axis without a given coordinate", function()
    near({ 3, 4 }, pass { { x = 3, y = 4 } }[1])
    near({ 7, 4 }, pass { { y = 4, follow = { 7, 9 } } }[1])
    near({ 8, 7 }, pass { { follow = { 7, 9 }, offset = { 1, -2 } } }[1])
    local places = pass { { follow = { 1, 1 } }, { height = 3 } }
    near({ 1, 1 }, places[2]) -- a view without a position does not move the camera
  end)

  it("stands still while the followed body is in the dead zone, and each axis moves independently", function()
    local zone = { 4, 2 }
    local places = pass {
      { follow = { 0, 0 }, dead_zone = zone }, { follow = { 1.9, 0.9 }, dead_zone = zone },
      { follow = { 2.5, 0.9 }, dead_zone = zone }, { follow = { 2.5, -0.9 }, dead_zone = zone },
      { follow = { -3, 5 }, dead_zone = zone },
    }
    for i, expected in ipairs { { 0, 0 }, { 0, 0 }, { 0.5, 0 }, { 0.5, 0 }, { -1, 4 } } do near(expected, places[i]) end
  end)

  it("has a dead zone in fractions of the picture, equal at any height and size", function()
    for _, height in ipairs { 1, 10 } do
      for _, size in ipairs { { 800, 400 }, { 300, 400 } } do
        local c = camera { width_px = size[1], height_px = size[2] }
        pass({ { follow = { 0, 0 }, height = height, dead_part = { 0.5, 0.2 } },
          { follow = { 50, 80 }, height = height, dead_part = { 0.5, 0.2 } } }, c)
        near({ size[1] * 0.75, size[2] * 0.4 }, { c:to_screen(50, 80) }) -- the target is at the edge of the dead zone
      end
    end
  end)

  it("has a dead zone that rotates with the picture", function()
    local c = camera()
    pass({ { follow = { 0, 0 }, height = 4, angle = 0.6, dead_zone = { 2, 1 } },
      { follow = { 30, 10 }, height = 4, angle = 0.6, dead_zone = { 2, 1 } } }, c)
    -- The target is at the corner of the dead zone: 1 m to the right of the middle and 0.5 m below the middle.
    near({ 500, 250 }, { c:to_screen(30, 10) })
  end)

  it("shows nothing outside its bounds, also when turned or shaken, and zooms in if the bounds are smaller", function()
    local bounds = { -10, 0, 30, 12 }
    for _, view in ipairs { { follow = { 100, -50 } }, { follow = { -100, 50 }, angle = 0.3 },
      { x = 30, y = 12, height = 1 }, { follow = { 29, 1 }, shake = { amplitude = 5 } }, { height = 50 },
      { height = 50, angle = 1 }, { height = 0.1, x = -10, y = 0 } } do
      view.bounds, view.height = bounds, view.height or 6
      local _, c = pass { view }
      local x1, y1, x2, y2 = c:bounds()
      assert.is_true(x1 > -10 - 1e-9 and y1 > -1e-9 and x2 < 30 + 1e-9 and y2 < 12 + 1e-9)
    end
    local _, c = pass { { height = 50, bounds = bounds } }
    assert.near(12, c.height, 1e-9)
    c:resize(4000, 400)
    motions.new():move(c, { height = 50, bounds = bounds }, 1, nothing)
    assert.near(40, c.width, 1e-9)
  end)

  it("approaches a target by 1 - 1/e in its time constant, at any frame rate", function()
    for _, rate in ipairs { 10, 60, 144 } do
      local views, times = { { x = 0, y = 0, smoothing = 0.5 } }, { 0 }
      for i = 1, rate // 2 do
        views[i + 1], times[i + 1] = { x = 1, y = -2, smoothing = 0.5 }, i / rate
      end
      local places = pass(views, nil, times)
      -- A first-order lag follows a ramp of g time constants. The error is (1 - exp(-g)) / g at the end of the ramp and
      -- decays by exp(g - 1) until one time constant has passed.
      local g = 1 / rate / 0.5
      local part = 1 - (1 - math.exp(-g)) / g * math.exp(g - 1)
      near({ part, -2 * part }, places[#places])
    end
  end)

  it("lags behind a target of velocity v by v tau (tau: time constant), at any frame rate and jitter", function()
    local v, tau = 3, 0.25
    for _, gap in ipairs { 1 / 24, 1 / 60, 1 / 144, 0.4 } do
      local views, times, t = {}, {}, 0
      for i = 1, 400 do
        times[i], views[i] = t, { x = v * t, y = 0, smoothing = tau }
        t = t + gap * (i % 3 == 0 and 2.5 or 0.7)
      end
      local places = pass(views, nil, times)
      near({ v * times[400] - v * tau * (1 - math.exp(-times[400] / tau)), 0 }, places[400], 1e-9)
    end
  end)

  it("does not move while the time is constant, and jumps to its target when the time goes back", function()
    local views = { { x = 0, y = 0, smoothing = 1 }, { x = 8, y = 0, smoothing = 1 }, { x = 8, y = 0, smoothing = 1 },
      { x = 5, y = 0, smoothing = 1 } }
    local places = pass(views, nil, { 1, 1.5, 1.5, 0.5 })
    near(places[2], places[3])
    near({ 5, 0 }, places[4])
  end)

  it("shakes within its amplitude, decaying, repeatably, and only from its start", function()
    local function at(time, decay)
      return pass({ { x = 0, y = 0, shake = { amplitude = 2, at = 1, decay = decay } } }, nil, { time })[1]
    end
    near({ 0, 0 }, at(0.99, 0.5), 0)
    local most = { 0, 0 }
    for i = 0, 1000 do
      local time = 1 + i / 250
      local place = at(time, 0.5)
      local bound = 2 * math.exp(-(time - 1) / 0.5)
      for k = 1, 2 do
        assert.is_true(math.abs(place[k]) <= bound + 1e-12)
        most[k] = math.max(most[k], math.abs(at(time, 1e6)[k]))
      end
      assert.same(place, at(time, 0.5))
    end
    -- At least one of 48 random offsets on each axis exceeds half of the amplitude.
    assert.is_true(most[1] > 1 and most[2] > 1)
    local before, after = at(1.5 - 1e-6, 1e6), at(1.5 + 1e-6, 1e6)
    near(before, after, 1e-4) -- no jump: 2 m * 12 changes/s * 1.5 * 2e-6 s
  end)

  it("refuses invalid fields by name", function()
    local function refused(view, message)
      assert.error_matches(function() motions.check(view, "scene.camera") end, message, 1, true)
    end
    local nan = 0 / 0
    refused({ x = nan }, "scene.camera.x: finite number up to 1e9 m expected, got nan")
    refused({ y = 1e10 }, "scene.camera.y: finite number up to 1e9 m expected, got 1e+10")
    refused({ height = 0 }, "scene.camera.height: number > 0 up to 1e9 m expected, got 0")
    refused({ height = "4" }, "scene.camera.height: number > 0 up to 1e9 m expected, got")
    refused({ angle = math.huge }, "scene.camera.angle: finite number up to 1e9 rad expected, got")
    refused({ heigth = 4 }, "bad field 'heigth' in scene.camera (did you mean 'height'?)")
    refused({ follow = { 1, nan } }, "scene.camera.follow: a body, the name of one, or { x, y } up to 1e9 m expected")
    refused({ follow = {} }, "scene.camera.follow:")
    refused({ dead_zone = { 1 } }, "scene.camera.dead_zone: { width, height } from 0 to 1e9 m expected, got { 1 }")
    refused({ dead_part = { 1, 2 } }, "scene.camera.dead_part: { width, height } from 0 to 1")
    refused({ dead_part = { 1, 1 }, dead_zone = { 1, 1 } }, "not both")
    refused({ bounds = { 1, 1, 0, 2 } }, "scene.camera.bounds: { x1, y1, x2, y2 } up to 1e9 m with x1 < x2 and y1 < y2")
    refused({ smoothing = -1 }, "scene.camera.smoothing: number from 0 to 1e6 s expected, got -1")
    refused({ shake = { amplitude = nan } }, "scene.camera.shake.amplitude: number from 0 to 1e9 m expected, got nan")
    refused({ shake = { decay = 1, at = 0 } }, "scene.camera.shake.amplitude")
    refused({ shake = { amplitude = 1, decay = 1 } }, "fields 'decay' and 'at' must be given together")
    refused(nil, "scene.camera: table expected, got nil")
    refused(5, "scene.camera: table expected, got 5")
  end)
end)

local CART = [[
local impel = require "impel"
local scene = { view = { height = 8 } }
function scene.setup(_, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, dt = 0.1 }
  local cart = world:body { name = "cart" }
  cart:box { 1, 1 }
  cart:set_velocity(10, 0)
  return { world = world, cart = cart, seen = {} }
end
function scene.camera(s) return { follow = s.cart, height = 6 } end
function scene.draw(s, view)
  s.seen[#s.seen + 1] = { view.x, view.y, view.time, view:pose(s.cart) }
  s.screen = { view:to_screen(view.x + 1, view.y + 1) }
  s.back = { view:to_world(view:to_screen(0.3, -0.8)) }
end
return scene
]]

local function run_of(text)
  return assert(runner.new(assert(scenes.parse(text, "=cart.lua")), { steps = 100 }))
end

describe("a picture of a scene", function()
  local run

  after_each(function() run:close() end)

  local function shoot(f, c)
    local ok, failure = f:look(c)
    if ok then ok, failure = f:fill(drawings.new(), c, frames.defaults()) end
    return ok, failure
  end

  it("follows the interpolated pose: the body is in the middle at every fraction of a step", function()
    run = run_of(CART)
    local f = frames.new(run)
    local c = f:camera(cameras, 800, 600, 2)
    for _ = 1, 3 do
      f:note()
      assert(run:step())
      for _, fraction in ipairs { 0, 0.3, 1 } do
        f:between(fraction)
        assert(shoot(f, c))
        local seen = run.state.seen[#run.state.seen]
        assert.near(run.world.time - (1 - fraction) * 0.1, seen[3], 1e-12)
        assert.near(10 * seen[3], seen[1], 1e-9)
        assert.near(seen[1], seen[4], 1e-9)
      end
    end
    assert.equal(6, c.height)
    -- 100 pixels are 1 m and 50 points. The origin is in the middle of 400 x 300 points.
    assert.same({ 250, 100 }, run.state.screen)
    near({ 0.3, -0.8 }, run.state.back)
  end)

  it("keeps its camera after an invalid one, and reports the field", function()
    run = run_of((CART:gsub("height = 6 }", "height = s.world.tick > 1 and 0 / 0 or 6 }")))
    local f = frames.new(run)
    local c = f:camera(cameras, 800, 600)
    assert(run:step())
    assert(shoot(f, c))
    local x = c.x
    assert(run:step())
    local ok, failure = f:look(c)
    assert.is_nil(ok)
    assert.equal("scene", failure.kind)
    assert.equal("cart.lua: camera: scene.camera.height: number > 0 up to 1e9 m expected, got nan", failure.message)
    assert.equal(x, c.x)
    assert.equal(6, c.height)
  end)

  it("reads scene.view for each frame, follows a body by name, and stays where the body was destroyed", function()
    run = run_of((CART:gsub("function scene.camera.-end\n", [[
function scene.update(s)
  scene.view.follow = "cart"
  scene.view.offset = { 0, 1 }
  if s.world.tick == 2 then s.cart:destroy() end
end
]]):gsub("function scene.draw.-\nend\n", "")))
    local f = frames.new(run)
    local c = f:camera(cameras, 800, 600)
    for i, x in ipairs { 1, 2, 2, 2 } do
      assert(run:step())
      assert(shoot(f, c))
      near({ x, 1 }, { c.x, c.y })
      assert.equal(8, c.height, i)
    end
  end)

  it("names a missing body to follow, and a view that became invalid", function()
    run = run_of((CART:gsub("s.cart, height = 6", '"card"')))
    local f = frames.new(run)
    local _, failure = f:look(f:camera(cameras, 800, 600))
    assert.equal("cart.lua: camera: the world has no body 'card' to follow", failure.message)
    run:close()
    run = run_of((CART:gsub("function scene.camera.-end\n", "function scene.update() scene.view.height = 0 end\n")))
    f = frames.new(run)
    local c = f:camera(cameras, 800, 600)
    assert(f:look(c))
    assert(run:step())
    _, failure = f:look(c)
    assert.equal("cart.lua: view: scene.view.height: number > 0 up to 1e9 m expected, got 0", failure.message)
    assert.equal(8, c.height)
  end)

  it("moves when scene.view names another place, and only then", function()
    run = run_of((CART:gsub("function scene.camera.-end\n",
      "function scene.update(s) if s.world.tick == 2 then scene.view.x, scene.view.height = 5, 4 end end\n")))
    local f = frames.new(run)
    local c = f:camera(cameras, 800, 600)
    c:place(1, 1, 3, 0)
    for i = 1, 3 do
      assert(run:step())
      assert(f:look(c))
      assert.same(i < 3 and { 1, 1, 3 } or { 5, 1, 4 }, { c.x, c.y, c.height })
    end
  end)

  it("has the same camera in a film as in a window that shows the same steps", function()
    local text = CART:gsub("height = 6 }", "height = 6, smoothing = 0.5, dead_zone = { 1, 1 } }")
    run = run_of(text)
    local studio = picture.studio(run, { width = 80, height = 60 })
    for _ = 1, 20 do
      assert(run:step())
      assert(studio:sample())
    end
    local other = run_of(text)
    local f = frames.new(other)
    local c = f:camera(cameras, 80, 60)
    for _ = 1, 20 do
      f:note()
      assert(other:step())
      f:between(1)
      assert(f:look(c))
    end
    near({ c.x, c.y }, { studio.camera.x, studio.camera.y })
    -- The target is at 20 m and moves at 10 m/s. The camera lags by the dead zone of 0.5 m, plus 10 m/s * 0.5 s. After
    -- 2 s, e^-4 of the initial difference remains.
    assert.near(20 - 0.5 - 5, c.x, 5 * math.exp(-4) + 0.2)
    other:close()
  end)

  it("takes the view of the caller instead of the scene's", function()
    run = run_of(CART)
    local studio = picture.studio(run, { view = { x = -3, y = 1, height = 2, angle = 0.5 } })
    assert(run:step())
    assert(studio:sample())
    assert.truthy(studio:svg())
    assert.same({ -3, 1, 2, 0.5 }, { studio.camera.x, studio.camera.y, studio.camera.height, studio.camera.angle })
  end)

  it("does not change the run: the same hash with a camera that shakes and draws random numbers", function()
    local function hash(text, pictures)
      local other = run_of(text)
      local f = frames.new(other)
      local c = f:camera(cameras, 80, 60)
      for _ = 1, 20 do
        if pictures then f:note() end
        assert(other:step())
        if pictures then
          f:between(0.4)
          assert(shoot(f, c))
        end
      end
      local result = other.world.hash .. " " .. other.world:random()
      other:close()
      return result
    end
    run = run_of(CART)
    local text = CART:gsub("height = 6 }", "height = 6 + math.random(), shake = { amplitude = 1 } }")
    assert.equal(hash(text, false), hash(text, true))
  end)
end)
