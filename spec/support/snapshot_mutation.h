// Snapshots with errors: bytes that were changed, cut or mixed, and snapshots of worlds with changed numbers.
#ifndef IMPI_SNAPSHOT_MUTATION_H
#define IMPI_SNAPSHOT_MUTATION_H

#include "snapshot/snapshot.h"
#include "snapshot_input.h"

typedef struct Bytes {
  unsigned char *bytes;
  size_t size;
} Bytes;

static uint64_t pick_state = 1;

static inline uint64_t pick(uint64_t sides) { // splitmix64
  uint64_t z = pick_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) % sides;
}


static inline size_t pick_size(size_t sides) { return (size_t)pick(sides); }


// ---------------------------------------------------------------------------------------------------------------------
// Bytes
// ---------------------------------------------------------------------------------------------------------------------

static inline uint64_t odd_number(void) {
  static const uint64_t numbers[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x3ff0000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff8000000000000,
                                     0xfff0000000000000,
                                     0x8000000000000000,
                                     0xffffffffffffffff,
                                     0x0000000000000001,
                                     0x46293e5939a08cea, // 1e30
                                     0x416312d000000000};
  return numbers[pick(sizeof numbers / sizeof numbers[0])];
}


static inline void change_bytes(Bytes *shot, const Bytes *other) {
  size_t from = pick(4) == 0 ? 0 : SHOT_HEADER, at = from + pick_size(shot->size - from), rest = shot->size - at;
  uint64_t number = odd_number();
  switch (pick(7)) {
  case 0:
    shot->bytes[at] = (unsigned char)(shot->bytes[at] ^ 1u << pick(8));
    break;
  case 1:
    shot->bytes[at] = (unsigned char)pick(256);
    break;
  case 2:
    memcpy(shot->bytes + at, &number, rest < 8 ? rest : 8);
    break;
  case 3:
    memcpy(shot->bytes + at, &number, rest < 4 ? rest : 4);
    break;
  case 4: // insert a piece of another snapshot
    if (at < other->size) {
      size_t length = 1 + pick_size(rest < other->size - at ? rest : other->size - at);
      memcpy(shot->bytes + at, other->bytes + at, length);
    }
    break;
  case 5: // insert a piece of the same snapshot
    memmove(shot->bytes + at, shot->bytes + from, 1 + pick_size(rest < at - from + 1 ? rest : at - from + 1));
    break;
  default:
    shot->size -= pick(16) == 0 ? pick_size(shot->size) : 0;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------------------------------

// A number in the world's state, and its value before the change.
typedef struct Spot {
  unsigned char *at;
  size_t size;
  uint64_t was;
  char path[200];
} Spot;


static inline void add_name(Spot *spot, const char *name, int index) {
  size_t length = strlen(spot->path);
  snprintf(spot->path + length, sizeof spot->path - length, index < 0 ? "%s%s" : "%s%s[%d]", length > 0 ? "." : "",
           name, index);
}


static inline bool find_spot(const ImpiLayout *layout, unsigned char *object, Spot *spot);


// Find a number in a random element of a list of structs.
static inline bool find_in_list(const ImpiLayout *layout, unsigned char *data, int count, const char *name,
                                Spot *spot) {
  if (count == 0) return false;
  int index = (int)pick((uint64_t)count);
  add_name(spot, name, index);
  return find_spot(layout, data + (size_t)index * layout->size, spot);
}


static inline size_t word_of(ImpiNumber number) {
  bool byte = number == IMPI_NUMBER_BYTE || number == IMPI_NUMBER_BOOL;
  bool four = number == IMPI_NUMBER_INT || number == IMPI_NUMBER_FLOAT;
  return byte ? 1 : four ? 4 : number == IMPI_NUMBER_POINTER ? sizeof(void *) : 8;
}


static inline bool find_spot(const ImpiLayout *layout, unsigned char *object, Spot *spot) {
  const ImpiField *field = &layout->fields[pick((uint64_t)layout->count)];
  unsigned char *place = object + field->offset;
  if (field->kind == IMPI_FIELD_PLAIN) {
    spot->size = word_of(field->number);
    size_t index = pick_size(field->size / spot->size);
    spot->at = place + index * spot->size;
    add_name(spot, field->name, field->size > spot->size ? (int)index : -1);
    return true;
  }
  if (field->kind == IMPI_FIELD_PARTS) {
    return find_in_list(field->parts, place, (int)(field->size / field->parts->size), field->name, spot);
  }
  if (field->kind == IMPI_FIELD_LIST) {
    struct {
      void *data;
      int count, capacity;
    } list;
    memcpy(&list, place + pick(field->size / sizeof list) * sizeof list, sizeof list);
    return find_in_list(field->parts, list.data, list.count, field->name, spot);
  }
  return false;
}


// Find a number in data that no table of fields lists: the hook of a struct writes such data to the snapshot.
static inline bool find_hidden(ImpWorld *world, Spot *spot) {
  int kind = (int)pick(6);
  if (kind < 2 && world->contacts.count > 0) {
    ImpiContact *contact = &world->contacts.data[pick((uint64_t)world->contacts.count)];
    return find_in_list(&impi_point_layout, (void *)contact->points, contact->count, "point", spot);
  }
  if (kind < 4 && world->shapes.count > 0) {
    ImpiGeometry *geometry = &world->shapes.data[pick((uint64_t)world->shapes.count)].geometry;
    if (geometry->figure == NULL) return false;
    size_t head = (size_t)geometry->child_count * sizeof(ImpiHull), size = geometry->figure->block_size;
    bool hull = pick(2) == 0;
    if (hull) { // 8 bytes of a hull, but not of its first 8 (count and flags) or its pointers
      size_t words = offsetof(ImpiHull, v) / 8 - 1;
      spot->at = (unsigned char *)&geometry->hulls[pick((uint64_t)geometry->child_count)] + 8 * (1 + pick(words));
    } else {
      spot->at = (unsigned char *)geometry->hulls + head + 8 * pick((size - head) / 8);
    }
    spot->size = 8;
    add_name(spot, hull ? "hull" : "points", -1);
    return true;
  }
  ImpiJoint *joint = world->joints.count > 0 ? &world->joints.data[pick((uint64_t)world->joints.count)] : NULL;
  ImpiForceField *field =
      world->field.list.count > 0 ? &world->field.list.data[pick((uint64_t)world->field.list.count)] : NULL;
  ImpiTape *tape = kind == 4 && joint != NULL && joint->custom != NULL ? &joint->custom->tape
                   : kind == 5 && field != NULL                        ? &field->tape
                                                                       : NULL;
  if (kind == 4 && joint != NULL && joint->custom != NULL && (tape->constants == NULL || pick(2) == 0)) {
    ImpiCustom *custom = joint->custom;
    add_name(spot, "custom", -1);
    spot->at = pick(2) == 0 ? (unsigned char *)&custom->bodies[pick((uint64_t)custom->body_count)]
                            : (unsigned char *)&custom->term + 4 * pick(8);
    spot->size = 4;
    return true;
  }
  if (tape == NULL || tape->constants == NULL) return false;
  add_name(spot, "tape", -1);
  spot->size = 4;
  spot->at = pick(3) == 0
                 ? (unsigned char *)&tape->results[pick((uint64_t)tape->result_count)]
                 : (unsigned char *)tape->code + 4 * pick(4 * (uint64_t)(tape->slot_count - tape->first_fixed));
  return tape->slot_count > tape->first_fixed;
}


// Return a replacement for a number: a small change, a small integer, a random double, or an unusual number.
static inline uint64_t other_number(const Spot *spot) {
  uint64_t number = odd_number();
  switch (pick(6)) {
  case 0:
    number = spot->was + 1;
    break;
  case 1:
    number = spot->was - 1;
    break;
  case 2:
    number = spot->was ^ 1ull << pick(8 * spot->size);
    break;
  case 3:
    number = pick(64);
    break;
  case 4:
    if (spot->size == 8) {
      double value = ((double)pick(2001) - 1000) * (pick(2) == 0 ? 0.01 : 1e4);
      memcpy(&number, &value, sizeof value);
    }
    break;
  default:
    break;
  }
  return number;
}


// Return the snapshot of a world whose numbers may have any values, except the counts that the writer uses.
static inline Bytes shot_of(ImpWorld *world, const Bytes *good) {
  ImpiArchive archive = {.mode = IMPI_ARCHIVE_WRITE, .owner = world};
  (void)impi_archive_bytes(&archive, good->bytes, SHOT_HEADER);
  CHECK(impi_archive(&archive, &impi_world_layout, world));
  fix_header(archive.out, archive.at);
  return (Bytes){archive.out, archive.at};
}


// Return a snapshot of the world with some numbers changed. The world keeps its numbers. `out_path`: the changes as
// text.
static inline Bytes shot_with_other_numbers(ImpWorld *world, const Bytes *good, char *out_path, size_t path_size) {
  Spot spots[3];
  int count = 1 + (pick(4) == 0) + (pick(16) == 0), found = 0;
  out_path[0] = 0;
  for (int tries = 0; found < count && tries < 200; ++tries) {
    Spot *spot = &spots[found];
    spot->path[0] = 0;
    bool there = pick(8) == 0 ? find_hidden(world, spot) : find_spot(&impi_world_layout, (unsigned char *)world, spot);
    const char *end = there ? spot->path + strlen(spot->path) : NULL;
    bool counts =
        there && (strstr(spot->path, "contacts[") != NULL && end - spot->path > 6 && strcmp(end - 6, ".count") == 0);
    counts = counts || (there && (strstr(spot->path, "tape.") != NULL || strstr(spot->path, "param_count") != NULL));
    if (!there || counts) continue;
    spot->was = 0;
    memcpy(&spot->was, spot->at, spot->size);
    uint64_t number = other_number(spot);
    memcpy(spot->at, &number, spot->size);
    size_t length = strlen(out_path);
    snprintf(out_path + length, path_size - length, " %s=%llx (was %llx)", spot->path, (unsigned long long)number,
             (unsigned long long)spot->was);
    ++found;
  }
  Bytes shot = shot_of(world, good);
  while (found > 0) {
    --found;
    memcpy(spots[found].at, &spots[found].was, spots[found].size);
  }
  return shot;
}

#endif
