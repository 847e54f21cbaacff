import EasyReact
import EasyReactTesting
import Foundation
import Testing

@testable import EasyReactShared

/// A `FileStore` in virtual time, whose folder is not as it should be.
@Suite(.watched) struct FileStoreTests {
  private let folder = Folder(), clock = VirtualScheduler()

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
  }

  @Test func `20.6, 20.7 a log that cannot be looked at is not an empty one`() throws {
    let store = FileStore(folder.path, on: clock), price = store.node("price", of: Int.self)
    price.value = 4
    clock.advance(by: .seconds(1))
    #expect(price.status.current.isSettled && store.connection.current == .connected)
    let log = folder.path + "/log"
    try FileManager.default.moveItem(atPath: log, toPath: log + ".aside")
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "log")  // a loop
    let late = FileStore(folder.path, on: clock).node("price", of: Int.self)
    clock.advance(by: .seconds(1))
    #expect(price.value == 4 && !store.connection.current.isConnected)
    #expect(!late.status.current.isKnown)
    try remove("log")
    try FileManager.default.moveItem(atPath: log + ".aside", toPath: log)
    clock.advance(by: .seconds(1))
    #expect(price.value == 4 && store.connection.current == .connected)
    #expect(late.value == 4 && late.status.current.isSettled)
  }

  @Test func `13, 20.8 a scheduler that does not wait stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FileStore("/tmp/never-made", on: .immediate).node("price", of: Int.self)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("FileStore(on: .immediate)") && message.contains("Pass"))
  }
}
