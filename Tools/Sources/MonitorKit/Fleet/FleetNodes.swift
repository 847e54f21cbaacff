import EasyReact
import EasyReactShared

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The shared nodes of a fleet, in any store: the names of its machines, and a report of each.
///
///     machines          ["db1", "web1"]
///     machine/db1       the newest report of db1
struct FleetNodes: Sendable {
  let store: any SharedStore

  /// The names of all machines, each once.
  func names() -> SharedNode<[String]> { store.node("machines", of: [String].self) }

  /// - Parameter telling: `.every` for the machine itself, which so hears of another one with its name also where both report
  ///   at the same moment.
  func report(
    of name: String, telling: SharedTelling = .newest
  ) -> SharedNode<MachineReport> {
    store.node(Self.key(of: name), of: MachineReport.self, telling: telling)
  }

  static func key(of name: String) -> String { "machine/\(name)" }
}

/// The names of machines.
public enum FleetNames {
  /// Why `name` cannot be a machine's; nil: it can.
  public static func problem(with name: String) -> String? {
    guard
      name.isEmpty || name.hasPrefix(".") || name.contains("/")
        || SharedProblem(badKey: FleetNodes.key(of: name)) != nil
    else { return nil }
    return "\(quoted(name)) cannot be the name of a machine: "
      + "use letters, digits, - _ and . of ASCII, and no dot at an end"
  }

  /// The host's name, with a dash for what a name cannot have.
  public static var thisMachine: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unnamed" }
    let host = String(
      decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let allowed = host.map {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-"
    }
    let name = String(allowed)
    return problem(with: name) == nil ? name : "unnamed"
  }
}
