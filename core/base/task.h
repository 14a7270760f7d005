// Loops on several threads. All worlds of the process share one pool of workers. Each world has a team, which borrows
// the pool for a step.
//
//   impi_team_begin(&team, threads);                      a step begins: workers wait without sleeping
//     impi_parallel(&team, count, grain, run, context);   run(context, first, count, worker) over ranges of the loop
//     impi_parallel_phases(&team, phases, phase_count);   one loop after another
//   impi_team_end(&team);                                 a step ends: workers sleep
//   impi_team_leave(&team);                               a world is destroyed: with the last team the threads end
//
// The function of a loop must compute the same for every split, so that any number of threads gives the same bits.
// Thread-safe: if the pool is in use, loops run on the calling thread, as do loops inside loops.
// After a fork the child process starts its own workers.
#ifndef IMPI_TASK_H
#define IMPI_TASK_H

#include <stdbool.h>

// Largest number of threads of a team.
#define IMPI_MAX_THREADS 64

// Process items first .. first + count - 1. Concurrent ranges differ in `worker` (0 .. threads - 1).
typedef void (*ImpiRangeFn)(void *context, int first, int count, int worker);

typedef struct ImpiPhase {
  ImpiRangeFn run;
  void *context;
  int count;
  int grain; // fewest items worth a thread; below 2 * grain: one range   (>= 1)
} ImpiPhase;

// A zero-initialised ImpiTeam has not begun yet.
typedef struct ImpiTeam {
  int threads; // number of threads for which loops are split; at least 1 between begin and end
  bool member; // this team is counted among the teams that may need workers
} ImpiTeam;

// Begin a step that uses up to `threads` threads. Cannot fail; fewer are used if they cannot be started.
void impi_team_begin(ImpiTeam *team, int threads);

void impi_team_end(ImpiTeam *team);

// Declare that this team runs no loops until its next step. Must not be called in a step.
void impi_team_leave(ImpiTeam *team);

void impi_parallel(const ImpiTeam *team, int count, int grain, ImpiRangeFn run, void *context);

void impi_parallel_phases(const ImpiTeam *team, const ImpiPhase *phases, int phase_count);

// Return the first item of range `worker` of a loop over `count` items; for range `threads`, return `count`.
int impi_range_first(int threads, int count, int grain, int worker);

// Return the time of a monotonic clock [s], for the profile.
double impi_clock(void);

#endif
