// swift-tools-version: 6.2
import PackageDescription

let graph = Target.Dependency.product(name: "EasyReact", package: "EasyReact")
let testing = Target.Dependency.product(name: "EasyReactTesting", package: "EasyReact")
let sequence = Target.Dependency.product(name: "EasySequence", package: "EasyReact")
let bridge = Target.Dependency.product(name: "EasySequenceBridge", package: "EasyReact")

let inspection = Target.Dependency.product(name: "EasyReactInspection", package: "EasyReact")
let inspector = Target.Dependency.product(name: "EasyReactInspector", package: "EasyReact")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EasyReact", path: "..", traits: ["Inspector"])],
  targets: [
    .executableTarget(name: "Receipt", dependencies: [graph]),
    .executableTarget(name: "Primes", dependencies: [graph, sequence, bridge]),
    .executableTarget(name: "Search", dependencies: [graph]),
    .executableTarget(name: "SignUp", dependencies: [graph, testing]),
    .executableTarget(name: "Sheet", dependencies: [graph]),
    .executableTarget(name: "Faulty", dependencies: [graph, inspection, inspector]),
    .executableTarget(name: "Pipeline", dependencies: [graph, sequence, bridge]),
  ]
)
