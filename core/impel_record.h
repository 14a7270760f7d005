// impel: two worlds compared, number by number. A chapter of impel.h, which includes it; do not include it alone.
#ifndef IMPEL_RECORD_H
#define IMPEL_RECORD_H

// ---------------------------------------------------------------------------------------------------------------------
// What differs between two worlds
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpObjectKind {
  IMP_OBJECT_WORLD,
  IMP_OBJECT_BODY,
  IMP_OBJECT_SHAPE,
  IMP_OBJECT_JOINT,
  IMP_OBJECT_CONTACT,
  IMP_OBJECT_FIELD,
  IMP_OBJECT_MOVER,
  IMP_OBJECT_COUNT
} ImpObjectKind;
/// "world", "body", "shape", "joint", "contact", "field", "mover", or null out of range.
IMP_API const char *imp_object_name(int kind);

#define IMP_MAX_DIFFERENCE_TEXT 64

/// The first number in which two worlds differ.
typedef struct ImpDifference {
  ImpObjectKind object;
  uint64_t id;                          ///< its property `id`; of a contact that of shape a; of a mover its body's
  uint64_t other;                       ///< of a contact the id of shape b; of a shape that of its body; else 0
  char name[IMP_MAX_DIFFERENCE_TEXT];   ///< of the object, cut to fit; of a contact its first body's; "": none
  char name_b[IMP_MAX_DIFFERENCE_TEXT]; ///< of a contact its second body's
  char field[IMP_MAX_DIFFERENCE_TEXT];  ///< as in Lua where Lua has it: "velocity.x"; "exists": only one world has it
  double a, b; ///< the two values; NaN where they are texts. 64-bit masks and generators come in halves: "mask.high"
} ImpDifference;

/// Compare two worlds as they are between steps, number by number: their clocks, then bodies in the order of creation,
/// each with its shapes, joints, contacts, fields, movers, settings, and how long bodies have been at rest. -0 is 0. What belongs to the place and not to the
/// state (threads, lanes, callbacks, user data, addresses) is not looked at. Worlds whose hashes differ, differ in
/// something that is found here. Error: one of them is inside a step.
IMP_API ImpStatus imp_world_difference(const ImpWorld *a, const ImpWorld *b, bool *out_differ,
                                       ImpDifference *out_difference);

#endif
