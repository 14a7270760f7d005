-- The scenes: name, size (see scenes.h), number of steps, and requirements on impel.
--
--   compared  impel must be faster than Box2D v3
--   asked     least ratio of a peer's time to impel's, by program
--   limit     largest time of a step of impel [ms]
--   lowest    lower bound of the mean y of a net's moving pieces [m]
--   shorter   number of steps for slow programs, by program
--   alone     impel runs without peers
--   stack     the bodies should stand still
--   profile   report the stages of a step

return {
  { name = "large_pyramid", about = "5050 boxes", size = 100, steps = 500, compared = true, profile = true,
    stack = true, asked = { chipmunk = 2, box2d = 3 } },
  -- Chipmunk runs fewer steps, because its net is unstable.
  { name = "joint_grid", about = "a net of 9993 circles and 19794 hinges", size = 100, steps = 500, compared = true,
    profile = true, asked = { box2d = 1 }, lowest = -54.5, shorter = { chipmunk = 100 } },
  { name = "tumbler", about = "2025 boxes in a turning drum", size = 45, steps = 750, compared = true, profile = true },
  { name = "many_pyramids", about = "400 pyramids, 22000 boxes", size = 20, steps = 100, compared = true,
    profile = true, stack = true },
  { name = "smash", about = "a block thrown into 9600 sleeping boxes", size = 120, steps = 300, compared = true,
    profile = true },
  -- Box2D 2.4 runs fewer steps, because a step takes almost a second.
  { name = "washer", about = "8100 boxes in a kinematic drum with paddles", size = 90, steps = 200, compared = true,
    profile = true, shorter = { box2d = 20 } },
  { name = "rain", about = "1000 falling ragdolls; the oldest are replaced", size = 40, steps = 1000, compared = true,
    profile = true },
  { name = "spinner", about = "6076 capsules, circles and boxes, stirred", size = 6076, steps = 500, compared = true,
    profile = true },
  { name = "compounds", about = "3000 pairs of triangles", size = 20, steps = 500, compared = true, profile = true },
  { name = "junkyard", about = "8000 pentagons and a pusher", size = 200, steps = 800, compared = true,
    profile = true },
  { name = "pile", about = "5000 boxes and circles", size = 5000, steps = 400, compared = true, profile = true,
    asked = { chipmunk = 2, box2d = 3 } },
  { name = "pile_1000", about = "the same, 1000 bodies", scene = "pile", size = 1000, steps = 400 },
  { name = "pile_20000", about = "the same, 20000 bodies", scene = "pile", size = 20000, steps = 400, alone = true },
  { name = "small", about = "100 bodies, awake", scene = "pile", size = 100, steps = 1000, limit = 0.030 },
  { name = "soup", about = "500 circles and boxes among segments", size = 500, steps = 1000, limit = 1 },
  { name = "small_worlds", about = "120 worlds of 20 boxes, stepped in turn", size = 120, steps = 100 },
  -- Box2D 2.4 runs fewer steps, because a step takes a second.
  { name = "ragdolls", about = "300 ragdolls in a heap", size = 300, steps = 300, profile = true,
    shorter = { box2d = 20 } },
  { name = "asleep", about = "1000 boxes at rest, asleep", scene = "stacks", size = 1000, steps = 1000, limit = 0.05 },
}
