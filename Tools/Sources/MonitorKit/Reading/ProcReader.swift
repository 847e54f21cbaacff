#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads all counters below a folder that looks like `/proc`.
public struct ProcReader: Sendable {
  /// The folder: `/proc`, or another machine's mounted elsewhere, such as `/host/proc`.
  public let folder: String

  public init(folder: String = "/proc") { self.folder = folder }

  /// What one reading gave: the counters, and what could not be read.
  public struct Reading: Sendable, Equatable {
    public var sample: Sample
    public var problems: [ProcProblem] = []
  }

  /// Whether there are counters here at all: throws if the cores' cannot be read.
  public func check() throws(ProcProblem) {
    _ = try ProcParser.cores(try text(of: "stat"))
  }

  /// Reads every file once. A file that is missing or malformed leaves its counters out of the
  /// sample and is named among the problems; it never spoils the others.
  public func read(at time: Duration, unixMilliseconds: UInt64) -> Reading {
    var reading = Reading(
      sample: Sample(time: time, unixMilliseconds: unixMilliseconds))
    func attempt(_ read: () throws(ProcProblem) -> Void) {
      do { try read() } catch { reading.problems.append(error) }
    }
    attempt { () throws(ProcProblem) in
      reading.sample.cores = try ProcParser.cores(try text(of: "stat"))
    }
    attempt { () throws(ProcProblem) in
      reading.sample.load = try ProcParser.load(try text(of: "loadavg"))
    }
    attempt { () throws(ProcProblem) in
      reading.sample.memory = try ProcParser.memory(try text(of: "meminfo"))
    }
    attempt { () throws(ProcProblem) in
      reading.sample.interfaces = try ProcParser.interfaces(try text(of: "net/dev"))
    }
    attempt { () throws(ProcProblem) in
      reading.sample.disks = try ProcParser.disks(try text(of: "diskstats"))
    }
    for resource in PressureCounters.resources {
      attempt { () throws(ProcProblem) in
        guard let text = try optionalText(of: "pressure/\(resource)") else { return }
        reading.sample.pressures.append(try ProcParser.pressure(text, of: resource))
      }
    }
    return reading
  }

  private func text(of file: String) throws(ProcProblem) -> String {
    do {
      return try SystemFile.text(at: "\(folder)/\(file)")
    } catch {
      throw ProcProblem(file: file, reason: "cannot be read (\(error))")
    }
  }

  /// The text of a file that not every kernel has: `nil` if it is missing or switched off.
  private func optionalText(of file: String) throws(ProcProblem) -> String? {
    do {
      return try SystemFile.text(at: "\(folder)/\(file)")
    } catch  where [ENOENT, EOPNOTSUPP, ENOTDIR].contains(error.code) {
      return nil
    } catch {
      throw ProcProblem(file: file, reason: "cannot be read (\(error))")
    }
  }
}
