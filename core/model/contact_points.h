// The points of contacts, two a contact that has any. What comes near and never touches has none: where much
// comes and goes these are most.
#ifndef IMPI_CONTACT_POINTS_H
#define IMPI_CONTACT_POINTS_H

#include "base/array.h"
#include "model/contact.h"

// Pairs lie in pages that stay where they are. Which pair a contact gets decides nothing.
typedef struct ImpiPointStore {
  IMPI_ARRAY(void *) pages;
  void *free; // list of pairs, each begins with the address of the next; null at the end
} ImpiPointStore;

// Room for the points of a contact, its own until it drops them: not cleared. False when out of memory.
bool impi_points_make(ImpiHeap *heap, ImpiPointStore *store, ImpiContact *contact);
static inline bool impi_points_hold(ImpiHeap *heap, ImpiPointStore *store, ImpiContact *contact) {
  return contact->points != NULL || impi_points_make(heap, store, contact);
}

// It has none any more.
void impi_points_drop(ImpiPointStore *store, ImpiContact *contact);

void impi_points_free(ImpiHeap *heap, ImpiPointStore *store);

#endif
