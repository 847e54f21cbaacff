#if NATS
import EasyReact
import EasyReactShared
import Foundation
import Testing

import EasyReactNATS

/// What is special about NATS, with servers of the test's own. Where there is none (`EASYREACT_NATS`), nothing of it runs.
@Suite(.enabled(if: StoreKind.natsAddress != nil), .watched) struct NATSTests {
  /// A nats-server, which ends with the test.
  final class Server: @unchecked Sendable {
    // Unchecked: used by one test, one call after the other.
    private let folder = Folder()
    private let process = Process()
    let address: String

    init(port: Int, _ arguments: [String] = []) throws {
      address = "nats://127.0.0.1:\(port)"
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        [
          "nats-server", "-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder.path, "-l",
          "/dev/null",
        ] + arguments
      try process.run()
    }
    deinit { process.terminate() }
  }

  static func port() -> Int { Int.random(in: 20_000..<30_000) }

  @Test func `20.7 a program starts before its server, says so, and goes on when it comes`()
    async throws
  {
    let port = Self.port()
    let store = NATSStore(NATSOptions(servers: ["nats://127.0.0.1:\(port)"]))
    let node = store.node("price", of: Int.self)
    node.value = 4
    try await reach(store.connection) { if case .disconnected = $0 { true } else { false } }
    #expect(node.value == 4 && node.status.current.waitingCount == 1)
    let server = try Server(port: port)
    try await reach(node.status) { $0.isSettled }
    #expect(store.connection.value == .connected)
    withExtendedLifetime(server) {}
  }

  @Test func `20.7 a refused login is said without the password, and tried again`() async throws {
    let port = Self.port()
    let server = try Server(port: port, ["--user", "shop", "--pass", "right"])
    var options = NATSOptions(servers: [server.address])
    options.login = .user("shop", password: "wrong-secret")
    let store = NATSStore(options)
    try await reach(store.connection) { if case .refused = $0 { true } else { false } }
    guard case .refused(let problem)? = store.connection.value else { return }
    #expect(problem.code == .refusedLogin && problem.description.contains("Correct `login`"))
    #expect(!"\(problem) \(options)".contains("secret"))
    options.login = .user("shop", password: "right")
    let other = NATSStore(options)
    try await reach(other.connection) { $0.isConnected }
  }

  @Test func `20.7 a bucket that is missing, or of another kind, is refused`() async throws {
    var options = NATSOptions(servers: [StoreKind.natsAddress!])
    options.bucket = "missing" + UUID().uuidString
    options.makesBucket = false
    let store = NATSStore(options)
    try await reach(store.connection) {
      if case .refused(let problem) = $0 { problem.code == .wrongKind } else { false }
    }
    let node = store.node("price", of: Int.self)
    node.value = 1
    #expect(node.value == 1)
    // Somebody makes it: it goes on.
    options.makesBucket = true
    let maker = NATSStore(options)
    try await reach(maker.connection) { $0.isConnected }
    try await reach(node.status) { $0.isSettled }
  }
}
#endif
