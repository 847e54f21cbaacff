// The executable's `malloc` and its relatives come before the C library's, for every library of the process. They count
// while counting is on; else they cost the test of a flag. glibc only: elsewhere the counts are zero.
#include "CBenchmarks.h"

#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int isCounting;
static int64_t allocations, bytes, returned;

static const int64_t blockHeader = 8;

static void *counted(void *block) {
  if (__atomic_load_n(&isCounting, __ATOMIC_RELAXED) && block) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(
        &bytes, (int64_t)malloc_usable_size(block) + blockHeader, __ATOMIC_RELAXED);
  }
  return block;
}

static void countReturned(void *block) {
  if (__atomic_load_n(&isCounting, __ATOMIC_RELAXED) && block)
    __atomic_fetch_add(
        &returned, (int64_t)malloc_usable_size(block) + blockHeader, __ATOMIC_RELAXED);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *block = counted(__libc_memalign(alignment, size));
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void *realloc(void *block, size_t size) {
  countReturned(block);
  return counted(__libc_realloc(block, size));
}

void free(void *block) {
  countReturned(block);
  __libc_free(block);
}

void benchmarks_start_counting(void) {
  allocations = bytes = returned = 0;
  __atomic_store_n(&isCounting, 1, __ATOMIC_SEQ_CST);
}

benchmarks_allocations benchmarks_stop_counting(void) {
  __atomic_store_n(&isCounting, 0, __ATOMIC_SEQ_CST);
  return (benchmarks_allocations){allocations, bytes, bytes - returned};
}
#else
void benchmarks_start_counting(void) {}
benchmarks_allocations benchmarks_stop_counting(void) {
  return (benchmarks_allocations){0, 0, 0};
}
#endif
