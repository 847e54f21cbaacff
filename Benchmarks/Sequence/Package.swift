// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SequenceBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EasyReact", path: "../..")],
  targets: [
    .executableTarget(
      name: "SequenceBenchmark",
      dependencies: [.product(name: "EasySequence", package: "EasyReact")])
  ]
)
