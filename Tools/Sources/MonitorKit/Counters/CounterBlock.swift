/// A few raw counters that come and go together: those of one core, one disk, one network
/// interface.
///
/// Each is a whole number, as the kernel gives it. `fields` is the one list that reading, recording
/// and replaying share, so a counter added to it is recorded and replayed without further work.
public protocol CounterBlock: Sendable, Equatable {
  /// The counters in the order in which they are recorded.
  static var fields: [Field<Self>] { get }
  /// What the counters are of: `cpu0`, `eth0`, `vda`; empty where the machine has only one.
  var device: String { get }
  /// All counters at zero.
  init(device: String)
}

/// A counter of a block: its name in a recording, and where it is kept.
public struct Field<Block>: Sendable {
  public let name: String
  public let path: any WritableKeyPath<Block, UInt64> & Sendable

  init(_ name: String, _ path: any WritableKeyPath<Block, UInt64> & Sendable) {
    self.name = name
    self.path = path
  }
}

extension CounterBlock {
  /// The counters in the order of `fields`.
  var values: [UInt64] { Self.fields.map { self[keyPath: $0.path] } }

  /// The counters from a list in the order of `fields`; those that the list lacks stay zero.
  init(device: String, values: some Sequence<UInt64>) {
    self.init(device: device)
    for (field, value) in zip(Self.fields, values) { self[keyPath: field.path] = value }
  }
}

/// How far a counter has come: 0 if it wrapped, was reset or runs backwards.
///
/// A wrapped 32-bit counter cannot be told from one that was reset, so no guess is made: one sample
/// shows too little, which is better than a rate of four gigabytes a second that never was.
func advance(from old: UInt64, to new: UInt64) -> UInt64 {
  new >= old ? new - old : 0
}
