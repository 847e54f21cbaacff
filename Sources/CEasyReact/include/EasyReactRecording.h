// The ring that a recording writes what happens into (Inspection/Recording.swift). In C, because a program that is being
// developed is built without optimisation, and leaves the recording on: there this is several times as fast as Swift.
// Private to EasyReact.
#ifndef EASYREACT_RECORDING_H
#define EASYREACT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// How two words stand for a value.
enum {
  easyreact_form_none = 0,
  easyreact_form_empty = 1,
  easyreact_form_bytes = 2,    // its bytes
  easyreact_form_text = 3,     // a description, retained, and the hash of the whole of it
  easyreact_form_private = 4,
  easyreact_form_event = 8,    // or-ed: told, and not kept
};

struct easyreact_value {
  uint64_t words[2];
};

// One event: two lines of a cache.
struct easyreact_event {
  uint64_t sequence;
  uint64_t nanoseconds;  // since the recording began
  uint64_t wave;
  uint64_t origin;  // the wave's number before the node gave it a new one
  uint64_t node;
  uint64_t other;
  uint64_t turn;
  struct easyreact_value old_value, new_value;
  void *_Nullable context;  // a description, retained
  const uint8_t *_Nullable file;  // a zero ends its name
  uint32_t edge;
  uint32_t thread;
  uint32_t line;
  uint32_t bytes;  // of the descriptions that came with this event
  uint8_t kind, stop, operation, flags;
  uint8_t old_form, new_form;
};

static inline void easyreact_copy_value(struct easyreact_value *_Nonnull value, const void *_Nonnull place, uint32_t size) {
  // Most are a word.
  if (size == 8) value->words[0] = *(const uint64_t *)place;
  else memcpy(value, place, size);
}

// How a node's values are kept.
enum { easyreact_manner_undecided = 0, easyreact_manner_bytes = 1, easyreact_manner_text = 2 };

// What recordings know of one node.
struct easyreact_node_trace {
  // Where the value lies behind the node's storage, and how many bytes it has; constant.
  uint32_t offset, size;
  // Atomic.
  uint8_t manner;
  bool is_private;
  // The number of the recording that knows the node's value; of the one that knows those of the nodes downstream. Atomic.
  uint64_t knows_value, knows_downstream;
  // The number of the recording that the rest belongs to. Atomic; the rest is under the lock of that recording's ring.
  uint64_t recording;
  struct easyreact_value last;
  uint8_t last_form;
  uint64_t stored, told, stored_equal, ran_in_vain, own_nanoseconds;
};

struct easyreact_ring {
  uint32_t lock;
  uint32_t description_length;
  bool measures_time;
  bool is_over;  // nothing is written any more
  uint64_t number;
  uint64_t first, next;  // sequences of the oldest event that is kept and of the next one
  uint64_t capacity, byte_capacity, bytes;
  uint64_t first_place, next_place;  // theirs among the events
  uint64_t began, newest;  // of the processor's counter
  uint64_t began_nanoseconds;  // of the clock
  struct easyreact_event *_Nonnull events;
};

// Null: there is no memory for so many events.
struct easyreact_ring *_Nullable easyreact_ring_make(
    uint64_t number, uint64_t capacity, uint64_t byte_capacity, uint32_t description_length, bool measures_time);
// The caller has taken what the events retain (`easyreact_ring_take`).
void easyreact_ring_free(struct easyreact_ring *_Nonnull ring);

// Writes the event: gives it its sequence and time, and drops the oldest ones for which there is no room. What it retains
// goes over to the ring. `trace` may be null. An event of the kind that stores takes its old value from there, and leaves
// its new one; the others count.
void easyreact_record(
    struct easyreact_ring *_Nonnull ring, struct easyreact_node_trace *_Nullable trace,
    struct easyreact_event *_Nonnull event);
// The value that the node holds, unless that is known. True: taken, `value` with what it retains.
bool easyreact_note_value(
    struct easyreact_ring *_Nonnull ring, struct easyreact_node_trace *_Nonnull trace, uint8_t form,
    struct easyreact_value value);
// Begins the node's part of this recording, once; true: it was begun now. `left`: what it retained for another one.
bool easyreact_begin_trace(
    struct easyreact_ring *_Nonnull ring, struct easyreact_node_trace *_Nonnull trace,
    void *_Nullable *_Nonnull left);
struct easyreact_node_trace easyreact_copy_trace(
    struct easyreact_ring *_Nonnull ring, const struct easyreact_node_trace *_Nonnull trace);
// Copies events from a sequence on, at most `room`, each with one reference more to what it retains. Returns how many, and
// the sequence to go on with.
size_t easyreact_ring_copy(
    struct easyreact_ring *_Nonnull ring, uint64_t from, struct easyreact_event *_Nonnull events, size_t room,
    uint64_t *_Nonnull next);
// The oldest event, taken out; false: there is none.
bool easyreact_ring_take(struct easyreact_ring *_Nonnull ring, struct easyreact_event *_Nonnull event);
void easyreact_ring_stop(struct easyreact_ring *_Nonnull ring);
// The sequences of the oldest event that is kept, and of the next one.
void easyreact_ring_bounds(
    struct easyreact_ring *_Nonnull ring, uint64_t *_Nonnull first, uint64_t *_Nonnull next);
// Does the node's part belong to this recording? Any thread.
static inline bool easyreact_is_traced_in(
    const struct easyreact_ring *_Nonnull ring, const struct easyreact_node_trace *_Nonnull trace) {
  return __atomic_load_n(&trace->recording, __ATOMIC_ACQUIRE) == ring->number;
}
// Sets a number to that of the recording; false: it had it.
static inline bool easyreact_mark_known(const struct easyreact_ring *_Nonnull ring, uint64_t *_Nonnull number) {
  if (__atomic_load_n(number, __ATOMIC_RELAXED) == ring->number) return false;
  __atomic_store_n(number, ring->number, __ATOMIC_RELAXED);
  return true;
}
static inline void easyreact_forget_known(uint64_t *_Nonnull number) { __atomic_store_n(number, 0, __ATOMIC_RELAXED); }
static inline uint8_t easyreact_manner(const struct easyreact_node_trace *_Nonnull trace) {
  return __atomic_load_n(&trace->manner, __ATOMIC_RELAXED);
}
static inline void easyreact_set_manner(struct easyreact_node_trace *_Nonnull trace, uint8_t manner) {
  __atomic_store_n(&trace->manner, manner, __ATOMIC_RELAXED);
}
static inline bool easyreact_is_private(const struct easyreact_node_trace *_Nonnull trace) {
  return __atomic_load_n(&trace->is_private, __ATOMIC_RELAXED);
}
static inline void easyreact_set_private(struct easyreact_node_trace *_Nonnull trace, bool is_private) {
  __atomic_store_n(&trace->is_private, is_private, __ATOMIC_RELAXED);
}
// The user's code runs until now, as far as own times are concerned.
void easyreact_ring_mark(struct easyreact_ring *_Nonnull ring);

// Kinds that the ring knows: in the order of `EventRecord.Kind`.
enum {
  easyreact_kind_node_made, easyreact_kind_node_gone, easyreact_kind_edge_made, easyreact_kind_edge_cut,
  easyreact_kind_set, easyreact_kind_pushed, easyreact_kind_stored, easyreact_kind_told,
  easyreact_kind_arrived, easyreact_kind_stopped, easyreact_kind_queued, easyreact_kind_endless_sets,
};

#ifdef __cplusplus
}
#endif

#endif
