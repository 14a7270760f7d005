// Storage of contacts in lanes (elements of SIMD vectors).
#include "solvers/soft/lane_contacts.h"

#include <string.h>

#define NO_COLOUR_RUN (IMPI_NO_COLOUR * IMPI_FORMS)


// ---------------------------------------------------------------------------------------------------------------------
// Runs
// ---------------------------------------------------------------------------------------------------------------------


// Contacts without a colour are solved one after another, in the order of their slots.
static bool is_ordered(const ImpiLaneContacts *lanes, const ImpiRun *run) { return run >= &lanes->runs[NO_COLOUR_RUN]; }


static int blocks_for(const ImpiRun *run, int count) { return (count + run->kernels->width - 1) / run->kernels->width; }


static void *aligned(void *memory) {
  uintptr_t at = (uintptr_t)memory;
  return (void *)((at + IMPI_CACHE_LINE - 1) / IMPI_CACHE_LINE * IMPI_CACHE_LINE);
}


static size_t hot_bytes(const ImpiRun *run, int blocks) {
  return (size_t)blocks * run->kernels->hot_size[run->blocks.points];
}


static size_t rare_bytes(const ImpiRun *run, int blocks) {
  return (size_t)blocks * run->kernels->rare_size[run->blocks.points];
}


static void free_run(ImpiHeap *heap, ImpiRun *run) {
  if (run->room > 0) {
    impi_resize(heap, run->memory[0], hot_bytes(run, run->room) + IMPI_CACHE_LINE, 0);
    impi_resize(heap, run->memory[1], rare_bytes(run, run->room) + IMPI_CACHE_LINE, 0);
  }
  *run = (ImpiRun){0};
}


// Take over the memory of an empty run with the same kernels and number of points.
static void take_memory(ImpiLaneContacts *lanes, ImpiRun *run) {
  for (int i = 0; i < IMPI_RUNS; ++i) {
    ImpiRun *other = &lanes->runs[i];
    if (other->count == 0 && other->room > 0 && other->kernels == run->kernels &&
        other->blocks.points == run->blocks.points) {
      *run = *other;
      *other = (ImpiRun){0};
      return;
    }
  }
}


static bool grow_run(ImpiHeap *heap, ImpiRun *run, int blocks) {
  if (blocks <= run->room) {
    return true;
  }
  int room = blocks + (run->room > 0) + run->room / 8;
  void *hot = impi_resize(heap, NULL, 0, hot_bytes(run, room) + IMPI_CACHE_LINE);
  void *rare = impi_resize(heap, NULL, 0, rare_bytes(run, room) + IMPI_CACHE_LINE);
  if (hot == NULL || rare == NULL) {
    impi_resize(heap, hot, hot_bytes(run, room) + IMPI_CACHE_LINE, 0);
    impi_resize(heap, rare, rare_bytes(run, room) + IMPI_CACHE_LINE, 0);
    return false;
  }
  ImpiRun grown = *run;
  grown.memory[0] = hot;
  grown.memory[1] = rare;
  grown.blocks.hot = aligned(hot);
  grown.blocks.rare = aligned(rare);
  grown.room = room;
  if (run->blocks.count > 0) {
    memcpy(grown.blocks.hot, run->blocks.hot, hot_bytes(run, run->blocks.count));
    memcpy(grown.blocks.rare, run->blocks.rare, rare_bytes(run, run->blocks.count));
  }
  free_run(heap, run);
  *run = grown;
  return true;
}


// Append a block of empty lanes. All numbers are 0, except the slots of contacts, which are -1.
static void add_block(ImpiRun *run) {
  int index = run->blocks.count++;
  char *rare = (char *)run->blocks.rare + rare_bytes(run, index);
  memset((char *)run->blocks.hot + hot_bytes(run, index), 0, hot_bytes(run, 1));
  memset(rare, 0, rare_bytes(run, 1));
  memset(rare, 255, (size_t)run->kernels->width * sizeof(int32_t));
  IMP_ASSERT(run->kernels->contact(&run->blocks, run->blocks.count * run->kernels->width - 1) == -1);
}


static int32_t contact_at(const ImpiRun *run, int place) { return run->kernels->contact(&run->blocks, place); }


// Close the gaps of an ordered run by moving later contacts forward.
static void close_gaps(ImpiRun *run, ImpiContact *contacts) {
  int count = 0, sorted = 0;
  for (int place = 0; place < run->count && run->gaps > 0; ++place) {
    int32_t slot = contact_at(run, place);
    if (slot < 0) {
      continue;
    }
    if (count < place) {
      run->kernels->move(&run->blocks, place, count);
      contacts[slot].place = count;
    }
    count++;
    sorted += place < run->sorted;
  }
  if (run->gaps > 0) {
    run->count = run->blocks.count = count;
    run->sorted = sorted;
    run->gaps = 0;
  }
}


static void swap_bytes(char *a, char *b, size_t size) {
  char kept[256];
  for (size_t part; size > 0; size -= part, a += part, b += part) {
    part = size < sizeof kept ? size : sizeof kept;
    memcpy(kept, a, part);
    memcpy(a, b, part);
    memcpy(b, kept, part);
  }
}


static void swap_blocks(ImpiRun *run, int a, int b) {
  swap_bytes((char *)run->blocks.hot + hot_bytes(run, a), (char *)run->blocks.hot + hot_bytes(run, b),
             hot_bytes(run, 1));
  swap_bytes((char *)run->blocks.rare + rare_bytes(run, a), (char *)run->blocks.rare + rare_bytes(run, b),
             rare_bytes(run, 1));
}


// Merge the contacts appended to an ordered run into its sorted part. The appended contacts must be sorted by slot.
static void merge(ImpiRun *run, ImpiContact *contacts) {
  if (run->sorted == run->count) {
    return;
  }
  close_gaps(run, contacts);
  int before = run->sorted - 1, entered = run->count - 1, place = run->count - 1;
  for (; entered >= run->sorted; --place) {
    int32_t slot = contact_at(run, entered), other = before >= 0 ? contact_at(run, before) : -1;
    IMP_ASSERT(entered == run->sorted || contact_at(run, entered - 1) < slot);
    contacts[slot > other ? slot : other].place = place;
    *(slot > other ? &entered : &before) -= 1;
  }
  for (place++; place < run->count; ++place) {
    for (int to; (to = contacts[contact_at(run, place)].place) != place;) {
      swap_blocks(run, place, to);
    }
  }
  run->sorted = run->count;
}


// ---------------------------------------------------------------------------------------------------------------------
// All contacts
// ---------------------------------------------------------------------------------------------------------------------


void impi_lane_contacts_free(ImpiHeap *heap, ImpiLaneContacts *lanes) {
  for (int i = 0; i < IMPI_RUNS; ++i) {
    free_run(heap, &lanes->runs[i]);
  }
  impi_array_free(heap, &lanes->taken);
  impi_array_free(heap, &lanes->active_counts);
  impi_array_free(heap, &lanes->work);
  impi_array_free(heap, &lanes->looked);
  impi_array_free(heap, &lanes->acting);
  impi_array_free(heap, &lanes->inside);
}


void impi_lane_contacts_reset(ImpiLaneContacts *lanes) {
  for (int i = 0; i < IMPI_RUNS; ++i) {
    lanes->runs[i].count = lanes->runs[i].sorted = lanes->runs[i].blocks.count = lanes->runs[i].gaps = 0;
  }
  impi_bits_empty(&lanes->inside);
  lanes->taken.count = 0;
  lanes->stamp = 0;
  lanes->lost = true;
}


static int32_t lane_of(const ImpiBody *bodies, int32_t body) {
  return bodies[body].inv_mass > 0 ? impi_lane_of(body) : 0;
}


// Rebuild the derived data of active contacts from their colours.
static void find_acting(ImpiLaneContacts *lanes, ImpiContact *contacts, int count, const ImpiBody *bodies,
                        int body_count) {
  memset(lanes->taken.data, 0, (size_t)(body_count + 1) * sizeof *lanes->taken.data);
  memset(lanes->active_counts.data, 0, (size_t)body_count * sizeof *lanes->active_counts.data);
  impi_bits_empty(&lanes->acting);
  for (int32_t slot = 0; slot < count; ++slot) {
    ImpiContact *contact = &contacts[slot];
    contact->run = 0;
    if (contact->colour == IMPI_UNCOLOURED) {
      continue;
    }
    impi_keep_colour(lanes->taken.data, lane_of(bodies, contact->body_a), lane_of(bodies, contact->body_b),
                     contact->colour);
    lanes->active_counts.data[contact->body_a]++;
    lanes->active_counts.data[contact->body_b]++;
    impi_bits_set(&lanes->acting, slot);
  }
}


// Copy the results in the lanes to the contacts, and free the lanes.
static void empty(ImpiHeap *heap, ImpiLaneContacts *lanes, ImpiContact *contacts, int count,
                  const ImpiMotion *motions) {
  for (int32_t slot = 0; slot < count; ++slot) {
    if (contacts[slot].run > 0) {
      impi_lane_contacts_read(lanes, &contacts[slot], motions);
      contacts[slot].run = 0;
    }
  }
  for (int i = 0; i < IMPI_RUNS; ++i) {
    free_run(heap, &lanes->runs[i]);
  }
  impi_bits_empty(&lanes->inside);
}


// Return the capacity of `looked`: one list of contacts per worker, with room for empty lanes and one element after
// each list.
static int room_to_look(int contact_count) { return contact_count + IMPI_RUNS * 16 + IMPI_MAX_THREADS; }


bool impi_lane_contacts_prepare(ImpiHeap *heap, ImpiLaneContacts *lanes, int width, ImpiContact *contacts,
                                int contact_count, const ImpiBody *bodies, int body_count, const ImpiMotion *motions) {
  int old = lanes->taken.count;
  if (!impi_reserve(heap, &lanes->taken, body_count + 1) ||
      !impi_reserve(heap, &lanes->active_counts, body_count + 1) || !impi_reserve(heap, &lanes->work, contact_count) ||
      !impi_reserve(heap, &lanes->looked, room_to_look(contact_count)) ||
      !impi_bits_reserve(heap, &lanes->acting, contact_count) ||
      !impi_bits_reserve(heap, &lanes->inside, contact_count)) {
    return false;
  }
  for (; old < body_count + 1; ++old) {
    lanes->taken.data[old] = 0;
    lanes->active_counts.data[old] = 0;
  }
  lanes->taken.count = old;
  if (lanes->lost) {
    find_acting(lanes, contacts, contact_count, bodies, body_count);
    lanes->lost = false;
  }
  const ImpiSoftKernels *kernels = impi_soft_kernels(width, false);
  if (kernels != lanes->kernels) {
    if (lanes->kernels != NULL) {
      empty(heap, lanes, contacts, contact_count, motions);
    }
    lanes->kernels = kernels;
    lanes->locked = impi_soft_kernels(width, true);
  }
  return true;
}


void impi_lane_contacts_begin(ImpiLaneContacts *lanes, uint32_t stamp) {
  lanes->epoch++;
  lanes->stamp = stamp;
  lanes->accounted = lanes->solved = false;
}


void impi_lane_contacts_order(ImpiLaneContacts *lanes, ImpiRunOrder *out_order) {
  // contacts with two points, contacts with one point, then the same two forms with locked axes
  static const int forms[IMPI_FORMS] = {1, 0, 3, 2};
  out_order->count = lanes->colours = 0;
  for (int k = 0; k <= IMPI_COLOURS; ++k) {
    int colour = k == 0 ? IMPI_NO_COLOUR : k - 1, first = out_order->count;
    for (int f = 0; f < IMPI_FORMS; ++f) {
      const ImpiRun *run = &lanes->runs[colour * IMPI_FORMS + forms[f]];
      if (run->count > 0) {
        out_order->runs[out_order->count++] = run;
      }
    }
    lanes->colours += colour != IMPI_NO_COLOUR && out_order->count > first;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// One contact
// ---------------------------------------------------------------------------------------------------------------------


static int form_of(const ImpiContact *contact, const ImpiBody *bodies) {
  bool locked = bodies[contact->body_a].locks != 0 || bodies[contact->body_b].locks != 0;
  return contact->count - 1 + (locked ? 2 : 0);
}


// Append an empty place to a run and assign it to the contact.
static bool make_place(ImpiHeap *heap, ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot, int index) {
  ImpiRun *run = &lanes->runs[index];
  int form = index % IMPI_FORMS;
  bool ordered = is_ordered(lanes, run);
  run->kernels = ordered ? impi_soft_kernels(1, form >= 2) : form < 2 ? lanes->kernels : lanes->locked;
  run->blocks.points = form % 2 + 1;
  int blocks = blocks_for(run, run->count + 1);
  if (run->room == 0) {
    take_memory(lanes, run);
  }
  if (!grow_run(heap, run, blocks)) {
    return false;
  }
  while (run->blocks.count < blocks) {
    add_block(run);
  }
  contacts[slot].run = (int16_t)(index + 1);
  impi_bits_set(&lanes->inside, slot);
  contacts[slot].place = run->count++;
  return true;
}


bool impi_lane_contacts_enter(ImpiHeap *heap, ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot,
                              const ImpiBody *bodies) {
  ImpiContact *contact = &contacts[slot];
  if (contact->colour == IMPI_UNCOLOURED) {
    contact->colour =
        (int8_t)impi_take_colour(lanes->taken.data, lane_of(bodies, contact->body_a), lane_of(bodies, contact->body_b));
    lanes->active_counts.data[contact->body_a]++;
    lanes->active_counts.data[contact->body_b]++;
    impi_bits_set(&lanes->acting, slot);
  }
  int index = contact->colour * IMPI_FORMS + form_of(contact, bodies);
  if (contact->run == index + 1 && contact->read != lanes->epoch) {
    return true;
  }
  if (contact->run > 0 && contact->run != index + 1) {
    impi_lane_contacts_leave(lanes, contacts, slot);
  }
  if (contact->run == 0 && !make_place(heap, lanes, contacts, slot, index)) {
    return false;
  }
  ImpiRun *run = &lanes->runs[index];
  contact->read = lanes->epoch;
  run->kernels->enter(&run->blocks, contact->place, slot, contact, bodies);
  return true;
}


void impi_lane_contacts_entered(ImpiLaneContacts *lanes, ImpiContact *contacts) {
  for (int form = 0; form < IMPI_FORMS; ++form) {
    merge(&lanes->runs[NO_COLOUR_RUN + form], contacts);
  }
}


void impi_lane_contacts_renew(const ImpiLaneContacts *lanes, const ImpiContact *contact) {
  const ImpiRun *run = &lanes->runs[contact->run - 1];
  run->kernels->renew(&run->blocks, contact->place, contact);
}


void impi_lane_contacts_carry(const ImpiLaneContacts *lanes, ImpiContact *contact, const int *from) {
  const ImpiRun *run = &lanes->runs[contact->run - 1];
  run->kernels->carry(&run->blocks, contact->place, from, contact);
  contact->read = lanes->epoch;
}


void impi_lane_contacts_read_rest(const ImpiLaneContacts *lanes, ImpiContact *contact) {
  const ImpiRun *run = &lanes->runs[contact->run - 1];
  run->kernels->read(&run->blocks, contact->place, contact, NULL, lanes->accounted);
  contact->read = lanes->epoch;
}


void impi_lane_contacts_read(const ImpiLaneContacts *lanes, ImpiContact *contact, const ImpiMotion *motions) {
  if (contact->read == lanes->epoch) {
    return;
  }
  if (contact->stamp == lanes->stamp && !lanes->solved) {
    impi_lane_contacts_carry(lanes, contact, (int[]){0, 1});
    return;
  }
  const ImpiRun *run = &lanes->runs[contact->run - 1];
  run->kernels->read(&run->blocks, contact->place, contact, motions, lanes->accounted);
  contact->read = lanes->epoch;
  for (int i = 0; i < contact->count && contact->stamp != lanes->stamp; ++i) {
    contact->points[i].matched = true;
  }
}


void impi_lane_contacts_store_impulses(const ImpiLaneContacts *lanes, const ImpiContact *contact) {
  if (contact->run > 0) {
    const ImpiRun *run = &lanes->runs[contact->run - 1];
    run->kernels->enter_impulses(&run->blocks, contact->place, contact);
  }
}


void impi_lane_contacts_leave(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot) {
  ImpiContact *contact = &contacts[slot];
  if (contact->run == 0) {
    return;
  }
  ImpiRun *run = &lanes->runs[contact->run - 1];
  const ImpiSoftKernels *kernels = run->kernels;
  int last = run->count - 1;
  if (is_ordered(lanes, run)) {
    kernels->clear(&run->blocks, contact->place);
    run->gaps++;
    if (run->gaps > run->count / 2) {
      close_gaps(run, contacts);
    }
  } else {
    if (contact->place != last) {
      kernels->move(&run->blocks, last, contact->place);
      contacts[contact_at(run, contact->place)].place = contact->place;
    }
    run->count = last;
    run->blocks.count = blocks_for(run, last);
    if (last < run->blocks.count * kernels->width) {
      kernels->clear(&run->blocks, last);
    }
  }
  contact->run = 0;
  impi_bits_clear(&lanes->inside, slot);
}


void impi_lane_contacts_end(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot, const ImpiBody *bodies) {
  impi_lane_contacts_leave(lanes, contacts, slot);
  ImpiContact *contact = &contacts[slot];
  if (contact->colour != IMPI_UNCOLOURED && !lanes->lost) { // if `lost`, find_acting rebuilds this data
    impi_return_colour(lanes->taken.data, lane_of(bodies, contact->body_a), lane_of(bodies, contact->body_b),
                       contact->colour);
    lanes->active_counts.data[contact->body_a]--;
    lanes->active_counts.data[contact->body_b]--;
    impi_bits_clear(&lanes->acting, slot);
  }
  contact->colour = IMPI_UNCOLOURED;
}
