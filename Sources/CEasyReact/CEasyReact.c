#define _GNU_SOURCE
#include "CEasyReact.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

_Thread_local void *easyreact_turn = NULL;
// On a cache line of its own: every set writes it.
_Alignas(128) unsigned long easyreact_waves = 1;
_Alignas(128) int easyreact_traced = 0;
long easyreact_unsettled = 0;
long easyreact_batches = 0;

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

void easyreact_doze(void) { nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); }

bool easyreact_is_main_thread(void) {
#if defined(__linux__)
  return getpid() == (pid_t)syscall(SYS_gettid);
#else
  return pthread_main_np() != 0;
#endif
}

unsigned long easyreact_thread_number(void) {
  static unsigned long numbers = 0;
  static _Thread_local unsigned long number = 0;
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

void easyreact_surgery_lock(void) { pthread_mutex_lock(&surgery); }
void easyreact_surgery_unlock(void) { pthread_mutex_unlock(&surgery); }
