import Foundation

/// What stands before the bytes of a value in the store: who wrote it, after which, and what was written before.
///
/// `ER`, the version 1, then numbers of seven bits a byte, the lowest first, the highest bit set in all but the last: sequence,
/// count, previous revision, since, number of writes, and for each write sequence and revision; a writer is eight bytes, the
/// lowest first: the entry's own before the numbers, those of the trail before theirs.
struct Envelope: Hashable, Sendable {
  var writer: UInt64 = 0
  var sequence: UInt64 = 0
  /// How often the key has been written, this time included.
  var count: UInt64 = 0
  /// The revision that it replaced.
  var previous: UInt64 = 0
  var trail = WriteTrail()

  /// Has the write been done, as this entry or before it?
  /// - Parameter expected: The revision that the write was to replace.
  func fate(of sequence: UInt64, by writer: UInt64, expecting expected: UInt64) -> Fate {
    if writer == self.writer { return self.sequence >= sequence ? .applied : .notApplied }
    if let mine = trail.writes.first(where: { $0.writer == writer }), mine.sequence >= sequence {
      return .applied
    }
    return trail.since <= expected ? .notApplied : .unknown
  }
}

// MARK: - Bytes

extension Envelope {
  static let version: UInt8 = 1

  /// Before the bytes of a value.
  func bytes(before value: Data) -> Data {
    var out = Data(capacity: 32 + 20 * trail.writes.count + value.count)
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
    out.append(value)
    return out
  }

  /// The envelope and the bytes of the value.
  static func open(_ bytes: Data, key: String) throws(SharedProblem) -> (Envelope, Data) {
    var reader = ByteReader(bytes)
    guard reader.byte() == UInt8(ascii: "E"), reader.byte() == UInt8(ascii: "R"),
      let version = reader.byte()
    else {
      throw SharedProblem(
        .undecodable, "the store holds bytes that no shared node has written", at: "key “\(key)”",
        remedy:
          "Another program uses this key: choose another, or set the node, which replaces them.")
    }
    guard version == Self.version else {
      throw SharedProblem(
        .undecodable,
        "the store holds bytes of format \(version), and this program knows \(Self.version)",
        at: "key “\(key)”", remedy: "Bring all programs that share it to one version of EasyReact.")
    }
    guard let envelope = read(&reader) else {
      throw SharedProblem(
        .undecodable, "what the store holds ends in the middle, or is damaged", at: "key “\(key)”",
        remedy: "Set the node, which replaces it.")
    }
    return (envelope, reader.rest)
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
}

extension Data {
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

/// Reads what `Data.append(fixed:)` and `append(number:)` wrote; nil: there is no more, or it is none of that.
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
