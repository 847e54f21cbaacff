// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EasyReact", path: "..")],
  targets: [
    .executableTarget(
      name: "Receipt", dependencies: [.product(name: "EasyReact", package: "EasyReact")]),
    .executableTarget(
      name: "Primes",
      dependencies: [
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasySequence", package: "EasyReact"),
        .product(name: "EasySequenceBridge", package: "EasyReact"),
      ]),
  ]
)
