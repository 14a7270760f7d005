// The draw list: an array of items, and arrays of their points and texts.
#include "draw/draw.h"

#include <math.h>
#include <string.h>

enum { IMAGE_CORNERS = 4, IMAGE_POINTS = 6 };

struct ImpDrawList {
  ImpiHeap heap;
  IMPI_ARRAY(ImpDrawItem) items;
  IMPI_ARRAY(ImpDrawItem) sorted; // buffer for sorting
  IMPI_ARRAY(ImpVec2) points;
  IMPI_ARRAY(char) texts; // texts of all items, each ends with a zero byte
};


const char *imp_draw_kind_name(int kind) {
  static const char *const names[] = {
      [IMP_DRAW_FILL] = "fill",   [IMP_DRAW_OUTLINE] = "outline", [IMP_DRAW_POLYLINE] = "polyline",
      [IMP_DRAW_ARROW] = "arrow", [IMP_DRAW_DOT] = "dot",         [IMP_DRAW_TEXT] = "text",
      [IMP_DRAW_CLIP] = "clip",   [IMP_DRAW_POLYGON] = "polygon", [IMP_DRAW_IMAGE] = "image",
  };
  IMPI_COVERS(names, IMP_DRAW_KIND_COUNT);
  return kind >= 0 && kind < IMP_DRAW_KIND_COUNT ? names[kind] : NULL;
}


const char *imp_draw_style_name(int style) {
  static const char *const names[] = {
      [IMP_STYLE_STATIC] = "static",     [IMP_STYLE_KINEMATIC] = "kinematic",
      [IMP_STYLE_DYNAMIC] = "dynamic",   [IMP_STYLE_ASLEEP] = "asleep",
      [IMP_STYLE_SENSOR] = "sensor",     [IMP_STYLE_DISABLED] = "disabled",
      [IMP_STYLE_JOINT] = "joint",       [IMP_STYLE_SPRING] = "spring",
      [IMP_STYLE_BROKEN] = "broken",     [IMP_STYLE_CONTACT] = "contact",
      [IMP_STYLE_NORMAL] = "normal",     [IMP_STYLE_STICKING] = "sticking",
      [IMP_STYLE_SLIDING] = "sliding",   [IMP_STYLE_FORCE] = "force",
      [IMP_STYLE_TORQUE] = "torque",     [IMP_STYLE_ROW] = "row",
      [IMP_STYLE_BOX] = "box",           [IMP_STYLE_CENTER] = "center",
      [IMP_STYLE_VELOCITY] = "velocity", [IMP_STYLE_TRAIL] = "trail",
      [IMP_STYLE_NAME] = "name",         [IMP_STYLE_GRID] = "grid",
      [IMP_STYLE_MARK] = "mark",         [IMP_STYLE_SCENE] = "scene",
      [IMP_STYLE_PANEL] = "panel",
  };
  IMPI_COVERS(names, IMP_STYLE_COUNT);
  return style >= 0 && style < IMP_STYLE_COUNT ? names[style] : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// The list
// ---------------------------------------------------------------------------------------------------------------------

ImpStatus imp_draw_create(const ImpAllocator *allocator, ImpDrawList **out_list) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  if (allocator != NULL && allocator->reallocate != NULL) heap.allocator = *allocator;
  ImpDrawList *list = impi_resize(&heap, NULL, 0, sizeof *list);
  if (list == NULL) return impi_fail(IMP_ERR_NOMEM, "out of memory");
  *list = (ImpDrawList){.heap = heap};
  *out_list = list;
  return IMP_OK;
}


void imp_draw_destroy(ImpDrawList *list) {
  if (list == NULL) return;
  impi_array_free(&list->heap, &list->items);
  impi_array_free(&list->heap, &list->sorted);
  impi_array_free(&list->heap, &list->points);
  impi_array_free(&list->heap, &list->texts);
  ImpiHeap heap = list->heap;
  impi_resize(&heap, list, sizeof *list, 0);
}


void imp_draw_clear(ImpDrawList *list) { list->items.count = list->points.count = list->texts.count = 0; }


const ImpDrawItem *imp_draw_items(const ImpDrawList *list, int *out_count) {
  *out_count = list->items.count;
  return list->items.data;
}


const ImpVec2 *imp_draw_points(const ImpDrawList *list) { return list->points.data; }


const char *imp_draw_texts(const ImpDrawList *list) { return list->texts.data; }


bool imp_draw_bounds(const ImpDrawList *list, ImpAabb *out_bounds) {
  ImpAabb box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
  for (int i = 0; i < list->items.count; ++i) {
    const ImpDrawItem *item = &list->items.data[i];
    if (item->kind == IMP_DRAW_TEXT || item->kind == IMP_DRAW_CLIP || item->screen) continue;
    int count = item->kind == IMP_DRAW_IMAGE ? IMAGE_CORNERS : item->count;
    for (int k = item->first; k < item->first + count; ++k) {
      ImpVec2 p = list->points.data[k];
      box.lower.x = fmin(box.lower.x, p.x - item->radius);
      box.lower.y = fmin(box.lower.y, p.y - item->radius);
      box.upper.x = fmax(box.upper.x, p.x + item->radius);
      box.upper.y = fmax(box.upper.y, p.y + item->radius);
    }
  }
  if (box.lower.x > box.upper.x) return false;
  *out_bounds = box;
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Adding
// ---------------------------------------------------------------------------------------------------------------------

ImpVec2 *impi_draw_room(ImpDrawList *list, ImpDrawItem item, int count) {
  if (!impi_reserve(&list->heap, &list->items, list->items.count + 1) ||
      !impi_reserve(&list->heap, &list->points, list->points.count + count)) {
    return NULL;
  }
  item.first = list->points.count;
  item.count = count;
  item.text = item.source = -1;
  list->points.count += count;
  list->items.data[list->items.count++] = item;
  return list->points.data + item.first;
}


bool impi_draw_push(ImpDrawList *list, ImpDrawItem item, const ImpVec2 *points, int count) {
  ImpVec2 *room = impi_draw_room(list, item, count);
  if (room == NULL) return false;
  if (count > 0) memcpy(room, points, (size_t)count * sizeof *points);
  return true;
}


bool impi_draw_again(ImpDrawList *list, ImpDrawItem item) {
  if (!impi_reserve(&list->heap, &list->items, list->items.count + 1)) return false;
  const ImpDrawItem *last = &list->items.data[list->items.count - 1];
  item.first = last->first;
  item.count = last->count;
  item.text = item.source = -1;
  list->items.data[list->items.count++] = item;
  return true;
}


// Return whether all corners turn to the same side and the outline goes around once.
static bool is_convex(const ImpVec2 *p, int count) {
  double turn = 0;
  int flips = 0, last = 0;
  for (int i = 0; i < count; ++i) {
    ImpVec2 a = p[i], b = p[(i + 1) % count], c = p[(i + 2) % count];
    double cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
    if (cross * turn < 0) return false;
    if (turn == 0) turn = cross;
    int sign = b.x > a.x ? 1 : b.x < a.x ? -1 : 0;
    if (sign != 0 && last != 0 && sign != last) flips++;
    if (sign != 0) last = sign;
  }
  return flips <= 2;
}


static ImpStatus check_item(const ImpDrawItem *item, const ImpVec2 *points) {
  static const int least[] = {1, 1, 2, 2, 1, 1, 0, 3, IMAGE_POINTS};
  IMPI_COVERS(least, IMP_DRAW_KIND_COUNT);
  static const int most[] = {INT32_MAX, INT32_MAX, INT32_MAX, 2, 1, 1, 2, INT32_MAX, IMAGE_POINTS};
  IMPI_COVERS(most, IMP_DRAW_KIND_COUNT);
  const char *kind = imp_draw_kind_name((int)item->kind);
  if (kind == NULL) return impi_fail(IMP_ERR_ARGUMENT, "unknown kind of primitive");
  if (imp_draw_style_name((int)item->style) == NULL) return impi_fail(IMP_ERR_ARGUMENT, "unknown style");
  bool half_box = item->kind == IMP_DRAW_CLIP && item->count == 1;
  if (item->count < least[item->kind] || item->count > most[item->kind] || half_box) {
    return impi_fail(IMP_ERR_ARGUMENT, "a primitive of kind '%s' cannot have %d points", kind, item->count);
  }
  if (!(item->radius >= 0 && item->radius < HUGE_VAL)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a radius must be finite and >= 0, got %g", item->radius);
  }
  if (!(item->width >= 0 && item->width < HUGE_VAL)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a width must be finite and >= 0, got %g", item->width);
  }
  if (!(item->align >= 0 && item->align <= 1) || !(item->rise >= -1 && item->rise <= 1)) {
    return impi_fail(IMP_ERR_ARGUMENT, "align must be a number from 0 to 1, and rise a number from -1 to 1");
  }
  if (!isfinite(item->value) || !isfinite(item->order)) {
    return impi_fail(IMP_ERR_ARGUMENT, "value and order must be finite");
  }
  for (int i = 0; i < item->count; ++i) {
    if (!isfinite(points[i].x) || !isfinite(points[i].y)) {
      return impi_fail(IMP_ERR_ARGUMENT, "point %d is not finite: %g, %g", i + 1, points[i].x, points[i].y);
    }
  }
  bool area = item->kind == IMP_DRAW_FILL || item->kind == IMP_DRAW_OUTLINE;
  if (area && item->count > 3 && !is_convex(points, item->count)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the polygon is not convex");
  }
  return IMP_OK;
}


// Append a text and return its offset, or -1 if the text is empty. The caller has reserved the memory.
static int32_t put_text(ImpDrawList *list, const char *text, int length) {
  if (length == 0) return -1;
  int32_t at = list->texts.count;
  memcpy(list->texts.data + at, text, (size_t)length);
  list->texts.count += length;
  return at;
}


ImpStatus imp_draw_add(ImpDrawList *list, const ImpDrawItem *item, const ImpVec2 *points, const char *text,
                       const char *source) {
  ImpStatus status = check_item(item, points);
  if (status != IMP_OK) return status;
  bool is_text = item->kind == IMP_DRAW_TEXT, is_image = item->kind == IMP_DRAW_IMAGE;
  if (is_image && source == NULL) return impi_fail(IMP_ERR_ARGUMENT, "an image needs a source");
  if (text == NULL) text = "";
  int length = is_text ? (int)strlen(text) + 1 : 0;
  int source_length = (is_text || is_image) && source != NULL ? (int)strlen(source) + 1 : 0;
  if (!impi_reserve(&list->heap, &list->texts, list->texts.count + length + source_length)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (!impi_draw_push(list, *item, points, item->count)) return impi_fail(IMP_ERR_NOMEM, "out of memory");
  ImpDrawItem *added = &list->items.data[list->items.count - 1];
  added->text = put_text(list, text, length);
  added->source = put_text(list, source, source_length);
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------------------------------

static bool is_after(const ImpDrawItem *a, const ImpDrawItem *b) {
  return a->screen != b->screen ? a->screen : a->order > b->order;
}


ImpStatus imp_draw_set_color(ImpDrawList *list, int index, uint32_t color) {
  if (index < 0 || index >= list->items.count)
    return impi_fail(IMP_ERR_ARGUMENT, "the draw list has no item %d", index);
  list->items.data[index].color = color;
  return IMP_OK;
}


// Sort items with a stable merge sort that starts from runs of one item.
ImpStatus imp_draw_sort(ImpDrawList *list, int first) {
  if (first < 0) return impi_fail(IMP_ERR_ARGUMENT, "the index of an item must be >= 0, got %d", first);
  ImpDrawItem *items = list->items.data;
  int end = list->items.count, sorted = first + 1;
  while (sorted < end && !is_after(&items[sorted - 1], &items[sorted])) ++sorted;
  if (sorted >= end) return IMP_OK;
  if (!impi_reserve(&list->heap, &list->sorted, end)) return impi_fail(IMP_ERR_NOMEM, "out of memory");
  ImpDrawItem *other = list->sorted.data;
  for (int length = 1; length < end - first; length *= 2) {
    for (int low = first; low < end; low += 2 * length) {
      int middle = end - low > length ? low + length : end, high = end - middle > length ? middle + length : end;
      for (int a = low, b = middle, at = low; at < high; ++at) {
        bool right = a == middle || (b < high && is_after(&items[a], &items[b]));
        other[at] = right ? items[b++] : items[a++];
      }
    }
    ImpDrawItem *merged = other;
    other = items;
    items = merged;
  }
  if (items != list->items.data) {
    memcpy(list->items.data + first, items + first, (size_t)(end - first) * sizeof *items);
  }
  return IMP_OK;
}
