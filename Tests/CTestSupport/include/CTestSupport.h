// What tests need and Swift cannot spell: `mallinfo2`, a thread with a stack of a chosen size, and the stacks of all threads.
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>
#include <stdint.h>

// Bytes that the allocator has given out and not got back; negative where it cannot tell.
long testsupport_allocated_bytes(void);

// Runs `body(argument)` on a thread with that stack and waits for its end. Nonzero: the thread could not be made.
int testsupport_run_on_stack(
    size_t bytes, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

// The stack of every thread of this process as text, which stays valid until the next call. Needs no other program and
// waits for no thread: one that does not answer within a second is named with what the kernel knows of it.
const char *_Nonnull testsupport_stacks(void);

// Writes `reason` and all stacks to standard error and ends the process with SIGABRT.
void testsupport_stop_with_stacks(const char *_Nonnull reason) __attribute__((noreturn));

// Ends the process in that way when it has used next to no processor time for EASYREACT_IDLE_SECONDS (600; 0: never), and when it has
// not ended within EASYREACT_LIFE_SECONDS (never). Every process that loads this does so by itself.
void testsupport_watch_process(void);

// Lets another thread run: a listener that does so is found "inside" by others even on one processor.
void testsupport_let_others_run(void);

// What this is built with: 1 ThreadSanitizer, 2 AddressSanitizer, 0 neither.
int testsupport_sanitizer(void);

// ThreadSanitizer is not confused by the compiler's notes of accesses to whole structures; see Sanitizer.c.
int testsupport_sanitizer_is_sharp(void);

#endif
