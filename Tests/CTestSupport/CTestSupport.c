#include "CTestSupport.h"

#include <pthread.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

long testsupport_allocated_bytes(void) {
#if defined(__GLIBC__)
  struct mallinfo2 info = mallinfo2();
  return (long)info.uordblks + (long)info.hblkhd;
#else
  return -1;
#endif
}

struct work {
  void (*body)(void *);
  void *argument;
};

static void *run(void *work) {
  ((struct work *)work)->body(((struct work *)work)->argument);
  return NULL;
}

int testsupport_run_on_stack(size_t bytes, void (*body)(void *), void *argument) {
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
