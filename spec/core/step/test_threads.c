// Worlds whose steps use several threads give equal bits for any number of threads. No thread is left when the last
// world is destroyed.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threaded_scenes.h"

#if defined(__SANITIZE_THREAD__) // the sanitizer cannot start threads after a fork
#define OWN_THREADS 2
#define CAN_FORK false
#define STEPS 6
#else
#define OWN_THREADS 1
#define CAN_FORK true
#define STEPS 24
#endif

#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))


// Return the number of threads of the process, or OWN_THREADS if the number is unknown.
static int threads_alive(void) {
  DIR *dir = opendir("/proc/self/task");
  if (dir == NULL) return OWN_THREADS;
  int count = 0;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}


// Wait until no worker is left. A joined thread stays in the list until the system has removed it.
static bool no_worker_left(void) {
  for (int i = 0; i < 1000 && threads_alive() > OWN_THREADS; ++i) usleep(1000);
  return threads_alive() <= OWN_THREADS;
}


static uint64_t hash_after(int scene, int threads, int lanes, int steps) {
  ImpWorld *world = threaded_scene(scene, threads);
  set_world(world, IMP_WORLD_LANES, lanes);
  run(world, steps);
  uint64_t hash = imp_world_hash(world);
  MUST(imp_world_destroy(world));
  return hash;
}


static void any_number_of_threads_gives_the_same_bits(void) {
  static const int counts[] = {2, 3, 4, 8};
  for (int scene = 0; scene < THREADED_SCENES; ++scene) {
    uint64_t expected = hash_after(scene, 1, 0, STEPS);
    for (int i = 0; i < LENGTH(counts); ++i) CHECK(hash_after(scene, counts[i], 0, STEPS) == expected);
  }
  CHECK(no_worker_left());
}


static void any_number_of_lanes_gives_the_same_bits(void) {
  static const int lanes[] = {1, 4, 8, 16};
  for (int scene = 0; scene < THREADED_SCENES; ++scene) {
    uint64_t expected = hash_after(scene, 1, 0, STEPS / 3);
    for (int i = 0; i < LENGTH(lanes); ++i) CHECK(hash_after(scene, 2 + i % 2, lanes[i], STEPS / 3) == expected);
  }
}


static void the_number_of_threads_can_change_between_steps(void) {
  static const int counts[] = {3, 1, 2, 8, 1, 5};
  uint64_t expected = hash_after(1, 1, 0, STEPS);
  ImpWorld *world = threaded_scene(1, 2);
  for (int i = 0; i < STEPS; ++i) {
    set_world(world, IMP_WORLD_THREADS, counts[i % LENGTH(counts)]);
    run(world, 1);
    CHECK(counts[i % LENGTH(counts)] > 1 || no_worker_left());
  }
  CHECK(imp_world_hash(world) == expected);
  MUST(imp_world_destroy(world));
  CHECK(no_worker_left());
}


static void small_scenes_stay_on_one_thread(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_ground(world, material(1, 0.6, 0), 0);
  for (int i = 0; i < 100; ++i) drop_box(world, material(1, 0.6, 0), i % 10, 0.5 + (double)(i / 10));
  set_world(world, IMP_WORLD_THREADS, 4);
  run(world, 30);
  CHECK(threads_alive() == OWN_THREADS);
  MUST(imp_world_destroy(world));
  world = threaded_scene(0, 4);
  run(world, 30);
  CHECK(threads_alive() == OWN_THREADS + 3); // a large scene uses threads
  MUST(imp_world_destroy(world));
  CHECK(no_worker_left());
}


static void the_number_of_threads_is_not_part_of_the_state(void) {
  ImpWorld *one = threaded_scene(1, 1), *many = threaded_scene(1, 4);
  run(one, 20);
  run(many, 20);
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(one, &bytes, &size));
  MUST(imp_world_restore(many, bytes, size));
  double threads = 0;
  MUST(imp_world_get(many, IMP_WORLD_THREADS, &threads));
  CHECK(threads == 4);
  run(one, 20);
  run(many, 20);
  CHECK(imp_world_hash(one) == imp_world_hash(many));
  imp_snapshot_free(bytes);
  MUST(imp_world_destroy(one));
  MUST(imp_world_destroy(many));
}


static void a_number_of_threads_out_of_range_is_refused(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  static const double wrong[] = {0, -1, 65, 1.5, 1e9};
  for (int i = 0; i < LENGTH(wrong); ++i) {
    CHECK(imp_world_set(world, IMP_WORLD_THREADS, wrong[i]) == IMP_ERR_ARGUMENT);
  }
  set_world(world, IMP_WORLD_THREADS, 64);
  MUST(imp_world_destroy(world));
}


typedef struct Client {
  pthread_t thread;
  int scene, threads;
  uint64_t hash;
} Client;


static void *run_client(void *argument) {
  Client *client = argument;
  client->hash = hash_after(client->scene, client->threads, 0, STEPS / 2);
  return NULL;
}


static void many_worlds_can_step_at_once(void) {
  Client clients[5];
  uint64_t expected[LENGTH(clients)];
  for (int i = 0; i < LENGTH(clients); ++i) expected[i] = hash_after(i, 1, 0, STEPS / 2);
  for (int i = 0; i < LENGTH(clients); ++i) {
    clients[i] = (Client){.scene = i, .threads = 1 + i};
    CHECK(pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) == 0);
  }
  for (int i = 0; i < LENGTH(clients); ++i) {
    pthread_join(clients[i].thread, NULL);
    CHECK(clients[i].hash == expected[i]);
  }
  CHECK(no_worker_left());
}


// Actions inside a step: another world is stepped, created and destroyed, or the process forks.
typedef struct Handler {
  ImpWorld *other;
  int calls, fork_at;
  bool child;
} Handler;


static void step_the_other(ImpWorld *world, double h, void *user) {
  (void)world;
  (void)h;
  Handler *handler = user;
  run(handler->other, 1);
  if (++handler->calls % 16 == 0) {
    MUST(imp_world_destroy(handler->other));
    handler->other = threaded_scene(0, 3);
  }
}


static void fork_once(ImpWorld *world, double h, void *user) {
  (void)world;
  (void)h;
  Handler *handler = user;
  if (handler->calls++ == handler->fork_at) {
    pid_t child = fork();
    handler->child = child == 0;
    int status = -1;
    if (child == 0) {
      alarm(300); // a deadlock fails after 300 s
    } else {
      waitpid(child, &status, 0);
      CHECK(status == 0);
    }
  }
}


// Return the hash after 20 steps with a handler.
static uint64_t handled(ImpSubstepFn handle, Handler *handler, int threads) {
  ImpWorld *world = threaded_scene(1, threads);
  imp_world_set_substep_callback(world, handle, handler);
  run(world, 20);
  uint64_t hash = imp_world_hash(world);
  MUST(imp_world_destroy(world));
  return hash;
}


static void a_handler_can_step_another_world(void) {
  Handler handler = {.other = threaded_scene(0, 2)};
  uint64_t expected = handled(step_the_other, &handler, 1);
  MUST(imp_world_destroy(handler.other));
  handler = (Handler){.other = threaded_scene(0, 2)};
  CHECK(handled(step_the_other, &handler, 2) == expected);
  MUST(imp_world_destroy(handler.other));
  CHECK(no_worker_left());
}


static void a_fork_inside_a_step_is_two_worlds_with_the_same_future(void) {
  Handler handler = {.fork_at = -1};
  uint64_t expected = handled(fork_once, &handler, 1);
  handler = (Handler){.fork_at = 33};
  bool same = handled(fork_once, &handler, 3) == expected;
  if (handler.child) _exit(same && no_worker_left() ? 0 : 1);
  CHECK(same);
  CHECK(no_worker_left());
}


static void a_step_rounds_to_nearest_in_any_float_state(void) {
#if defined(__SSE__)
  uint64_t expected = hash_after(1, 2, 0, 20);
  ImpWorld *world = threaded_scene(1, 2);
  unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x6000u | 0x8040u); // truncation and flush to zero
  unsigned set = __builtin_ia32_stmxcsr();
  for (int i = 0; i < 20; ++i) {
    CHECK(imp_world_step(world) == IMP_OK);
    CHECK(__builtin_ia32_stmxcsr() == set);
  }
  __builtin_ia32_ldmxcsr(before);
  CHECK(imp_world_hash(world) == expected);
  MUST(imp_world_destroy(world));
#endif
}


int main(void) {
  RUN(any_number_of_threads_gives_the_same_bits);
  RUN(any_number_of_lanes_gives_the_same_bits);
  RUN(the_number_of_threads_can_change_between_steps);
  RUN(small_scenes_stay_on_one_thread);
  RUN(the_number_of_threads_is_not_part_of_the_state);
  RUN(a_number_of_threads_out_of_range_is_refused);
  RUN(many_worlds_can_step_at_once);
  RUN(a_handler_can_step_another_world);
  if (CAN_FORK) RUN(a_fork_inside_a_step_is_two_worlds_with_the_same_future);
  RUN(a_step_rounds_to_nearest_in_any_float_state);
  return check_report("threads");
}
