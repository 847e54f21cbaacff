// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "EasyReact", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
  ],
  targets: [
    // Counts allocations by standing in front of `malloc`, which Swift cannot spell.
    .target(name: "CBenchmarks"),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CBenchmarks",
        .product(name: "EasyReact", package: "EasyReact"),
        .product(name: "EasyReactInspection", package: "EasyReact"),
        .product(name: "EasyReactShared", package: "EasyReact"),
        .product(name: "EasyReactTesting", package: "EasyReact"),
        .product(name: "EasySequence", package: "EasyReact"),
        .product(name: "EasySequenceBridge", package: "EasyReact"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ]
)
