// The benchmark's scenes by name.
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include "scene_file.h"
#include "scenes_machines.h"
#include "scenes_piles.h"
#include "scenes_ragdolls.h"


// Make a scene. A `name` with a '/' is the path of a scene file; any other is the name of a built-in scene. `size`:
// number of bodies, columns, base boxes of a pyramid, circles on a side of a net, ragdolls or worlds, by scene; ignored
// for a file. Return false for an unknown name or an invalid size. An error in the file ends the program. Defaults of
// the scenes: density 1, friction 0.6, no restitution, gravity (0, -10), steps of 1/60 s.
static inline bool scene_make(Scene *scene, const char *name, int size) {
  static const struct {
    const char *name;
    void (*make)(Scene *scene, int size);
  } makers[] = {{"large_pyramid", scene_large_pyramid},
                {"many_pyramids", scene_many_pyramids},
                {"pile", scene_pile},
                {"soup", scene_soup},
                {"stacks", scene_stacks},
                {"smash", scene_smash},
                {"compounds", scene_compounds},
                {"joint_grid", scene_joint_grid},
                {"tumbler", scene_tumbler},
                {"washer", scene_washer},
                {"junkyard", scene_junkyard},
                {"spinner", scene_spinner},
                {"rain", scene_rain},
                {"small_worlds", scene_small_worlds},
                {"ragdolls", scene_ragdolls},
                {"empty", NULL}};
  const Surface surface = {1, 0.6, 0, -1, 1, 0xffff, 0, false};
  memset(scene, 0, sizeof *scene);
  scene->surface = surface;
  scene->dt = SCENE_DT;
  scene->gravity.y = -10;
  scene->region.body = -1;
  scene->size = size;
  if (strchr(name, '/') != NULL) {
    if (size >= 0) scene_read(scene, name);
    return size >= 0;
  }
  for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
    if (strcmp(makers[i].name, name) != 0 || size < (makers[i].make != NULL)) continue;
    if (makers[i].make != NULL) makers[i].make(scene, size);
    return true;
  }
  return false;
}


static inline void scene_free(Scene *scene) {
  free(scene->points);
  free(scene->pieces);
  free(scene->bodies);
  free(scene->pins);
  free(scene->dts);
  free(scene->commands);
}

#endif
