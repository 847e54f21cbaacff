import ArgumentParser

/// `easyreact`: tools made with EasyReact, one subcommand each.
@main
struct EasyReactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "easyreact",
    abstract: "Tools made with EasyReact, the library of nodes that hold and pass on values.",
    subcommands: [
      FleetCommand.self, InspectCommand.self, MarblesCommand.self, MonitorCommand.self,
      SequenceCommand.self,
    ])
}
