// What tests need and Swift cannot spell: `mallinfo2`, and a thread with a stack of a chosen size.
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>

// Bytes that the allocator has given out and not got back; negative where it cannot tell.
long testsupport_allocated_bytes(void);

// Runs `body(argument)` on a thread with that stack and waits for its end. Nonzero: the thread could not be made.
int testsupport_run_on_stack(
    size_t bytes, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

#endif
