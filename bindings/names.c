// What was probably meant: the nearest of our names to a misspelt one, and our name for what other engines call a
// thing. Names of Box2D, LÖVE, Chipmunk, Matter.js and Unity are first brought to snake_case without get_ and is_; most
// of them are then a property or method of ours (class.c looks), the rest are listed here.
#include <string.h>

#include "bindings.h"

enum { MAX_WORD = 40 }; // longer names than ours are: never a misspelling


typedef struct Foreign {
  const char *scope, *name, *ours;
} Foreign;

#define JOINTS "joints come with a later version"
#define QUERIES "queries come with a later version"
#define SHAPES "an option of its shapes: body:circle{...}, body:box{...} and so on"

// Members of objects, by class, and of the module, "impel". Sorted.
static const Foreign members[] = {
    {"body", "activate", "body.awake = true"},
    {"body", "active", "body.enabled"},
    {"body", "add_force", "body:apply_force(fx, fy)"},
    {"body", "add_force_at_position", "body:apply_force(fx, fy, px, py)"},
    {"body", "add_relative_force", "body:apply_force(body:world_vector(fx, fy))"},
    {"body", "add_shape", "body:circle{...}, body:box{...} and so on"},
    {"body", "add_torque", "body:apply_torque(t)"},
    {"body", "angular_drag", "body.angular_damping"},
    {"body", "angular_impulse", "body:apply_angular_impulse(i)"},
    {"body", "apply_force_at_local_point", "body:apply_force(fx, fy, body:world_point(lx, ly))"},
    {"body", "apply_force_at_point", "body:apply_force(fx, fy, px, py)"},
    {"body", "apply_force_at_world_point", "body:apply_force(fx, fy, px, py)"},
    {"body", "apply_force_to_center", "body:apply_force(fx, fy)"},
    {"body", "apply_impulse_at_local_point", "body:apply_impulse(ix, iy, body:world_point(lx, ly))"},
    {"body", "apply_impulse_at_world_point", "body:apply_impulse(ix, iy, px, py)"},
    {"body", "apply_linear_impulse", "body:apply_impulse(ix, iy)"},
    {"body", "apply_linear_impulse_to_center", "body:apply_impulse(ix, iy)"},
    {"body", "body_type", "body.type"},
    {"body", "center_of_gravity", "body:center()"},
    {"body", "center_of_mass", "body:center()"},
    {"body", "contact_list", "body:contacts()"},
    {"body", "create_fixture", "body:circle{...}, body:box{...} and so on"},
    {"body", "drag", "body.linear_damping"},
    {"body", "fixture_list", "body:shapes()"},
    {"body", "fixtures", "body:shapes()"},
    {"body", "force", "body:apply_force(fx, fy)"},
    {"body", "freeze_rotation", "body.fixed_rotation"},
    {"body", "joint_list", "body:joints()"},
    {"body", "linear_velocity", "body:velocity() and body:set_velocity(x, y)"},
    {"body", "linear_velocity_from_world_point", "body:velocity_at(x, y)"},
    {"body", "moment", "body.inertia"},
    {"body", "moment_of_inertia", "body.inertia"},
    {"body", "new_fixture", "body:circle{...}, body:box{...} and so on"},
    {"body", "point_velocity", "body:velocity_at(x, y)"},
    {"body", "remove", "body:destroy()"},
    {"body", "rotation", "body.angle"},
    {"body", "rotational_inertia", "body.inertia"},
    {"body", "set_linear_velocity", "body:set_velocity(x, y)"},
    {"body", "set_rotation", "body.angle = a"},
    {"body", "set_sleeping_allowed", "body.allow_sleep = true"},
    {"body", "set_transform", "body:set_position(x, y) and body.angle = a"},
    {"body", "set_user_data", "body.data = value"},
    {"body", "set_x", "body:set_position(x, y)"},
    {"body", "set_y", "body:set_position(x, y)"},
    {"body", "sleep", "body.awake = false"},
    {"body", "sleeping", "body.awake"},
    {"body", "sleeping_allowed", "body.allow_sleep"},
    {"body", "torque", "body:apply_torque(t)"},
    {"body", "transform", "body:position() and body.angle"},
    {"body", "user_data", "body.data"},
    {"body", "velocity_at_local_point", "body:velocity_at(body:world_point(lx, ly))"},
    {"body", "velocity_at_point", "body:velocity_at(x, y)"},
    {"body", "velocity_at_world_point", "body:velocity_at(x, y)"},
    {"body", "wake_up", "body.awake = true"},
    {"body", "world_center", "body:center()"},
    {"body", "x", "local x, y = body:position()"},
    {"body", "y", "local x, y = body:position()"},
    {"contact", "fixtures", "contact.shape_a and contact.shape_b"},
    {"contact", "manifold", "contact:points()"},
    {"contact", "positions", "contact:points()"},
    {"contact", "total_impulse", "contact:force()"},
    {"contact", "world_manifold", "contact:normal() and contact:points()"},
    {"event", "contact", "event.body_a, event.shape_a and so on"},
    {"event", "normal", "event.nx and event.ny"},
    {"event", "point", "event.x and event.y"},
    {"handler", "disconnect", "handler:destroy()"},
    {"handler", "remove", "handler:destroy()"},
    {"handler", "unsubscribe", "handler:destroy()"},
    {"impel", "b2_world", "impel.world{...}"},
    {"impel", "body", "world:body{...}"},
    {"impel", "box", "body:circle{...}, body:box{...} and so on"},
    {"impel", "circle", "body:circle{...}, body:box{...} and so on"},
    {"impel", "create_body", "world:body{...}"},
    {"impel", "create_world", "impel.world{...}"},
    {"impel", "engine", "impel.world{...}"},
    {"impel", "new_body", "world:body{...}"},
    {"impel", "new_chain_shape", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_circle_shape", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_edge_shape", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_fixture", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_joint", JOINTS},
    {"impel", "new_polygon_shape", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_rectangle_shape", "body:circle{...}, body:box{...} and so on"},
    {"impel", "new_revolute_joint", JOINTS},
    {"impel", "new_space", "impel.world{...}"},
    {"impel", "new_world", "impel.world{...}"},
    {"impel", "physics", "impel.world{...}"},
    {"impel", "polygon", "body:circle{...}, body:box{...} and so on"},
    {"impel", "space", "impel.world{...}"},
    {"impel", "step", "world:step(n)"},
    {"impel", "update", "world:step(n)"},
    {"impel", "vec2", "two numbers x, y, or { x, y } in an option table"},
    {"impel", "vector", "two numbers x, y, or { x, y } in an option table"},
    {"shape", "bb", "shape:aabb()"},
    {"shape", "bounce", "shape.restitution"},
    {"shape", "bounciness", "shape.restitution"},
    {"shape", "bounding_box", "shape:aabb()"},
    {"shape", "category_bits", "shape.category"},
    {"shape", "collision_type", "shape.category"},
    {"shape", "compute_aabb", "shape:aabb()"},
    {"shape", "elasticity", "shape.restitution"},
    {"shape", "filter", "shape.category, shape.mask and shape.group"},
    {"shape", "filter_data", "shape.category, shape.mask and shape.group"},
    {"shape", "group_index", "shape.group"},
    {"shape", "mask_bits", "shape.mask"},
    {"shape", "remove", "shape:destroy()"},
    {"shape", "surface_velocity", "shape.surface_speed"},
    {"shape", "tangent_speed", "shape.surface_speed"},
    {"shape", "test_point", "shape:contains(x, y)"},
    {"shape", "trigger", "shape.sensor"},
    {"shape", "user_data", "shape.data"},
    {"shape", "vertices", "shape:points()"},
    {"world", "add", "world:body{...}"},
    {"world", "add_body", "world:body{...}"},
    {"world", "add_collision_handler", "world:on(event, fn)"},
    {"world", "add_constraint", JOINTS},
    {"world", "add_joint", JOINTS},
    {"world", "begin_contact", "world:on('begin_contact', fn)"},
    {"world", "body_count", "world:counts().bodies"},
    {"world", "body_list", "world:bodies()"},
    {"world", "constraint", JOINTS},
    {"world", "contact_count", "world:counts().contacts"},
    {"world", "contact_list", "world:contacts()"},
    {"world", "create_body", "world:body{...}"},
    {"world", "create_joint", JOINTS},
    {"world", "damping", "body.linear_damping"},
    {"world", "destroy_body", "body:destroy()"},
    {"world", "distance", JOINTS},
    {"world", "distance_joint", JOINTS},
    {"world", "drag", JOINTS},
    {"world", "end_contact", "world:on('end_contact', fn)"},
    {"world", "gear", JOINTS},
    {"world", "gear_joint", JOINTS},
    {"world", "hinge", JOINTS},
    {"world", "hinge_joint", JOINTS},
    {"world", "motor_joint", JOINTS},
    {"world", "mouse_joint", JOINTS},
    {"world", "new_body", "world:body{...}"},
    {"world", "new_joint", JOINTS},
    {"world", "pin_joint", JOINTS},
    {"world", "pivot_joint", JOINTS},
    {"world", "position_iterations", "world.iterations"},
    {"world", "prismatic", JOINTS},
    {"world", "prismatic_joint", JOINTS},
    {"world", "pulley", JOINTS},
    {"world", "pulley_joint", JOINTS},
    {"world", "query", QUERIES},
    {"world", "query_aabb", QUERIES},
    {"world", "query_bounding_box", QUERIES},
    {"world", "ray_cast", QUERIES},
    {"world", "raycast", QUERIES},
    {"world", "remove_body", "body:destroy()"},
    {"world", "revolute", JOINTS},
    {"world", "revolute_joint", JOINTS},
    {"world", "rope_joint", JOINTS},
    {"world", "segment_query", QUERIES},
    {"world", "set_callbacks", "world:on(event, fn)"},
    {"world", "set_contact_listener", "world:on(event, fn)"},
    {"world", "simulate", "world:step(n)"},
    {"world", "slider", JOINTS},
    {"world", "slider_joint", JOINTS},
    {"world", "space_step", "world:step(n)"},
    {"world", "spring", JOINTS},
    {"world", "sub_steps", "world.substeps"},
    {"world", "time_step", "world.dt"},
    {"world", "timestep", "world.dt"},
    {"world", "update", "world:step(n)"},
    {"world", "velocity_iterations", "world.iterations"},
    {"world", "weld", JOINTS},
    {"world", "weld_joint", JOINTS},
    {"world", "wheel", JOINTS},
    {"world", "wheel_joint", JOINTS},
};

// Keys of option tables, by the constructor or "shape" for all shapes. What is missing here is looked up in `members`.
static const Foreign options[] = {
    {"body", "category", SHAPES},
    {"body", "density", SHAPES},
    {"body", "dynamic", "type = 'dynamic'"},
    {"body", "friction", SHAPES},
    {"body", "height", SHAPES},
    {"body", "is_kinematic", "type = 'kinematic'"},
    {"body", "is_static", "type = 'static'"},
    {"body", "kinematic", "type = 'kinematic'"},
    {"body", "linear_velocity", "velocity = { vx, vy }"},
    {"body", "mask", SHAPES},
    {"body", "omega", "angular_velocity"},
    {"body", "pos", "position = { x, y }"},
    {"body", "radius", SHAPES},
    {"body", "restitution", SHAPES},
    {"body", "sensor", SHAPES},
    {"body", "shape", SHAPES},
    {"body", "static", "type = 'static'"},
    {"body", "vertices", SHAPES},
    {"body", "vx", "velocity = { vx, vy }"},
    {"body", "vy", "velocity = { vx, vy }"},
    {"body", "w", "angular_velocity"},
    {"body", "width", SHAPES},
    {"body", "x", "position = { x, y }"},
    {"body", "y", "position = { x, y }"},
    {"box", "chamfer", "radius"},
    {"box", "h", "height"},
    {"box", "half_height", "height = 2 * half_height"},
    {"box", "half_width", "width = 2 * half_width"},
    {"box", "hx", "width = 2 * hx"},
    {"box", "hy", "height = 2 * hy"},
    {"box", "offset", "center = { x, y }"},
    {"box", "position", "center = { x, y }"},
    {"box", "r", "radius"},
    {"box", "rotation", "angle"},
    {"box", "size", "width, height"},
    {"box", "w", "width"},
    {"box", "x", "center = { x, y }"},
    {"box", "y", "center = { x, y }"},
    {"capsule", "a", "from = { x, y }"},
    {"capsule", "b", "to = { x, y }"},
    {"capsule", "height", "from = { x, y }, to = { x, y }"},
    {"capsule", "length", "from = { x, y }, to = { x, y }"},
    {"capsule", "r", "radius"},
    {"chain", "closed", "loop"},
    {"chain", "is_loop", "loop"},
    {"chain", "vertices", "points = { { x, y }, ... }"},
    {"chain", "verts", "points = { { x, y }, ... }"},
    {"circle", "diameter", "radius = diameter / 2"},
    {"circle", "offset", "center = { x, y }"},
    {"circle", "position", "center = { x, y }"},
    {"circle", "r", "radius"},
    {"circle", "x", "center = { x, y }"},
    {"circle", "y", "center = { x, y }"},
    {"polygon", "r", "radius"},
    {"polygon", "vertices", "points = { { x, y }, ... }"},
    {"polygon", "verts", "points = { { x, y }, ... }"},
    {"segment", "a", "from = { x, y }"},
    {"segment", "b", "to = { x, y }"},
    {"segment", "x1", "from = { x, y }"},
    {"segment", "x2", "to = { x, y }"},
    {"segment", "y1", "from = { x, y }"},
    {"segment", "y2", "to = { x, y }"},
    {"shape", "filter", "category, mask and group"},
    {"shape", "filter_data", "category, mask and group"},
    {"shape", "mass", "density, or world:body{ mass = m }"},
    {"world", "allow_sleep", "sleep"},
    {"world", "continuous_physics", "continuous"},
    {"world", "do_sleep", "sleep"},
    {"world", "enable_sleeping", "sleep"},
    {"world", "fps", "dt = 1 / fps"},
    {"world", "g", "gravity = { gx, gy }"},
    {"world", "gravity_x", "gravity = { gx, gy }"},
    {"world", "gravity_y", "gravity = { gx, gy }"},
    {"world", "gx", "gravity = { gx, gy }"},
    {"world", "gy", "gravity = { gx, gy }"},
    {"world", "hz", "dt = 1 / hz"},
};


static int min2(int a, int b) { return a < b ? a : b; }


// Edits (insert, delete, replace, swap of neighbours) between two words.
static int edits(const char *a, const char *b) {
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > MAX_WORD || m > MAX_WORD) return MAX_WORD;
  int row[3][MAX_WORD + 1]; // the last three rows of the table
  for (int i = 0; i <= n; i++) {
    int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        now[j] = i + j;
        continue;
      }
      int cost = a[i - 1] != b[j - 1];
      now[j] = min2(min2(up[j] + 1, now[j - 1] + 1), up[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = min2(now[j], up2[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}


void bind_offer(Nearest *nearest, const char *name) {
  int length = (int)strlen(nearest->word);
  int limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;
  int distance = edits(nearest->word, name);
  if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
    nearest->best = name;
    nearest->distance = distance;
  }
}


void bind_snake(const char *name, char *out, size_t size) {
  size_t n = 0;
  for (size_t i = 0; name[i] && n + 2 < size; i++) {
    bool upper = name[i] >= 'A' && name[i] <= 'Z';
    bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (upper && after_lower) out[n++] = '_';
    out[n++] = (char)(upper ? name[i] - 'A' + 'a' : name[i]);
  }
  out[n] = '\0';
}


static const char *find(const Foreign *list, size_t count, const char *scope, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].scope, scope) == 0 && strcmp(list[i].name, name) == 0) return list[i].ours;
  }
  return NULL;
}


const char *bind_foreign(const char *class_name, const char *name) {
  return find(members, sizeof members / sizeof *members, class_name, name);
}


const char *bind_foreign_option(const char *scope, const char *name) {
  return find(options, sizeof options / sizeof *options, scope, name);
}


// Append a list to the table at the top.
static void append(lua_State *L, const char *kind, const Foreign *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *const fields[][2] = {
        {"kind", kind}, {"scope", list[i].scope}, {"name", list[i].name}, {"ours", list[i].ours}};
    lua_createtable(L, 0, 4);
    for (size_t f = 0; f < 4; f++) {
      lua_pushstring(L, fields[f][1]);
      lua_setfield(L, -2, fields[f][0]);
    }
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
}


int bind_foreign_names(lua_State *L) {
  lua_newtable(L);
  append(L, "member", members, sizeof members / sizeof *members);
  append(L, "option", options, sizeof options / sizeof *options);
  return 1;
}
