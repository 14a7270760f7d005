#include "solvers/soft/lane_passes.h"

// Smallest number of blocks for which a second thread is used.
#define GRAIN 8

typedef struct Loop {
  const ImpiLanePasses *passes;
  const ImpiLaneGroup *group;
  const ImpiSoftPass *pass;
  ImpiLanePass which;
} Loop;

// Process some blocks of one run.
typedef void (*PartFn)(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks);


// ---------------------------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------------------------


static int colour_of(const ImpiLaneContacts *lanes, const ImpiRun *run) {
  return (int)(run - lanes->runs) / IMPI_FORMS;
}


void impi_lane_passes_plan(ImpiLanePasses *passes, const ImpiTeam *team, ImpiLaneContacts *lanes) {
  passes->team = team;
  passes->group_count = 0;
  impi_lane_contacts_order(lanes, &passes->order);
  bool was_alone = false;
  for (int i = 0; i < passes->order.count;) {
    int colour = colour_of(lanes, passes->order.runs[i]), first = i, blocks = 0;
    for (; i < passes->order.count && colour_of(lanes, passes->order.runs[i]) == colour; ++i) {
      blocks += passes->order.runs[i]->blocks.count;
    }
    bool alone = colour == IMPI_NO_COLOUR || blocks < 2 * GRAIN || team->threads < 2;
    if (!alone || !was_alone) {
      passes->groups[passes->group_count++] = (ImpiLaneGroup){.first = first};
    }
    ImpiLaneGroup *group = &passes->groups[passes->group_count - 1];
    group->count += i - first;
    group->blocks += blocks;
    group->grain = alone ? group->blocks : GRAIN;
    was_alone = alone;
  }
}


// Call `part` for the blocks first .. first + count - 1 of a group, run by run; with `back`, from the last run to the
// first.
static void for_parts(const ImpiLanePasses *passes, const ImpiLaneGroup *group, bool back, int first, int count,
                      PartFn part, void *context) {
  for (int i = 0; i < group->count && count > 0; ++i) {
    const ImpiRun *run = passes->order.runs[group->first + (back ? group->count - 1 - i : i)];
    int here = run->blocks.count - first < count ? run->blocks.count - first : count;
    if (here > 0) {
      const ImpiSoftBlocks *all = &run->blocks;
      ImpiSoftBlocks some = {(char *)all->hot + (size_t)first * run->kernels->hot_size[all->points],
                             (char *)all->rare + (size_t)first * run->kernels->rare_size[all->points], here,
                             all->points};
      part(context, run->kernels, &some);
      first += here;
      count -= here;
    }
    first -= run->blocks.count;
  }
}


// Call `part` for the blocks of a worker in each group.
static void for_all_parts(const ImpiLanePasses *passes, int worker, PartFn part, void *context) {
  int threads = passes->team->threads;
  for (int i = 0; i < passes->group_count; ++i) {
    const ImpiLaneGroup *group = &passes->groups[i];
    int first = impi_range_first(threads, group->blocks, group->grain, worker);
    int last = impi_range_first(threads, group->blocks, group->grain, worker + 1);
    for_parts(passes, group, false, first, last - first, part, context);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Colour after colour
// ---------------------------------------------------------------------------------------------------------------------


typedef struct Part {
  ImpiSoftPass pass;
  ImpiLanePass which;
} Part;


static void run_part(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks) {
  const Part *part = context;
  switch (part->which) {
  case IMPI_LANE_TURN:
    kernels->turn(&part->pass, blocks);
    break;
  case IMPI_LANE_WARM_START:
    kernels->warm_start(&part->pass, blocks);
    break;
  case IMPI_LANE_FORGET:
    kernels->forget(blocks);
    break;
  case IMPI_LANE_SOLVE:
    kernels->solve(&part->pass, blocks);
    break;
  case IMPI_LANE_RELAX:
  case IMPI_LANE_FRICTION:
    kernels->relax(&part->pass, blocks, part->which == IMPI_LANE_RELAX);
    break;
  case IMPI_LANE_AIM:
    kernels->begin_impact(&part->pass, blocks);
    break;
  case IMPI_LANE_COMPRESS:
  case IMPI_LANE_COMPRESS_BACK:
    kernels->compress(&part->pass, blocks, false);
    break;
  case IMPI_LANE_HOLD:
    kernels->compress(&part->pass, blocks, true);
    break;
  case IMPI_LANE_BOUNCE:
    kernels->bounce(&part->pass, blocks);
    break;
  case IMPI_LANE_AIM_AGAIN:
    kernels->next_impact(&part->pass, blocks);
    break;
  case IMPI_LANE_RUB:
    kernels->impact_friction(&part->pass, blocks);
    break;
  case IMPI_LANE_UNMARK:
    kernels->unmark(&part->pass, blocks);
    break;
  case IMPI_LANE_NOTE:
    kernels->note(&part->pass, blocks);
    break;
  }
}


static void run_group(void *context, int first, int count, int worker) {
  const Loop *loop = context;
  Part part = {*loop->pass, loop->which};
  part.pass.nowhere += IMPI_LANE_APART * worker;
  part.pass.ground += IMPI_LANE_APART * worker;
  for_parts(loop->passes, loop->group, loop->which == IMPI_LANE_COMPRESS_BACK, first, count, run_part, &part);
}


void impi_lane_passes_run(const ImpiLanePasses *passes, ImpiLanePass which, const ImpiSoftPass *pass) {
  Loop loops[IMPI_COLOURS + 1];
  ImpiPhase phases[IMPI_COLOURS + 1];
  for (int i = 0; i < passes->group_count; ++i) {
    int place = which == IMPI_LANE_COMPRESS_BACK ? passes->group_count - 1 - i : i;
    const ImpiLaneGroup *group = &passes->groups[place];
    loops[i] = (Loop){passes, group, pass, which};
    phases[i] = (ImpiPhase){run_group, &loops[i], group->blocks, group->grain};
  }
  impi_parallel_phases(passes->team, phases, passes->group_count);
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes over all colours in parallel
// ---------------------------------------------------------------------------------------------------------------------


static void begin_part(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks) {
  kernels->begin(context, blocks);
}


static void begin_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  for (int i = first; i < first + count; ++i) {
    for_all_parts(loop->passes, i, begin_part, (void *)(uintptr_t)loop->pass);
  }
}


void impi_lane_passes_begin(const ImpiLanePasses *passes, const ImpiSoftPass *pass) {
  Loop loop = {.passes = passes, .pass = pass};
  impi_parallel(passes->team, passes->team->threads, 1, begin_range, &loop);
}


// Arguments of a refresh or finish pass, and what each worker found.
typedef struct Search {
  const ImpiLanePasses *passes;
  const ImpiMotion *motions;
  const uint64_t *fast;
  const ImpiSoftPass *pass;
  float hit_speed;
  ImpiSoftResult found[IMPI_MAX_THREADS];
} Search;

typedef struct SearchPart {
  const Search *search;
  ImpiSoftResult found;
} SearchPart;


static void count_part(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks) {
  *(int *)context += blocks->count * kernels->width;
}


// Divide `looked` among the workers. A pass writes one element beyond its list, so each part has room for one more.
static void begin_search(Search *search, ImpiLaneContacts *lanes) {
  int32_t *flagged = lanes->looked.data;
  for (int worker = 0; worker < search->passes->team->threads; ++worker) {
    search->found[worker] = (ImpiSoftResult){.work = lanes->work.data, .flagged = flagged};
    int most = 0;
    for_all_parts(search->passes, worker, count_part, &most);
    flagged += most + 1;
  }
}


// Move the lists of all workers to the front of `looked`, without gaps. Returns the number of rows of all contacts
// in lanes.
static int end_search(Search *search, ImpiLaneContacts *lanes) {
  int rows = 0, count = 0;
  for (int worker = 0; worker < search->passes->team->threads; ++worker) {
    const ImpiSoftResult *found = &search->found[worker];
    for (int i = 0; i < found->count; ++i) {
      lanes->looked.data[count++] = found->flagged[i];
    }
    rows += found->rows;
  }
  lanes->looked.count = count;
  return rows;
}


static void refresh_part(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks) {
  SearchPart *part = context;
  part->found.count +=
      kernels->refresh(blocks, part->search->motions, part->search->fast, part->found.flagged + part->found.count);
}


static void finish_part(void *context, const ImpiSoftKernels *kernels, const ImpiSoftBlocks *blocks) {
  SearchPart *part = context;
  kernels->finish(part->search->pass, blocks, part->search->hit_speed, &part->found);
}


static void search_range(void *context, int first, int count, int worker) {
  (void)worker;
  Search *search = context;
  for (int i = first; i < first + count; ++i) {
    SearchPart part = {search, search->found[i]};
    for_all_parts(search->passes, i, search->pass == NULL ? refresh_part : finish_part, &part);
    search->found[i] = part.found;
  }
}


int impi_lane_passes_refresh(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiMotion *motions,
                             const uint64_t *fast) {
  Search search = {.passes = passes, .motions = motions, .fast = fast};
  begin_search(&search, lanes);
  impi_parallel(passes->team, passes->team->threads, 1, search_range, &search);
  end_search(&search, lanes);
  return lanes->looked.count;
}


int impi_lane_passes_finish(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiSoftPass *pass,
                            float hit_speed) {
  Search search = {.passes = passes, .pass = pass, .hit_speed = hit_speed};
  begin_search(&search, lanes);
  impi_parallel(passes->team, passes->team->threads, 1, search_range, &search);
  return end_search(&search, lanes);
}
