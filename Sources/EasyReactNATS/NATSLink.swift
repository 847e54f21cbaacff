#if NATS
import CNats
import EasyReactShared
import Foundation
import Synchronization

/// A connection of the client library, which makes itself anew whenever it breaks.
///
/// Callbacks come on threads of that library: one for each subscription, in order.
final class NATSLink: Sendable {
  enum Event: Sendable {
    case opened
    case lost(SharedProblem)
    case refused(SharedProblem)
  }

  /// What came. It is valid during the call alone.
  struct Message: ~Copyable {
    let pointer: OpaquePointer
    // Both as they are, ended by a zero: nothing is copied to look at them.
    var subject: UnsafePointer<CChar> { natsMsg_GetSubject(pointer) }
    var reply: UnsafePointer<CChar>? { natsMsg_GetReply(pointer) }
    var data: Data {
      let count = Int(natsMsg_GetDataLength(pointer))
      return count == 0 ? Data() : Data(bytes: natsMsg_GetData(pointer), count: count)
    }
    func header(_ name: String) -> String? {
      var value: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
      return String(cString: value)
    }
  }

  private struct Handle: @unchecked Sendable {
    // Unchecked: a constant, one of the client library's handles, which any thread may use.
    let pointer: OpaquePointer
  }
  private struct State {
    /// Used under the lock, so that nobody destroys it meanwhile.
    var connection: Handle?
    var isClosed = false
    var messageLimit = 1 << 20
  }
  private let options: NATSOptions
  private let state = Mutex(State())
  private let handler: @Sendable (Event) -> Void

  init(_ options: NATSOptions, _ handler: @escaping @Sendable (Event) -> Void) {
    (self.options, self.handler) = (options, handler)
  }

  var place: String { options.serversWithoutSecrets }

  func problem(_ code: SharedProblem.Code, _ what: String, _ remedy: String) -> SharedProblem {
    SharedProblem(code, what, at: place, remedy: remedy)
  }

  // MARK: Connecting

  /// Blocks until it is connected, or has failed once; not for a thread that others wait for.
  /// - Returns: False: try again later.
  func connect() -> Bool {
    var made: OpaquePointer?
    let box = Unmanaged.passRetained(LinkBox(self))
    let (status, what) = options.withNative { native in
      natsOptions_SetClosedCB(native, { _, box in LinkBox.of(box).closed() }, box.toOpaque())
      natsOptions_SetDisconnectedCB(native, { _, box in LinkBox.of(box).lost() }, box.toOpaque())
      natsOptions_SetReconnectedCB(native, { _, box in LinkBox.of(box).opened() }, box.toOpaque())
      return natsConnection_Connect(&made, native)
    }
    guard status == NATS_OK, let made = made.map({ Handle(pointer: $0) }) else {
      box.release()
      handler(failure(status, what))
      return false
    }
    let isClosed = state.withLock { state in
      state.connection = state.isClosed ? nil : made
      return state.isClosed
    }
    if isClosed { destroy(made) } else { opened() }
    return true
  }

  private func failure(_ status: natsStatus, _ what: String?) -> Event {
    // Without the place in the client library's source: `(conn.c:2088): `.
    let text = what ?? String(cString: natsStatus_GetText(status))
    let reason = text.hasPrefix("(") ? text.split(separator: "): ", maxSplits: 1).last! : text[...]
    switch status {
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
      return .refused(
        problem(
          .refusedLogin, "the NATS server refuses the login (\(options.loginInWords))",
          "Correct `login` in NATSOptions, or the server's users."))
    case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED:
      return .refused(
        problem(
          .refusedLogin, "no secure connection to the NATS server: \(reason)",
          "Correct `tls` in NATSOptions, or the server's certificates."))
    case NATS_INVALID_ARG, NATS_ADDRESS_MISSING, NATS_ERR:
      return .refused(
        problem(
          .refused, "the client library does not accept the NATSOptions: \(reason)",
          "Correct the servers' addresses, or the files that they name."))
    default:
      return .lost(
        problem(
          .unreachable, "no NATS server answers: \(reason)",
          "See that one runs there; it is tried again by itself."))
    }
  }

  fileprivate func opened() {
    state.withLock { state in
      guard let connection = state.connection else { return }
      state.messageLimit = Int(natsConnection_GetMaxPayload(connection.pointer))
    }
    handler(.opened)
  }
  fileprivate func lost() {
    handler(
      .lost(
        problem(
          .unreachable, "the connection to the NATS server is lost", "It is tried again by itself.")
      ))
  }

  /// The client library has given up: the server refuses the login. It is tried anew.
  fileprivate func closed(_ box: Unmanaged<LinkBox>) {
    let (old, isOurs) = state.withLock { state in
      defer { state.connection = nil }
      return (state.connection, state.isClosed)
    }
    box.release()
    guard let old, !isOurs else { return }
    destroy(old)
    handler(
      .refused(
        problem(
          .refusedLogin, "the NATS server does not let this program in again",
          "See its log, and `login` in NATSOptions.")))
  }

  func close() {
    let old = state.withLock { state in
      state.isClosed = true
      defer { state.connection = nil }
      return state.connection
    }
    if let old { destroy(old) }
  }

  /// It waits for callbacks, so not in one of them.
  private func destroy(_ connection: Handle) {
    DispatchQueue.global().async { natsConnection_Destroy(connection.pointer) }
  }

  // MARK: Using it

  /// How many bytes a message has at most.
  var messageLimit: Int { state.withLock { $0.messageLimit } }

  /// False: there is no connection at present.
  func publish(
    _ data: Data, to subject: String, reply: String? = nil, headers: [(String, String)] = []
  ) -> Bool {
    state.withLock { state in
      guard let connection = state.connection?.pointer,
        natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED
      else { return false }
      var message: OpaquePointer?
      let status = data.withUnsafeBytes { bytes in
        natsMsg_Create(
          &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32(data.count))
      }
      guard status == NATS_OK else { return false }
      defer { natsMsg_Destroy(message) }
      for (name, value) in headers { natsMsgHeader_Set(message, name, value) }
      return natsConnection_PublishMsg(connection, message) == NATS_OK
    }
  }

  /// Nil: there is no connection.
  func subscribe(_ subject: String, _ handler: @escaping @Sendable (borrowing Message) -> Void)
    -> NATSSubscription?
  {
    let handlerBox = HandlerBox(handler)
    return state.withLock { state in
      guard let connection = state.connection?.pointer else { return nil }
      let box = Unmanaged.passRetained(handlerBox)
      var made: OpaquePointer?
      let status = natsConnection_Subscribe(
        &made, connection, subject,
        { _, _, message, box in
          guard let message else { return }
          Unmanaged<HandlerBox>.fromOpaque(box!).takeUnretainedValue().handler(
            Message(pointer: message))
          natsMsg_Destroy(message)
        }, box.toOpaque())
      guard status == NATS_OK, let made else {
        box.release()
        return nil
      }
      natsSubscription_SetPendingLimits(made, -1, -1)
      natsSubscription_SetOnCompleteCB(
        made, { box in Unmanaged<HandlerBox>.fromOpaque(box!).release() }, box.toOpaque())
      return NATSSubscription(made)
    }
  }
}

/// A subscription; releasing it ends it.
final class NATSSubscription: @unchecked Sendable {
  // Unchecked: a constant, one of the client library's handles, which any thread may use.
  private let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { self.pointer = pointer }
  deinit {
    natsSubscription_Unsubscribe(pointer)
    natsSubscription_Destroy(pointer)
  }
}

private final class HandlerBox: Sendable {
  let handler: @Sendable (borrowing NATSLink.Message) -> Void
  init(_ handler: @escaping @Sendable (borrowing NATSLink.Message) -> Void) {
    self.handler = handler
  }
}

/// What the client library's callbacks of a connection get, until that is closed.
private final class LinkBox: Sendable {
  private weak let link: NATSLink?
  init(_ link: NATSLink) { self.link = link }

  static func of(_ box: UnsafeMutableRawPointer?) -> LinkBox {
    Unmanaged<LinkBox>.fromOpaque(box!).takeUnretainedValue()
  }
  func opened() { link?.opened() }
  func lost() { link?.lost() }
  func closed() {
    let box = Unmanaged.passUnretained(self)
    if let link { link.closed(box) } else { box.release() }
  }
}

extension NATSOptions {
  /// The client library's options, and what it says was wrong with them.
  fileprivate func withNative(_ body: (OpaquePointer) -> natsStatus) -> (natsStatus, String?) {
    var made: OpaquePointer?
    guard natsOptions_Create(&made) == NATS_OK, let native = made else {
      return (NATS_NO_MEMORY, nil)
    }
    defer { natsOptions_Destroy(native) }
    let status = fill(native)
    let result = status == NATS_OK ? body(native) : status
    if result == NATS_OK { return (result, nil) }
    var last: natsStatus = NATS_OK
    let text = nats_GetLastError(&last).map { String(cString: $0) }
    return (result, text)
  }

  private func fill(_ native: OpaquePointer) -> natsStatus {
    var status = NATS_OK
    func apply(_ next: () -> natsStatus) { if status == NATS_OK { status = next() } }
    let names = servers.map { strdup($0) }
    defer { for name in names { free(name) } }
    var pointers = names.map { UnsafePointer($0) }
    apply { natsOptions_SetServers(native, &pointers, Int32(pointers.count)) }
    apply { natsOptions_SetName(native, "EasyReact") }
    apply { natsOptions_SetTimeout(native, 2_000) }
    apply { natsOptions_SetMaxReconnect(native, -1) }
    apply { natsOptions_SetReconnectWait(native, 100) }
    apply { natsOptions_SetReconnectJitter(native, 50, 50) }
    // A server that does not answer is lost after some seconds, not some minutes.
    apply { natsOptions_SetPingInterval(native, 2_000) }
    apply { natsOptions_SetMaxPingsOut(native, 2) }
    // Nothing waits in the library: what could not be sent is kept by the nodes, in order.
    apply { natsOptions_SetSendAsap(native, true) }
    switch login {
    case .none: break
    case .user(let name, let password): apply { natsOptions_SetUserInfo(native, name, password) }
    case .token(let token): apply { natsOptions_SetToken(native, token) }
    case .credentials(let file):
      apply { natsOptions_SetUserCredentialsFromFiles(native, file, nil) }
    }
    if let tls {
      apply { natsOptions_SetSecure(native, true) }
      if let file = tls.authorities {
        apply { natsOptions_LoadCATrustedCertificates(native, file) }
      }
      if let file = tls.certificate, let key = tls.key {
        apply { natsOptions_LoadCertificatesChain(native, file, key) }
      }
    }
    return status
  }
}
#endif
