// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Where libnats is, machines can share what they measure through a server: `easyreact fleet`. SwiftPM remembers what it found
// here; where libnats was installed later, `--traits NATS` asks for it.
let hasLibnats = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
  FileManager.default.fileExists(atPath: "\($0)/nats/nats.h")
}

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "easyreact", targets: ["EasyReactCommand"])
  ],
  traits: [
    .trait(name: "NATS", description: "A fleet of machines over a NATS server: needs libnats."),
    .default(enabledTraits: hasLibnats ? ["NATS"] : []),
  ],
  dependencies: [
    .package(
      name: "EasyReact", path: "..",
      traits: ["Inspector", .trait(name: "NATS", condition: .when(traits: ["NATS"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Not named `easyreact` like its product: on a disk that ignores case, its build files would
    // overwrite those of the library's module `EasyReact`.
    .executableTarget(
      name: "EasyReactCommand",
      dependencies: [
        "MarblesKit",
        "MonitorKit",
        "SequenceKit",
        .product(name: "EasyReactInspection", package: "EasyReact"),
        .product(name: "EasyReactInspector", package: "EasyReact"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // A graph of any size that is set all the time: for the tests of the page, and for measuring what it costs.
    .executableTarget(
      name: "InspectorLoad",
      dependencies: [
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactInspection", package: "EasyReact"),
        .product(name: "EasyReactInspector", package: "EasyReact"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .target(
      name: "MarblesKit",
      dependencies: [
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactTesting", package: "EasyReact"),
      ],
      swiftSettings: settings),
    .target(
      name: "MonitorKit",
      dependencies: [
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactShared", package: "EasyReact"),
        .product(name: "EasyReactNATS", package: "EasyReact"),
        .product(name: "EasyReactTesting", package: "EasyReact"),
      ],
      swiftSettings: settings),
    .target(
      name: "SequenceKit",
      dependencies: [.product(name: "EasySequence", package: "EasyReact")],
      swiftSettings: settings),
    .testTarget(
      name: "SequenceKitTests",
      dependencies: [
        "SequenceKit",
        "EasyReactCommand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MonitorKitTests",
      dependencies: [
        "MonitorKit",
        "EasyReactCommand",
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactInspection", package: "EasyReact"),
        .product(name: "EasyReactShared", package: "EasyReact"),
        .product(name: "EasyReactTesting", package: "EasyReact"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: settings),
    .testTarget(
      name: "MarblesKitTests",
      dependencies: [
        "MarblesKit",
        "EasyReactCommand",
        .product(name: "EasyReactTesting", package: "EasyReact"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
  ]
)
