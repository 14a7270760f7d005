// impel: drawing of a world as a flat list of primitives. Included by impel.h.
//
// The list is all that a renderer reads. Lengths are in metres. Each primitive has a style; the renderer chooses the
// colours and widths of the style.
#ifndef IMPEL_DRAW_H
#define IMPEL_DRAW_H

typedef enum ImpDrawKind {
  IMP_DRAW_FILL,     ///< convex area: 1 point is a disk, 2 a capsule, 3 or more a polygon, grown by `radius`
  IMP_DRAW_OUTLINE,  ///< edge of an area, with the points and radius of IMP_DRAW_FILL
  IMP_DRAW_POLYLINE, ///< open line through 2 or more points
  IMP_DRAW_ARROW,    ///< arrow from the first of two points to the second
  IMP_DRAW_DOT,      ///< mark at a point; its style determines the size
  IMP_DRAW_TEXT,     ///< line of UTF-8 text at a point
  /// later items show only inside the box between two corner points; a clip without points ends clipping
  IMP_DRAW_CLIP,
  IMP_DRAW_POLYGON, ///< area of 3 or more points, convex or not; filled by the non-zero winding rule
  /// picture with 6 points: its left top, right top, right bottom and left bottom corner (a parallelogram), and two
  /// opposite corners of the part of the picture to be shown [pixels of the picture, y down]
  IMP_DRAW_IMAGE,
  IMP_DRAW_KIND_COUNT
} ImpDrawKind;
/// Return a kind's name: "fill", "outline", "polyline", "arrow", "dot", "text", "clip", "polygon", "image".
IMP_API const char *imp_draw_kind_name(int kind);

typedef enum ImpDrawStyle {
  IMP_STYLE_STATIC, ///< shape of a static body; styles up to IMP_STYLE_DISABLED are of shapes
  IMP_STYLE_KINEMATIC,
  IMP_STYLE_DYNAMIC,
  IMP_STYLE_ASLEEP,
  IMP_STYLE_SENSOR,
  IMP_STYLE_DISABLED, ///< shape of a disabled body, as after a fault
  IMP_STYLE_JOINT,
  IMP_STYLE_SPRING, ///< compliant joints: springs, ropes, drag
  IMP_STYLE_BROKEN,
  IMP_STYLE_CONTACT,  ///< point where two shapes touch
  IMP_STYLE_NORMAL,   ///< normal of a contact, from a to b
  IMP_STYLE_STICKING, ///< friction cone of a contact point whose friction is below its bound
  IMP_STYLE_SLIDING,  ///< friction cone of a contact point whose friction is at its bound
  IMP_STYLE_FORCE,    ///< mean force over the last step [N]
  IMP_STYLE_TORQUE,   ///< mean torque over the last step [N m]
  IMP_STYLE_ROW,      ///< impulse of a constraint row, sum over the last step [N s or N m s]
  IMP_STYLE_BOX,      ///< axis-aligned box around a shape
  IMP_STYLE_CENTER,   ///< centre of mass, with the body's axes
  IMP_STYLE_VELOCITY, ///< velocity of a centre of mass [m/s]
  IMP_STYLE_TRAIL,    ///< past positions
  IMP_STYLE_NAME,
  IMP_STYLE_GRID,
  IMP_STYLE_MARK,  ///< selection, or point that is dragged
  IMP_STYLE_SCENE, ///< drawn by the scene itself
  IMP_STYLE_PANEL, ///< area, text or line of a user interface
  IMP_STYLE_COUNT
} ImpDrawStyle;
/// Return a style's name: "static", "kinematic", ...
IMP_API const char *imp_draw_style_name(int style);

/// One primitive. Line widths, and coordinates if `screen` is set, are in screen points (1 or more pixels).
typedef struct ImpDrawItem {
  ImpDrawKind kind;
  ImpDrawStyle style;
  uint32_t color;       ///< 0xRRGGBBAA; 0: colour of the style
  int32_t first, count; ///< range of the item's points in imp_draw_points
  /// fill, outline: distance by which the area is grown [m], >= 0; text: font size [m], 0: see `width`
  double radius;
  double width;   ///< width of lines; for text without a radius, the font size [screen points]; 0: value of the style
  double align;   ///< text: horizontal position of the item's point in the text: 0 left end .. 1 right end
  double rise;    ///< text: vertical position of the item's point in the text: -1 top, 0 middle, 1 bottom
  double order;   ///< items with a lower order are painted first, see imp_draw_sort
  double value;   ///< value that an arrow shows [N, N s, m/s]; else 0
  uint64_t owner; ///< creation number of the body, shape or joint that the item shows; 0: none
  int32_t text;   ///< offset of a zero-terminated text in imp_draw_texts; -1: none
  int32_t source; ///< image: offset in imp_draw_texts of the picture's name; text: of the font's name, -1: default font
  /// coordinates are screen points from the left top corner, y down
  bool screen;
  bool coarse; ///< image: enlarge without smoothing
} ImpDrawItem;

/// A draw list, an opaque type.
typedef struct ImpDrawList ImpDrawList;

/// Make an empty list. `allocator` may be null: the C library.
IMP_API ImpStatus imp_draw_create(const ImpAllocator *allocator, ImpDrawList **out_list);
/// Free a list. Null is a no-op.
IMP_API void imp_draw_destroy(ImpDrawList *list);
/// Remove all items. The memory is kept.
IMP_API void imp_draw_clear(ImpDrawList *list);

/// Return the items in the order in which they are painted. Items, points and texts are valid until the list changes.
IMP_API const ImpDrawItem *imp_draw_items(const ImpDrawList *list, int *out_count);
IMP_API const ImpVec2 *imp_draw_points(const ImpDrawList *list);
/// Return the texts of all items, each with a zero byte at its end.
IMP_API const char *imp_draw_texts(const ImpDrawList *list);
/// Compute the box around all items with their radii [m], except texts, clips and items in screen coordinates. Returns
/// false and leaves `out_bounds` untouched if the list has no other items.
IMP_API bool imp_draw_bounds(const ImpDrawList *list, ImpAabb *out_bounds);

/// Append an item. `points` (item->count) and both texts, which may be null, are copied; the item's `first`, `text` and
/// `source` are ignored. Errors: a non-finite number, a count that the kind does not allow, a fill or outline that is
/// not convex, an image without a source; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_draw_add(ImpDrawList *list, const ImpDrawItem *item, const ImpVec2 *points, const char *text,
                               const char *source);
/// Set the colour of item `index`: 0xRRGGBBAA, or 0 for the colour of the style. Error: no such item.
IMP_API ImpStatus imp_draw_set_color(ImpDrawList *list, int index, uint32_t color);
/// Sort the items from index `first` on in the order of painting: first the items in world coordinates, then those in
/// screen coordinates, each group by `order`. The sort is stable. Errors: first < 0; IMP_ERR_NOMEM, after which the
/// order is unchanged.
IMP_API ImpStatus imp_draw_sort(ImpDrawList *list, int first);

/// Look of a body or shape, which replaces the style of the object. The world does not store looks.
typedef struct ImpLook {
  uint32_t has;     ///< bits IMP_LOOK_... of the members that are set
  uint32_t color;   ///< colour of the area [0xRRGGBBAA]; also of a line without `outline`
  uint32_t outline; ///< colour of the edge or line [0xRRGGBBAA]
  uint32_t hidden;  ///< 1: nothing is drawn
  double width;     ///< width of the edge or line [screen points]; 0: width of the style
  double order;     ///< items with a lower order are painted first; default 0
} ImpLook;

/// Bits of ImpLook.has.
enum {
  IMP_LOOK_COLOR = 1,
  IMP_LOOK_OUTLINE = 2,
  IMP_LOOK_HIDDEN = 4,
  IMP_LOOK_WIDTH = 8,
  IMP_LOOK_ORDER = 16,
};

/// Poses of all bodies before a step, for interpolation between steps. An opaque type.
typedef struct ImpPoses ImpPoses;

/// Make empty poses with fraction 1. `allocator` may be null: the C library.
IMP_API ImpStatus imp_poses_create(const ImpAllocator *allocator, ImpPoses **out_poses);
/// Free poses. Null is a no-op.
IMP_API void imp_poses_destroy(ImpPoses *poses);
/// Store the pose of every body. Must be called directly before each step. Errors, after which the poses are unchanged:
/// IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_poses_store(ImpPoses *poses, ImpWorld *world);
/// Set the fraction of interpolation, 0 (the stored pose) .. 1 (the present pose).
IMP_API ImpStatus imp_poses_set_fraction(ImpPoses *poses, double fraction);
/// Compute the interpolated frame of a body and its unwrapped angle [rad]; either output may be null. The centre of
/// mass is interpolated linearly, the rotation along the shorter arc. The present pose is returned for a body that was
/// created, was teleported or got another centre of mass since the poses were stored, and for all bodies unless the
/// world has made exactly one step since then.
IMP_API ImpStatus imp_poses_body(const ImpPoses *poses, const ImpWorld *world, ImpBody body, ImpTransform *out_frame,
                                 double *out_angle);

/// Options of imp_draw_world: contents of the drawing, and scales of symbols. Start from imp_draw_options().
typedef struct ImpDrawOptions {
  bool shapes; ///< fills and outlines; default true
  bool joints; ///< symbols of joints; default true
  bool contacts;
  bool normals;
  bool forces;   ///< forces of contacts, and reactions of joints
  bool friction; ///< friction cone and force of each contact point with a force
  bool rows;     ///< impulses of the rows of joints and constraints
  bool boxes;
  bool centers;
  bool velocities;
  bool names;
  /// size of the symbols of joints, normals, cones and centres [m]; default 0.1. The symbol of a joint is at most a
  /// quarter of the extent of its bodies. A symbol of less than 0.15 `size` is left out
  double size;
  double force_scale;    ///< length of an arrow per force [m/N]; default 0.01
  double torque_scale;   ///< length of an arc of radius 1.5 `size` per torque [m/(N m)]; default 0.01
  double impulse_scale;  ///< length of an arrow per impulse [m/(N s)]; default 1
  double velocity_scale; ///< length of an arrow per velocity [s]; default 0.1
  /// largest length of an arrow [m]; a longer arrow is cut and two strokes are drawn across it; default infinite
  double longest;
  const ImpPoses *poses; ///< draw bodies at interpolated poses; default null: at the present poses
  /// Function that writes a look and returns true, or returns false: no look. `shape` null: look of the body; else look
  /// of the shape. Members of a shape's look replace members of its body's look. Default null.
  bool (*look)(void *context, ImpBody body, ImpShape shape, ImpLook *out_look);
  void *look_context;
} ImpDrawOptions;
IMP_API ImpDrawOptions imp_draw_options(void);
/// Append the primitives of a world as it is now: bodies in creation order, joints, contacts. Errors: IMP_ERR_STATE
/// inside a step; IMP_ERR_NOMEM, after which the list contains a part of the items.
IMP_API ImpStatus imp_draw_world(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options);

#endif
