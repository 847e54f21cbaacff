public final class DispatchGroup: Sendable {
  public init() {}
}
public final class DispatchQueue: Sendable {
  public static func global() -> DispatchQueue { fatalError() }
  public func async(group: DispatchGroup, execute: @escaping @Sendable () -> Void) {}
}
