// Evaluation of a force field on the bodies of a block (ImpiFieldBlock).
#include "model/field.h"
#include "base/bits.h"

#include <string.h>


bool impi_field_turns(const ImpiForceField *field) { return field->kind >= IMP_FIELD_WIND; }


void impi_field_couple(ImpiFieldBlock *block) {
  if (!block->coupled) {
    block->coupled = true;
    memset(block->drag, 0, (size_t)block->count * sizeof *block->drag);
  }
}


// Copy the bodies with the indices `pick` to another block.
static void take(const ImpiFieldBlock *from, const int *pick, int count, ImpiAffectedBody *affected,
                 ImpiFieldBlock *to) {
  to->count = count;
  to->affected = affected;
  to->decays = to->spins = to->coupled = to->timed = false;
  for (int i = 0; i < count; ++i) {
    int k = pick[i];
    affected[i] = from->affected[k];
    to->x[i] = from->x[k];
    to->y[i] = from->y[k];
    to->vx[i] = from->vx[k];
    to->vy[i] = from->vy[k];
    to->w[i] = from->w[k];
    to->c[i] = from->c[k];
    to->s[i] = from->s[k];
    to->angle[i] = from->angle[k];
    to->inv_mass[i] = from->inv_mass[k];
    to->inv_inertia[i] = from->inv_inertia[k];
    to->ax[i] = to->ay[i] = to->aw[i] = to->k[i] = to->kw[i] = 0;
    to->restless[i] = to->implicit[i] = false;
  }
}


// Add the results of a block made by `take` to the original block.
static void add_back(const ImpiFieldBlock *from, const int *pick, ImpiFieldBlock *to) {
  to->decays |= from->decays;
  to->spins |= from->spins;
  to->timed |= from->timed;
  for (int i = 0; i < from->count; ++i) {
    int k = pick[i];
    to->ax[k] += from->ax[i];
    to->ay[k] += from->ay[i];
    to->aw[k] += from->aw[i];
    to->k[k] += from->k[i];
    to->kw[k] += from->kw[i];
    to->restless[k] |= from->restless[i];
    to->implicit[k] |= from->implicit[i];
  }
  if (!from->coupled) {
    return;
  }
  impi_field_couple(to);
  for (int i = 0; i < from->count; ++i) {
    const ImpiDrag *d = &from->drag[i];
    ImpiDrag *sum = &to->drag[pick[i]];
    *sum = (ImpiDrag){sum->xx + d->xx, sum->xy + d->xy, sum->yy + d->yy,
                      sum->xw + d->xw, sum->yw + d->yw, sum->ww + d->ww};
  }
}


void impi_field_evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, uint64_t whom,
                         ImpiFieldBlock *block) {
  if (impi_field_is_general(field) && !field->bounded) {
    impi_field_kinds[field->kind].evaluate(field, scene, block);
    return;
  }
  int pick[IMPI_FIELD_WIDTH], count = 0;
  while (whom != 0) {
    int i = impi_bits_pop(&whom);
    if (impi_field_is_inside(field, block->x[i], block->y[i])) {
      pick[count++] = i;
    }
  }
  // Copy the bodies even if all are picked: the order of additions for a body must not depend on the other bodies.
  if (count > 0) {
    ImpiAffectedBody affected[IMPI_FIELD_WIDTH];
    ImpiFieldBlock some;
    take(block, pick, count, affected, &some);
    impi_field_kinds[field->kind].evaluate(field, scene, &some);
    add_back(&some, pick, block);
  }
}
