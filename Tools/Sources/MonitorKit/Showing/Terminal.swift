#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is known about the standard output: whether it is a terminal, and what that can show.
public struct Terminal: Sendable {
  /// Whether a screen can be redrawn in place.
  public let isScreen: Bool
  public let hasColours: Bool
  let hasBlocks: Bool

  /// The terminal, if it is one, given the variables of the program's environment.
  ///
  /// A terminal called dumb cannot move its cursor and counts as a pipe. `NO_COLOR`, if it is not
  /// empty, means no colours (no-color.org). Without a UTF-8 locale, bars are drawn in ASCII.
  init(isTerminal: Bool, environment: (_ name: String) -> String?) {
    func variable(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    isScreen = isTerminal && variable("TERM") != "dumb"
    hasColours = isScreen && variable("NO_COLOR") == nil
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    hasBlocks = ["UTF-8", "UTF8"].contains { locale.uppercased().hasSuffix($0) }
  }

  /// The standard output.
  public static var standardOutput: Terminal {
    Terminal(isTerminal: isatty(1) == 1) { name in getenv(name).map { String(cString: $0) } }
  }

  /// The size of the terminal now; what it does not tell is taken to be 80 by 24.
  var shape: ScreenShape {
    var shape = ScreenShape(hasBlocks: hasBlocks)
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0 {
      if size.ws_col > 0 { shape.columns = Int(size.ws_col) }
      if size.ws_row > 0 { shape.rows = Int(size.ws_row) }
    }
    return shape
  }
}
