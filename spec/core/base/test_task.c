// The worker pool: loops over items, phases, teams, forks; at the end no worker thread remains.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/float_state.h"
#include "base/task.h"
#include "check.h"

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer is slow, has its own thread, and cannot start threads after a fork.
#define REPEAT(n) ((n) / 20 + 1)
#define OWN_THREADS 2
#define CAN_FORK false
#else
#define REPEAT(n) (n)
#define OWN_THREADS 1
#define CAN_FORK true
#endif

#define ITEMS 10007

typedef struct Load {
  uint32_t item[ITEMS];        // each item is written by the worker whose range contains it
  int first[IMPI_MAX_THREADS]; // first item of each worker's range

} Load;


// Return the number of threads of this process, or -1 where /proc is missing.
static int threads_alive(void) {
  DIR *dir = opendir("/proc/self/task");
  if (dir == NULL) {
    return -1;
  }
  int count = 0;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    count += entry->d_name[0] != '.';
  }
  closedir(dir);
  return count;
}


// Wait until the system has removed joined threads from its list.
static bool no_worker_left(void) {
  for (int i = 0; i < 1000 && threads_alive() > OWN_THREADS; ++i) {
    usleep(1000);
  }
  return threads_alive() <= OWN_THREADS;
}


static void add_one(void *context, int first, int count, int worker) {
  Load *load = context;
  load->first[worker] = first;
  for (int i = first; i < first + count; ++i) {
    load->item[i] += 1;
  }
}


// Compute each item from items that other ranges wrote in the previous phase.
static void mix(const uint32_t *from, uint32_t *to, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    to[i] = from[i] * 1664525u + from[(i + 1) % ITEMS] + from[(i + ITEMS / 2) % ITEMS] * 22695477u;
  }
}


typedef struct Mixing {
  uint32_t a[ITEMS], b[ITEMS];
} Mixing;


static void mix_a_to_b(void *context, int first, int count, int worker) {
  (void)worker;
  mix(((Mixing *)context)->a, ((Mixing *)context)->b, first, count);
}


static void mix_b_to_a(void *context, int first, int count, int worker) {
  (void)worker;
  mix(((Mixing *)context)->b, ((Mixing *)context)->a, first, count);
}


// Run all phases twice in each round.
static uint32_t mixed(int threads, int rounds, int phases) {
  Mixing mixing = {{1}, {0}};
  ImpiPhase list[40];
  for (int i = 0; i < phases; ++i) {
    // Every fifth phase has a single range with all items.
    list[i] = (ImpiPhase){i % 2 == 0 ? mix_a_to_b : mix_b_to_a, &mixing, ITEMS, i % 5 == 4 ? ITEMS : 1 + 100 * i};
  }
  ImpiTeam team = {0};
  for (int i = 0; i < rounds; ++i) {
    impi_team_begin(&team, threads);
    impi_parallel_phases(&team, list, phases);
    impi_parallel_phases(&team, list, phases);
    impi_team_end(&team);
  }
  impi_team_leave(&team);
  uint32_t sum = 0;
  for (int i = 0; i < ITEMS; ++i) {
    sum = sum * 31 + mixing.a[i] + 17 * mixing.b[i];
  }
  return sum;
}


static void each_item_is_run_once(void) {
  Load *load = calloc(1, sizeof *load);
  for (int threads = 1; threads <= 8; ++threads) {
    ImpiTeam team = {0};
    memset(load, 0, sizeof *load);
    impi_team_begin(&team, threads);
    for (int i = 0; i < REPEAT(300); ++i) {
      impi_parallel(&team, ITEMS, 1, add_one, load);
    }
    for (int worker = 0; worker < team.threads; ++worker) {
      CHECK(load->first[worker] == impi_range_first(team.threads, ITEMS, 1, worker));
    }
    impi_team_end(&team);
    impi_team_leave(&team);
    bool once = true;
    for (int i = 0; i < ITEMS; ++i) {
      once = once && load->item[i] == (uint32_t)REPEAT(300);
    }
    CHECK(once);
  }
  free(load);
  CHECK(no_worker_left());
}


static void ranges_cover_a_loop_and_are_at_least_the_grain(void) {
  for (int threads = 1; threads <= IMPI_MAX_THREADS; threads += threads < 8 ? 1 : 7) {
    for (int count = 0; count < 300; count += count < 40 ? 1 : 13) {
      for (int grain = 1; grain < 60; grain += 1 + grain / 3) {
        CHECK(impi_range_first(threads, count, grain, 0) == 0);
        CHECK(impi_range_first(threads, count, grain, threads) == count);
        for (int worker = 0; worker < threads; ++worker) {
          int first = impi_range_first(threads, count, grain, worker);
          int size = impi_range_first(threads, count, grain, worker + 1) - first;
          CHECK(size == 0 || size == count || size >= grain);
        }
      }
    }
  }
}


static void a_phase_reads_the_results_of_all_earlier_phases(void) {
  uint32_t expected = mixed(1, REPEAT(10), 40);
  for (int threads = 2; threads <= 8; ++threads) {
    CHECK(mixed(threads, REPEAT(10), 40) == expected);
  }
  CHECK(mixed(IMPI_MAX_THREADS, REPEAT(10), 40) == expected);
  CHECK(no_worker_left());
}


typedef struct Outer {
  Load *load;
  ImpiTeam *team;
} Outer;


static void run_inner(void *context, int first, int count, int worker) {
  (void)worker;
  Outer *outer = context;
  for (int i = first; i < first + count; ++i) {
    Load *own = &outer->load[i];
    impi_parallel(outer->team, ITEMS, 1, add_one, own); // a nested loop of the team that runs this loop
    ImpiTeam other = {0};
    impi_team_begin(&other, 3); // a second team, which begins inside the loop of the first team
    impi_parallel(&other, ITEMS, 1, add_one, own);
    impi_team_end(&other);
    impi_team_leave(&other);
  }
}


static void loops_inside_loops_run_on_one_thread(void) {
  enum { OUTER = 6 };
  Load *loads = calloc(OUTER, sizeof *loads);
  ImpiTeam team = {0};
  Outer outer = {loads, &team};
  impi_team_begin(&team, 3);
  impi_parallel(&team, OUTER, 1, run_inner, &outer);
  impi_team_end(&team);
  impi_team_leave(&team);
  for (int k = 0; k < OUTER; ++k) {
    bool twice = true;
    for (int i = 0; i < ITEMS; ++i) {
      twice = twice && loads[k].item[i] == 2;
    }
    CHECK(twice);
  }
  free(loads);
  CHECK(no_worker_left());
}


// A team begins inside a step of another team, for example when a handler steps a second world.
static void a_team_inside_a_step_runs_on_one_thread(void) {
  Load *load = calloc(1, sizeof *load);
  ImpiTeam outer = {0}, inner = {0};
  impi_team_begin(&outer, 2);
  impi_team_begin(&inner, 2);
  CHECK(inner.threads == 1);
  impi_parallel(&inner, ITEMS, 1, add_one, load);
  impi_parallel(&outer, ITEMS, 1, add_one, load);
  impi_team_end(&inner);
  impi_team_leave(&inner);
  impi_parallel(&outer, ITEMS, 1, add_one, load);
  impi_team_end(&outer);
  CHECK(load->item[0] == 3 && load->item[ITEMS - 1] == 3);
  impi_team_leave(&outer);
  free(load);
  CHECK(no_worker_left());
}


typedef struct Client {
  pthread_t thread;
  int threads;
  uint32_t sum;
} Client;


static void *run_client(void *argument) {
  Client *client = argument;
  client->sum = mixed(client->threads, REPEAT(60), 12);
  return NULL;
}


static void many_threads_can_have_teams_at_once(void) {
  enum { CLIENTS = 6 };
  uint32_t expected = mixed(1, REPEAT(60), 12);
  Client clients[CLIENTS];
  for (int i = 0; i < CLIENTS; ++i) {
    clients[i].threads = 1 + i;
    CHECK(pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) == 0);
  }
  for (int i = 0; i < CLIENTS; ++i) {
    pthread_join(clients[i].thread, NULL);
    CHECK(clients[i].sum == expected);
  }
  CHECK(no_worker_left());
}


static void a_thousand_teams_leave_no_thread(void) {
  Load *load = calloc(1, sizeof *load);
  for (int i = 0; i < REPEAT(1000); ++i) {
    ImpiTeam a = {0}, b = {0};
    impi_team_begin(&a, 2 + i % 3);
    impi_parallel(&a, 64, 1, add_one, load);
    impi_team_end(&a);
    impi_team_begin(&b, 2);
    impi_team_end(&b);
    impi_team_leave(&a);
    CHECK(threads_alive() != OWN_THREADS); // team b still needs a worker
    impi_team_leave(&b);
    impi_team_leave(&b); // a second leave has no effect
  }
  CHECK(load->item[0] == (uint32_t)REPEAT(1000));
  free(load);
  CHECK(no_worker_left());
}


// Fork a child and return its exit code: 0 if the child computed `expected`.
static int child_of(ImpiTeam *team, uint32_t expected) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // after 60 s the signal ends the child, so a deadlock fails the test
    Load *load = calloc(1, sizeof *load);
    bool same = true;
    if (team != NULL) { // the child continues the step during which it was forked
      impi_parallel(team, ITEMS, 1, add_one, load);
      same = load->item[0] == 1 && load->item[ITEMS - 1] == 1;
      impi_team_end(team);
    }
    same = same && mixed(3, 5, 12) == expected;
    if (team != NULL) { // this is the only team of the child: when it leaves, all workers end
      impi_team_leave(team);
      same = same && no_worker_left();
    }
    free(load);
    _exit(same ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}


static atomic_bool stop_forking_load;


static void *keep_busy(void *argument) {
  (void)argument;
  while (!atomic_load(&stop_forking_load)) {
    mixed(2, 3, 12);
  }
  return NULL;
}


static void a_forked_process_creates_its_own_workers(void) {
  uint32_t expected = mixed(1, 5, 12);
  ImpiTeam team = {0};
  Load *load = calloc(1, sizeof *load);
  impi_team_begin(&team, 3);
  impi_parallel(&team, ITEMS, 1, add_one, load);
  CHECK(child_of(&team, expected) == 0); // fork inside a step of this thread
  impi_parallel(&team, ITEMS, 1, add_one, load);
  CHECK(load->item[0] == 2 && load->item[ITEMS - 1] == 2);
  impi_team_end(&team);
  CHECK(child_of(NULL, expected) == 0); // fork between steps
  impi_team_leave(&team);
  CHECK(child_of(NULL, expected) == 0);
  free(load);
  pthread_t busy[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(pthread_create(&busy[i], NULL, keep_busy, NULL) == 0);
  }
  for (int i = 0; i < REPEAT(20); ++i) { // meanwhile other threads run phases, and start and end workers
    CHECK(child_of(NULL, expected) == 0);
  }
  atomic_store(&stop_forking_load, true);
  for (int i = 0; i < 2; ++i) {
    pthread_join(busy[i], NULL);
  }
  CHECK(no_worker_left());
}


// A child process lowers the limit of processes, because the limit cannot be raised again.
static void loops_run_without_threads_that_cannot_be_created(void) {
  uint32_t expected = mixed(1, 5, 12);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    struct rlimit few = {1, 1};
    bool limited = setrlimit(RLIMIT_NPROC, &few) == 0;
    ImpiTeam team = {0};
    impi_team_begin(&team, 4);
    int threads = team.threads;
    impi_team_end(&team);
    bool same = mixed(4, 5, 12) == expected;
    impi_team_leave(&team);
    _exit(same && (threads == 1 || !limited || geteuid() == 0) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}


static void note_state(void *context, int first, int count, int worker) {
  (void)count;
  (void)worker;
  volatile float tiny = 1e-40f, one = 1, third = 3; // 1/3 depends on the rounding mode, 1e-40 on flush to zero
  usleep(1000);                                     // sleep, so that every worker runs a range
  ((float *)context)[first] = tiny * one + one / third;
  ((float *)context)[first + 8] = tiny * one;
}


static void workers_compute_with_the_default_rounding(void) {
  float got[16];
  uint64_t state = impi_float_state_enter();
#if defined(__SSE__)
  // Rounding toward 0, flush to zero: flags that a foreign library may set.
  __builtin_ia32_ldmxcsr(0x1f80u | 0x6000u | 0x8040u);
  uint32_t set = __builtin_ia32_stmxcsr(); // an emulator may support only some of the flags
  uint64_t odd = impi_float_state_enter();
#endif
  ImpiTeam team = {0};
  impi_team_begin(&team, 8);
  impi_parallel(&team, 8, 1, note_state, got);
  impi_team_end(&team);
  impi_team_leave(&team);
  for (int i = 0; i < 8; ++i) {
    CHECK(got[i] == 1.0f / 3.0f);
    CHECK(got[8 + i] == 1e-40f);
  }
#if defined(__SSE__)
  impi_float_state_leave(odd);
  CHECK(__builtin_ia32_stmxcsr() == set);
#endif
  impi_float_state_leave(state);
}


int main(void) {
  RUN(each_item_is_run_once);
  RUN(ranges_cover_a_loop_and_are_at_least_the_grain);
  RUN(a_phase_reads_the_results_of_all_earlier_phases);
  RUN(loops_inside_loops_run_on_one_thread);
  RUN(a_team_inside_a_step_runs_on_one_thread);
  RUN(many_threads_can_have_teams_at_once);
  RUN(a_thousand_teams_leave_no_thread);
  if (CAN_FORK) {
    RUN(a_forked_process_creates_its_own_workers);
    RUN(loops_run_without_threads_that_cannot_be_created);
  }
  RUN(workers_compute_with_the_default_rounding);
  return check_report("task");
}
