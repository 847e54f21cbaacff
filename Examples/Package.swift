// swift-tools-version: 6.2
import PackageDescription

let graph = Target.Dependency.product(name: "EasyReact", package: "EasyReact")
let testing = Target.Dependency.product(name: "EasyReactTesting", package: "EasyReact")
let sequence = Target.Dependency.product(name: "EasySequence", package: "EasyReact")
let bridge = Target.Dependency.product(name: "EasySequenceBridge", package: "EasyReact")

let inspection = Target.Dependency.product(name: "EasyReactInspection", package: "EasyReact")
let inspector = Target.Dependency.product(name: "EasyReactInspector", package: "EasyReact")

// In no example's code: lets CI lint the graphs of all of them.
let lint = Target.Dependency.target(name: "LintAtEnd")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EasyReact", path: "..", traits: ["Inspector"])],
  targets: [
    .target(name: "CLintAtEnd"),
    .target(name: "LintAtEnd", dependencies: ["CLintAtEnd", inspection]),
    .executableTarget(name: "Receipt", dependencies: [graph, lint]),
    .executableTarget(name: "Primes", dependencies: [graph, sequence, bridge, lint]),
    .executableTarget(name: "Search", dependencies: [graph, lint]),
    .executableTarget(name: "SignUp", dependencies: [graph, testing, lint]),
    .executableTarget(name: "Sheet", dependencies: [graph, lint]),
    .executableTarget(name: "Faulty", dependencies: [graph, inspection, inspector, lint]),
    .executableTarget(name: "Pipeline", dependencies: [graph, sequence, bridge, lint]),
  ]
)

// What the compiler needs for one expression of our own samples, in milliseconds; README, "Long chains".
for target in package.targets where target.name != "CLintAtEnd" {
  target.swiftSettings = [.unsafeFlags(["-Xfrontend", "-warn-long-expression-type-checking=500"])]
}
