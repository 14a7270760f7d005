// The pool of worker threads. A region is a list of phases (loops) that a team runs, numbered from the start of the
// process. Each of the team's threads has a word:
//   2 p      its range of phase p is next and has not begun
//   2 p + 1  a thread runs that range
// The thread that changes 2 p to 2 p + 1 runs the range and sets the word to 2 p + 2 when it is done.
// Phase p may run when all words are at least 2 p.
// Only a thread with a range may read the region, which cannot end meanwhile.
#define _GNU_SOURCE // CPU_COUNT
#include "base/task.h"

#include <stddef.h>
#include <stdint.h>

#include "base/float_state.h"

#if defined(__has_include)
#if __has_include(<pthread.h>) && __has_include(<unistd.h>) && !defined(__STDC_NO_ATOMICS__)
#define THREADS 1
#endif
#endif


// Return the number of ranges that a loop is split into.
static int ranges_of(int threads, int count, int grain) {
  int most = count / grain;
  return most < 1 ? 1 : most < threads ? most : threads;
}


int impi_range_first(int threads, int count, int grain, int worker) {
  int ranges = ranges_of(threads, count, grain);
  return worker >= ranges ? count : (int)((int64_t)count * worker / ranges);
}


static void run_range(const ImpiPhase *phase, int threads, int worker) {
  int first = impi_range_first(threads, phase->count, phase->grain, worker);
  int last = impi_range_first(threads, phase->count, phase->grain, worker + 1);
  if (last > first) {
    phase->run(phase->context, first, last - first, worker);
  }
}


static void run_alone(const ImpiPhase *phases, int phase_count) {
  for (int i = 0; i < phase_count; ++i) {
    run_range(&phases[i], 1, 0);
  }
}


#ifdef THREADS

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

// Number of pauses (20 ns each) before a waiting worker sleeps
#define IDLE_PAUSES 10000
// A thread that waits for the end of a phase yields its processor after this many pauses.
#define PHASE_PAUSES 1000
// Number of pauses before a thread runs another worker's range
#define PATIENCE 50

// Value of Place.word if the thread is not in the team.
#define NOBODY UINT64_MAX

typedef struct Region {
  const ImpiPhase *phases; // phases with the numbers `begin`, `begin` + 1, ...
  uint64_t begin, end;     // number of the first phase, and number of the last phase plus 1
  int threads;
} Region;

// A thread of the team. Place 0 is the thread that began the team.
typedef struct Place {
  _Alignas(64) _Atomic uint64_t word;
  _Alignas(64) atomic_bool asleep; // the thread sleeps or is about to sleep, and must be signalled
  pthread_mutex_t mutex; // locked by this thread while it goes to sleep, and by a thread that wakes this thread
  pthread_cond_t wake;
  pthread_t thread;
  uint64_t seen;  // last `end` that the thread has read
  uint64_t begun; // last `begun` that the thread has read
} Place;

// The pool of threads. Threads belong to the process, so all worlds share the pool.
static struct {
  pthread_mutex_t lock; // protects all fields up to `owner`
  int members;          // number of teams that may need workers
  int workers;          // number of worker threads that exist, at the places 1 .. workers
  int processors;
  bool hooked; // the fork handlers are registered
  bool busy;   // a team is between begin and end
  pthread_t owner;
  Region region; // region in progress: written by the owner, read by threads that hold a range
  _Alignas(64) _Atomic uint64_t end;
  _Atomic uint64_t begun; // number of teams begun since the process began
  atomic_bool awake;      // idle workers wait without sleeping
  atomic_bool stop;
  atomic_bool crowded; // more threads than processors: waiting threads yield
  Place places[IMPI_MAX_THREADS];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Whether this thread is running a range.
static _Thread_local bool inside;


// ---------------------------------------------------------------------------------------------------------------------
// Phases
// ---------------------------------------------------------------------------------------------------------------------


static void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" : : : "memory");
#endif
}


// Pause, or yield the processor if n >= `pauses` or there are more threads than processors.
static void wait_a_little(int n, int pauses) {
  if (n < pauses && !atomic_load_explicit(&pool.crowded, memory_order_relaxed)) {
    pause_processor();
  } else {
    sched_yield();
  }
}


static bool take(int place, uint64_t phase) {
  uint64_t word = 2 * phase;
  return atomic_compare_exchange_strong_explicit(&pool.places[place].word, &word, word + 1, memory_order_acq_rel,
                                                 memory_order_relaxed);
}


// Run a range that this thread has taken.
static void run_taken(const Region *region, int place, uint64_t phase) {
  inside = true;
  run_range(&region->phases[phase - region->begin], region->threads, place);
  inside = false;
  atomic_store_explicit(&pool.places[place].word, 2 * phase + 2, memory_order_release);
}


// Wait until a phase is done. Run each range that no worker begins within *patience pauses. After the first of these
// ranges, *patience is 0.
static void finish_phase(const Region *region, int self, uint64_t phase, int *patience) {
  for (int k = 1; k <= region->threads; ++k) {
    int place = (self + k) % region->threads;
    for (int n = 0;; ++n) {
      uint64_t word = atomic_load_explicit(&pool.places[place].word, memory_order_acquire);
      if (word >= 2 * phase + 2) {
        break;
      }
      if (word == 2 * phase && n >= *patience && take(place, phase)) {
        run_taken(region, place, phase);
        *patience = 0;
        break;
      }
      wait_a_little(n, PHASE_PAUSES);
    }
  }
}


// Run the region from `phase` to its end. `held`: this thread has taken its range of `phase` already.
static void run_phases(const Region *region, int self, uint64_t phase, bool held, int patience) {
  for (; phase < region->end; ++phase) {
    if (phase > region->begin) {
      finish_phase(region, self, phase - 1, &patience);
    }
    if (held || take(self, phase)) {
      run_taken(region, self, phase);
    }
    held = false;
  }
  finish_phase(region, self, region->end - 1, &patience);
}


// Run this worker's ranges that are announced and not yet done.
static void take_part(int self) {
  for (int n = 0;; ++n) {
    uint64_t word = atomic_load_explicit(&pool.places[self].word, memory_order_acquire);
    uint64_t phase = word / 2;
    if (word == NOBODY || phase >= atomic_load_explicit(&pool.end, memory_order_acquire)) {
      return;
    }
    if (word % 2 == 0 && take(self, phase)) { // if take() fails, another thread runs this range
      Region region = pool.region;
      run_phases(&region, self, phase, true, PATIENCE);
      return;
    }
    wait_a_little(n, PHASE_PAUSES);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Workers
// ---------------------------------------------------------------------------------------------------------------------


static bool has_news(const Place *place) {
  return atomic_load(&pool.end) != place->seen || atomic_load(&pool.begun) != place->begun || atomic_load(&pool.stop);
}


static void sleep_for_news(Place *place) {
  pthread_mutex_lock(&place->mutex);
  // Set `asleep` before checking for work, so that no wake-up is lost.
  atomic_store(&place->asleep, true);
  while (!has_news(place)) {
    pthread_cond_wait(&place->wake, &place->mutex);
  }
  atomic_store(&place->asleep, false);
  pthread_mutex_unlock(&place->mutex);
}


// Wait for a while without sleeping, because inside a step the next loop begins soon.
static bool watch_for_news(const Place *place) {
  for (int n = 0; n < IDLE_PAUSES && atomic_load_explicit(&pool.awake, memory_order_relaxed); ++n) {
    if (has_news(place)) {
      return true;
    }
    if (atomic_load_explicit(&pool.crowded, memory_order_relaxed)) {
      n += IDLE_PAUSES / 20; // a yield takes much longer than a pause
    }
    wait_a_little(n, IDLE_PAUSES);
  }
  return false;
}


static void *work(void *argument) {
  Place *place = argument;
  impi_float_state_enter();
  while (!atomic_load(&pool.stop)) {
    if (!watch_for_news(place)) {
      sleep_for_news(place);
    }
    place->begun = atomic_load(&pool.begun);
    place->seen = atomic_load(&pool.end);
    take_part((int)(place - pool.places));
  }
  return NULL;
}


static void wake(Place *place) {
  if (atomic_load(&place->asleep)) {
    pthread_mutex_lock(&place->mutex);
    pthread_cond_signal(&place->wake);
    pthread_mutex_unlock(&place->mutex);
  }
}


// Start a worker with all signals blocked, because signals are for the threads of the host program.
static bool start_worker(Place *place) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_mutex_init(&place->mutex, NULL);
  pthread_cond_init(&place->wake, NULL);
  atomic_store(&place->asleep, false);
  place->seen = atomic_load(&pool.end);
  place->begun = atomic_load(&pool.begun);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&place->thread, NULL, work, place) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!started) {
    pthread_cond_destroy(&place->wake);
    pthread_mutex_destroy(&place->mutex);
  }
  return started;
}


static void stop_workers(void) {
  atomic_store(&pool.stop, true);
  for (int i = 1; i <= pool.workers; ++i) {
    wake(&pool.places[i]);
  }
  for (int i = 1; i <= pool.workers; ++i) {
    pthread_join(pool.places[i].thread, NULL);
    pthread_cond_destroy(&pool.places[i].wake);
    pthread_mutex_destroy(&pool.places[i].mutex);
  }
  atomic_store(&pool.stop, false);
  pool.workers = 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Fork
// ---------------------------------------------------------------------------------------------------------------------


static void before_fork(void) { pthread_mutex_lock(&pool.lock); }


static void after_fork_in_parent(void) { pthread_mutex_unlock(&pool.lock); }


// Only the thread that forked exists in the child. A step whose handler forked continues without workers.
static void after_fork_in_child(void) {
  pool.workers = 0;
  for (int i = 1; i < IMPI_MAX_THREADS; ++i) {
    atomic_store(&pool.places[i].asleep, false);
  }
  if (!pthread_equal(pool.owner, pthread_self())) {
    pool.busy = false;
  }
  pthread_mutex_unlock(&pool.lock);
}


// ---------------------------------------------------------------------------------------------------------------------
// Teams
// ---------------------------------------------------------------------------------------------------------------------


static int count_processors(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return CPU_COUNT(&set);
  }
#endif
#if defined(_SC_NPROCESSORS_ONLN)
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
#else
  return 2;
#endif
}


// Give the pool to a team, and start the workers that are missing, as far as possible.
static void borrow(ImpiTeam *team, int threads) {
  pool.busy = true;
  pool.owner = pthread_self();
  if (!pool.hooked) {
    pool.processors = count_processors();
    pool.hooked = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  }
  while (pool.hooked && pool.workers < threads - 1 && start_worker(&pool.places[pool.workers + 1])) {
    pool.workers++;
  }
  team->threads = threads <= pool.workers ? threads : pool.workers + 1;
  uint64_t end = atomic_load(&pool.end);
  for (int i = 0; i < IMPI_MAX_THREADS; ++i) {
    atomic_store_explicit(&pool.places[i].word, i < team->threads ? 2 * end : NOBODY, memory_order_release);
  }
  atomic_store(&pool.crowded, team->threads > pool.processors);
  atomic_store(&pool.awake, true);
  atomic_fetch_add(&pool.begun, 1);
  for (int i = 1; i < team->threads; ++i) {
    wake(&pool.places[i]);
  }
}


void impi_team_begin(ImpiTeam *team, int threads) {
  team->threads = 1;
  if (threads < 2) {
    return;
  }
  pthread_mutex_lock(&pool.lock);
  if (!team->member) {
    team->member = true;
    pool.members++;
  }
  if (!pool.busy) {
    borrow(team, threads < IMPI_MAX_THREADS ? threads : IMPI_MAX_THREADS);
  }
  pthread_mutex_unlock(&pool.lock);
}


void impi_team_end(ImpiTeam *team) {
  if (team->threads < 2) {
    return;
  }
  team->threads = 1;
  pthread_mutex_lock(&pool.lock);
  pool.busy = false;
  atomic_store(&pool.awake, false);
  pthread_mutex_unlock(&pool.lock);
}


void impi_team_leave(ImpiTeam *team) {
  if (!team->member) {
    return;
  }
  team->member = false;
  pthread_mutex_lock(&pool.lock);
  if (--pool.members == 0) {
    stop_workers();
  }
  pthread_mutex_unlock(&pool.lock);
}


void impi_parallel_phases(const ImpiTeam *team, const ImpiPhase *phases, int phase_count) {
  if (team->threads < 2 || inside || phase_count == 0) {
    run_alone(phases, phase_count);
    return;
  }
  uint64_t begin = atomic_load_explicit(&pool.end, memory_order_relaxed);
  pool.region = (Region){phases, begin, begin + (uint64_t)phase_count, team->threads};
  Region region = pool.region;
  atomic_store(&pool.end, region.end);
  for (int i = 1; i < team->threads; ++i) {
    wake(&pool.places[i]);
  }
  run_phases(&region, 0, begin, false, PATIENCE);
}

#else


void impi_team_begin(ImpiTeam *team, int threads) {
  (void)threads;
  team->threads = 1;
}


void impi_team_end(ImpiTeam *team) { team->threads = 1; }


void impi_team_leave(ImpiTeam *team) { team->member = false; }


void impi_parallel_phases(const ImpiTeam *team, const ImpiPhase *phases, int phase_count) {
  (void)team;
  run_alone(phases, phase_count);
}

#endif


void impi_parallel(const ImpiTeam *team, int count, int grain, ImpiRangeFn run, void *context) {
  ImpiPhase phase = {run, context, count, grain};
  if (ranges_of(team->threads, count, grain) < 2) {
    run_alone(&phase, 1);
    return;
  }
  impi_parallel_phases(team, &phase, 1);
}


double impi_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
