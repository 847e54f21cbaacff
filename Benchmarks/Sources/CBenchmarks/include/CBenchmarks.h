// What the benchmarks need and Swift cannot spell: counting allocations, and a function that callgrind can find by name.
#ifndef CBENCHMARKS_H
#define CBENCHMARKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t allocations;  // calls that gave out memory
  int64_t bytes;        // given out, with the allocator's own eight bytes a block
  int64_t live;         // given out less got back
} benchmarks_allocations;

// Starts counting from zero, on all threads.
void benchmarks_start_counting(void);
// Stops, and tells what was counted. All zero where the allocator cannot be stood in front of.
benchmarks_allocations benchmarks_stop_counting(void);

// Nanoseconds of a clock that only goes forward.
int64_t benchmarks_now(void);
// Nanoseconds that this thread has had a processor for.
int64_t benchmarks_processor_time(void);

// Calls `body(argument)`. callgrind counts what runs inside: --toggle-collect=benchmarks_counted
void benchmarks_counted(void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

// Runs `body(argument)` on a thread with that stack, and waits. Nonzero: the thread could not be made.
int benchmarks_run_on_stack(
    size_t bytes, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

#endif
