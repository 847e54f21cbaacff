import Foundation
import Testing

@testable import MonitorKit

@Suite struct `A recording` {
  /// A machine with one of each.
  static func sample(_ seconds: Double) -> Sample {
    .at(seconds) {
      $0.load = LoadCounters(device: "", values: [1, 2, 3])
      $0.memory = MemoryCounters(device: "", values: [100, 50, 10, 5])
      $0.pressures = PressureCounters.resources.map {
        PressureCounters(device: $0, values: [7, 6])
      }
      $0.cores = [CoreTimes(device: "cpu0", values: 1...8)]
      $0.interfaces = [InterfaceCounters(device: "eth0.1", values: [11, 12])]
      $0.disks = [DiskCounters(device: "vda", values: [21, 22, 23])]
    }
  }

  static func text(_ samples: [Sample]) -> String {
    let layout = RecordingLayout(first: samples[0])
    return CSV.line(layout.columns) + samples.map { CSV.line(layout.cells(for: $0)) }.joined()
  }

  private func read(_ text: String) throws -> [Sample] {
    try Recording(bytes: Array(text.utf8), file: "f.csv").samples
  }

  @Test func `has columns with names that say what is counted`() {
    let columns = RecordingLayout(first: Self.sample(0)).columns
    #expect(
      columns.joined(separator: " ") == """
        timeMicroseconds unixMilliseconds load.oneMinuteHundredths load.fiveMinutesHundredths \
        load.fifteenMinutesHundredths memory.totalKibibytes memory.availableKibibytes \
        memory.swapTotalKibibytes memory.swapFreeKibibytes pressure.cpu.someMicroseconds \
        pressure.cpu.fullMicroseconds pressure.memory.someMicroseconds \
        pressure.memory.fullMicroseconds pressure.io.someMicroseconds pressure.io.fullMicroseconds \
        core.cpu0.userTicks core.cpu0.niceTicks core.cpu0.systemTicks core.cpu0.idleTicks \
        core.cpu0.ioWaitTicks core.cpu0.interruptTicks core.cpu0.softInterruptTicks \
        core.cpu0.stolenTicks interface.eth0.1.receivedBytes interface.eth0.1.sentBytes \
        disk.vda.readSectors disk.vda.writtenSectors disk.vda.busyMilliseconds appearedLater
        """)
  }

  @Test func `gives back the samples that were written`() throws {
    let samples = [Self.sample(0), Self.sample(1.000001), Self.sample(2.5)]
    #expect(try read(Self.text(samples)) == samples)
  }

  @Test func `keeps a machine that has next to nothing`() throws {
    let samples = [Sample.at(0), .at(1)]
    #expect(try read(Self.text(samples)) == samples)
  }

  @Test func `leaves empty what has gone, and keeps what appeared later`() throws {
    var gone = Self.sample(1)
    gone.memory = nil
    gone.pressures = []
    gone.disks = []
    var more = Self.sample(2)
    more.interfaces.append(InterfaceCounters(device: "usb=0", values: [1, 2]))
    more.disks.append(DiskCounters(device: "sdb", values: [.max, 4, 5]))
    let text = Self.text([Self.sample(0), gone, more])
    #expect(text.contains("interface.usb=0=1/2 disk.sdb=18446744073709551615/4/5\n"))
    #expect(try read(text) == [Self.sample(0), gone, more])
  }

  @Test func `quotes a device whose name has a comma`() throws {
    var sample = Self.sample(0)
    sample.interfaces = [InterfaceCounters(device: "a,\"b", values: [1, 2])]
    #expect(try read(Self.text([sample])) == [sample])
  }

  @Test func `of this machine lies beside the tests`() throws {
    let recording = try Recording(path: Fixture.path("recorded.csv"))
    #expect(recording.samples.count >= 30)
    #expect(recording.samples.allSatisfy { $0.cores.count == 2 && $0.disks.count == 1 })
    #expect(recording.samples.last!.cores[0].idle > recording.samples[0].cores[0].idle)
  }
}

@Suite struct `Writing a recording` {
  @Test func `gives a file that can be read while it grows`() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let writer = try RecordingWriter(path: path)
    let samples = (0..<3).map { `A recording`.sample(Double($0)) }
    for (index, sample) in samples.enumerated() {
      try writer.write(sample)
      #expect(try Recording(path: path).samples == Array(samples[...index]))
    }
  }

  @Test func `replaces a file that was there`() throws {
    let path = temporaryPath()
    defer { remove(path) }
    for seconds in [1.0, 2.0] {
      try RecordingWriter(path: path).write(.at(seconds))
    }
    #expect(try Recording(path: path).samples == [.at(2)])
  }

  @Test(arguments: [
    ("/nowhere/x.csv", "/nowhere/x.csv: cannot be written (No such file or directory)"),
    ("/tmp", "/tmp: cannot be written (Is a directory)"),
  ])
  func `that cannot begin says why`(path: String, reason: String) {
    #expect(message { _ = try RecordingWriter(path: path) } == reason)
  }

  // Linux alone has a disk that is always full.
  @Test(.enabled(if: access("/dev/full", W_OK) == 0))
  func `on a full disk says so`() throws {
    let writer = try RecordingWriter(path: "/dev/full")
    #expect(
      message { try writer.write(.at(0)) }
        == "/dev/full: cannot be written (No space left on device)")
  }
}
