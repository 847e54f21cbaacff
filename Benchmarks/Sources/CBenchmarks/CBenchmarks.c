#include "CBenchmarks.h"

#include <pthread.h>
#include <time.h>

int64_t benchmarks_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t benchmarks_processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((noinline)) void benchmarks_counted(void (*body)(void *), void *argument) {
  body(argument);
  __asm__ volatile("");  // or it would be a jump, which callgrind does not see the end of
}

struct work {
  void (*body)(void *);
  void *argument;
};

static void *run(void *work) {
  ((struct work *)work)->body(((struct work *)work)->argument);
  return NULL;
}

int benchmarks_run_on_stack(size_t bytes, void (*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  struct work work = {body, argument};
  int error = pthread_attr_init(&attributes);
  if (!error) error = pthread_attr_setstacksize(&attributes, bytes);
  if (!error) error = pthread_create(&thread, &attributes, run, &work);
  if (!error) error = pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return error;
}
