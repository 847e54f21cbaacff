#if Inspector
import FlyingSocks
import Foundation
import Synchronization

/// Serves one request per connection, on the loopback address alone.
///
/// What a stranger can make it do is bounded: so many connections at once, so many bytes of a request, and so many
/// seconds for it; a reader that is too slow is cut off. If too many are refused, the next ones are let in later.
/// Answers are made one at a time for each connection, and a stream of events makes the next one only when the last is
/// written, so nothing piles up.
struct LoopbackServer: Sendable {
  struct Limits: Sendable {
    var connections = 64
    var secondsToRead = 10.0
    var secondsToWrite = 30.0
    /// This many refusals at once, and this many a second from then on. Whoever knows the token is not counted.
    var refusals = 100.0
    var refusalsPerSecond = 100.0
    /// How many may wait with the system to be let in; it turns the others away, and they try again.
    var waiting: Int32 = 64
  }

  let port: UInt16
  private let socket: Socket
  private let limits: Limits
  private let open = OpenConnections()
  private let refused: Refusals

  private final class OpenConnections: Sendable {
    private let count = Mutex(0)
    func add(atMost limit: Int) -> Bool {
      count.withLock {
        if $0 >= limit { return false }
        $0 += 1
        return true
      }
    }
    func remove() { count.withLock { $0 -= 1 } }
  }

  /// Each connection costs the program something, whoever comes, so those that come to nothing are rationed.
  private final class Refusals: Sendable {
    private struct State {
      /// As many as are to be waited for, as of `moment`: one less at each interval.
      var count = 0.0
      var moment = ContinuousClock.now
    }
    private let state = Mutex(State())
    private let limits: Limits
    init(_ limits: Limits) { self.limits = limits }

    func add() { _ = settle(1) }

    /// Until the next connection may be let in.
    var delay: Duration {
      .seconds(max(0, settle(0) - limits.refusals) / limits.refusalsPerSecond)
    }

    private func settle(_ more: Double) -> Double {
      let now = ContinuousClock.now
      return state.withLock { state in
        let passed = state.moment.duration(to: now) / .seconds(1)
        state.count = max(0, state.count - passed * limits.refusalsPerSecond) + more
        state.moment = now
        return state.count
      }
    }
  }

  /// - Parameter port: 0: any that is free.
  init(port: UInt16, limits: Limits = Limits()) throws {
    let socket = try Socket(domain: AF_INET, type: .stream)
    do {
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: port))
      try socket.listen(maxPendingConnection: limits.waiting)
      guard case .ip4(_, let bound) = try socket.sockname() else {
        throw SocketError.unsupportedAddress
      }
      self.port = bound
    } catch {
      try? socket.close()
      throw error
    }
    self.socket = socket
    self.limits = limits
    refused = Refusals(limits)
  }

  /// Until the task is cancelled.
  func run(_ answer: @escaping @Sendable (Request) async -> Reply) async {
    let pool: some AsyncSocketPool = .make()
    do {
      try await pool.prepare()
      let listening = try AsyncSocket(socket: socket, pool: pool)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        group.addTask { try await accept(from: listening, answer) }
        try await group.next()
        group.cancelAll()
      }
    } catch {}
    try? socket.close()
  }

  private func accept(
    from listening: AsyncSocket, _ answer: @escaping @Sendable (Request) async -> Reply
  ) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      while true {
        let delay = refused.delay
        if delay > .zero { try await Task.sleep(for: delay) }
        guard let connection = try await next(listening) else { continue }
        guard open.add(atMost: limits.connections) else {
          try? connection.close()
          refused.add()
          continue
        }
        group.addTask {
          if !(await serve(connection, answer)) { refused.add() }
          open.remove()
        }
      }
    }
  }

  /// nil: it came to nothing, because the other side has left, or this process has no file left.
  private func next(_ listening: AsyncSocket) async throws -> AsyncSocket? {
    do {
      return try await listening.accept()
    } catch {
      try Task.checkCancellation()
      try await Task.sleep(for: .milliseconds(50))
      return nil
    }
  }

  /// Was it answered, and not refused?
  private func serve(
    _ connection: AsyncSocket, _ answer: @escaping @Sendable (Request) async -> Reply
  ) async -> Bool {
    #if canImport(Darwin)
    try? connection.socket.setValue(true, for: .noSIGPIPE)
    #endif
    let seconds = limits.secondsToWrite
    let write: @Sendable (Data) async throws -> Void = { data in
      try await within(seconds) { try await connection.write(data) }
    }
    var reply: Reply
    do {
      reply = await answer(try await within(limits.secondsToRead) { try await read(connection) })
    } catch let refusal as Refusal {
      reply = .refusal(refusal)
    } catch {
      try? connection.close()
      return false
    }
    do {
      try await write(reply.head)
      switch reply.content {
      case .data(let data): try await write(data)
      case .events(let body): try await body(write)
      }
    } catch {}
    try? connection.close()
    return !reply.isRefusal
  }

  private func read(_ connection: AsyncSocket) async throws -> Request {
    let end = Data("\r\n\r\n".utf8)
    var bytes = Data()
    var headEnd: Range<Data.Index>?
    while headEnd == nil {
      if bytes.count > Request.Limit.headBytes { throw Refusal.headTooLong }
      let searched = max(0, bytes.count - end.count)
      bytes += try await connection.read(atMost: 4096)
      headEnd = bytes.range(of: end, in: searched..<bytes.count)
    }
    var request = try Request(head: bytes[..<headEnd!.lowerBound])
    let length = try request.bodyLength
    request.body = Data(bytes[headEnd!.upperBound...].prefix(length))
    while request.body.count < length {
      request.body += try await connection.read(atMost: length - request.body.count)
    }
    return request
  }
}

/// Cancels `body` when it takes longer, and throws ``Refusal/tooSlow``.
private func within<Result: Sendable>(
  _ seconds: Double, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let result = first else { throw Refusal.tooSlow }
    return result
  }
}
#endif
