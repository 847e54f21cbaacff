import EasyReact
import EasySequence
import Synchronization

extension Node {
  /// Keeps the values of this node from now on, the present one first, to be read as a stream.
  ///
  ///     let kept = node.collect()
  ///     node.value = 2
  ///     kept.values.map(expensive).head     // computed when it is read
  public final func collect() -> Collecting<Value> { Collecting(self) }
}

/// Keeps the values that a node tells. Releasing it, or `cancel()`, ends that.
///
/// Known as `sequence` of a signal in ReactiveCocoa, which blocks the thread that reads a value not yet sent. This one
/// never blocks: a stream of it ends with the last value that was there when the stream was made.
public final class Collecting<Value: Sendable>: Cancelable {
  private final class Log: Sendable {
    let values = Mutex<[Value]>([])
  }
  /// Reads the log where it is: whoever held its array would make the next value copy it.
  private struct Reader: Sequence, IteratorProtocol {
    let log: Log
    var places: Range<Int>
    mutating func next() -> Value? {
      places.popFirst().map { place in log.values.withLock { $0[place] } }
    }
  }
  private let log = Log()
  private let listening: Listening

  init(_ node: Node<Value>) {
    listening = node.listen { [log] value in log.values.withLock { $0.append(value) } }
  }

  /// The values so far, in order. Each call makes a stream; what is derived from one is computed when it is read.
  ///
  /// A stream keeps what is kept here, and copies nothing: O(1).
  public var values: LazyStream<Value> {
    LazyStream(Reader(log: log, places: 0..<log.values.withLock { $0.count }))
  }

  /// Keeps no more values; those that are kept stay.
  public func cancel() { listening.cancel() }
}
