#if NATS
import Foundation

/// Where a ``NATSStore`` finds its servers and its bucket, and how it makes the bucket if there is none.
///
///     var options = NATSOptions(servers: ["nats://a.example:4222", "nats://b.example:4222"])
///     options.login = .credentials(file: "/etc/shop/nats.creds")
///     options.tls = NATSOptions.TLS(authorities: "/etc/shop/ca.pem")
///     options.bucket = "shop"
///     let store = NATSStore(options)
///
/// Passwords and tokens appear in no description and no problem.
public struct NATSOptions: Sendable, CustomStringConvertible {
  /// How the program makes itself known.
  public enum Login: Sendable, CustomStringConvertible {
    case none
    case user(String, password: String)
    case token(String)
    /// A file of `nsc`, with a JWT and a seed.
    case credentials(file: String)

    public var description: String {
      switch self {
      case .none: "none"
      case .user(let name, _): "user \(name)"
      case .token: "token"
      case .credentials(let file): "credentials of \(file)"
      }
    }
  }

  /// Files in PEM form; the client library reads them. Nil: the system's authorities, no certificate of one's own.
  public struct TLS: Sendable {
    public var authorities: String?
    public var certificate: String?
    public var key: String?
    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    }
  }

  public enum Storage: String, Sendable {
    case file
    /// A restart of the server loses the bucket: nodes are then empty, and begin anew.
    case memory
  }

  public var servers: [String]
  public var login = Login.none
  public var tls: TLS?
  /// Letters, digits, `-` and `_`.
  public var bucket = "easyreact"
  /// Is the bucket made if there is none?
  public var makesBucket = true
  /// How many entries of a key a new bucket keeps, 1 to 64: how far back `.every` reaches.
  public var history = 64
  public var storage = Storage.file
  /// On how many servers of a cluster a new bucket lies, 1 to 5.
  ///
  /// Compare-and-set of a replicated bucket is the server's promise, and older servers do not keep it: with 2.9.10 two writes that
  /// expect the same revision may both be done (nats-server issue 4320). Then updates of several processes at once are lost. One replica is exact.
  public var replicas = 1
  /// How many sets of one node may wait.
  public var limit = 1_000
  /// After this time a write that nobody answered is tried again.
  public var answerTimeout = Duration.seconds(5)

  public init(servers: [String] = ["nats://127.0.0.1:4222"]) { self.servers = servers }

  public var description: String {
    "NATSOptions(servers: \(serversWithoutSecrets), login: \(login), bucket: \(bucket))"
  }

  /// How the program makes itself known; never a secret.
  var loginInWords: String {
    if case .none = login, servers.contains(where: { $0.contains("@") }) { return "of the address" }
    return login.description
  }

  /// An address may have a password before its `@`.
  var serversWithoutSecrets: String {
    servers.map { server in
      guard let at = server.lastIndex(of: "@") else { return server }
      let scheme = server.range(of: "://").map { server[..<$0.upperBound] } ?? ""
      return scheme + "…@" + server[server.index(after: at)...]
    }.joined(separator: ", ")
  }
}
#endif
