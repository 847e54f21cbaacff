// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SharedBenchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EasyReact", path: "../..", traits: ["NATS"])],
  targets: [
    .systemLibrary(
      name: "CNatsOfSystem", pkgConfig: "libnats",
      providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .executableTarget(
      name: "SharedBenchmark",
      dependencies: [
        "CNatsOfSystem",
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactShared", package: "EasyReact"),
        .product(name: "EasyReactNATS", package: "EasyReact"),
      ]),
  ]
)
