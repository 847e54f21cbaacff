// The ring that a recording writes what happens into (Inspection/Recording.swift). In C, because a program that is being
// developed is built without optimisation, and leaves the recording on: there this is several times as fast as Swift.
// Private to EasyReact.
#ifndef EASYREACT_RECORDING_H
#define EASYREACT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
  const uint8_t *_Nullable file;
  uint32_t edge;
  uint32_t thread;
  uint32_t line;
  uint32_t bytes;  // of the descriptions that came with this event
  uint16_t file_count;
  uint8_t kind, stop, operation, flags;
  uint8_t old_form, new_form;
};

// What a recording knows of one node. Under the ring's lock.
struct easyreact_node_trace {
  uint64_t recording;  // the number of the recording that the rest belongs to
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
  uint64_t began, newest;  // the clock's
  struct easyreact_event *_Nonnull events;
};

struct easyreact_ring *_Nonnull easyreact_ring_make(
    uint64_t number, uint64_t capacity, uint64_t byte_capacity, uint32_t description_length, bool measures_time);
// The caller has taken what the events retain (`easyreact_ring_take`).
void easyreact_ring_free(struct easyreact_ring *_Nonnull ring);

// Objects that an event retained, and that nobody needs any more: to be released by the caller, outside of all locks.
struct easyreact_evicted {
  uint32_t count;
  void *_Nullable objects[12];
};

// Writes the event: gives it its sequence and time, and drops the oldest ones for which there is no room. `trace` may be
// null. An event of the kind that stores takes its old value from there, and leaves its new one; the others count.
void easyreact_record(
    struct easyreact_ring *_Nonnull ring, struct easyreact_node_trace *_Nullable trace,
    struct easyreact_event *_Nonnull event, struct easyreact_evicted *_Nonnull evicted);
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
