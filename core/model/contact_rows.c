// Rows of a contact point p with unit normal n (a -> b) and tangent t = n turned by -90 degrees:
//   separation   C = n . (p_b - p_a) + C_0       J = [ -n  -(r_a x n)   n   r_b x n ]   lambda >= 0
//   slip         C_dot = t . (v_pb - v_pa) - s   J = [ -t  -(r_a x t)   t   r_b x t ]   |lambda| <= mu lambda_n
//   rolling      C_dot = w_b - w_a               J = [  0     -1        0      1    ]   |lambda| <= c r sum(lambda_n)
// where p_a, p_b are the material points that coincided when the manifold was computed, s is the surface speed, and c r
// is ImpiContact.rolling. The anchors turn with their bodies, the normal does not.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009), contact and friction constraints.
#include "model/contact_rows.h"


// Return the anchor `r` of a body at the pose `start`, rotated with the body to its present pose.
static ImpVec2 turned(ImpVec2 r, const ImpiMotion *start, const ImpiMotion *now) {
  ImpRot delta = impi_inv_mul_rot((ImpRot){start->c, start->s}, (ImpRot){now->c, now->s});
  return impi_rotate(delta, r);
}


static void set_direction(ImpiRow *row, ImpVec2 d, ImpVec2 r_a, ImpVec2 r_b) {
  row->j[0] = -d.x;
  row->j[1] = -d.y;
  row->j[2] = -impi_cross(r_a, d);
  row->j[3] = d.x;
  row->j[4] = d.y;
  row->j[5] = impi_cross(r_b, d);
}


int impi_contact_rows(ImpiContact *contact, const ImpiBody *bodies, const ImpiMotion *motions,
                      const ImpiMotion *start_a, const ImpiMotion *start_b, int32_t base, ImpiRow *rows) {
  const ImpiMotion *a = &motions[contact->body_a], *b = &motions[contact->body_b];
  ImpVec2 n = contact->normal, t = impi_right(n);
  ImpVec2 shift = {(b->x - start_b->x) - (a->x - start_a->x), (b->y - start_b->y) - (a->y - start_a->y)};
  int count = contact->count, written = 0;
  for (int i = 0; i < count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    // r = (core point) + radius * n. The core point is on the piece without its radius and rotates with the body; n is
    // constant.
    ImpVec2 round_a = impi_scale(contact->radius_a, n), round_b = impi_scale(-contact->radius_b, n);
    ImpVec2 r_a = impi_add(turned(impi_sub(point->r_a, round_a), start_a, a), round_a);
    ImpVec2 r_b = impi_add(turned(impi_sub(point->r_b, round_b), start_b, b), round_b);
    ImpVec2 moved = impi_add(shift, impi_sub(impi_sub(r_b, point->r_b), impi_sub(r_a, point->r_a)));
    ImpiRow *normal = &rows[i];
    *normal = impi_row(IMP_ROW_NORMAL, -1, i, contact->body_a, contact->body_b);
    normal->lower = 0;
    normal->c = point->separation + impi_dot(n, moved);
    normal->lambda = point->lambda_n;
    normal->store = &point->lambda_n;
    normal->total = &point->total_n;
    normal->done = &point->step_n;
    normal->approach = &point->approach;
    set_direction(normal, n, r_a, r_b);
    ImpiRow *friction = &rows[count + i];
    *friction = impi_row(IMP_ROW_FRICTION, -1, i, contact->body_a, contact->body_b);
    friction->bias = -contact->surface_speed;
    friction->lambda = point->lambda_t;
    friction->bound_row = base + i;
    friction->bound_count = 1;
    friction->bound_scale = contact->friction;
    friction->store = &point->lambda_t;
    friction->total = &point->total_t;
    friction->done = &point->step_t;
    set_direction(friction, t, r_a, r_b);
  }
  written = 2 * count;
  if (contact->rolling > 0 && count > 0) {
    ImpiRow *rolling = &rows[written++];
    *rolling = impi_row(IMP_ROW_ROLLING, -1, 0, contact->body_a, contact->body_b);
    rolling->j[2] = -1;
    rolling->j[5] = 1;
    rolling->lambda = contact->lambda_r;
    rolling->bound_row = base;
    rolling->bound_count = count;
    rolling->bound_scale = contact->rolling;
    rolling->store = &contact->lambda_r;
    rolling->total = &contact->total_r;
    rolling->done = &contact->step_r;
  }
  for (int i = 0; i < written; ++i) {
    impi_row_hold(&rows[i], bodies, IMPI_LOCKED_SLOPE);
    rows[i].mass = impi_row_mass(&rows[i], bodies);
  }
  return written;
}
