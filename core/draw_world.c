// Level 7. What a world looks like: shapes with the style of what their body does, joints by kind, contacts.
#include "draw.h"
#include "world.h"


ImpDrawOptions imp_draw_options(void) {
  return (ImpDrawOptions){.shapes = true,
                          .joints = true,
                          .size = 0.1,
                          .force_scale = 0.01,
                          .impulse_scale = 1,
                          .velocity_scale = 0.1,
                          .longest = HUGE_VAL};
}


static ImpDrawStyle style_of(const ImpiBody *body, const ImpiShape *shape) {
  (void)body;
  (void)shape;
  return IMP_STYLE_DYNAMIC;
}


ImpStatus imp_draw_world(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options) {
  (void)list;
  (void)world;
  (void)options;
  (void)style_of;
  return IMP_OK;
}
