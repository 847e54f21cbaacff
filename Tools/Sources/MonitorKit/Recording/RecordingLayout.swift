/// The columns of a recording: a row a sample, and nothing but whole numbers.
///
///     timeMicroseconds,unixMilliseconds,load.oneMinuteHundredths,…,core.cpu0.userTicks,…
///
/// The devices are those of the first sample, so that every row has the same columns. The counters
/// of a device that appears later go, packed, into the last column (`interface.usb0=12/34
/// disk.sdb=1/2/3`): nothing is lost. A device that is gone leaves its cells empty.
struct RecordingLayout: Equatable, Sendable {
  /// The columns of one device.
  struct Block: Hashable, Sendable {
    var group: CounterGroup
    var device: String

    /// `core.cpu0`, or `memory` for what a machine has only one of.
    var name: String { device.isEmpty ? group.rawValue : "\(group.rawValue).\(device)" }
    var columns: [String] { group.fields.map { "\(name).\($0)" } }
  }

  static let time = "timeMicroseconds"
  static let unixTime = "unixMilliseconds"
  static let appearedLater = "appearedLater"

  let blocks: [Block]
  /// The first row of the recording.
  let columns: [String]

  init(blocks: [Block]) {
    self.blocks = blocks
    columns = [Self.time, Self.unixTime] + blocks.flatMap(\.columns) + [Self.appearedLater]
  }

  /// The layout for a recording that begins with `sample`.
  init(first sample: Sample) {
    self.init(
      blocks: CounterGroup.allCases.flatMap { group in
        let found = group.counters(in: sample).map(\.device)
        let fixed = group.fixedDevices
        return (fixed + found.filter { !fixed.contains($0) }).map {
          Block(group: group, device: $0)
        }
      })
  }
}

// MARK: - Writing

extension RecordingLayout {
  /// The row for `sample`.
  func cells(for sample: Sample) -> [String] {
    var counters: [Block: [UInt64]] = [:]
    var later: [String] = []
    let known = Set(blocks)
    for group in CounterGroup.allCases {
      for (device, values) in group.counters(in: sample) {
        let block = Block(group: group, device: device)
        if known.contains(block) {
          counters[block] = values
        } else {
          later.append("\(block.name)=" + values.map(String.init).joined(separator: "/"))
        }
      }
    }
    var cells = [String(sample.time.wholeMicroseconds), String(sample.unixMilliseconds)]
    for block in blocks {
      let none = [String](repeating: "", count: block.group.fields.count)
      cells += counters[block]?.map(String.init) ?? none
    }
    return cells + [later.joined(separator: " ")]
  }
}
