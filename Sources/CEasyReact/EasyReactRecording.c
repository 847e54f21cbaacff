#define _GNU_SOURCE
#include "CEasyReact.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void *swift_retain(void *object);
void swift_release(void *object);

// When what this thread did last was over: what it does next is somebody's own time.
static _Thread_local uint64_t mark = 0;

static uint64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The processor's counter, which costs a third of the clock. What it counts is found out when events are read, from how
// far both have come since the recording began.
static inline uint64_t now(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return nanoseconds();
#endif
}

static double nanoseconds_per_count(const struct easyreact_ring *ring) {
  uint64_t count = now() - ring->began;
  return count == 0 ? 0 : (double)(nanoseconds() - ring->began_nanoseconds) / (double)count;
}

// Held for a few dozen instructions; no user code runs under it, and no other lock is taken.
static void acquire(struct easyreact_ring *ring) {
  uint32_t round = 0;
  while (__atomic_exchange_n(&ring->lock, 1, __ATOMIC_ACQUIRE) != 0) {
    do easyreact_wait(round++);
    while (__atomic_load_n(&ring->lock, __ATOMIC_RELAXED) != 0);
  }
}
static void release(struct easyreact_ring *ring) { __atomic_store_n(&ring->lock, 0, __ATOMIC_RELEASE); }

struct easyreact_ring *easyreact_ring_make(
    uint64_t number, uint64_t capacity, uint64_t byte_capacity, uint32_t description_length, bool measures_time) {
  // No machine has an eighth of all addresses free; a sanitizer's `calloc` would stop without our message.
  if (capacity > SIZE_MAX / 8 / sizeof(struct easyreact_event)) return NULL;
  struct easyreact_event *events = calloc((size_t)capacity, sizeof *events);
  if (events == NULL) return NULL;
  struct easyreact_ring *ring = calloc(1, sizeof *ring);
  *ring = (struct easyreact_ring){
      .number = number, .capacity = capacity, .byte_capacity = byte_capacity,
      .description_length = description_length, .measures_time = measures_time,
      .first = 1, .next = 1, .began_nanoseconds = nanoseconds(), .began = now(), .events = events};
  ring->newest = ring->began;
  return ring;
}

void easyreact_ring_free(struct easyreact_ring *ring) {
  free(ring->events);
  free(ring);
}

static struct easyreact_event *place(struct easyreact_ring *ring, uint64_t sequence) {
  return &ring->events[(sequence - 1) % ring->capacity];
}

// The same without a division.
static struct easyreact_event *advance(struct easyreact_ring *ring, uint64_t *place) {
  struct easyreact_event *event = &ring->events[*place];
  *place = *place + 1 == ring->capacity ? 0 : *place + 1;
  return event;
}

static bool is_text(uint8_t form) { return (form & 7) == easyreact_form_text; }
static void *text(uint8_t form, struct easyreact_value value) {
  return is_text(form) ? (void *)(uintptr_t)value.words[0] : NULL;
}

// Objects that nobody needs any more: released outside of the lock.
enum { evicted_at_once = 8 };
struct evicted {
  uint32_t count;
  void *objects[3 * (1 + evicted_at_once)];
};

static void evict(void *object, struct evicted *evicted) {
  if (object != NULL) evicted->objects[evicted->count++] = object;
}

static void drop_oldest(struct easyreact_ring *ring, struct evicted *evicted) {
  struct easyreact_event *event = advance(ring, &ring->first_place);
  ring->first += 1;
  if (event->bytes == 0 && event->context == NULL && !is_text(event->old_form)) return;
  ring->bytes -= event->bytes;
  evict(text(event->old_form, event->old_value), evicted);
  evict(text(event->new_form, event->new_value), evicted);
  evict(event->context, evicted);
}

static void release_evicted(struct evicted *evicted) {
  for (uint32_t i = 0; i < evicted->count; i++) swift_release(evicted->objects[i]);
  evicted->count = 0;
}

static bool has_too_many_bytes(const struct easyreact_ring *ring) { return ring->bytes > ring->byte_capacity; }

// Drops a few events before this one for whose descriptions there is no room. True: more of them must go.
static bool make_room(struct easyreact_ring *ring, uint64_t sequence, struct evicted *evicted) {
  for (int dropped = 0; has_too_many_bytes(ring) && ring->first < sequence; dropped++) {
    if (dropped == evicted_at_once) return true;
    drop_oldest(ring, evicted);
  }
  return false;
}

static bool are_equal(const struct easyreact_event *event) {
  if (event->old_form != event->new_form) return false;
  switch (event->new_form) {
    case easyreact_form_bytes:
      return memcmp(&event->old_value, &event->new_value, sizeof event->new_value) == 0;
    case easyreact_form_text: return event->old_value.words[1] == event->new_value.words[1];
    default: return false;
  }
}

static void count(
    struct easyreact_ring *ring, struct easyreact_node_trace *trace, struct easyreact_event *event, uint64_t time) {
  switch (__builtin_expect(event->kind, easyreact_kind_stored)) {
    case easyreact_kind_stored:
      // What the node held goes over to the event, with its reference.
      event->old_form = trace->last_form;
      event->old_value = trace->last;
      bool is_event = (event->new_form & easyreact_form_event) != 0;
      trace->last_form = is_event ? easyreact_form_empty : event->new_form;
      trace->last = event->new_value;
      if (!is_event && is_text(event->new_form)) swift_retain(text(event->new_form, event->new_value));
      trace->stored += 1;
      if (are_equal(event)) trace->stored_equal += 1;
      break;
    case easyreact_kind_told: trace->told += 1; return;
    case easyreact_kind_stopped:
      if ((event->flags & 1) == 0) return;
      trace->ran_in_vain += 1;
      break;
    default: return;
  }
  if (__builtin_expect(ring->measures_time, false) && mark != 0) trace->own_nanoseconds += time - mark;
}

void easyreact_record(
    struct easyreact_ring *ring, struct easyreact_node_trace *trace, struct easyreact_event *event) {
  struct evicted evicted;
  evicted.count = 0;
  uint64_t time = now();
  acquire(ring);
  if (ring->is_over) {
    release(ring);
    evict(text(event->new_form, event->new_value), &evicted);
    evict(event->context, &evicted);
    return release_evicted(&evicted);
  }
  if (trace != NULL && trace->recording == ring->number) count(ring, trace, event, time);
  // In one order for all threads.
  if (time < ring->newest) time = ring->newest;
  ring->newest = time;
  event->nanoseconds = time - ring->began;
  event->sequence = ring->next++;
  if (ring->next - ring->first > ring->capacity) drop_oldest(ring, &evicted);
  ring->bytes += event->bytes;
  *advance(ring, &ring->next_place) = *event;
  while (has_too_many_bytes(ring) && make_room(ring, event->sequence, &evicted)) {
    // Others may write meanwhile. Each event is dropped once, so on average it is one for each that is written.
    release(ring);
    release_evicted(&evicted);
    acquire(ring);
  }
  release(ring);
  if (evicted.count > 0) release_evicted(&evicted);
  if (ring->measures_time) mark = now();
}

bool easyreact_note_value(
    struct easyreact_ring *ring, struct easyreact_node_trace *trace, uint8_t form, struct easyreact_value value) {
  acquire(ring);
  // When it is over, the node's part may be another one's, and under the lock of that.
  bool isTaken = !ring->is_over && trace->recording == ring->number && trace->last_form == easyreact_form_none;
  if (isTaken) {
    trace->last_form = form;
    trace->last = value;
  }
  release(ring);
  return isTaken;
}

bool easyreact_begin_trace(struct easyreact_ring *ring, struct easyreact_node_trace *trace, void **left) {
  acquire(ring);
  bool isNew = !ring->is_over && trace->recording < ring->number;
  *left = NULL;
  if (isNew) {
    *left = text(trace->last_form, trace->last);
    trace->last_form = easyreact_form_none;
    trace->stored = trace->told = trace->stored_equal = trace->ran_in_vain = trace->own_nanoseconds = 0;
    __atomic_store_n(&trace->recording, ring->number, __ATOMIC_RELEASE);
  }
  release(ring);
  return isNew;
}

struct easyreact_node_trace easyreact_copy_trace(
    struct easyreact_ring *ring, const struct easyreact_node_trace *trace) {
  acquire(ring);
  struct easyreact_node_trace copy = {
      .recording = trace->recording, .last = trace->last, .last_form = trace->last_form, .stored = trace->stored,
      .told = trace->told, .stored_equal = trace->stored_equal, .ran_in_vain = trace->ran_in_vain,
      .own_nanoseconds = (uint64_t)((double)trace->own_nanoseconds * nanoseconds_per_count(ring))};
  if (is_text(copy.last_form)) swift_retain(text(copy.last_form, copy.last));
  release(ring);
  return copy;
}

size_t easyreact_ring_copy(
    struct easyreact_ring *ring, uint64_t from, struct easyreact_event *events, size_t room, uint64_t *next) {
  double unit = nanoseconds_per_count(ring);
  acquire(ring);
  if (from < ring->first) from = ring->first;
  size_t count = 0;
  while (count < room && from < ring->next) {
    struct easyreact_event *event = &events[count++];
    *event = *place(ring, from++);
    event->nanoseconds = (uint64_t)((double)event->nanoseconds * unit);
    void *objects[] = {
        text(event->old_form, event->old_value), text(event->new_form, event->new_value), event->context};
    for (int i = 0; i < 3; i++)
      if (objects[i] != NULL) swift_retain(objects[i]);
  }
  *next = from;
  release(ring);
  return count;
}

bool easyreact_ring_take(struct easyreact_ring *ring, struct easyreact_event *event) {
  acquire(ring);
  bool isThere = ring->first < ring->next;
  if (isThere) {
    *event = *advance(ring, &ring->first_place);
    ring->first += 1;
  }
  release(ring);
  return isThere;
}

void easyreact_ring_stop(struct easyreact_ring *ring) {
  acquire(ring);
  ring->is_over = true;
  release(ring);
}

void easyreact_ring_bounds(struct easyreact_ring *ring, uint64_t *first, uint64_t *next) {
  acquire(ring);
  *first = ring->first;
  *next = ring->next;
  release(ring);
}

void easyreact_ring_mark(struct easyreact_ring *ring) {
  if (ring->measures_time) mark = now();
}
