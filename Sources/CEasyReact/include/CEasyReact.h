// What Swift cannot spell: a thread-local pointer (Swift has none that costs nothing) and some
// functions of its run time. Everything here is private to EasyReact.
#ifndef CEASYREACT_H
#define CEASYREACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A client in C++, which has no `_Thread_local`, links with the same C.
#ifdef __cplusplus
extern "C" {
#endif

// The turn of this thread (Engine/Flow/Turn.swift), or null before its first use of the library.
// `extern` in the header so that the read is one instruction in the caller's own code.
extern __thread void *_Nullable easyreact_turn;

static inline void *_Nullable easyreact_turn_get(void) { return easyreact_turn; }

// Where the derivation whose closure runs on this thread notes what it reads (Operators/Derivation.swift), or null.
extern __thread void *_Nullable easyreact_reads;

static inline void *_Nullable easyreact_reads_get(void) { return easyreact_reads; }
static inline void easyreact_reads_set(void *_Nullable reads) { easyreact_reads = reads; }

// Sets the turn of this thread and arranges for `end` to be called with it when the thread ends.
void easyreact_turn_set(void *_Nonnull turn, void (*_Nonnull end)(void *_Nonnull));

// How many batches are open on this thread: a read of `value` must look in them.
extern __thread int32_t easyreact_batches;

static inline bool easyreact_is_batching(void) { return easyreact_batches != 0; }
static inline void easyreact_add_batches(int32_t by) { easyreact_batches += by; }

// A process-wide switch that hot paths look at: is a tracer installed? A plain load.
extern int32_t easyreact_traced;

// The number of the newest wave. 64 bits everywhere: it must not come round.
extern uint64_t easyreact_waves;

static inline uint64_t easyreact_new_wave(void) {
  return __atomic_add_fetch(&easyreact_waves, 1, __ATOMIC_RELAXED);
}
static inline bool easyreact_is_traced(void) {
  return __atomic_load_n(&easyreact_traced, __ATOMIC_RELAXED) != 0;
}
// Bits: what a tracer hears is made at all; a recording runs (EasyReactRecording.h).
enum { easyreact_heard_by_tracer = 1, easyreact_heard_by_recording = 2 };
static inline void easyreact_set_traced(int32_t hearers) {
  __atomic_store_n(&easyreact_traced, hearers, __ATOMIC_RELEASE);
}
static inline bool easyreact_has_tracer(void) {
  return (__atomic_load_n(&easyreact_traced, __ATOMIC_RELAXED) & easyreact_heard_by_tracer) != 0;
}

// Is this the thread that the process began with?
bool easyreact_is_main_thread(void);

// A number that no other thread of this process has or had: from one, by first call.
uint64_t easyreact_thread_number(void);

// The lock of the graph's shape. Of POSIX, not of Swift, because the thread sanitizer sees it under contention too.
void easyreact_topology_lock(void);
void easyreact_topology_unlock(void);

// Was this library built with an address sanitizer? Then blocks are not kept for reuse, which would hide from it who
// looks at a freed one.
bool easyreact_is_sanitized(void);

// Does nothing, where the optimiser cannot see it: a retain is not moved behind this call.
void easyreact_retain_barrier(void);

// Lets another thread run.
void easyreact_yield(void);
// One round of waiting for something that takes another thread a few instructions, and no lock of the system's; rounds
// count from zero. The first ones keep the core, the next ones leave it to threads of the same priority, the others
// sleep, so that a thread of any priority runs.
void easyreact_wait(uint32_t round);
// Sleeps for less than a second.
void easyreact_nap(uint32_t microseconds);
// How often a thread has slept here, in the whole process; for tests.
uint32_t easyreact_naps(void);

// A pause of a spinning processor.
static inline void easyreact_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Swift's own run time, stable since 5.0: retains an object unless its deinit has begun, in which
// case null; and the number of strong references to an object.
void *_Nullable swift_tryRetain(void *_Nonnull object);
size_t swift_retainCount(void *_Nonnull object);
// A reference that keeps the object's memory and nothing else, and the question whether its deinit has begun.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
void swift_unownedRelease(void *_Nonnull object);
bool swift_isDeallocating(void *_Nonnull object);

#ifdef __cplusplus
}
#endif

#include "EasyReactRecording.h"

#endif
