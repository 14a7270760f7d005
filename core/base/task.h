// Loops on several threads: one pool of workers for all worlds of the process, and teams that borrow it.
//
//   impi_team_begin(&team, threads);                       a step begins: from here workers wait awake
//     impi_parallel(&team, count, grain, run, context);    run(context, first, count, worker) over ranges of 0 .. count - 1
//     impi_parallel_phases(&team, phases, phase_count);    one loop after another: each sees all that those before it did
//   impi_team_end(&team);                                  a step ends: they sleep
//   impi_team_leave(&team);                                the world dies: when nobody needs workers, their threads end
//
// A loop of a team of n threads is cut into at most n ranges by its count and n alone. Which thread runs a range is
// open: a range belongs to one worker, and who waits for it takes it over when that worker does not come, be it that it
// still sleeps, that the processor is busy with others, or that there is no such thread. So it depends on nothing but
// the split what a loop computes, which must not depend on the split either: then any number of threads comes to the
// same bits.
//
// Safe from several threads at once: a team that finds the pool in use runs its loops alone. So do loops inside loops.
// After a fork the child has no workers; its next step makes new ones. Where there is no pthread.h all loops run alone.
#ifndef IMPI_TASK_H
#define IMPI_TASK_H

#include <stdbool.h>

// The most threads that a team has.
#define IMPI_MAX_THREADS 64

// Items first .. first + count - 1. No two ranges that run at the same time have the same `worker`, 0 .. threads - 1.
typedef void (*ImpiRangeFn)(void *context, int first, int count, int worker);

typedef struct ImpiPhase {
  ImpiRangeFn run;
  void *context;
  int count;
  int grain; // the fewest items worth a thread: with less than twice as many the loop is one range   (>= 1)
} ImpiPhase;

// Zero is a team that has never begun.
typedef struct ImpiTeam {
  int threads; // that its loops are cut for, 1 at least between begin and end
  bool member; // of those who need workers
} ImpiTeam;

// A step of a world that wants so many threads begins. What cannot be had is done without: it never fails.
void impi_team_begin(ImpiTeam *team, int threads);

void impi_team_end(ImpiTeam *team);

// Nothing of this team will run, until it begins again. Not between begin and end.
void impi_team_leave(ImpiTeam *team);

void impi_parallel(const ImpiTeam *team, int count, int grain, ImpiRangeFn run, void *context);

void impi_parallel_phases(const ImpiTeam *team, const ImpiPhase *phases, int phase_count);

// The first item of range `worker` of a loop over `count` items; that of range `threads` is `count`.
int impi_range_first(int threads, int count, int grain, int worker);

// Seconds of a steady clock, for the profile.
double impi_clock(void);

#endif
