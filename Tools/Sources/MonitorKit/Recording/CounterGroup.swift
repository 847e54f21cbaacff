/// The kinds of counters in a sample, in the order of a recording's columns.
enum CounterGroup: String, CaseIterable, Sendable {
  case load, memory, pressure, core, interface, disk

  /// The names of the counters of one device of this kind.
  var fields: [String] {
    switch self {
    case .load: LoadCounters.fields.map(\.name)
    case .memory: MemoryCounters.fields.map(\.name)
    case .pressure: PressureCounters.fields.map(\.name)
    case .core: CoreTimes.fields.map(\.name)
    case .interface: InterfaceCounters.fields.map(\.name)
    case .disk: DiskCounters.fields.map(\.name)
    }
  }

  /// The devices that every recording has columns for, also on a machine that lacks them.
  var fixedDevices: [String] {
    switch self {
    case .load, .memory: [""]
    case .pressure: PressureCounters.resources
    case .core, .interface, .disk: []
    }
  }

  /// All devices of this kind in `sample` with their counters.
  func counters(in sample: Sample) -> [(device: String, values: [UInt64])] {
    func list(_ blocks: [some CounterBlock]) -> [(device: String, values: [UInt64])] {
      blocks.map { ($0.device, $0.values) }
    }
    return switch self {
    case .load: list(sample.load.map { [$0] } ?? [])
    case .memory: list(sample.memory.map { [$0] } ?? [])
    case .pressure: list(sample.pressures)
    case .core: list(sample.cores)
    case .interface: list(sample.interfaces)
    case .disk: list(sample.disks)
    }
  }

  /// Puts the counters of one device into `sample`.
  func add(_ values: [UInt64], of device: String, to sample: inout Sample) {
    switch self {
    case .load: sample.load = LoadCounters(device: device, values: values)
    case .memory: sample.memory = MemoryCounters(device: device, values: values)
    case .pressure: sample.pressures.append(PressureCounters(device: device, values: values))
    case .core: sample.cores.append(CoreTimes(device: device, values: values))
    case .interface: sample.interfaces.append(InterfaceCounters(device: device, values: values))
    case .disk: sample.disks.append(DiskCounters(device: device, values: values))
    }
  }
}
