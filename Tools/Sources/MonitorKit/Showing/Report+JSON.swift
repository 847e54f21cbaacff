extension Report {
  /// The sample as one JSON object on one line. Its keys carry their unit and keep their order.
  ///
  ///     {"elapsedMilliseconds":12000,…,"cpuBusyPercent":34.2,"cpuBusyAveragePercent":30.1,…}
  ///
  /// What this machine does not have is `null`, so the keys are the same on every machine.
  var json: String {
    let milliseconds = Double(time.wholeMicroseconds) / 1000
    let head: [(key: String, value: JSONText)] = [
      ("elapsedMilliseconds", .number(milliseconds)),
      ("unixMilliseconds", .number(unixMilliseconds)),
      ("health", .string(health.isGood ? "good" : "alarm")),
      ("alarms", .list(health.alarms.map { .string($0.quantity.rawValue) })),
    ]
    let tail: [(key: String, value: JSONText)] = [
      ("busiestCore", .name(busiestCore?.name)),
      ("busiestDisk", .name(busiestDisk?.name)),
      ("cores", .object(cores.map { ($0.name, $0.json) })),
      ("interfaces", .object(interfaces.map { ($0.name, $0.json) })),
      ("disks", .object(disks.map { ($0.name, $0.json) })),
    ]
    return JSONText.object(head + readings.flatMap(\.members) + tail).text
  }
}

extension Report.Reading {
  fileprivate var members: [(key: String, value: JSONText)] {
    let name = quantity.rawValue
    let unit = quantity.unit.keySuffix
    return [
      (name + unit, .number(now)),
      (name + "Average" + unit, .number(average)),
      (name + "Peak" + unit, .number(peak)),
      (name + "Alarm", .bool(alarm.isOn)),
    ]
  }
}

extension Quantity.Unit {
  /// The unit as the end of a JSON key.
  var keySuffix: String {
    switch self {
    case .percent: "Percent"
    case .bytesPerSecond: "BytesPerSecond"
    case .tasks: ""
    }
  }
}

extension JSONText {
  fileprivate static func name(_ name: String?) -> JSONText { name.map(JSONText.string) ?? .null }
}

extension CoreLoad {
  fileprivate var json: JSONText { .object([("busyPercent", .number(busyPercent))]) }
}

extension InterfaceRate {
  fileprivate var json: JSONText {
    .object([
      ("receiveBytesPerSecond", .number(receiveBytesPerSecond)),
      ("sendBytesPerSecond", .number(sendBytesPerSecond)),
    ])
  }
}

extension DiskRate {
  fileprivate var json: JSONText {
    .object([
      ("readBytesPerSecond", .number(readBytesPerSecond)),
      ("writeBytesPerSecond", .number(writeBytesPerSecond)),
      ("busyPercent", .number(busyPercent)),
    ])
  }
}
