import EasyReactNATS
import EasyReactShared

/// Where a fleet's nodes lie, as a user types it.
///
///     try FleetStore.open(FleetAddress("nats://127.0.0.1:4222"))
public struct FleetAddress: Sendable, Equatable {
  /// `nats://HOST:PORT` or `tls://HOST:PORT`, several with commas between them; or a folder, for the programs of one machine.
  public var place: String
  /// A file of credentials (`nsc`), with which to log in.
  public var credentials: String?
  /// A file with the authorities whose certificates the server may have.
  public var authorities: String?

  public init(_ place: String, credentials: String? = nil, authorities: String? = nil) {
    (self.place, self.credentials, self.authorities) = (place, credentials, authorities)
  }

  /// What it is, by its form.
  public enum Kind: Sendable, Equatable { case servers([String]), folder(String) }

  /// - Throws: What is wrong, as a sentence.
  public func kind() throws(MonitorFailure) -> Kind {
    let servers = place.split(separator: ",").map(String.init)
    guard servers.contains(where: { $0.contains("://") }) else {
      guard ["/", "./", "../"].contains(where: place.hasPrefix) else {
        throw MonitorFailure(Self.expected(place))
      }
      if credentials ?? authorities != nil {
        throw MonitorFailure("A folder has no login: leave --credentials and --authorities out.")
      }
      return .folder(place)
    }
    for server in servers {
      let parts = server.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
      let isKnown = ["nats", "tls"].contains(String(parts[0]).lowercased())
      guard parts.count == 2, isKnown, !parts[1].isEmpty else {
        throw MonitorFailure(Self.expected(Self.withoutLogin(server)))
      }
    }
    return .servers(servers)
  }

  private static func expected(_ place: String) -> String {
    "Expected a server such as nats://127.0.0.1:4222 or tls://HOST:PORT, "
      + "or a folder such as /tmp/fleet, not \(quoted(place))."
  }

  /// What may be shown: an address may have a password before its `@`.
  private static func withoutLogin(_ server: String) -> String {
    server.lastIndex(of: "@").map { "…" + server[$0...] } ?? server
  }
}

/// Opens the store of a fleet.
public enum FleetStore {
  /// A store that waits for its server, if that is not there. Of each node the newest waits: what was measured while there was no
  /// connection is of no use afterwards.
  public static func open(_ address: FleetAddress) throws(MonitorFailure) -> any SharedStore {
    switch try address.kind() {
    case .folder(let path): return FileStore(path, history: 1, limit: 1)
    case .servers(let servers): return try open(servers, address)
    }
  }

  /// A problem, with the remedy that the command has.
  static func text(_ problem: SharedProblem) -> String {
    let remedy =
      problem.code == .refusedLogin
      ? " Here: --credentials FILE, nats://USER:PASSWORD@HOST, --authorities FILE." : ""
    return problem.description + remedy
  }

  #if NATS
  private static func open(
    _ servers: [String], _ address: FleetAddress
  ) throws(MonitorFailure) -> any SharedStore {
    for file in [address.credentials, address.authorities].compactMap(\.self) {
      do { _ = try SystemFile.bytes(at: file) } catch {
        throw MonitorFailure("\(file): cannot be read (\(error)).")
      }
    }
    var options = NATSOptions(servers: servers)
    options.bucket = "easyreact-fleet"
    (options.history, options.limit) = (1, 1)
    if let file = address.credentials { options.login = .credentials(file: file) }
    if address.authorities != nil || servers.contains(where: { $0.lowercased().hasPrefix("tls:") })
    {
      options.tls = NATSOptions.TLS(authorities: address.authorities)
    }
    return NATSStore(options)
  }
  #else
  private static func open(
    _ servers: [String], _ address: FleetAddress
  ) throws(MonitorFailure) -> any SharedStore {
    throw MonitorFailure(
      """
      This easyreact was built without libnats, which it needs to reach a server.
      Install it (Debian: apt-get install libnats-dev; macOS: brew install cnats), then build \
      again: swift run --package-path Tools --traits NATS easyreact …
      Without a server: easyreact fleet --demo; or a folder in place of the address, \
      for the programs of one machine.
      """)
  }
  #endif
}
