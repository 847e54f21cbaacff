import Foundation

/// What stands before the bytes of a value in the store: who wrote it, after which, and what was written before.
///
/// `ER`, the version 2, then numbers of seven bits a byte, the lowest first, the highest bit set in all but the last: sequence,
/// count, previous revision, since, number of writes, and for each write sequence and revision; a writer is eight bytes, the
/// lowest first: the entry's own before the numbers, those of the trail before theirs. Then the values that the writer set before this
/// one and wrote together with it: their number, and for each how far its sequence lies before the entry's, one more than its number
/// of bytes, or zero where it is none, and the bytes. The value's own bytes are the rest. Version 1 is the same without those values.
struct Envelope: Hashable, Sendable {
  /// Zero: none.
  var writer: UInt64 = 0
  /// That of the entry's value, the last of those that were written together.
  var sequence: UInt64 = 0
  /// How many values have been written to the key, with those of this entry.
  var count: UInt64 = 0
  /// The revision that it replaced.
  var previous: UInt64 = 0
  var trail = WriteTrail()

  /// For an entry that no shared node wrote: nobody knows what was written before it.
  static func unknown(at revision: UInt64) -> Envelope {
    Envelope(trail: WriteTrail(since: revision))
  }

  /// How many there are with that many more. It wraps: whoever wrote the entry may have written any number.
  func count(with more: Int) -> UInt64 { count &+ UInt64(more) }

  /// The newest write of a writer that is known to have been done, as this entry or before it.
  func sequence(of writer: UInt64) -> UInt64? {
    writer == self.writer ? sequence : trail.writes.first { $0.writer == writer }?.sequence
  }

  /// Has the write been done, as this entry or before it?
  /// - Parameter expected: The revision that the write was to replace.
  func fate(of sequence: UInt64, by writer: UInt64, expecting expected: UInt64) -> Fate {
    if self.sequence(of: writer) ?? 0 >= sequence { return .applied }
    return writer == self.writer || trail.since <= expected ? .notApplied : .unknown
  }

  /// A value that was written together with a newer one of its writer's, which is the entry's.
  struct Earlier: Hashable, Sendable {
    var sequence: UInt64
    /// Nil: the key was cleaned.
    var bytes: Data?
  }

  /// An entry's bytes, taken apart.
  struct Opened {
    var envelope: Envelope
    /// The oldest first.
    var earlier: [Earlier]
    var value: Data
  }
}

// MARK: - Bytes

extension Envelope {
  static let version: UInt8 = 2
  /// How much goes into one entry at most, unless one value alone is more: what many sets save is the way to the store and back, and at
  /// these figures nothing of that is left to save.
  static let valuesAtOnce = 64, bytesAtOnce = 1 << 16

  /// Before the bytes of a value.
  func bytes(before value: Data, after earlier: [Earlier] = []) -> Data {
    let size = earlier.reduce(value.count) { $0 + 8 + ($1.bytes?.count ?? 0) }
    var out: [UInt8] = []  // to which a byte is appended in less time than to `Data`
    out.reserveCapacity(40 + 20 * trail.writes.count + size)
    out.append(contentsOf: [UInt8(ascii: "E"), UInt8(ascii: "R"), Self.version])
    out.append(fixed: writer)
    for number in [sequence, count, previous, trail.since, UInt64(trail.writes.count)] {
      out.append(number: number)
    }
    for write in trail.writes {
      out.append(fixed: write.writer)
      out.append(number: write.sequence)
      out.append(number: write.revision)
    }
    out.append(number: UInt64(earlier.count))
    for one in earlier {
      out.append(number: sequence - one.sequence)
      out.append(number: one.bytes.map { UInt64($0.count) + 1 } ?? 0)
      if let bytes = one.bytes { out.append(contentsOf: bytes) }
    }
    out.append(contentsOf: value)
    return Data(out)
  }

  /// The envelope and the bytes of the values.
  static func open(_ bytes: Data, key: String) throws(SharedProblem) -> Opened {
    var reader = ByteReader(bytes)
    guard reader.byte() == UInt8(ascii: "E"), reader.byte() == UInt8(ascii: "R"),
      let version = reader.byte()
    else {
      throw SharedProblem(
        .undecodable, "the store holds bytes that no shared node has written", at: "key “\(key)”",
        remedy:
          "Another program uses this key: choose another, or set the node, which replaces them.")
    }
    guard 1...Self.version ~= version else {
      throw SharedProblem(
        .undecodable,
        "the store holds bytes of format \(version), and this program knows \(Self.version)",
        at: "key “\(key)”", remedy: "Bring all programs that share it to one version of EasyReact.")
    }
    guard let envelope = read(&reader),
      let earlier = version == 1 ? [] : readEarlier(&reader, before: envelope.sequence)
    else {
      throw SharedProblem(
        .undecodable, "what the store holds ends in the middle, or is damaged", at: "key “\(key)”",
        remedy: "Set the node, which replaces it.")
    }
    return Opened(envelope: envelope, earlier: earlier, value: reader.rest)
  }

  private static func read(_ reader: inout ByteReader) -> Envelope? {
    guard let writer = reader.fixed(), let sequence = reader.number(), let count = reader.number(),
      let previous = reader.number(), let since = reader.number(), let writes = reader.number(),
      writes <= WriteTrail.limit
    else { return nil }
    var trail = WriteTrail(since: since)
    for _ in 0..<writes {
      guard let writer = reader.fixed(), let sequence = reader.number(),
        let revision = reader.number()
      else { return nil }
      trail.writes.append(.init(writer: writer, sequence: sequence, revision: revision))
    }
    return Envelope(
      writer: writer, sequence: sequence, count: count, previous: previous, trail: trail)
  }

  private static func readEarlier(
    _ reader: inout ByteReader, before sequence: UInt64
  ) -> [Earlier]? {
    guard let count = reader.number() else { return nil }
    var earlier: [Earlier] = []
    for _ in 0..<count {
      guard let distance = reader.number(), distance <= sequence, let size = reader.number()
      else { return nil }
      var one = Earlier(sequence: sequence - distance, bytes: nil)
      if size > 0 {
        guard let size = Int(exactly: size - 1), let bytes = reader.bytes(size) else { return nil }
        one.bytes = bytes
      }
      earlier.append(one)
    }
    return earlier
  }
}

extension RangeReplaceableCollection<UInt8> {
  /// Eight bytes, the lowest first.
  mutating func append(fixed number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Seven bits a byte, the lowest first.
  mutating func append(number: UInt64) {
    var left = number
    while left >= 0x80 {
      append(UInt8(left & 0x7F) | 0x80)
      left >>= 7
    }
    append(UInt8(left))
  }
}

/// Reads what `append(fixed:)` and `append(number:)` wrote; nil: there is no more, or it is none of that.
struct ByteReader {
  private let bytes: Data
  private var index: Data.Index

  init(_ bytes: Data) { (self.bytes, index) = (bytes, bytes.startIndex) }

  /// What is left.
  var rest: Data { Data(bytes[index...]) }

  mutating func byte() -> UInt8? {
    if index == bytes.endIndex { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func fixed() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte) << shift
    }
    return number
  }

  mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  mutating func bytes(_ count: Int) -> Data? {
    if bytes.endIndex - index < count { return nil }
    defer { index += count }
    return Data(bytes[index..<(index + count)])
  }
}
