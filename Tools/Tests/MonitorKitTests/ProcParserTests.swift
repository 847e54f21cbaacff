import Testing

@testable import MonitorKit

@Suite struct `Reading the files of /proc` {
  @Suite struct `as this machine writes them` {
    let folder = "this-machine/"

    @Test func `stat gives the ticks of each core, not the sum of all`() throws {
      let cores = try ProcParser.cores(Fixture.text(folder + "stat"))
      #expect(cores.map(\.device) == ["cpu0", "cpu1"])
      #expect(cores.allSatisfy { $0.idle > 1000 && $0.user > 0 })
    }

    @Test func `loadavg gives hundredths`() throws {
      let text = try Fixture.text(folder + "loadavg")
      let first = try #require(Double(text.split(separator: " ")[0]))
      #expect(try ProcParser.load(text).oneMinute == UInt64((first * 100).rounded()))
    }

    @Test func `meminfo gives what a new program could have`() throws {
      let memory = try ProcParser.memory(Fixture.text(folder + "meminfo"))
      #expect(memory.total == 24_684_100)
      #expect(memory.available > 20_000_000 && memory.available < memory.total)
      #expect(memory.swapTotal == 0 && memory.swapUsedPercent == nil)
    }

    @Test func `net/dev gives the bytes of each interface`() throws {
      let interfaces = try ProcParser.interfaces(Fixture.text(folder + "net/dev"))
      #expect(interfaces.map(\.device) == ["lo", "ifb0", "ifb1", "eth0"])
      #expect(interfaces[0].received == interfaces[0].sent)
      #expect(interfaces[1].values == [0, 0])
      #expect(interfaces[3].received > 0 && interfaces[3].sent > 0)
    }

    @Test func `diskstats gives the one disk, not the loop devices nor the RAM disk`() throws {
      let disks = try ProcParser.disks(Fixture.text(folder + "diskstats"))
      #expect(disks.map(\.device) == ["vda"])
      #expect(disks[0].sectorsRead > 1_000_000)
    }

    @Test(arguments: PressureCounters.resources)
    func `pressure gives the time stalled`(resource: String) throws {
      let pressure = try ProcParser.pressure(
        Fixture.text(folder + "pressure/\(resource)"), of: resource)
      #expect(pressure.device == resource)
      #expect(pressure.some >= pressure.full)
    }

    @Test func `all of it makes one sample without problems`() {
      let reading = ProcReader(folder: Fixture.path("this-machine"))
        .read(at: .seconds(1), unixMilliseconds: 2)
      #expect(reading.problems == [])
      #expect(reading.sample.cores.count == 2)
      #expect(reading.sample.pressures.map(\.device) == ["cpu", "memory", "io"])
      #expect(reading.sample.load != nil && reading.sample.memory != nil)
    }
  }

  @Suite struct `as other kernels write them` {
    @Test func `a kernel of four states leaves the others at zero`() throws {
      let cores = try ProcParser.cores("cpu 1 2 3 4\ncpu0 1 2 3 4\nintr 5\n")
      #expect(cores[0].values == [1, 2, 3, 4, 0, 0, 0, 0])
    }

    @Test func `further columns are passed over, and cores that are off are not there`() throws {
      let cores = try ProcParser.cores("cpu0 1 2 3 4 5 6 7 8 9 10 11\ncpu7 8 7 6 5 4 3 2 1 0 0 0\n")
      #expect(cores.map(\.device) == ["cpu0", "cpu7"])
      #expect(cores[1].values == [8, 7, 6, 5, 4, 3, 2, 1])
    }

    @Test func `without MemAvailable, free and cached memory stand in`() throws {
      let memory = try ProcParser.memory(
        "MemTotal: 100 kB\nMemFree: 20 kB\nBuffers: 5 kB\nCached: 15 kB\n")
      #expect(memory.available == 40)
      #expect(memory.usedPercent == 60)
    }

    @Test func `more available than there is counts as nothing used`() {
      let memory = MemoryCounters(device: "", values: [100, 120, 10, 4])
      #expect(memory.usedPercent == 0)
      #expect(memory.swapUsedPercent == 60)
    }

    @Test func `an interface without a space after its colon is read`() throws {
      let interfaces = try ProcParser.interfaces("a\nb\n eth0:12 1 0 0 0 0 0 0 34 1 0 0 0 0 0 0\n")
      #expect(interfaces == [InterfaceCounters(device: "eth0", values: [12, 34])])
    }

    @Test func `the short lines of old partitions are passed over`() throws {
      let line = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n 8 1 sda1 1 2 3 4\n"
      #expect(try ProcParser.disks(line).map(\.values) == [[3, 7, 10]])
    }

    @Test func `cpu pressure without a line for full is read`() throws {
      let pressure = try ProcParser.pressure("some avg10=0.00 total=7\n", of: "cpu")
      #expect(pressure.values == [7, 0])
    }
  }

  @Suite struct `Whole disks` {
    @Test(arguments: [
      ("sda", true), ("sda1", false), ("sdb", true), ("sdb12", false), ("sdp", true),
      ("sdp1", false), ("nvme0n1", true), ("nvme0n1p2", false), ("nvme0n12", true),
      ("mmcblk0", true), ("mmcblk0p1", false), ("vda", true), ("sr0", true), ("loop3", false),
      ("ram0", false), ("zram0", false), ("dm-4", false), ("md127", false), ("xvdf1", true),
    ])
    func `are told from their parts`(name: String, isWhole: Bool) {
      let names: Set<String> = [
        "sda", "sda1", "sdb", "sdb12", "sdp", "sdp1", "nvme0n1", "nvme0n1p2", "nvme0n12",
        "mmcblk0", "mmcblk0p1", "vda", "sr0", "loop3", "ram0", "zram0", "dm-4", "md127", "xvdf1",
      ]
      #expect(DiskCounters.isWholeDisk(name, among: names) == isWhole)
    }
  }

  @Suite struct `when they are wrong` {
    @Test func `each malformed file is named with its line and what was expected`() {
      let reading = ProcReader(folder: Fixture.path("malformed"))
        .read(at: .zero, unixMilliseconds: 0)
      #expect(
        reading.problems.map(\.description) == [
          "stat, line 2: expected one of the counters of ticks, a whole number, and found 'ten'",
          "loadavg, line 1: expected an average such as 0.25 and found 'calm'",
          "meminfo, line 1: expected a size in kB, a whole number, and found 'lots'",
          "net/dev, line 3: expected at least 9 counters after the name, found 4",
          "diskstats, line 1: expected at least 11 counters after the name, found 5",
          "pressure/cpu, line 1: expected microseconds after 'total=', a whole number, "
            + "and found ''",
          "pressure/memory: expected a line that begins with 'some'",
          "pressure/io, line 1: expected 'total=' and a whole number at the end",
        ])
      #expect(reading.sample == Sample(time: .zero, unixMilliseconds: 0))
    }

    @Test func `missing files leave only pressure unmentioned, which not every kernel has`() {
      let reading = ProcReader(folder: "/nowhere").read(at: .zero, unixMilliseconds: 0)
      #expect(
        reading.problems.map(\.description) == [
          "stat: cannot be read (No such file or directory)",
          "loadavg: cannot be read (No such file or directory)",
          "meminfo: cannot be read (No such file or directory)",
          "net/dev: cannot be read (No such file or directory)",
          "diskstats: cannot be read (No such file or directory)",
        ])
    }

    @Test(arguments: ["", "\n", "\u{0}", "cpu", "cpu 1 2 3 4", "cpux 1 2 3 4", ":::", "héllo 🙂"])
    func `no text makes a parser crash`(text: String) {
      #expect(throws: ProcProblem.self) { try ProcParser.cores(text) }
      #expect(throws: ProcProblem.self) { try ProcParser.load(text) }
      #expect(throws: ProcProblem.self) { try ProcParser.memory(text) }
      #expect(throws: ProcProblem.self) { try ProcParser.pressure(text, of: "io") }
      _ = try? ProcParser.interfaces(text)
      _ = try? ProcParser.disks(text)
    }

    @Test func `numbers beyond 64 bits and infinite averages are refused`() {
      #expect(throws: ProcProblem.self) { try ProcParser.cores("cpu0 18446744073709551616 2 3 4") }
      #expect(throws: ProcProblem.self) { try ProcParser.load("inf 1 1") }
      #expect(throws: ProcProblem.self) { try ProcParser.load("nan 1 1") }
      #expect(throws: ProcProblem.self) { try ProcParser.load("-1 1 1") }
    }

    @Test func `a message shows no control characters and not too much`() {
      let text = "cpu0 \u{1B}[31m" + String(repeating: "x", count: 100) + " 2 3 4"
      let shown = message { _ = try ProcParser.cores(text) }
      #expect(shown.hasSuffix("found '?[31m" + String(repeating: "x", count: 35) + "...'"))
    }
  }
}
