import Foundation

/// One line that is written over, on a terminal's standard error only.
func printProgress(_ text: String) {
  if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data("\r\u{1b}[K\(text)".utf8)) }
}
