import Foundation

/// Reads what callgrind has counted: it writes a dump behind each call of `benchmarks_counted`,
/// numbered from one, and goes on from zero.
final class CallgrindCounts {
  private let path: String
  private var dumps = 0

  init(path: String) {
    self.path = path
  }

  /// Of this thread.
  func instructions(in body: @escaping () -> Void) -> Double {
    counted(body)
    dumps += 1
    let name = "\(path).\(dumps)"
    guard let dump = try? String(contentsOfFile: name, encoding: .utf8),
      let line = dump.split(separator: "\n").last(where: { $0.hasPrefix("totals: ") }),
      let count = Double(line.dropFirst("totals: ".count))
    else {
      fatalError(
        "\(name) is no dump of callgrind's. --counts is for Scripts/check-growth.sh, which runs this by callgrind with --dump-after=benchmarks_counted"
      )
    }
    try? FileManager.default.removeItem(atPath: name)
    return max(1, count)
  }
}
