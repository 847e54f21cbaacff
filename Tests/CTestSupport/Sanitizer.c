// What ThreadSanitizer cannot see in a Swift program on Linux, and must be told or told to leave. Nothing here says "ignore
// this function": every load, store and atomic operation of the library and the tests stays watched.
#define _GNU_SOURCE
#include "CTestSupport.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

int testsupport_sanitizer(void) {
#if __has_feature(thread_sanitizer)
  return 1;
#elif __has_feature(address_sanitizer)
  return 2;
#else
  return 0;
#endif
}

#if __has_feature(address_sanitizer)
// At the end of a test process much is reachable only through Swift's own run time, which the search for leaks does not know.
// Leaks are looked for by tests of their own, with counts.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

#if __has_feature(thread_sanitizer) && defined(__linux__)
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// 1. A contended Mutex. Synchronization.Mutex is inlined where nobody waits; where somebody does, libswiftSynchronization, which
// is not instrumented, asks the kernel, and the sanitizer does not learn that one thread has handed the lock to another. These
// stand in front of its two functions and say so.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define swift_function __attribute__((swiftcall))
#define swift_self __attribute__((swift_context))

swift_function void lock_slowly(uint32_t thread, swift_self void *handle) __asm__(
    "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
swift_function void unlock_slowly(swift_self void *handle) __asm__(
    "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

swift_function void lock_slowly(uint32_t thread, swift_self void *handle) {
  typedef swift_function void (*function)(uint32_t, swift_self void *);
  function real = (function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  real(thread, handle);
  __tsan_acquire(handle);
}

swift_function void unlock_slowly(swift_self void *handle) {
  typedef swift_function void (*function)(swift_self void *);
  function real = (function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  __tsan_release(handle);
  real(handle);
}

// 2. "Swift access races". For `pointer.pointee.field = x` the compiler tells the sanitizer of an access to the whole of
// `pointee`, reported as one to its first byte, besides the store to the field. A core, an edge and a turn are blocks whose
// fields have guards of their own (the holder, a short lock, an atomic), so two threads often touch two fields of one block.
// Reports of this kind are dropped; the loads and stores themselves are reported as data races as ever.
int __tsan_get_report_data(
    void *report, const char **description, int *count, int *stack_count, int *mop_count, int *loc_count, int *mutex_count,
    int *thread_count, int *unique_tid_count, void **sleep_trace, unsigned long trace_size);

// True: not printed, and not counted. A hook of the sanitizer's run time (`__tsan::OnReport`).
bool is_report_unwanted(void *report, bool is_suppressed) __asm__("_ZN6__tsan8OnReportEPKNS_10ReportDescEb");
__attribute__((disable_sanitizer_instrumentation)) bool is_report_unwanted(void *report, bool is_suppressed) {
  const char *kind = "";
  int count;
  void *trace[1];
  __tsan_get_report_data(report, &kind, &count, &count, &count, &count, &count, &count, &count, trace, 1);
  bool is_external_race = kind[0] == 'e' && kind[1] == 'x';  // "external-race"; no call into libc from here
  return is_suppressed || is_external_race;
}

#endif
