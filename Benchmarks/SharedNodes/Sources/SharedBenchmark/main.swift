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
//     swift run -c release --package-path Benchmarks/SharedNodes SharedBenchmark nats://127.0.0.1:4222 [latency] [throughput] [set] [folder] [opening]
//
// And a FileStore, which needs no server. Values of 64 bytes. Both sides do the same: values go to the server, and a watcher on another
// connection hears each of them. They take turns, and a ratio is that of two neighbours: so what else the machine does cancels out.
// A ratio is told as the median of the rounds, and the middle half of them in brackets.

let address = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "nats://127.0.0.1:4222"
/// Parts to be measured; none: all of them.
let parts = Set(CommandLine.arguments.dropFirst(2))
func part(_ name: String, _ body: () -> Void) {
  if parts.isEmpty || parts.contains(name) { body() }
}
let clock = ContinuousClock()
let plainPayload = Data(repeating: 7, count: 64)

func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func row(_ name: String, _ value: Double, _ unit: String) {
  print(
    name.padding(toLength: 52, withPad: " ", startingAt: 0), String(format: "%10.2f", value), unit)
}
func row(_ name: String, ratios: [Double]) {
  let sorted = ratios.sorted(), quarter = sorted.count / 4
  let middle = String(
    format: "[%.2f, %.2f] of %d", sorted[quarter], sorted[sorted.count - 1 - quarter], sorted.count)
  row(name, median(ratios), middle)
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
    let status = natsConnection_ConnectTo(&connection, address)
    if status != NATS_OK {
      let reason = String(cString: natsStatus_GetText(status))
      FileHandle.standardError.write(
        Data(
          "No server answers at \(address): \(reason). Start one: nats-server -js -sd FOLDER -a 127.0.0.1 -p 4222\n"
            .utf8))
      exit(1)
    }
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

  func put(_ key: String, _ payload: Data = plainPayload) {
    var revision: UInt64 = 0
    let status = payload.withUnsafeBytes {
      kvStore_Put(&revision, values, key, $0.baseAddress, Int32(payload.count))
    }
    check(status)
  }

  func watch(_ key: String, _ body: @escaping @Sendable (UInt8) -> Void) {
    let watched = Bare(bareBucket)
    Thread.detachNewThread {
      var watcher: OpaquePointer?
      check(kvStore_Watch(&watcher, watched.values, key, nil))
      while true {
        var entry: OpaquePointer?
        if kvWatcher_Next(&entry, watcher, 60_000) == NATS_OK {
          if entry != nil { body(kvEntry_Value(entry).load(as: UInt8.self)) }
          kvEntry_Destroy(entry)
        }
      }
    }
  }
}

let bareBucket = "bench" + UUID().uuidString, sharedBucket = "shared" + UUID().uuidString
let bare = Bare(bareBucket)
let heard = DispatchSemaphore(value: 0)
let one = store(sharedBucket), other = store(sharedBucket)

// MARK: Latency: 40 rounds, one value at a time in turns

func latency() {
  bare.watch("a") { _ in heard.signal() }
  let here = one.node("a", of: Data.self), there = other.node("a", of: Data.self)
  until(here.status) { $0.isKnown }
  until(there.status) { $0.isKnown }
  let listening = there.listen { _ in heard.signal() }
  usleep(300_000)
  func time(_ body: () -> Void) -> Double {
    let start = clock.now
    body()
    heard.wait()
    return microseconds(clock.now - start)
  }
  var ours: [Double] = [], theirs: [Double] = []
  for round in 0..<42 {
    var times: (ours: [Double], theirs: [Double]) = ([], [])
    for _ in 0..<250 {
      times.theirs.append(time { bare.put("a") })
      times.ours.append(time { here.value = plainPayload })
    }
    if round < 2 { continue }
    ours.append(median(times.ours))
    theirs.append(median(times.theirs))
  }
  row("put to watcher, bare, p50", median(theirs), "µs")
  row("set to listener elsewhere, p50", median(ours), "µs")
  row("  times the bare one (at most 1.3)", ratios: zip(ours, theirs).map { $0 / $1 })
  withExtendedLifetime((listening, here)) {}
}
part("latency", latency)

// MARK: Throughput: 20 rounds, four threads with a key each, until a watcher elsewhere has heard the last value of each

let count = 1_000
let heardCount = Atomic(0)
/// The last one of a round begins with a one.
let lastPayload = Data([1] + Array(repeating: 7, count: 63))
func hear(_ first: UInt8?) {
  heardCount.add(1, ordering: .relaxed)
  if first == 1 { heard.signal() }
}
func fourThreads(_ body: @escaping @Sendable (Int) -> Void) -> (speed: Double, heard: Double) {
  heardCount.store(0, ordering: .relaxed)
  let start = clock.now
  DispatchQueue.concurrentPerform(iterations: 4, execute: body)
  for _ in 0..<4 { heard.wait() }
  let seconds = (clock.now - start) / .seconds(1)
  return (Double(4 * count) / seconds, Double(heardCount.load(ordering: .relaxed)))
}

func throughput() {
  bare.watch("t.*") { hear($0) }
  let here = (0..<4).map { one.node("t.\($0)", of: Data.self) }
  let there = (0..<4).map { other.node("t.\($0)", of: Data.self, telling: .every) }
  for node in here + there { until(node.status) { $0.isKnown } }
  let listenings = there.map { node in node.listen { hear($0.first) } }
  usleep(300_000)
  var ours: [(speed: Double, heard: Double)] = [], theirs = ours
  @Sendable func payload(_ number: Int) -> Data { number == count - 1 ? lastPayload : plainPayload }
  for _ in 0..<20 {
    theirs.append(
      fourThreads { thread in
        for number in 0..<count { bare.put("t.\(thread)", payload(number)) }
      })
    ours.append(
      fourThreads { thread in
        for number in 0..<count { here[thread].value = payload(number) }
        until(here[thread].status) { $0.isSettled }
      })
  }
  row("puts of four threads until heard, bare", median(theirs.map(\.speed)), "/s")
  row("  heard of \(4 * count), the fewest", theirs.map(\.heard).min()!, "")
  row("sets of four threads until heard and acknowledged", median(ours.map(\.speed)), "/s")
  row("  heard of \(4 * count), the fewest", ours.map(\.heard).min()!, "")
  row(
    "  times the bare one (at least 0.8)", ratios: zip(ours, theirs).map { $0.speed / $1.speed })
  withExtendedLifetime(listenings) {}
}
part("throughput", throughput)

// MARK: A local set

/// What this thread has computed, in microseconds: what it waits for another program's turn is no part of it.
func computed() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func localSet() {
  let local = one.node("local", of: Data.self)
  until(local.status) { $0.isKnown }
  var elapsed: [Double] = [], costs: [Double] = []
  for _ in 0..<40 {
    let start = clock.now, before = computed()
    for _ in 0..<10_000 { local.value = plainPayload }
    costs.append((computed() - before) / 10_000)
    elapsed.append(microseconds(clock.now - start) / 10_000)
    until(local.status) { $0.isSettled }
  }
  row("a set costs the caller, median of 40 (at most 1)", median(costs), "µs")
  row("  as a clock on the wall has it", median(elapsed), "µs")
}
part("set", localSet)

// MARK: A folder: two handles, as two processes have them

func folder() {
  let path = NSTemporaryDirectory() + "easyreact-bench-" + UUID().uuidString
  let file = FileStore(path), otherFile = FileStore(path)
  let fromFile = otherFile.node("a", of: Data.self), toFile = file.node("a", of: Data.self)
  until(fromFile.status) { $0.isKnown }
  until(toFile.status) { $0.isKnown }
  let fileListening = fromFile.listen { _ in heard.signal() }
  var fileTimes: [Double] = []
  for _ in 0..<200 {
    let start = clock.now
    toFile.value = plainPayload
    heard.wait()
    fileTimes.append(microseconds(clock.now - start) / 1_000)
    // At another moment of the other's interval each time.
    usleep(UInt32.random(in: 0..<20_000))
  }
  row("FileStore: set to listener elsewhere, p50", median(fileTimes), "ms")
  row("  the longest of 200 (under 100)", fileTimes.max()!, "ms")
  fileListening.cancel()
  try? FileManager.default.removeItem(atPath: path)
}
part("folder", folder)

// MARK: Opening, memory

func residentBytes() -> Double {
  let pages = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
    separator: " ")[1]
  return Double(pages)! * 4_096
}
func opening() {
  let before = residentBytes()
  let start = clock.now
  let many = (0..<10_000).map { one.node("many.\($0)", of: Int.self) }
  for node in many { until(node.status) { $0.isKnown } }
  row("10,000 nodes opened (under 2)", (clock.now - start) / .seconds(1), "s")
  row("  memory of one", (residentBytes() - before) / 10_000, "bytes")
  withExtendedLifetime(many) {}
}
part("opening", opening)
