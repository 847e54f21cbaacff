import CNatsOfSystem
import Dispatch
import EasyReact
import EasyReactNATS
import EasyReactShared
import Foundation
import Synchronization

// Shared nodes beside the bare client library, on one server, in one run:
//
//     nats-server -a 127.0.0.1 -p 4222 -js -sd FOLDER &
//     swift run -c release --package-path Benchmarks/SharedNodes SharedBenchmark nats://127.0.0.1:4222
//
// And a FileStore, which needs no server. Values of 64 bytes. Latency: from a set to a listener of another handle, beside a put to a watcher's callback, in turns.

let address = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "nats://127.0.0.1:4222"
let clock = ContinuousClock()
let payload = Data(repeating: 7, count: 64)

func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func row(_ name: String, _ value: Double, _ unit: String) {
  print(
    name.padding(toLength: 52, withPad: " ", startingAt: 0), String(format: "%10.2f", value), unit)
}
func check(_ status: natsStatus) {
  precondition(status == NATS_OK, String(cString: natsStatus_GetText(status)))
}

func until<Value: Sendable>(_ node: Node<Value>, _ isReached: @escaping @Sendable (Value) -> Bool) {
  let reached = DispatchSemaphore(value: 0)
  let listening = node.listen { if isReached($0) { reached.signal() } }
  reached.wait()
  withExtendedLifetime(listening) {}
}

func store(_ bucket: String) -> NATSStore {
  var options = NATSOptions(servers: [address])
  (options.bucket, options.storage, options.limit) = (bucket, .memory, 1_000_000)
  let store = NATSStore(options)
  until(store.connection) { $0.isConnected }
  return store
}

/// The client library's own key-value calls.
final class Bare: @unchecked Sendable {
  // Unchecked: set in the initialiser and never again: the client library's handles, which any thread may
  // use.
  var connection: OpaquePointer?, stream: OpaquePointer?, values: OpaquePointer?

  init(_ bucket: String) {
    check(natsConnection_ConnectTo(&connection, address))
    check(natsConnection_JetStream(&stream, connection, nil))
    if js_KeyValue(&values, stream, bucket) == NATS_OK { return }
    var config = kvConfig()
    kvConfig_Init(&config)
    config.StorageType = js_MemoryStorage
    config.History = 64
    let name = strdup(bucket)
    defer { free(name) }
    config.Bucket = UnsafePointer(name)
    check(js_CreateKeyValue(&values, stream, &config))
  }

  func put(_ key: String) {
    var revision: UInt64 = 0
    let status = payload.withUnsafeBytes {
      kvStore_Put(&revision, values, key, $0.baseAddress, Int32(payload.count))
    }
    check(status)
  }

  func watch(_ key: String, _ body: @escaping @Sendable () -> Void) {
    let watched = Bare(bareBucket)
    Thread.detachNewThread {
      var watcher: OpaquePointer?
      check(kvStore_Watch(&watcher, watched.values, key, nil))
      while true {
        var entry: OpaquePointer?
        if kvWatcher_Next(&entry, watcher, 60_000) == NATS_OK {
          if entry != nil { body() }
          kvEntry_Destroy(entry)
        }
      }
    }
  }
}

// MARK: Latency

let bareBucket = "bench" + UUID().uuidString, sharedBucket = "shared" + UUID().uuidString
let bare = Bare(bareBucket)
let heard = DispatchSemaphore(value: 0)
bare.watch("a") { heard.signal() }
let one = store(sharedBucket), other = store(sharedBucket)
let here = one.node("a", of: Data.self), there = other.node("a", of: Data.self)
until(here.status) { $0.isKnown }
until(there.status) { $0.isKnown }
let listening = there.listen { _ in heard.signal() }
usleep(300_000)

var ours: [Double] = [], theirs: [Double] = []
for round in 0..<4_000 {
  var start = clock.now
  bare.put("a")
  heard.wait()
  if round >= 500 { theirs.append(microseconds(clock.now - start)) }
  start = clock.now
  here.value = payload
  heard.wait()
  if round >= 500 { ours.append(microseconds(clock.now - start)) }
}
row("put to watcher, bare, p50", median(theirs), "µs")
row("set to listener elsewhere, p50", median(ours), "µs")
row("  times the bare one (at most 1.3)", median(ours) / median(theirs), "")
listening.cancel()

// MARK: Throughput: four threads, a key each

let count = 5_000
func fourThreads(_ body: @escaping @Sendable (Int) -> Void) -> Double {
  let start = clock.now
  DispatchQueue.concurrentPerform(iterations: 4, execute: body)
  return Double(4 * count) / ((clock.now - start) / .seconds(1))
}
let barePuts = fourThreads { thread in for _ in 0..<count { bare.put("t\(thread)") } }
let nodes = (0..<4).map { one.node("t\($0)", of: Data.self) }
for node in nodes { until(node.status) { $0.isKnown } }
let sets = fourThreads { thread in
  for _ in 0..<count { nodes[thread].value = payload }
  until(nodes[thread].status) { $0.isSettled }
}
row("puts of four threads, bare", barePuts, "/s")
row("sets of four threads, until acknowledged", sets, "/s")
row("  times the bare one (at least 0.8)", sets / barePuts, "")

// MARK: A local set, opening, memory

let local = one.node("local", of: Data.self)
until(local.status) { $0.isKnown }
var start = clock.now
for _ in 0..<20_000 { local.value = payload }
row("a set, on the caller (at most 1)", microseconds(clock.now - start) / 20_000, "µs")
until(local.status) { $0.isSettled }

// MARK: A folder: two handles, as two processes have them

let folder = NSTemporaryDirectory() + "easyreact-bench-" + UUID().uuidString
let file = FileStore(folder), otherFile = FileStore(folder)
let fromFile = otherFile.node("a", of: Data.self), toFile = file.node("a", of: Data.self)
until(fromFile.status) { $0.isKnown }
until(toFile.status) { $0.isKnown }
let fileListening = fromFile.listen { _ in heard.signal() }
var fileTimes: [Double] = []
for _ in 0..<200 {
  let start = clock.now
  toFile.value = payload
  heard.wait()
  fileTimes.append(microseconds(clock.now - start) / 1_000)
  // At another moment of the other's interval each time.
  usleep(UInt32.random(in: 0..<20_000))
}
row("FileStore: set to listener elsewhere, p50", median(fileTimes), "ms")
row("  the longest of 200 (under 100)", fileTimes.max()!, "ms")
fileListening.cancel()
try? FileManager.default.removeItem(atPath: folder)

func residentBytes() -> Double {
  let pages = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
    separator: " ")[1]
  return Double(pages)! * 4_096
}
let before = residentBytes()
start = clock.now
let many = (0..<10_000).map { one.node("many.\($0)", of: Int.self) }
for node in many { until(node.status) { $0.isKnown } }
row("10,000 nodes opened (under 2)", (clock.now - start) / .seconds(1), "s")
row("  memory of one", (residentBytes() - before) / 10_000, "bytes")
withExtendedLifetime((many, nodes, here, there)) {}
