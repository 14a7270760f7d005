// Bodies of a world: mass, pose, velocity, kinematic targets, largest speeds, faults. The finish functions do at once, or
// at the end of a step, what a function of the API has checked.
#ifndef IMPI_BODIES_H
#define IMPI_BODIES_H

#include "world/world.h"

static inline bool impi_moves(const ImpiMotion *motion) { return motion->vx != 0 || motion->vy != 0 || motion->w != 0; }
void impi_kinematic_changed(ImpWorld *world, int32_t body);   // its velocity was set: awake or not, and who touches it
void impi_steer_drop(ImpWorld *world, int32_t body);          // no target any more; the velocity stays
void impi_steer_cancel(ImpWorld *world, int32_t body);        // the same; what is left of the last step's velocity goes
void impi_steer_forget_target(ImpWorld *world, int32_t body); // it will not go there
void impi_body_finish_move_to(ImpWorld *world, int32_t body, ImpVec2 to, const double *angle); // null: as it is
void impi_steer_begin(ImpWorld *world); // stages of the step: velocities to targets
void impi_steer_undo(ImpWorld *world);  // the step came to nothing
void impi_steer_end(ImpWorld *world);   // onto the targets themselves

static inline bool impi_body_is_limited(const ImpiBody *body) {
  return body->max_speed > 0 || body->max_angular_speed > 0;
}
ImpStatus impi_limits_begin(ImpWorld *world);         // stages of the step: whom largest speeds concern
void impi_limits_push(ImpiSolve *solve, double h);    // before forces of a substep h are added
void impi_limits_end(ImpiSolve *solve);               // when it is over
void impi_limits_meet(ImpWorld *world, int32_t body); // when the continuous stage has given it its velocity
void impi_body_finish_destroy(ImpWorld *world, int32_t body);
void impi_body_finish_set_position(ImpWorld *world, int32_t body, ImpVec2 position);
void impi_body_finish_set_center(ImpWorld *world, int32_t body, ImpVec2 center);
void impi_body_finish_set_pose(ImpWorld *world, int32_t body, ImpVec2 position, double angle);
void impi_body_finish_set_type(ImpWorld *world, int32_t body, ImpBodyType type);
void impi_body_finish_set(ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
void impi_body_finish_set_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity);
void impi_body_change_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity, double w); // wakes it if it differs
void impi_body_update_mass(ImpWorld *world, int32_t body);
void impi_body_gain_shape(ImpWorld *world, int32_t body, int32_t shape); // it was attached: the mass follows
void impi_body_lose_shape(ImpWorld *world, int32_t body, int32_t shape); // destroy it; the mass follows, the body wakes
void impi_shape_attached(ImpWorld *world, int32_t shape);                // for the sums of its body
void impi_shape_weighs_anew(ImpWorld *world, int32_t shape);             // its mass or size was set: the body's follow
// Room for the sums of a body that gets one more shape; for those of all bodies of a world, which may be another one than
// that of the sums. False when out of memory.
bool impi_body_reserve_sums(ImpWorld *world, int32_t body);
bool impi_sums_reserve_for(ImpiHeap *heap, ImpiShapeSums *sums, const ImpWorld *world);
// Bring the proxies of a body's shapes up to date with its pose.
void impi_body_refit(ImpWorld *world, int32_t body);
// The same for a list of bodies that are not static, which is lost.
void impi_bodies_refit(ImpWorld *world, int32_t *slots, int count);
// Its velocity has changed outside of a step: whether it is going to be fast; then its boxes reach ahead.
void impi_body_expect(ImpWorld *world, int32_t body);
// A row at this body gave a non-finite result: stops those of its neighbours on which no force acts.
void impi_still_neighbours(ImpWorld *world, int32_t body);
// The body's motion as a getter must see it now: inside a substep handler, that substep's.
ImpiMotion impi_body_motion(const ImpWorld *world, int32_t body);

// The same without a copy, which only a step needs; `own` is room for that.
static inline const ImpiMotion *impi_motion_now(const ImpWorld *world, int32_t body, ImpiMotion *own) {
  if (!world->stepping) {
    return &world->motions.data[body];
  }
  *own = impi_body_motion(world, body);
  return own;
}
// Why the setters of a body would refuse something; nothing is changed. Whether a body can be put there, and with
// `angle`, unless that is null, so turned; a push is a force, an impulse or, `turning`, a torque, and its point.
ImpStatus impi_body_check_teleport(const ImpWorld *world, int32_t body, ImpVec2 to, const double *angle,
                                   const char *what);
ImpStatus impi_body_check_property(const ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
ImpStatus impi_body_check_velocity(const ImpWorld *world, int32_t body, ImpVec2 velocity);
ImpStatus impi_body_check_push(const ImpWorld *world, int32_t body, bool turning, double a, double b, double c,
                               double d);
// Whether the sums of masses and inertias are below IMPI_HUGE for a body of that type, if the shape `changed` (-1: none) had
// that density, and with one more shape, `added` (null: none), of that density. Else an error that names the body.
ImpStatus impi_check_mass(const ImpWorld *world, int32_t slot, ImpBodyType type, int32_t changed, const ImpiMass *added,
                          double density);
// Puts a body with a non-finite state back to its last good motion, stops and disables it, and reports it; after the solve
// with what ratchets gained.
void impi_fault(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_fault_after_solve(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_body_finish_enable(ImpWorld *world, int32_t body, bool enabled);

#endif
