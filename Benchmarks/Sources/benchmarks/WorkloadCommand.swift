import ArgumentParser

/// For callgrind: one workload, a fixed number of operations.
struct WorkloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workload",
    abstract: "Runs one short workload for callgrind; without a name, prints their names.")

  @Argument(help: "Which one.")
  var name: String?

  func run() throws {
    guard let name else {
      return Workload.all.forEach { print("\($0.name)\t\($0.count)") }
    }
    guard let workload = Workload.all.first(where: { $0.name == name }) else {
      throw ValidationError("There is no workload \(name). Without a name, all are listed.")
    }
    onStack(bytes: 1 << 20) {}
    try workload.run()
  }
}
