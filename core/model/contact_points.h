// Storage of contact points: two for each contact with points.
#ifndef IMPI_CONTACT_POINTS_H
#define IMPI_CONTACT_POINTS_H

#include "base/array.h"
#include "model/contact.h"

// Pairs of points in pages, which are never moved. Results do not depend on which pair a contact has.
typedef struct ImpiPointStore {
  IMPI_ARRAY(void *) pages;
  void *free; // list of free pairs: each begins with the address of the next one; null at the end
} ImpiPointStore;

// Allocate the points of a contact, uninitialised. impi_points_hold: only if the contact has none. Return false if out
// of memory.
bool impi_points_make(ImpiHeap *heap, ImpiPointStore *store, ImpiContact *contact);
static inline bool impi_points_hold(ImpiHeap *heap, ImpiPointStore *store, ImpiContact *contact) {
  return contact->points != NULL || impi_points_make(heap, store, contact);
}

void impi_points_drop(ImpiPointStore *store, ImpiContact *contact);

void impi_points_free(ImpiHeap *heap, ImpiPointStore *store);

#endif
