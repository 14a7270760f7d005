// Tables of bodies: properties, members of the state, members of a definition. A property that is a number has a line
// in each table.
#include "base/layout_lines.h"
#include "model/body.h"
#include "model/property_lines.h"

#define STRUCT ImpiBody
#define DEFINITION ImpBodyDef
const ImpiProperty impi_body_properties[] = {
    [IMP_BODY_ANGLE] = GIVEN(angle, "angle", IMP_NUMBER, true, -IMP_MAX_ANGLE, IMP_MAX_ANGLE, "rad",
                             "rotation, counter-clockwise, not wrapped at 2 pi"),
    [IMP_BODY_ANGULAR_VELOCITY] = GIVEN(angular_velocity, "angular_velocity", IMP_NUMBER, true, -IMPI_MAX_COORDINATE,
                                        IMPI_MAX_COORDINATE, "rad/s", "angular velocity, positive counter-clockwise"),
    [IMP_BODY_MASS] = GIVEN(mass, "mass", IMP_NUMBER, true, POSITIVE, "kg",
                            "mass of the body; 0 for static and kinematic bodies. Setting the mass also scales the "
                            "inertia, unless `inertia` was given"),
    [IMP_BODY_INERTIA] =
        GIVEN(inertia, "inertia", IMP_NUMBER, true, POSITIVE, "kg m^2",
              "moment of inertia about the centre of mass. It is 0 for static and kinematic bodies. It is also 0 if "
              "`inertia` was not given and no shape has mass; torques do not rotate such a body"),
    [IMP_BODY_LINEAR_DAMPING] =
        NUMBER(linear_damping, NOT_NEGATIVE, "1/s", "dv/dt = -linear_damping v, with the velocity v"),
    [IMP_BODY_ANGULAR_DAMPING] =
        NUMBER(angular_damping, NOT_NEGATIVE, "1/s", "dw/dt = -angular_damping w, with the angular velocity w"),
    [IMP_BODY_MAX_SPEED] = NUMBER(max_speed, NOT_NEGATIVE, "m/s",
                                  "of a dynamic body: largest speed of the centre of mass after a step; 0: no limit"),
    [IMP_BODY_MAX_ANGULAR_SPEED] = NUMBER(max_angular_speed, NOT_NEGATIVE, "rad/s",
                                          "of a dynamic body: largest angular speed after a step; 0: no limit"),
    [IMP_BODY_GRAVITY_SCALE] = NUMBER(gravity_scale, SIGNED_RATIO, "1", "factor on the world's gravity"),
    [IMP_BODY_FIXED_ROTATION] = FLAG(fixed_rotation, "torques and impulses do not rotate the body"),
    [IMP_BODY_LOCK_X] = GIVEN(lock_x, "lock_x", IMP_BOOLEAN, true, TRUTH, "",
                              "of a dynamic body: forces and impulses do not move the centre of mass along x"),
    [IMP_BODY_LOCK_Y] = GIVEN(lock_y, "lock_y", IMP_BOOLEAN, true, TRUTH, "",
                              "of a dynamic body: forces and impulses do not move the centre of mass along y"),
    [IMP_BODY_BULLET] = FLAG(bullet, "if world.continuous is true, continuous collision also with dynamic bodies"),
    [IMP_BODY_ALLOW_SLEEP] = FLAG(allow_sleep, "the body may fall asleep at rest"),
    [IMP_BODY_AWAKE] = GIVEN(awake, "awake", IMP_BOOLEAN, true, TRUTH, "",
                             "the body is simulated. Setting false puts the body to sleep, together with all bodies "
                             "connected to it by joints or contacts"),
    [IMP_BODY_ENABLED] = FLAG(enabled, "false: the body does not move and does not collide, as after a fault. Setting "
                                       "true again wakes the body and simulates it from its present pose"),
    [IMP_BODY_ID] =
        STORED(serial, "id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "creation number in the world, from 1"),
};
IMPI_COVERS(impi_body_properties, IMP_BODY_PROPERTY_COUNT);
#undef DEFINITION

// The inverses are not stored: a restore computes them from the mass.
static const ImpiField body_fields[] = {
    HOOK(inv_mass, NULL),
    HOOK(inv_inertia, NULL),
    PLAIN(local_center, UP_TO(IMPI_MAX_REACH)),
    KEPT(lane),
    PLAIN(type, WITHIN(0, IMP_BODY_TYPE_COUNT - 1)),
    PLAIN(awake),
    PLAIN(enabled),
    PLAIN(constrained, ASIDE),
    PLAIN(bullet),
    PLAIN(fixed_rotation),
    PLAIN(allow_sleep),
    PLAIN(restless, LAST),
    PLAIN(locks, WITHIN(0, 3)),
    PLAIN(far, LAST),
    PLAIN(fast, LAST),
    PLAIN(swept, ASIDE),
    PLAIN(windows, ASIDE),
    PLAIN(mover, ASIDE),
    PLAIN(inner, ASIDE, WITHIN(0, IMPI_MAX_REACH)),
    PLAIN(first_edge, ASIDE),
    PLAIN(gravity_scale),
    PLAIN(linear_damping),
    PLAIN(angular_damping),
    PLAIN(extent, WITHIN(0, IMPI_MAX_REACH)),
    PLAIN(sleep_time, LAST, WITHIN(0, HUGE_VAL)),
    KEPT(slack),
    PLAIN(first_shape, ASIDE),
    PLAIN(last_shape, ASIDE),
    ANY_VALUE(force),
    ANY_VALUE(torque),
    PLAIN(max_speed),
    PLAIN(max_angular_speed),
    PLAIN(mass),
    PLAIN(inertia, WITHIN(0, IMPI_HUGE)),
    PLAIN(given_mass),
    PLAIN(given_inertia),
    PLAIN(sleep_next, ASIDE),
    PLAIN(first_joint, ASIDE),
    PLAIN(kinematic_target, ASIDE),
    PLAIN(pushed, ASIDE),
    PLAIN(previous, ASIDE),
    PLAIN(next, ASIDE),
    PLAIN(serial, ASIDE),
    STRING(name),
    PLAIN(user_data, ASIDE),
    PLAIN(rest.x, ASIDE, UP_TO(IMPI_MAX_COORDINATE)),
    PLAIN(rest.y, ASIDE, UP_TO(IMPI_MAX_COORDINATE)),
    PLAIN(rest.angle, ASIDE, UP_TO(IMP_MAX_ANGLE)),
    PLAIN(rest.time, ASIDE, WITHIN(0, IMPI_MAX_DT)),
    PLAIN(rest.last, ASIDE),
    PLAIN(rest.before, ASIDE),
    PLAIN(rest.net, ASIDE, UP_TO(IMPI_HUGE)),
    PLAIN(rest.path, ASIDE, WITHIN(0, IMPI_HUGE)),
};
const ImpiLayout impi_body_layout = IMPI_LAYOUT(STRUCT, body_fields, NULL);
#undef STRUCT

// Members of a definition, one a line, in the order of their bytes in a recording.
#define STRUCT ImpBodyDef
// clang-format off
static const ImpiField definition_fields[] = {
    PLAIN(type),
    STRING(name),
    PLAIN(position),
    PLAIN(angle),
    PLAIN(velocity),
    PLAIN(angular_velocity),
    PLAIN(linear_damping),
    PLAIN(angular_damping),
    PLAIN(max_speed),
    PLAIN(max_angular_speed),
    PLAIN(gravity_scale),
    PLAIN(fixed_rotation),
    PLAIN(lock_x),
    PLAIN(lock_y),
    PLAIN(bullet),
    PLAIN(allow_sleep),
    PLAIN(awake),
    PLAIN(enabled),
    PLAIN(mass),
    PLAIN(inertia),
    KEPT(user_data),
};
// clang-format on
const ImpiLayout impi_body_definition_layout = IMPI_LAYOUT(STRUCT, definition_fields, NULL);
#undef STRUCT
