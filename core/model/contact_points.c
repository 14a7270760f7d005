#include "model/contact_points.h"

#include <string.h>

#define PAIRS 64 // pairs of points in a page

typedef ImpiContactPoint Pair[2];


static bool add_page(ImpiHeap *heap, ImpiPointStore *store) {
  if (!impi_reserve(heap, &store->pages, store->pages.count + 1)) {
    return false;
  }
  Pair *page = impi_resize(heap, NULL, 0, PAIRS * sizeof *page);
  if (page == NULL) {
    return false;
  }
  store->pages.data[store->pages.count++] = page;
  // backwards: the first pair of the page is allocated first
  for (int i = PAIRS - 1; i >= 0; --i) {
    memcpy(&page[i], &store->free, sizeof store->free);
    store->free = &page[i];
  }
  return true;
}


bool impi_points_make(ImpiHeap *heap, ImpiPointStore *store, ImpiContact *contact) {
  if (store->free == NULL && !add_page(heap, store)) {
    return false;
  }
  contact->points = store->free;
  memcpy(&store->free, contact->points, sizeof store->free);
  return true;
}


void impi_points_drop(ImpiPointStore *store, ImpiContact *contact) {
  if (contact->points != NULL) {
    memcpy(contact->points, &store->free, sizeof store->free);
    store->free = contact->points;
  }
  contact->points = NULL;
  contact->count = 0;
}


void impi_points_free(ImpiHeap *heap, ImpiPointStore *store) {
  for (int i = 0; i < store->pages.count; ++i) {
    impi_resize(heap, store->pages.data[i], PAIRS * sizeof(Pair), 0);
  }
  impi_array_free(heap, &store->pages);
  store->free = NULL;
}
