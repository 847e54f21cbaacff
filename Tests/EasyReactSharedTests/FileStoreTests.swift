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

  @Test func `13, 20.8 a scheduler that does not wait stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FileStore("/tmp/never-made", on: .immediate).node("price", of: Int.self)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("FileStore(on: .immediate)") && message.contains("Pass"))
  }
}
