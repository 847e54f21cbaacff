import EasyReact
import EasyReactShared
import Foundation
import Testing

@testable import MonitorKit

@Suite struct `The address of a fleet` {
  @Test(arguments: [
    ("nats://127.0.0.1:4222", FleetAddress.Kind.servers(["nats://127.0.0.1:4222"])),
    ("tls://a:1,tls://b:2", .servers(["tls://a:1", "tls://b:2"])),
    ("/tmp/fleet", .folder("/tmp/fleet")), ("./fleet", .folder("./fleet")),
  ])
  func `is of servers, or a folder`(_ text: String, _ kind: FleetAddress.Kind) throws {
    #expect(try FleetAddress(text).kind() == kind)
  }

  @Test(arguments: [
    "", "fleet", "nats:/a", "http://a", "nats://", "nats://a,ftp://u:secret@b", "://",
  ])
  func `says what it may be, and no password`(_ text: String) {
    let said = message { _ = try FleetAddress(text).kind() }
    #expect(said.contains("Expected a server such as nats://127.0.0.1:4222"))
    #expect(!said.contains("secret"))
  }

  @Test func `of a folder joins the programs of this machine`() async throws {
    let folder = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let address = FleetAddress(folder)
    let machine = MonitorGraph()
    let share = MachineShare(
      machine, .init(name: "one", interval: .seconds(1)), in: try FleetStore.open(address)
    ) { _ in }
    machine.feed(.at(0))
    let fleet = FleetGraph(
      try FleetStore.open(address), every: .seconds(1),
      on: .queue(DispatchQueue(label: "fleet")))
    _ = try await fleet.report.first { $0.machines.first?.condition == .up }
    withExtendedLifetime((share, machine)) {}
  }

  #if NATS
  @Test func `of a server that is not there is waited for, with a note`() async throws {
    let graph = MonitorGraph()
    let store = try FleetStore.open(FleetAddress("nats://127.0.0.1:1"))
    let share = MachineShare(graph, .init(name: "one", interval: .seconds(1)), in: store) { _ in }
    _ = try await store.connection.first { if case .disconnected = $0 { true } else { false } }
    #expect(
      share.notes.count == 1 && share.notes[0].hasPrefix("not shared: no NATS server answers"))
  }

  @Test func `needs files that are there`() {
    #expect(
      message { _ = try FleetStore.open(FleetAddress("nats://a", credentials: "/no/such")) }
        == "/no/such: cannot be read (No such file or directory).")
  }
  #else
  @Test func `of a server says what to install where libnats is not there`() {
    let said = message { _ = try FleetStore.open(FleetAddress("nats://127.0.0.1:4222")) }
    #expect(said.contains("libnats-dev") && said.contains("--demo"))
  }
  #endif
}
