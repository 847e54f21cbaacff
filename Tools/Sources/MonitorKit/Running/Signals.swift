import Dispatch
import EasyReact

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system tells the program: that it shall end (Ctrl-C and its like), and that the
/// terminal has changed its size.
public final class Signals {
  private let sources: [any DispatchSourceSignal]

  /// Calls `end` when the program is asked to end, in place of what the system would do, and
  /// `resized` when the terminal is resized; both on a queue of the signals' own.
  ///
  /// Writing to a pipe that nobody reads no longer kills the program; the write fails instead. If
  /// the program was started to outlive its terminal (`nohup`), it does.
  public init(
    end: @escaping @Sendable () -> Void, resized: @escaping @Sendable () -> Void = {}
  ) {
    let queue = DispatchQueue(label: "easyreact signals")
    let endSoon: @Sendable () -> Void = {
      end()
      // A full pipe that nobody reads (a pager at rest) holds up its writer for ever.
      QueueScheduler(queue).schedule(after: .seconds(1)) { _exit(0) }
    }
    _ = Self.ignore(SIGPIPE)
    var handlers = [(SIGINT, endSoon), (SIGTERM, endSoon), (SIGWINCH, resized)]
    if !Self.ignore(SIGHUP) { handlers.append((SIGHUP, endSoon)) }
    sources = handlers.map { number, handler in
      _ = Self.ignore(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handler)
      source.activate()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }

  /// Keeps the system from acting on a signal; a source is told of it all the same.
  ///
  /// - Returns: Whether it was kept from it before.
  private static func ignore(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
