import Foundation

// The entries of a `FileLog` as bytes.

extension StoreEntry {
  /// How many bytes it has in the log.
  var loggedCount: Int { 8 + 11 + key.utf8.count + bytes.count }

  var logged: Data {
    var body = Data(capacity: loggedCount)
    body.append(fixed: revision)
    body.append(isDeletion ? 1 : 0)
    body.append(contentsOf: [UInt8(key.utf8.count & 0xFF), UInt8(key.utf8.count >> 8)])
    body.append(contentsOf: key.utf8)
    body.append(bytes)
    var all = Data(capacity: body.count + 8)
    for number in [UInt32(body.count), Checksum.of(body)] {
      for shift in stride(from: 0, to: 32, by: 8) {
        all.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    all.append(body)
    return all
  }

  init?(logged body: Data) {
    var reader = ByteReader(body)
    // None comes after the greatest number, so it is nobody's.
    guard let revision = reader.fixed(), revision != .max, let flag = reader.byte(),
      let length = reader.short(2),
      let key = reader.bytes(Int(length)).flatMap({ String(bytes: $0, encoding: .utf8) })
    else { return nil }
    self.init(key: key, revision: revision, bytes: reader.rest, isDeletion: flag == 1)
  }
}

extension ByteReader {
  /// A number of up to eight bytes, the lowest first.
  mutating func short(_ count: UInt64) -> UInt64? {
    var number: UInt64 = 0
    for index in 0..<count {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte) << (8 * index)
    }
    return number
  }
}

/// The cyclic redundancy check of 32 bits that Ethernet and zip have (IEEE 802.3).
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
  }

  static func of(_ bytes: Data) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
  }
}
