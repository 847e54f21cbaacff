#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a run had to end, as a sentence for the user.
public struct MonitorFailure: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// The failure that an output's error means: none if its reader has gone, as in `… | head -3`.
  init?(output error: SystemError) {
    if error.code == EPIPE { return nil }
    description = "the output cannot be written (\(error))"
  }
}
