#define _GNU_SOURCE
#include "CEasyReact.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void *swift_retain(void *object);

// When what this thread did last was over: what it does next is somebody's own time.
static _Thread_local uint64_t mark = 0;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
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
  struct easyreact_ring *ring = calloc(1, sizeof *ring);
  *ring = (struct easyreact_ring){
      .number = number, .capacity = capacity, .byte_capacity = byte_capacity,
      .description_length = description_length, .measures_time = measures_time,
      .first = 1, .next = 1, .began = now(), .events = malloc(capacity * sizeof(struct easyreact_event))};
  ring->newest = ring->began;
  return ring;
}

void easyreact_ring_free(struct easyreact_ring *ring) {
  free(ring->events);
  free(ring);
}

static struct easyreact_event *place(struct easyreact_ring *ring, uint64_t sequence) {
  return &ring->events[sequence % ring->capacity];
}

static bool is_text(uint8_t form) { return (form & 7) == easyreact_form_text; }
static void *text(uint8_t form, struct easyreact_value value) {
  return is_text(form) ? (void *)(uintptr_t)value.words[0] : NULL;
}

static void evict(void *object, struct easyreact_evicted *evicted) {
  if (object != NULL) evicted->objects[evicted->count++] = object;
}

static void drop_oldest(struct easyreact_ring *ring, struct easyreact_evicted *evicted) {
  struct easyreact_event *event = place(ring, ring->first++);
  ring->bytes -= event->bytes;
  evict(text(event->old_form, event->old_value), evicted);
  evict(text(event->new_form, event->new_value), evicted);
  evict(event->context, evicted);
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
  switch (event->kind) {
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
  if (ring->measures_time && mark != 0) trace->own_nanoseconds += time - mark;
}

void easyreact_record(
    struct easyreact_ring *ring, struct easyreact_node_trace *trace, struct easyreact_event *event,
    struct easyreact_evicted *evicted) {
  uint64_t time = now();
  evicted->count = 0;
  acquire(ring);
  if (ring->is_over) {
    release(ring);
    evict(text(event->new_form, event->new_value), evicted);
    evict(event->context, evicted);
    return;
  }
  if (trace != NULL && trace->recording == ring->number) count(ring, trace, event, time);
  // In one order for all threads.
  if (time < ring->newest) time = ring->newest;
  ring->newest = time;
  event->nanoseconds = time - ring->began;
  event->sequence = ring->next++;
  if (ring->next - ring->first > ring->capacity) drop_oldest(ring, evicted);
  ring->bytes += event->bytes;
  *place(ring, event->sequence) = *event;
  for (int dropped = 0; dropped < 2 && ring->bytes > ring->byte_capacity && ring->first < event->sequence; dropped++)
    drop_oldest(ring, evicted);
  release(ring);
  if (ring->measures_time) mark = now();
}

bool easyreact_note_value(
    struct easyreact_ring *ring, struct easyreact_node_trace *trace, uint8_t form, struct easyreact_value value) {
  acquire(ring);
  bool isTaken = trace->recording == ring->number && trace->last_form == easyreact_form_none && !ring->is_over;
  if (isTaken) {
    trace->last_form = form;
    trace->last = value;
  }
  release(ring);
  return isTaken;
}

bool easyreact_begin_trace(struct easyreact_ring *ring, struct easyreact_node_trace *trace, void **left) {
  acquire(ring);
  bool isNew = trace->recording < ring->number && !ring->is_over;
  *left = NULL;
  if (isNew) {
    *left = text(trace->last_form, trace->last);
    *trace = (struct easyreact_node_trace){.recording = trace->recording};
    __atomic_store_n(&trace->recording, ring->number, __ATOMIC_RELEASE);
  }
  release(ring);
  return isNew;
}

struct easyreact_node_trace easyreact_copy_trace(
    struct easyreact_ring *ring, const struct easyreact_node_trace *trace) {
  acquire(ring);
  struct easyreact_node_trace copy = *trace;
  if (is_text(copy.last_form)) swift_retain(text(copy.last_form, copy.last));
  release(ring);
  return copy;
}

size_t easyreact_ring_copy(
    struct easyreact_ring *ring, uint64_t from, struct easyreact_event *events, size_t room, uint64_t *next) {
  acquire(ring);
  if (from < ring->first) from = ring->first;
  size_t count = 0;
  while (count < room && from < ring->next) {
    struct easyreact_event *event = &events[count++];
    *event = *place(ring, from++);
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
  if (isThere) *event = *place(ring, ring->first++);
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
