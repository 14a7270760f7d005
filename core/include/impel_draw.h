// impel: what a world looks like, as a flat list of primitives in metres. A chapter of impel.h, which includes it; do
// not include it alone.
//
// The list is all that anything shows: a window, a picture and an SVG walk it and know nothing of worlds. It holds no
// pixel and no colour but those that a caller gave: each primitive has a style, and what a style looks like is the
// business of whoever paints.
#ifndef IMPEL_DRAW_H
#define IMPEL_DRAW_H

/// What a primitive is, as geometry.
typedef enum ImpDrawKind {
  IMP_DRAW_FILL,     ///< convex area: 1 point is a disk, 2 a capsule, 3 or more a polygon, each grown by `radius`
  IMP_DRAW_OUTLINE,  ///< the edge of the same area
  IMP_DRAW_POLYLINE, ///< open line through its points
  IMP_DRAW_ARROW,    ///< from the first of two points to the second
  IMP_DRAW_DOT,      ///< mark at a point; its size is the style's
  IMP_DRAW_TEXT,     ///< a line of UTF-8 at a point, at the middle of its height
  IMP_DRAW_CLIP,     ///< what follows shows only inside the box of two points; without points everywhere again
  IMP_DRAW_POLYGON,  ///< area of 3 or more points, convex or not; what its edge goes around in either sense is filled
  IMP_DRAW_IMAGE,    ///< picture: its left top, right top, right bottom and left bottom corner, which may stand at any
                     ///< angle, then two opposite corners of the part that is shown [pixels of the picture, y down]
  IMP_DRAW_KIND_COUNT
} ImpDrawKind;
/// The kind's name in Lua ("fill", ...), or null out of range.
IMP_API const char *imp_draw_kind_name(int kind);

/// What a primitive stands for.
typedef enum ImpDrawStyle {
  IMP_STYLE_STATIC, ///< shapes, by what their body is doing
  IMP_STYLE_KINEMATIC,
  IMP_STYLE_DYNAMIC,
  IMP_STYLE_ASLEEP,
  IMP_STYLE_SENSOR,
  IMP_STYLE_DISABLED, ///< the body was taken out by a fault
  IMP_STYLE_JOINT,
  IMP_STYLE_SPRING, ///< joints that give way: springs, ropes, drag
  IMP_STYLE_BROKEN,
  IMP_STYLE_CONTACT,  ///< point where two shapes touch
  IMP_STYLE_NORMAL,   ///< of a contact, from a to b
  IMP_STYLE_STICKING, ///< friction cone of a contact point whose friction is below its bound
  IMP_STYLE_SLIDING,  ///< the same at the bound
  IMP_STYLE_FORCE,    ///< mean force of the last step [N]
  IMP_STYLE_TORQUE,   ///< [N m]
  IMP_STYLE_ROW,      ///< impulse of a constraint row over the last step [N s or N m s]
  IMP_STYLE_BOX,      ///< axis-aligned box around a shape
  IMP_STYLE_CENTER,   ///< centre of mass, with the body's axes
  IMP_STYLE_VELOCITY, ///< [m/s]
  IMP_STYLE_TRAIL,    ///< where something was
  IMP_STYLE_NAME,     ///< of a body
  IMP_STYLE_GRID,
  IMP_STYLE_MARK,  ///< what is selected or pulled at
  IMP_STYLE_SCENE, ///< drawn by the scene itself
  IMP_STYLE_PANEL, ///< of a user interface: areas, text, lines
  IMP_STYLE_COUNT
} ImpDrawStyle;
/// The style's name in Lua ("static", ...), or null out of range.
IMP_API const char *imp_draw_style_name(int style);

/// One primitive.
typedef struct ImpDrawItem {
  ImpDrawKind kind;
  ImpDrawStyle style;
  uint32_t color;       ///< 0xRRGGBBAA of its own; 0: the style's
  int32_t first, count; ///< its points in imp_draw_points
  double radius;        ///< fill, outline: >= 0 [m]; text: its em, the size of its letters [m], 0: the style's
  double width;         ///< lines: their width; text without a radius: its em [points of the screen]; 0: the style's
  double align;         ///< text: where its point is along the line, 0 left .. 1 right
  double rise;          ///< text: where its point is along the height, -1 top, 0 middle, 1 bottom
  double order;         ///< among the items, as imp_draw_sort uses it: lower ones are painted first
  double value;         ///< what an arrow stands for: N, N s, m/s; else 0
  uint64_t owner;       ///< creation number of the body, shape or joint that it shows; 0: nobody's
  int32_t text;         ///< offset in imp_draw_texts, where it ends with a zero byte; -1: none
  int32_t source;       ///< the same of the name of an image's picture, or of a text's font; -1: none, the usual font
  bool screen;          ///< units are points of the screen, from the left top corner with y down, under every camera
  bool coarse;          ///< image: its pixels stay squares when it is enlarged
} ImpDrawItem;

typedef struct ImpDrawList ImpDrawList;

/// Make an empty list. Null fields of the allocator, or a null allocator, mean the C library's.
IMP_API ImpStatus imp_draw_create(const ImpAllocator *allocator, ImpDrawList **out_list);
/// Free a list. Null is a no-op.
IMP_API void imp_draw_destroy(ImpDrawList *list);
/// Forget all items; the memory is kept for the next ones.
IMP_API void imp_draw_clear(ImpDrawList *list);

/// The items in the order in which they are painted, their points and their texts: valid until the list changes.
IMP_API const ImpDrawItem *imp_draw_items(const ImpDrawList *list, int *out_count);
IMP_API const ImpVec2 *imp_draw_points(const ImpDrawList *list);
IMP_API const char *imp_draw_texts(const ImpDrawList *list);
/// The box of all items but texts, clips and those of the screen, grown by their radii [m]; false and untouched where
/// there are none.
IMP_API bool imp_draw_bounds(const ImpDrawList *list, ImpAabb *out_bounds);

/// Append an item. `first`, `text` and `source` of it are not read: the points and both texts are copied, null is none.
/// Errors: a number that is not finite, a count that the kind has not, a fill or outline that is not convex, an image
/// without a source, out of memory: nothing is added.
IMP_API ImpStatus imp_draw_add(ImpDrawList *list, const ImpDrawItem *item, const ImpVec2 *points, const char *text,
                               const char *source);
/// Set the colour of the item of that index, 0xRRGGBBAA, 0: the style's. Error: no such item.
IMP_API ImpStatus imp_draw_set_color(ImpDrawList *list, int index, uint32_t color);
/// Bring the items from index `first` on into the order in which they are to be painted: by `order`, those of the screen
/// after all others; equal ones stay as they are. Out of memory: IMP_ERR_NOMEM, and all stay as they are.
IMP_API ImpStatus imp_draw_sort(ImpDrawList *list, int first);

/// Colours, line width, visibility and order of a body or shape, in place of its style's. The world does not store looks.
typedef struct ImpLook {
  uint32_t has;     ///< IMP_LOOK_... of what it says
  uint32_t color;   ///< of the area 0xRRGGBBAA; of a line that has no `outline`, too
  uint32_t outline; ///< of the edge, or of a line
  uint32_t hidden;  ///< 1: nothing is drawn
  double width;     ///< of the edge or line [points of the screen]; 0: the style's
  double order;     ///< lower ones are painted first; default 0
} ImpLook;

/// The fields of a look.
enum {
  IMP_LOOK_COLOR = 1,
  IMP_LOOK_OUTLINE = 2,
  IMP_LOOK_HIDDEN = 4,
  IMP_LOOK_WIDTH = 8,
  IMP_LOOK_ORDER = 16,
};

/// Poses of all bodies before a step, to interpolate between them and those after it: for a display that shows more pictures
/// than there are steps. They belong to the display and are no part of the world's state.
typedef struct ImpPoses ImpPoses;

/// Create empty poses, with fraction 1. Null fields of the allocator, or a null allocator, mean the C library's.
IMP_API ImpStatus imp_poses_create(const ImpAllocator *allocator, ImpPoses **out_poses);
/// Free poses. Null is a no-op.
IMP_API void imp_poses_destroy(ImpPoses *poses);
/// Store the pose of every body: to be called right before each step. Errors: IMP_ERR_STATE inside a step; out of memory:
/// nothing is stored.
IMP_API ImpStatus imp_poses_note(ImpPoses *poses, ImpWorld *world);
/// Set the fraction of interpolation: 0 is the stored pose, 1 the present one. Error: a number outside of 0..1.
IMP_API ImpStatus imp_poses_set_fraction(ImpPoses *poses, double fraction);
/// The interpolated frame of a body and its unwrapped angle [rad]; either may be null. The centre of mass is interpolated
/// linearly, the rotation along the shorter arc. A body has its present pose if it was created, given another centre of
/// mass or teleported since the poses were stored, and all bodies have it unless the world has made exactly one step since.
IMP_API ImpStatus imp_poses_body(const ImpPoses *poses, const ImpWorld *world, ImpBody body, ImpTransform *out_frame,
                                 double *out_angle);

/// What of a world is shown, and how long an arrow is. Start from imp_draw_options().
typedef struct ImpDrawOptions {
  bool shapes;          ///< fills and outlines; default true
  bool joints;          ///< default true
  bool contacts;        ///< points
  bool normals;         ///< of contacts
  bool forces;          ///< of contacts, and reactions of joints
  bool friction;        ///< friction cone of each contact point with a force, and the force in it
  bool rows;            ///< impulses of the rows of joints and constraints
  bool boxes;           ///< around shapes
  bool centers;         ///< of mass
  bool velocities;      ///< of centres of mass
  bool names;           ///< of bodies
  double size;          ///< of the symbols of joints, normals, cones and centres [m]; default 0.1. On bodies of an
                        ///< extent less than four times that, symbols of joints are smaller; less than 0.15 of it: none
  double force_scale;   ///< length of an arrow [m/N]; default 0.01
  double torque_scale;  ///< length of an arc of the radius 1.5 `size` [m/(N m)]; default 0.01
  double impulse_scale; ///< [m/(N s)]; default 1
  double velocity_scale; ///< [s]; default 0.1
  double longest;        ///< arrows of forces, impulses and velocities are cut here, and marked by two strokes across
                         ///< them [m]; default infinite
  const ImpPoses *poses; ///< bodies are drawn at interpolated poses; default null: at the present ones
  /// Fills in the look of a body, or with a shape of one of its shapes, and gives true where it has one. A shape's fields
  /// win over those of its body. Null: all have that of their style.
  bool (*look)(void *context, ImpBody body, ImpShape shape, ImpLook *out_look);
  void *look_context;
} ImpDrawOptions;
IMP_API ImpDrawOptions imp_draw_options(void);
/// Append what a world looks like now: bodies in creation order, then joints, then contacts. Inside a step:
/// IMP_ERR_STATE. Out of memory: the list holds what fitted.
IMP_API ImpStatus imp_draw_world(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options);

#endif
