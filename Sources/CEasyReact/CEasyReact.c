#define _GNU_SOURCE
#include "CEasyReact.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

__thread void *easyreact_turn = NULL;
__thread void *easyreact_reads = NULL;
__thread int32_t easyreact_batches = 0;
// On a cache line of its own: every set writes it.
_Alignas(128) uint64_t easyreact_waves = 1;
_Alignas(128) int32_t easyreact_traced = 0;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*ended)(void *);  // always the same function; written by every thread, hence atomic

static void thread_ended(void *turn) {
  // A later thread-exit hook may use the library again: it then makes itself a new turn.
  easyreact_turn = NULL;
  __atomic_load_n(&ended, __ATOMIC_ACQUIRE)(turn);
}

static void make_key(void) { pthread_key_create(&key, thread_ended); }

void easyreact_turn_set(void *turn, void (*end)(void *)) {
  __atomic_store_n(&ended, end, __ATOMIC_RELEASE);
  pthread_once(&once, make_key);
  pthread_setspecific(key, turn);
  easyreact_turn = turn;
}

void easyreact_yield(void) { sched_yield(); }

static uint32_t naps = 0;

void easyreact_nap(uint32_t microseconds) {
  __atomic_fetch_add(&naps, 1, __ATOMIC_RELAXED);
  nanosleep(&(struct timespec){.tv_nsec = 1000L * microseconds}, NULL);
}

void easyreact_wait(uint32_t round) {
  if (round < 32) {
    for (int i = 0; i < 16; i++) easyreact_pause();
  } else if (round < 64) {
    sched_yield();
  } else {
    // 15 microseconds, twice as long after every eight rounds, a millisecond at most.
    uint32_t doublings = (round - 64) / 8;
    easyreact_nap(doublings >= 6 ? 960 : 15u << doublings);
  }
}

uint32_t easyreact_naps(void) { return __atomic_load_n(&naps, __ATOMIC_RELAXED); }

bool easyreact_is_main_thread(void) {
#if defined(__linux__)
  return getpid() == (pid_t)syscall(SYS_gettid);
#else
  return pthread_main_np() != 0;
#endif
}

uint64_t easyreact_thread_number(void) {
  static uint64_t numbers = 0;
  static _Thread_local uint64_t number = 0;
  if (number == 0) number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  return number;
}

bool easyreact_is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

void easyreact_retain_barrier(void) {}

static pthread_mutex_t surgery = PTHREAD_MUTEX_INITIALIZER;

void easyreact_topology_lock(void) { pthread_mutex_lock(&surgery); }
void easyreact_topology_unlock(void) { pthread_mutex_unlock(&surgery); }
