// Memory fails at any request in two dozen scenes. Each call succeeds or reports the failure, nothing leaks, and the
// world stays valid. With --long every request fails in turn.
#include "out_of_memory_scenes.h"

enum { STEPS = 14, SHORT_TRIES = 14, SCENES = sizeof scenes / sizeof scenes[0] };

// Which requests fail: request number `fail_at` only; all requests from `fail_at` on until a call reports the failure;
// or all requests from `fail_at` to the end of the run.
typedef enum Way { ONCE, UNTIL_TOLD, TO_THE_END, WAY_COUNT } Way;


static void play(int scene, long fail_at, Way way, long *out_requests, int *out_told) {
  Stage s = {.memory = {.fail_at = fail_at, .from_then_on = way != ONCE}, .retries = way != TO_THE_END};
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, &s.memory};
  DO(&s, imp_world_create(&def, &s.world));
  if (s.world != NULL) {
    scenes[scene].build(&s);
    for (s.step = 0; s.step < STEPS; ++s.step) {
      if (scenes[scene].act != NULL && s.bodies > 1) scenes[scene].act(&s);
      DO(&s, imp_world_step(s.world));
      CHECK(!imp_world_is_stepping(s.world));
    }
    *out_requests = s.memory.requests;
    s.memory.fail_at = 0;
    imp_world_set_substep_callback(s.world, NULL, NULL);
    whole(&s);
    run(s.world, 3);
    whole(&s);
    CHECK(imp_world_counts(s.world).bytes == s.memory.bytes);
    MUST(imp_world_destroy(s.world));
  }
  *out_told += s.told;
  CHECK(s.memory.bytes == 0); // no leak
}


static void memory_can_run_out_in_any_scene(void) {
  long tries = 0;
  int told = 0;
  bool good = true;
  for (int scene = 0; scene < SCENES; ++scene) {
    long requests = 0, ignored;
    play(scene, 0, ONCE, &requests, &told);
    CHECK(requests > 10 && told == 0);
    told = 0;
    long stride = long_run ? 1 : 1 + requests / SHORT_TRIES;
    for (long at = 1 + (long_run ? 0 : scene % stride); at <= requests; at += stride) {
      for (int way = 0; way < WAY_COUNT; ++way, ++tries) {
        play(scene, at, (Way)way, &ignored, &told);
        if (check_case_ok) continue;
        printf("  scene '%s', request %ld of %ld, way %d\n", scenes[scene].name, at, requests, way);
        good = false;
        check_case_ok = true;
      }
    }
    CHECK(told > 0);
    told = 0;
  }
  measured("out of memory: scenes", SCENES);
  measured("out of memory: requests that failed", (double)tries);
  CHECK(good);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(memory_can_run_out_in_any_scene);
  return check_report("out of memory");
}
