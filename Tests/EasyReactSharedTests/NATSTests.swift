#if NATS
import Dispatch
import EasyReact
import EasyReactShared
import Foundation
import Testing

@testable import EasyReactNATS

/// What is special about NATS, with servers of the test's own. Where there is none (`EASYREACT_NATS`), nothing of it runs.
@Suite(.enabled(if: StoreKind.natsAddress != nil), .watched) struct NATSTests {
  /// A nats-server, which ends with the test.
  final class Server: @unchecked Sendable {
    // Unchecked: used by one test, one call after the other.
    private let folder = Folder()
    private let process = Process()
    var address: String

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

  @Test func `20.7 a stream of another kind under the bucket's name is refused, and left as it is`()
    async throws
  {
    let admin = try await Admin()
    defer { admin.session.close() }
    var options = NATSOptions(servers: [StoreKind.natsAddress!])
    options.bucket = "other" + UUID().uuidString
    let name = "KV_\(options.bucket)"
    #expect(
      await admin.ask(
        "STREAM.CREATE.\(name)", #"{"name":"\#(name)","subjects":["\#(options.bucket).>"]}"#
      ).contains(#""did_create":true"#))
    let store = NATSStore(options)
    try await reach(store.connection) { if case .refused = $0 { true } else { false } }
    guard case .refused(let problem)? = store.connection.value else { return }
    #expect(problem.code == .wrongKind)
    #expect(
      problem.description.contains(name) && problem.description.contains("Choose another `bucket`"))
    let node = store.node("price", of: Int.self)
    node.value = 1
    #expect(node.value == 1)
    #expect(await admin.ask("STREAM.INFO.\(name)", "").contains(#""messages":0"#))
    // It makes room: the nodes go on.
    _ = await admin.ask("STREAM.DELETE.\(name)", "")
    try await reach(node.status) { $0.isSettled }
  }

  @Test func `20.6, 20.7 a bucket that is deleted and made anew under its nodes is begun anew`()
    async throws
  {
    let admin = try await Admin()
    defer { admin.session.close() }
    var options = NATSOptions(servers: [StoreKind.natsAddress!])
    options.bucket = "gone" + UUID().uuidString
    let one = NATSStore(options), other = NATSStore(options)
    let here = one.node("price", of: Int.self), there = other.node("price", of: Int.self)
    let kept = other.node("kept", of: Int.self)
    for value in 1...5 {
      here.value = value
      try await reach(there) { $0 == value }
    }
    kept.value = 7
    try await reach(kept.status) { $0.isSettled }
    _ = await admin.ask("STREAM.DELETE.KV_\(options.bucket)", "")
    // The stores find that by themselves, and one of them makes it anew, where revisions are small again.
    here.value = 6
    try await reach(there) { $0 == 6 }
    there.value = 7
    try await reach(here) { $0 == 7 }
    for node in [here, there] { try await reach(node.status) { $0.isSettled && $0.revision < 6 } }
    // What it held is gone, and so is the value here.
    try await reach(kept.status) { $0.isSettled && $0.revision == 0 }
    #expect(kept.isEmpty)
  }

  @Test func `20.0, 20.6 who watches from a revision on is told that the bucket is another one`()
    async throws
  {
    let admin = try await Admin()
    defer { admin.session.close() }
    var options = NATSOptions(servers: [StoreKind.natsAddress!])
    options.bucket = "another" + UUID().uuidString
    let store = NATSStore(options), told = MutableNode<[StoreEvent]>([])
    try await reach(store.connection) { $0.isConnected }
    for number in UInt8(1)...3 {
      _ = await store.answer(StoreWrite(key: "a", bytes: Data([number])))
    }
    let watching = store.watch("a", after: 1) { event in told.update { $0.append(event) } }
    try await reach(told) { $0.last == .current }
    _ = await admin.ask("STREAM.DELETE.KV_\(options.bucket)", "")
    try await reach(told) { $0.suffix(2) == [.reset, .current] }
    _ = await store.answer(StoreWrite(key: "a", bytes: Data([9])))
    try await reach(told) { $0.last != .current }
    func entry(_ revision: UInt64, _ bytes: UInt8) -> StoreEvent {
      .entry(StoreEntry(key: "a", revision: revision, bytes: Data([bytes])))
    }
    #expect(told.current == [entry(2, 2), entry(3, 3), .current, .reset, .current, entry(1, 9)])
    watching.cancel()
  }

  @Test(arguments: [10071, 10164])
  func `20.3 what another write of the key comes before, or is under way with, is a conflict`(
    _ number: Int
  ) async throws {
    let admin = try await Admin()
    defer { admin.session.close() }
    let said = #"{"error":{"code":400,"err_code":\#(number),"description":"wrong last sequence"}}"#
    let write = StoreWrite(key: "a", bytes: Data(), expected: 1)
    #expect(admin.session.answer(Data(said.utf8), to: write) == .conflict)
  }

  /// Speaks to JetStream itself.
  struct Admin: Sendable {
    let session: NATSSession

    init() async throws {
      var options = NATSOptions(servers: [StoreKind.natsAddress!])
      options.bucket = "admin"
      let isUp = MutableNode(false)
      session = NATSSession(options, on: .queue(DispatchQueue(label: "admin"))) { connection in
        if connection == .connected { isUp.value = true }
      }
      try await reach(isUp) { $0 }
    }

    func ask(_ call: String, _ body: String) async -> String {
      await withCheckedContinuation { done in
        session.request("$JS.API.\(call)", Data(body.utf8)) { reply in
          if case .message(let data) = reply {
            done.resume(returning: String(decoding: data, as: UTF8.self))
          } else {
            done.resume(returning: "\(reply)")
          }
        }
      }
    }
  }
}

/// Logins and certificates, made for the test.
@Suite(.enabled(if: StoreKind.natsAddress != nil && Tool.openssl != nil), .watched)
struct NATSSecurityTests {
  /// Certificates of an authority of the test's own, for 127.0.0.1.
  private func certificates() throws -> Folder {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let inFolder = { (name: String) in "\(folder.path)/\(name)" }
    try "subjectAltName=IP:127.0.0.1".write(
      toFile: inFolder("san"), atomically: true, encoding: .utf8)
    for name in ["ca", "stranger"] {
      try Tool.run(
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
        "-keyout", inFolder("\(name).key"), "-out", inFolder("\(name).pem"))
    }
    try Tool.run(
      "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=server", "-keyout",
      inFolder("server.key"), "-out", inFolder("server.csr"))
    try Tool.run(
      "x509", "-req", "-in", inFolder("server.csr"), "-CA", inFolder("ca.pem"), "-CAkey",
      inFolder("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", inFolder("san"), "-out",
      inFolder("server.pem"))
    return folder
  }

  @Test
  func
    `20.7 TLS is the client library's: an authority that is known lets in, another one is named`()
    async throws
  {
    let folder = try certificates()
    let server = try NATSTests.Server(
      port: NATSTests.port(),
      [
        "--tls", "--tlscert", "\(folder.path)/server.pem", "--tlskey", "\(folder.path)/server.key",
      ])
    func store(_ authorities: String?) -> NATSStore {
      var options = NATSOptions(servers: [server.address])
      options.tls = NATSOptions.TLS(authorities: authorities)
      return NATSStore(options)
    }
    let known = store("\(folder.path)/ca.pem")
    let node = known.node("price", of: Int.self)
    node.value = 4
    try await reach(node.status) { $0.isSettled }
    for authorities in ["\(folder.path)/stranger.pem", nil] {
      let refused = store(authorities)
      try await reach(refused.connection) { if case .refused = $0 { true } else { false } }
      guard case .refused(let problem)? = refused.connection.value else { return }
      #expect(problem.code == .refusedLogin && problem.description.contains("Correct `tls`"))
    }
    // One that does not speak of TLS at all.
    let plain = NATSStore(NATSOptions(servers: [server.address]))
    try await reach(plain.connection) { if case .refused = $0 { true } else { false } }
  }

  @Test func `20.7 wrong tokens, and credentials that are none, are refused without being shown`()
    async throws
  {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = "\(folder.path)/wrong.creds"
    try "-----BEGIN NATS USER JWT-----\nsecret\n------END NATS USER JWT------\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let server = try NATSTests.Server(port: NATSTests.port(), ["--auth", "right"])
    for login in [.none, .token("secret"), .credentials(file: file)] as [NATSOptions.Login] {
      var options = NATSOptions(servers: [server.address])
      options.login = login
      let store = NATSStore(options)
      try await reach(store.connection) { if case .refused = $0 { true } else { false } }
      #expect(!"\(store.connection.current) \(options)".contains("secret"))
    }
    var options = NATSOptions(servers: [server.address])
    options.login = .token("right")
    let store = NATSStore(options)
    try await reach(store.connection) { $0.isConnected }
  }
}

/// A program of the system.
enum Tool {
  static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  static func run(_ arguments: String...) throws {
    let process = Process(), complaints = Pipe()
    process.executableURL = URL(fileURLWithPath: openssl!)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (complaints, complaints)
    try process.run()
    let said = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(
      process.terminationStatus == 0, "\(arguments): \(String(decoding: said, as: UTF8.self))")
  }
}
#endif
