// A field over a block of bodies: which of them it acts on, and which function does.
#include "field.h"

#include <string.h>


static void evaluate_all(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  switch ((ImpFieldKind)field->kind) {
  case IMP_FIELD_UNIFORM:
    impi_field_uniform(field, block);
    break;
  case IMP_FIELD_ATTRACTOR:
    impi_field_attractor(field, block);
    break;
  case IMP_FIELD_SPRING:
    impi_field_spring(field, scene->h, block);
    break;
  case IMP_FIELD_DRAG:
    impi_field_drag(field, block);
    break;
  case IMP_FIELD_VORTEX:
    impi_field_vortex(field, block);
    break;
  case IMP_FIELD_KIND_COUNT:
    break;
  }
}


// Take the bodies at `pick` of a block into a block of their own, with what acts on them so far.
static void take(const ImpiFieldBlock *from, const int *pick, int count, ImpiFieldBlock *to) {
  to->count = count;
  to->decays = from->decays;
  for (int i = 0; i < count; ++i) {
    int k = pick[i];
    to->slot[i] = from->slot[k];
    to->x[i] = from->x[k];
    to->y[i] = from->y[k];
    to->vx[i] = from->vx[k];
    to->vy[i] = from->vy[k];
    to->w[i] = from->w[k];
    to->inv_mass[i] = from->inv_mass[k];
    to->inv_inertia[i] = from->inv_inertia[k];
    to->ax[i] = from->ax[k];
    to->ay[i] = from->ay[k];
    to->aw[i] = from->aw[k];
    to->k[i] = from->k[k];
    to->kw[i] = from->kw[k];
  }
}


static void put_back(const ImpiFieldBlock *from, const int *pick, ImpiFieldBlock *to) {
  to->decays = from->decays;
  for (int i = 0; i < from->count; ++i) {
    int k = pick[i];
    to->ax[k] = from->ax[i];
    to->ay[k] = from->ay[i];
    to->aw[k] = from->aw[i];
    to->k[k] = from->k[i];
    to->kw[k] = from->kw[i];
  }
}


void impi_field_evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  if (impi_field_is_general(field) && !field->bounded) {
    evaluate_all(field, scene, block);
    return;
  }
  int pick[IMPI_FIELD_WIDTH], count = 0;
  ImpAabb box = field->region;
  for (int i = 0; i < block->count; ++i) {
    double x = block->x[i], y = block->y[i];
    bool inside = !field->bounded || (x >= box.lower.x && x <= box.upper.x && y >= box.lower.y && y <= box.upper.y);
    if (inside && impi_field_acts_on(field, block->slot[i])) {
      pick[count++] = i;
    }
  }
  if (count == block->count) {
    evaluate_all(field, scene, block);
  } else if (count > 0) {
    ImpiFieldBlock some;
    take(block, pick, count, &some);
    evaluate_all(field, scene, &some);
    put_back(&some, pick, block);
  }
}
