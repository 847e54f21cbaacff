/// Turns the text of each file below `/proc` into counters, or says which line is not as expected.
///
/// A parser takes what it needs and passes over what newer kernels add: further lines and columns.
public enum ProcParser {
  /// `/proc/stat`: one element a core, in the order of the file. Cores that are off are not listed.
  public static func cores(_ text: String) throws(ProcProblem) -> [CoreTimes] {
    let proc = ProcText(file: "stat", text: text)
    var cores: [CoreTimes] = []
    try proc.forEachLine { line throws(ProcProblem) in
      let name = line.words[0]
      guard name.hasPrefix("cpu"), Int(name.dropFirst(3)) != nil else { return }
      let ticks = try line.numbers(line.words.dropFirst(), least: 4, "counters of ticks")
      cores.append(CoreTimes(device: String(name), values: ticks))
    }
    if cores.isEmpty { throw proc.problem("expected a line for each core, such as 'cpu0 1 2 3 4'") }
    return cores
  }

  /// `/proc/loadavg`: `0.06 0.02 0.00 1/81 2671`.
  public static func load(_ text: String) throws(ProcProblem) -> LoadCounters {
    let proc = ProcText(file: "loadavg", text: text)
    var load: LoadCounters?
    try proc.forEachLine { line throws(ProcProblem) in
      guard load == nil else { return }
      guard line.words.count >= 3 else {
        throw line.problem("expected three averages, found \(line.words.count)")
      }
      var hundredths: [UInt64] = []
      for word in line.words.prefix(3) {
        guard let average = Double(word), average >= 0, average < 1e9 else {
          throw line.problem("expected an average such as 0.25 and found \(quoted(word))")
        }
        hundredths.append(UInt64((average * 100).rounded()))
      }
      load = LoadCounters(device: "", values: hundredths)
    }
    guard let load else { throw proc.problem("expected three averages, found nothing") }
    return load
  }

  /// `/proc/meminfo`: lines such as `MemTotal: 24684100 kB`.
  ///
  /// Kernels before 3.14 do not say what is available; free and cached memory stand in for it.
  public static func memory(_ text: String) throws(ProcProblem) -> MemoryCounters {
    let proc = ProcText(file: "meminfo", text: text)
    let wanted: Set<Substring> = [
      "MemTotal:", "MemAvailable:", "MemFree:", "Buffers:", "Cached:", "SwapTotal:", "SwapFree:",
    ]
    var found: [Substring: UInt64] = [:]
    try proc.forEachLine { line throws(ProcProblem) in
      guard wanted.contains(line.words[0]) else { return }
      let size = line.words.count > 1 ? line.words[1] : ""
      found[line.words[0]] = try line.number(size, "a size in kB")
    }
    guard let total = found["MemTotal:"] else { throw proc.problem("expected a line 'MemTotal:'") }
    let spare = ["MemFree:", "Buffers:", "Cached:"].reduce(0) { $0 &+ (found[$1] ?? 0) }
    let available = found["MemAvailable:"] ?? spare
    return MemoryCounters(
      device: "",
      values: [total, available, found["SwapTotal:"] ?? 0, found["SwapFree:"] ?? 0])
  }

  /// `/proc/net/dev`: two lines of headings, then `eth0: 5903 41 0 …` for each interface.
  public static func interfaces(_ text: String) throws(ProcProblem) -> [InterfaceCounters] {
    let proc = ProcText(file: "net/dev", text: text)
    var interfaces: [InterfaceCounters] = []
    try proc.forEachLine { line throws(ProcProblem) in
      // The headings have no colon. Old kernels leave no space after it, so words do not help.
      guard let colon = line.text.lastIndex(of: ":") else {
        if line.number > 2 { throw line.problem("expected 'name: counters'") }
        return
      }
      let name = line.text[..<colon].filter { $0 != " " && $0 != "\t" }
      let words = line.text[line.text.index(after: colon)...].split { $0 == " " || $0 == "\t" }
      let counters = try line.numbers(words[...], least: 9, "counters after the name")
      guard !name.isEmpty else { throw line.problem("expected a name before the colon") }
      interfaces.append(
        InterfaceCounters(device: name, values: [counters[0], counters[8]]))
    }
    return interfaces
  }

  /// `/proc/diskstats`: `254 0 vda` and eleven or more counters for each block device.
  public static func disks(_ text: String) throws(ProcProblem) -> [DiskCounters] {
    var devices: [DiskCounters] = []
    try ProcText(file: "diskstats", text: text).forEachLine { line throws(ProcProblem) in
      // Kernels before 2.6.25 gave partitions four counters; those are not wanted anyway.
      if line.words.count == 7 { return }
      let counters = try line.numbers(line.words.dropFirst(3), least: 11, "counters after the name")
      devices.append(
        DiskCounters(
          device: String(line.words[2]), values: [counters[2], counters[6], counters[9]]))
    }
    let names = Set(devices.map(\.device))
    return devices.filter { DiskCounters.isWholeDisk($0.device, among: names) }
  }

  /// `/proc/pressure/cpu` and its like: `some avg10=0.22 … total=2097052`, and perhaps `full …`.
  public static func pressure(
    _ text: String, of resource: String
  ) throws(ProcProblem) -> PressureCounters {
    let proc = ProcText(file: "pressure/\(resource)", text: text)
    var pressure = PressureCounters(device: resource)
    var hasSome = false
    try proc.forEachLine { line throws(ProcProblem) in
      guard let total = line.words.last, total.hasPrefix("total=") else {
        throw line.problem("expected 'total=' and a whole number at the end")
      }
      let stalled = try line.number(total.dropFirst("total=".count), "microseconds after 'total='")
      switch line.words[0] {
      case "some":
        pressure.some = stalled
        hasSome = true
      case "full": pressure.full = stalled
      default: break
      }
    }
    if !hasSome { throw proc.problem("expected a line that begins with 'some'") }
    return pressure
  }
}
