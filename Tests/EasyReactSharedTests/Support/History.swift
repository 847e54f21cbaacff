import Foundation
import Testing

@testable import EasyReactShared

/// Every value that was ever written to a key, in the store's order, and what each program did.
struct History {
  enum Step: Sendable, CustomStringConvertible {
    case set(Int), clean, add(Int)
    var description: String {
      switch self {
      case .set(let value): "set \(value)"
      case .clean: "clean"
      case .add(let value): "add \(value)"
      }
    }
  }
  /// A value that was written, as one of an entry's.
  struct Written {
    var revision: UInt64
    var value: Int?
    var sequence: UInt64
    var envelope: Envelope
    /// Its place among the values of the entry, and how many these are.
    var place = 0, size = 1
  }
  var written: [Written]
  /// The steps of each writer: the first has the sequence 1.
  var steps: [UInt64: [Step]]

  init(_ entries: [StoreEntry], _ steps: [UInt64: [Step]]) throws {
    written = try entries.flatMap { entry in
      let opened = try Envelope.open(entry.bytes, key: entry.key)
      let last = Envelope.Earlier(
        sequence: opened.envelope.sequence, bytes: entry.isDeletion ? nil : opened.value)
      let all = opened.earlier + [last]
      return try all.enumerated().map { place, one in
        Written(
          revision: entry.revision,
          value: try one.bytes.map { try JSONDecoder().decode(Int.self, from: $0) },
          sequence: one.sequence, envelope: opened.envelope, place: place, size: all.count)
      }
    }
    self.steps = steps
  }

  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Each value is what its writer's step makes of the one before it; no step is there twice; the chain has no hole.
  ///
  /// - Parameter merged: Sets were merged, so their values are not those that were set.
  func check(merged: Bool = false) throws {
    var seen: Set<[UInt64]> = []
    var before = Written(revision: 0, value: nil, sequence: 0, envelope: Envelope())
    for entry in written {
      let (writer, sequence) = (entry.envelope.writer, entry.sequence)
      guard seen.insert([writer, sequence]).inserted else {
        throw Wrong("step \(sequence) of \(writer) was applied twice")
      }
      if entry.place == 0 {
        guard entry.envelope.previous == before.revision, entry.revision > before.revision,
          entry.envelope.count == before.envelope.count + UInt64(entry.size)
        else { throw Wrong("entry \(entry.revision) does not follow \(before.revision)") }
      }
      guard
        let step = steps[writer].flatMap({ Int(sequence) <= $0.count ? $0[Int(sequence) - 1] : nil }
        )
      else { throw Wrong("nobody did step \(sequence) of \(writer)") }
      let expected: Int? =
        switch step {
        case .set(let value): value
        case .clean: nil
        case .add(let value): before.value.map { $0 + value }
        }
      if entry.value != expected, !merged {
        throw Wrong("\(step) on \(before.value as Int?) made \(entry.value as Int?)")
      }
      before = entry
    }
  }

  /// Steps of one writer lie in the order in which it made them.
  func checkOrder() throws {
    var last: [UInt64: UInt64] = [:]
    for entry in written {
      let (writer, sequence) = (entry.envelope.writer, entry.sequence)
      if sequence <= last[writer] ?? 0 {
        throw Wrong("step \(sequence) of \(writer) came after \(last[writer]!)")
      }
      last[writer] = sequence
    }
  }

  func hasStep(_ sequence: Int, of writer: UInt64) -> Bool {
    written.contains { $0.envelope.writer == writer && $0.sequence == UInt64(sequence) }
  }
}

func isSubsequence(_ some: [Int], of all: [Int]) -> Bool {
  var rest = all[...]
  for value in some {
    guard let index = rest.firstIndex(of: value) else { return false }
    rest = rest[(index + 1)...]
  }
  return true
}
