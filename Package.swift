// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let openCombine = Target.Dependency.product(
  name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"]))

let package = Package(
  name: "EasyReact",
  // The first with Swift's Synchronization. Watches have pointers of 32 bits: Scripts/check-32-bit.sh.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EasyReact", targets: ["EasyReact"]),
    .library(name: "EasyReactTesting", targets: ["EasyReactTesting"]),
    .library(name: "EasySequence", targets: ["EasySequence"]),
    .library(name: "EasySequenceBridge", targets: ["EasySequenceBridge"]),
    .library(name: "EasyReactCombine", targets: ["EasyReactCombine"]),
    .library(name: "EasyReactInspection", targets: ["EasyReactInspection"]),
    .library(name: "EasyReactInspector", targets: ["EasyReactInspector"]),
    .library(name: "EasyReactShared", targets: ["EasyReactShared"]),
    .library(name: "EasyReactNATS", targets: ["EasyReactNATS"]),
  ],
  traits: [
    .trait(
      name: "OpenCombine",
      description: "EasyReactCombine where there is no Combine: fetches OpenCombine."),
    .trait(
      name: "Inspector",
      description: "EasyReactInspector, the page of a running graph: fetches FlyingFox."),
    .trait(name: "NATS", description: "EasyReactNATS: needs libnats of the system."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // One thread-local pointer and three functions of the Swift runtime, which Swift cannot spell.
    .target(name: "CEasyReact"),
    .target(
      name: "EasyReact",
      dependencies: [
        "CEasyReact", .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "HashTreeCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "EasyReactTesting", dependencies: ["EasyReact", "CEasyReact"], swiftSettings: settings),
    // Lazy, memoised sequences; it knows nothing of nodes.
    .target(name: "EasySequence", swiftSettings: settings),
    // Streams into nodes and back.
    .target(
      name: "EasySequenceBridge", dependencies: ["EasyReact", "EasySequence"],
      swiftSettings: settings),
    // Nodes as publishers and back: with Combine, with OpenCombine behind its trait, else empty.
    .target(
      name: "EasyReactCombine",
      dependencies: [
        "EasyReact", .product(name: "DequeModule", package: "swift-collections"),
        openCombine,
      ],
      swiftSettings: settings),
    // What a tracer hears, kept: why a value came or did not, counts, lint.
    .target(
      name: "EasyReactInspection", dependencies: ["EasyReact"], swiftSettings: settings),
    // The page of a running graph. Without its trait: the layout alone.
    .target(
      name: "EasyReactInspector",
      dependencies: [
        "EasyReact", "EasyReactInspection",
        .product(
          name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
      ],
      // Embedded, so that a program finds them wherever it is moved.
      resources: [
        "page.html", "page.css", "page.js", "state.js", "dom.js", "graph.js", "waves.js",
        "panels.js",
      ]
      .map { .embedInCode("web/\($0)") },
      swiftSettings: settings),
    // Nodes whose value several processes share; stores in memory and in a folder.
    .target(
      name: "EasyReactShared",
      dependencies: ["EasyReact", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    // A store in NATS JetStream, behind its trait, else empty.
    .systemLibrary(
      name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .target(
      name: "EasyReactNATS",
      dependencies: [
        "EasyReactShared", "EasyReact", .target(name: "CNats", condition: .when(traits: ["NATS"])),
      ],
      swiftSettings: settings),
    // `mallinfo2` and threads with a small stack, which Swift cannot spell.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .testTarget(
      name: "EasyReactTests",
      dependencies: ["EasyReact", "EasyReactTesting", "CEasyReact", "CTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "EasyReactTestingTests", dependencies: ["EasyReact", "EasyReactTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "EasySequenceBridgeTests",
      dependencies: ["EasySequenceBridge", "EasySequence", "EasyReact", "EasyReactTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "EasyReactCombineTests",
      dependencies: ["EasyReactCombine", "EasyReact", "EasyReactTesting", openCombine],
      swiftSettings: settings),
    // A process that the tests of shared nodes kill. CTestSupport: what the sanitizers' link asks for.
    .executableTarget(
      name: "SharedPeer",
      dependencies: ["EasyReactShared", "EasyReactNATS", "EasyReact", "CTestSupport"],
      path: "Tests/SharedPeer", swiftSettings: settings),
    .testTarget(
      name: "EasyReactSharedTests",
      dependencies: [
        "EasyReactShared", "EasyReactNATS", "EasyReact", "EasyReactTesting", "SharedPeer",
        "CTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EasyReactInspectionTests",
      dependencies: [
        "EasyReactInspection", "EasyReactInspector", "EasyReact", "EasyReactTesting",
        "CTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EasyReactInspectorTests",
      dependencies: ["EasyReactInspector", "EasyReactInspection", "EasyReact"],
      swiftSettings: settings),
    .testTarget(
      name: "EasySequenceTests", dependencies: ["EasySequence", "CTestSupport"],
      swiftSettings: settings),
  ]
)
