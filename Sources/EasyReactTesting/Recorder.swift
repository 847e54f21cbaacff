import CEasyReact
import Dispatch
import EasyReact
import Synchronization

/// Records what a node tells: values, contexts, times and threads, in order.
///
///     let a = MutableNode(1)
///     let recorder = Recorder(a.map { $0 * 2 })
///     a.value = 2
///     recorder.values                  // [2, 4]
///     try recorder.expect([2, 4])      // throws what shows both sequences, if they differ
///
/// It listens until it is released or `cancel()`ed, keeps the node, and may be read from any
/// thread.
public final class Recorder<Value: Sendable>: Cancelable {
  /// One told value.
  public struct Entry: Sendable {
    public let value: Value
    public let context: (any Sendable)?
    /// By the recorder's scheduler, or by a monotonic clock since the recorder was made.
    public let time: Duration
    /// Was it told on the main thread, or on the main queue? On Linux another thread may serve that
    /// queue.
    public let isOnMainThread: Bool
    /// The thread that told it.
    public let thread: RecordedThread
  }

  private final class Log: Sendable {
    let entries = Mutex<[Entry]>([])
  }
  private let log = Log()
  private let listening: Listening

  /// - Parameter clock: Whose time is recorded.
  public init(_ node: Node<Value>, clock: (any NodeScheduler)? = nil) {
    let began = ContinuousClock.now
    listening = node.listenToChanges { [log] change in
      let entry = Entry(
        value: change.value, context: change.context,
        time: clock?.now ?? began.duration(to: .now), isOnMainThread: isOnMain(),
        thread: .current)
      log.entries.withLock { $0.append(entry) }
    }
  }

  public func cancel() { listening.cancel() }

  /// Everything that was told.
  public var entries: [Entry] { log.entries.withLock { $0 } }
  /// The told values. O(n), as are the next three: after each of n sets, ask for `entries.last`.
  public var values: [Value] { entries.map(\.value) }
  /// Their contexts.
  public var contexts: [(any Sendable)?] { entries.map(\.context) }
  /// When they were told.
  public var times: [Duration] { entries.map(\.time) }
  /// The threads that told them.
  public var threads: [RecordedThread] { entries.map(\.thread) }

  /// Forgets what was recorded.
  public func clear() {
    let old = log.entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    _ = consume old
  }
}

/// A thread, to be compared with another one.
///
///     #expect(recorder.threads == [.current])      // told here, before `set` returned
public struct RecordedThread: Hashable, Sendable, CustomStringConvertible {
  private let number: UInt

  /// The calling thread. No thread of this process gets the number of another one.
  public static var current: RecordedThread {
    RecordedThread(number: UInt(easyreact_thread_number()))
  }

  public var description: String { "thread \(number)" }
}

private let mainKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

private func isOnMain() -> Bool {
  easyreact_is_main_thread() || DispatchQueue.getSpecific(key: mainKey) == true
}
