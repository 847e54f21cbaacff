#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Set in a claim when others wait for it. The handles of threads are addresses, so the bit is free.
@usableFromInline let waitersBit: UInt = 1

/// The handle of this thread, never zero.
@inlinable @inline(__always) func currentThread() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}

func yieldThread() { sched_yield() }

// MARK: - Waiting

/// Why a thread waits.
struct Wait {
  let isOver: () -> Bool
  /// Who computes what is waited for.
  let owner: () -> UInt
  /// Tells that owner, in its claim, that somebody waits; false if it is not the owner any more.
  let announce: (UInt) -> Bool
}

/// One place for all that wait: waiting is rare, and a cycle of waits can be seen from here.
private final class ParkingLot: @unchecked Sendable {
  // Unchecked: `waits` lies under `mutex`; the two pointers are constant.
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  var waits: [UInt: Wait] = [:]

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  /// Whether waiting for `owner` would wait for `thread` itself.
  func isCycle(from owner: UInt, to thread: UInt) -> Bool {
    var current = owner
    while current != thread {
      guard let wait = waits[current], !wait.isOver() else { return false }
      current = wait.owner() & ~waitersBit
    }
    return true
  }
}

private let lot = ParkingLot()

/// Blocks this thread until what it waits for is over or may be claimed.
func park(_ wait: Wait) {
  // An element takes a moment only, as a rule.
  for _ in 0..<8 {
    if wait.isOver() || wait.owner() == 0 { return }
    yieldThread()
  }
  let me = currentThread()
  pthread_mutex_lock(lot.mutex)
  defer { pthread_mutex_unlock(lot.mutex) }
  while !wait.isOver() {
    let owner = wait.owner()
    if owner == 0 { return }
    guard wait.announce(owner) else { continue }
    if lot.isCycle(from: owner & ~waitersBit, to: me) { stopAtCycle() }
    lot.waits[me] = wait
    pthread_cond_wait(lot.condition, lot.mutex)
    lot.waits[me] = nil
  }
}

@usableFromInline func wakeWaiters() {
  pthread_mutex_lock(lot.mutex)
  pthread_cond_broadcast(lot.condition)
  pthread_mutex_unlock(lot.mutex)
}

func stopAtReentry() -> Never {
  fatalError(
    "EasySequence: an element is asked for while it is being computed, by the closure that computes "
      + "it. Let the closure read only elements before it, or give the stream its first elements "
      + "by appending the rest to them.")
}

private func stopAtCycle() -> Never {
  fatalError(
    "EasySequence: elements of several streams wait for each other, each computed on another thread. "
      + "Let an element depend only on elements that do not depend on it.")
}

// MARK: - Releasing

/// What waits for its release on this thread.
private final class Releases {
  var objects: [AnyObject] = []
}

private let releasesKey: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  return key
}()

/// Gives up a reference, after the releases in progress on this thread instead of inside of them.
///
/// Engines hold the streams that they walk, those hold engines, and so on for as long as somebody stacked them: their
/// end must not be as deep as that.
@usableFromInline func release<Object: AnyObject>(_ object: inout Object?) {
  guard let moved = object else { return }
  object = nil
  if let pending = pthread_getspecific(releasesKey) {
    Unmanaged<Releases>.fromOpaque(pending).takeUnretainedValue().objects.append(moved)
  } else {
    releaseAll(from: consume moved)
  }
}

@inline(never) private func releaseAll(from object: consuming AnyObject) {
  let releases = Releases()
  releases.objects.append(object)
  pthread_setspecific(releasesKey, Unmanaged.passUnretained(releases).toOpaque())
  while let object = releases.objects.popLast() { _ = consume object }
  pthread_setspecific(releasesKey, nil)
}
