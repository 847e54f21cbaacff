#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A call of the operating system that failed, with its words for the reason.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The number of the reason, such as `ENOENT`.
  public var code: Int32

  public init(code: Int32) { self.code = code }

  /// The reason of the latest failed call on this thread.
  static var latest: SystemError { SystemError(code: errno) }

  public var description: String { String(cString: strerror(code)) }
}

/// Files, read and written whole, without the wait for Foundation to load.
enum SystemFile {
  /// The bytes of the file at `path`.
  ///
  /// Read until the end is met, because files in `/proc` claim to be empty.
  static func bytes(at path: String) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .latest }
    defer { systemClose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        throw .latest
      }
    }
  }

  /// The text of the file at `path`; what is not UTF-8 becomes a replacement character.
  static func text(at path: String) throws(SystemError) -> String {
    String(decoding: try bytes(at: path), as: UTF8.self)
  }

  /// Opens an empty file at `path` for writing, in place of what was there.
  static func create(at path: String) throws(SystemError) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .latest }
    return file
  }

  /// Closes the open file `file`.
  static func close(_ file: Int32) { systemClose(file) }

  /// Opens the null device as input, output and messages where the program was started without
  /// them.
  ///
  /// Otherwise the next file to be opened would become the output: the samples' lines would go into
  /// the recording. To be called first.
  ///
  /// - Returns: Whether there is an output.
  static func fillStandardFiles() -> Bool {
    let hasOutput = fcntl(1, F_GETFD) >= 0
    while true {
      let file = open("/dev/null", O_RDWR)
      if file > 2 { systemClose(file) }
      if file < 0 || file > 2 { return hasOutput }
    }
  }

  /// Writes all of `text` to the open file `file`.
  static func write(_ text: String, to file: Int32) throws(SystemError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        waitUntilWritable(file)
      } else if errno != EINTR {
        throw .latest
      }
    }
  }

  /// A pipe set to non-blocking by another program that shares it is full: waits for its reader.
  private static func waitUntilWritable(_ file: Int32) {
    var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waiting, 1, -1)
  }
}

// The system's functions, which a type that has a `write` and a `close` of its own cannot name.

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}

private func systemClose(_ file: Int32) {
  _ = close(file)
}
