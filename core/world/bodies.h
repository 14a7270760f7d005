// Bodies of a world. The finish functions carry out calls that the API functions have checked.
#ifndef IMPI_BODIES_H
#define IMPI_BODIES_H

#include "world/world.h"

static inline bool impi_moves(const ImpiMotion *motion) { return motion->vx != 0 || motion->vy != 0 || motion->w != 0; }
// Update ImpiBody.awake of a kinematic body after its velocity changed, recheck its contacts and wake its neighbours.
void impi_kinematic_changed(ImpWorld *world, int32_t body);
void impi_kinematic_target_drop(ImpWorld *world, int32_t body); // remove the kinematic target; the velocity stays
// Remove the kinematic target. If the target has changed the velocity of the body, the velocity becomes 0.
void impi_kinematic_target_cancel(ImpWorld *world, int32_t body);
void impi_kinematic_target_clear(ImpWorld *world, int32_t body); // cancel the target of the next step
// Set the kinematic target of a body. If `angle` is null, the angle does not change.
void impi_body_finish_move_to(ImpWorld *world, int32_t body, ImpVec2 to, const double *angle);
void impi_kinematic_targets_begin(ImpWorld *world); // stage of the step: set the velocities that reach the targets
void impi_kinematic_targets_undo(ImpWorld *world);  // the step failed: restore the motions
void impi_kinematic_targets_end(ImpWorld *world);   // stage of the step: place the bodies exactly at their targets

static inline bool impi_body_is_limited(const ImpiBody *body) {
  return body->max_speed > 0 || body->max_angular_speed > 0;
}
ImpStatus impi_limits_begin(ImpWorld *world);         // stage of the step: list the awake bodies with a speed limit
void impi_limits_push(ImpiSolve *solve, double h);    // called before the forces of a substep of length h [s] are added
void impi_limits_end(ImpiSolve *solve);               // called after the last substep
void impi_limits_meet(ImpWorld *world, int32_t body); // called after the continuous stage changed the body's velocity
void impi_body_finish_destroy(ImpWorld *world, int32_t body);
void impi_body_finish_set_position(ImpWorld *world, int32_t body, ImpVec2 position);
void impi_body_finish_set_center(ImpWorld *world, int32_t body, ImpVec2 center);
void impi_body_finish_set_pose(ImpWorld *world, int32_t body, ImpVec2 position, double angle);
void impi_body_finish_set_type(ImpWorld *world, int32_t body, ImpBodyType type);
void impi_body_finish_set(ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
void impi_body_finish_set_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity);
// Set the velocity of a body, and wake the body if its velocity changed.
void impi_body_change_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity, double w);
void impi_body_update_mass(ImpWorld *world, int32_t body);
void impi_body_gain_shape(ImpWorld *world, int32_t body, int32_t shape); // update the mass after a shape was added
// Destroy a shape of a body; update the mass of the body and wake the body.
void impi_body_lose_shape(ImpWorld *world, int32_t body, int32_t shape);
// Add the mass of a new shape to the sums of its body in ImpWorld.shape_sums, if the body has sums.
void impi_shape_attached(ImpWorld *world, int32_t shape);
// Update the mass of the body after the density or size of its shape changed.
void impi_shape_update_mass(ImpWorld *world, int32_t shape);
// Reserve memory for the shape sums of a body that is about to get a shape. False when out of memory.
bool impi_body_reserve_sums(ImpWorld *world, int32_t body);
// Reserve memory in `sums` for the bodies and shapes of `world`. `sums` may belong to another world. False when out of
// memory.
bool impi_sums_reserve_for(ImpiHeap *heap, ImpiShapeSums *sums, const ImpWorld *world);
// Update the proxies of a body's shapes to the pose of the body.
void impi_body_refit(ImpWorld *world, int32_t body);
// Call impi_body_refit for each body of a list without static bodies. Overwrites `slots`.
void impi_bodies_refit(ImpWorld *world, int32_t *slots, int count);
// Update ImpiBody.fast after a change of velocity, and refit a fast body's boxes.
void impi_body_expect(ImpWorld *world, int32_t body);
// Set the velocity, which may be NaN, of each static or sleeping kinematic neighbour of a faulty body to 0.
void impi_still_neighbours(ImpWorld *world, int32_t body);
// Return the motion of a body as getters report it: inside a substep handler, the state of that substep.
ImpiMotion impi_body_motion(const ImpWorld *world, int32_t body);

// Return a body's motion as a pointer. Inside a step it points to `own`.
static inline const ImpiMotion *impi_motion_now(const ImpWorld *world, int32_t body, ImpiMotion *own) {
  if (!world->stepping) {
    return &world->motions.data[body];
  }
  *own = impi_body_motion(world, body);
  return own;
}
// Return the error that setting these values or applying this force would return. `angle` may be null: no new angle.
// impi_body_check_push: if `turning`, a is a torque or angular impulse; otherwise (a, b) is a force or impulse at the
// point (c, d).
ImpStatus impi_body_check_teleport(const ImpWorld *world, int32_t body, ImpVec2 to, const double *angle,
                                   const char *what);
ImpStatus impi_body_check_property(const ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
ImpStatus impi_body_check_velocity(const ImpWorld *world, int32_t body, ImpVec2 velocity);
ImpStatus impi_body_check_push(const ImpWorld *world, int32_t body, bool turning, double a, double b, double c,
                               double d);
// Check that mass and inertia of a body stay below IMPI_HUGE after these changes:
//   `type`      the new type of the body
//   `changed`   shape that gets the density `density`; -1: none
//   `added`     geometry of a new shape with the density `density`; null: none
ImpStatus impi_check_mass(const ImpWorld *world, int32_t slot, ImpBodyType type, int32_t changed, const ImpiMass *added,
                          double density);
// Reset and disable a body with a non-finite state, and add a fault event. impi_fault_after_solve also moves
// the body's ratchets back, because non-finite numbers may have advanced them.
void impi_fault(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_fault_after_solve(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_body_finish_enable(ImpWorld *world, int32_t body, bool enabled);

#endif
