#include "base/names.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FEWEST_CHAINS 64


static uint64_t hash_of(const char *name) { return XXH3_64bits(name, strlen(name)); }

static ImpiNameChain *chain_of(const ImpiNames *names, uint64_t hash) {
  return &names->chains.data[hash & (uint64_t)(names->chains.count - 1)];
}


// Insert an entry into its chain, in order of creation.
static void link(ImpiNames *names, int32_t slot) {
  ImpiNameEntry *entries = names->entries.data, *entry = &entries[slot];
  ImpiNameChain *chain = chain_of(names, entry->hash);
  int32_t before = chain->last, after = chain->first;
  while (before >= 0 && entries[before].serial > entry->serial && entries[after].serial < entry->serial) {
    before = entries[before].previous;
    after = entries[after].next;
  }
  if (before >= 0 && entries[before].serial > entry->serial) {
    before = entries[after].previous;
  }
  entry->previous = before;
  entry->next = before >= 0 ? entries[before].next : chain->first;
  *(before >= 0 ? &entries[before].next : &chain->first) = slot;
  *(entry->next >= 0 ? &entries[entry->next].previous : &chain->last) = slot;
}


static void empty(ImpiNames *names, int chains) {
  names->chains.count = chains;
  for (int i = 0; i < chains; ++i) {
    names->chains.data[i] = (ImpiNameChain){-1, -1};
  }
}


// Double the number of chains; entries keep their order.
static bool split(ImpiHeap *heap, ImpiNames *names) {
  int count = names->chains.count;
  if (!impi_reserve(heap, &names->chains, 2 * count)) {
    return false;
  }
  names->chains.count = 2 * count;
  for (int i = 0; i < count; ++i) {
    int32_t slot = names->chains.data[i].first;
    names->chains.data[i] = names->chains.data[count + i] = (ImpiNameChain){-1, -1};
    while (slot >= 0) {
      int32_t next = names->entries.data[slot].next;
      link(names, slot);
      slot = next;
    }
  }
  return true;
}


static bool reserve_entries(ImpiHeap *heap, ImpiNames *names, int slots) {
  if (!impi_reserve(heap, &names->entries, slots)) {
    return false;
  }
  for (; names->entries.count < slots; ++names->entries.count) {
    names->entries.data[names->entries.count] = (ImpiNameEntry){0};
  }
  return true;
}


bool impi_names_make(ImpiHeap *heap, ImpiNames *names, int slots) {
  impi_names_forget(names);
  if (!impi_reserve(heap, &names->chains, FEWEST_CHAINS) || !reserve_entries(heap, names, slots)) {
    return false;
  }
  empty(names, FEWEST_CHAINS);
  return true;
}


void impi_names_forget(ImpiNames *names) { names->chains.count = names->entries.count = names->named = 0; }


void impi_names_free(ImpiHeap *heap, ImpiNames *names) {
  impi_array_free(heap, &names->chains);
  impi_array_free(heap, &names->entries);
  names->named = 0;
}


void impi_names_add(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, const char *name) {
  if (names->chains.count == 0 || name == NULL) {
    return;
  }
  if (!reserve_entries(heap, names, slot + 1) || (names->named >= names->chains.count && !split(heap, names))) {
    impi_names_forget(names);
    return;
  }
  names->entries.data[slot] = (ImpiNameEntry){.name = name, .hash = hash_of(name), .serial = serial};
  link(names, slot);
  names->named++;
}


void impi_names_remove(ImpiNames *names, int32_t slot) {
  ImpiNameEntry *entries = names->entries.data;
  if (slot >= names->entries.count || entries[slot].name == NULL) {
    return;
  }
  ImpiNameEntry *entry = &entries[slot];
  ImpiNameChain *chain = chain_of(names, entry->hash);
  *(entry->previous >= 0 ? &entries[entry->previous].next : &chain->first) = entry->next;
  *(entry->next >= 0 ? &entries[entry->next].previous : &chain->last) = entry->previous;
  entry->name = NULL;
  names->named--;
}


ImpStatus impi_rename(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, char **text, const char *name) {
  char *copy;
  if (!impi_copy_string(heap, name, &copy)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (names != NULL) {
    impi_names_remove(names, slot);
    impi_names_add(heap, names, slot, serial, copy);
  }
  impi_free_string(heap, *text);
  *text = copy;
  return IMP_OK;
}


int32_t impi_names_find(ImpiNames *names, const ImpiPool *pool, const char *name) {
  uint64_t hash = hash_of(name);
  int32_t slot = names->chains.count > 0 ? chain_of(names, hash)->first : -1;
  while (slot >= 0) {
    const ImpiNameEntry *entry = &names->entries.data[slot];
    int32_t next = entry->next;
    if (pool->slots.data[slot].next_free != IMPI_SLOT_LIVE) {
      impi_names_remove(names, slot);
    } else if (entry->hash == hash && strcmp(entry->name, name) == 0) {
      return slot;
    }
    slot = next;
  }
  return -1;
}
