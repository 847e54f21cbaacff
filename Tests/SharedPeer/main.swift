import Dispatch
import EasyReact
import EasyReactShared
import Foundation
import Synchronization

#if NATS
import EasyReactNATS
#endif

// One of several processes that share a store, for tests that kill it, or its server. It writes what happens to its standard output:
//
//     SharedPeer STORE NAME PEERS SETS PAUSE [BATCH]
//
// STORE is the path of a folder, or the address of a NATS server; with `#BUCKET,REPLICAS` behind it. It sets the node `last` SETS times,
// to NAME:1, NAME:2, …, PAUSE microseconds apart, and adds one to `total` as often. When all PEERS are done, and quiet, it prints
//
//     told NAME:N      each value of `last` that it told, in order
//     missed N         values that it could not tell
//     total N
//     value NAME:N     what `last` holds at the end
//
// and with SETS zero it only listens. After each BATCH sets, if that is given, it waits until the store has them, and prints `stored N`.

/// At once, so that nothing is lost when it is killed.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments
guard arguments.count == 6 || arguments.count == 7, let peers = Int(arguments[3]),
  let sets = Int(arguments[4]),
  let pause = Int(arguments[5])
else {
  say("usage: SharedPeer STORE NAME PEERS SETS PAUSE [BATCH]")
  exit(2)
}
let name = arguments[2]
let batch = arguments.count == 7 ? Int(arguments[6]) : nil

func makeStore(_ place: String) -> any SharedStore {
  #if NATS
  if place.contains("://") {
    let parts = place.split(separator: "#"),
      more = parts.count > 1 ? parts[1].split(separator: ",") : []
    var options = NATSOptions(servers: parts[0].split(separator: ",").map(String.init))
    options.limit = 1_000_000
    if let bucket = more.first { options.bucket = String(bucket) }
    if more.count > 1, let replicas = Int(more[1]) { options.replicas = replicas }
    return NATSStore(options)
  }
  #endif
  return FileStore(place, limit: 1_000_000)
}

final class Told: Sendable {
  private let values = Mutex<[String]>([])
  func add(_ value: String) { values.withLock { $0.append(value) } }
  var all: [String] { values.withLock { $0 } }
}

func until<Value: Sendable>(_ node: Node<Value>, _ isReached: @escaping @Sendable (Value) -> Bool) {
  let reached = DispatchSemaphore(value: 0)
  let listening = node.listen { if isReached($0) { reached.signal() } }
  reached.wait()
  withExtendedLifetime(listening) {}
}

/// Adds the name, until all are there. On a store that is not exact another process may replace an entry that has it: then once more.
func meet(_ node: SharedNode<[String]>) {
  let add: @Sendable (inout [String]) -> Void = { [name] names in
    if !names.contains(name) { names.append(name) }
  }
  let adding = node.listen { [name] names in
    if !names.contains(name) { node.update(default: [], add) }
  }
  node.update(default: [], add)
  until(node) { [peers] in $0.count >= peers }
  until(node.status) { $0.isSettled }
  withExtendedLifetime(adding) {}
}

let store = makeStore(arguments[1])
let watching = store.connection.listen { say("connection \($0)") }
let last = store.node("last", of: String.self, telling: .every)
let total = store.node("total", of: Int.self)
let done = store.node("done", of: [String].self)
let told = Told()
let listening = last.listen { told.add($0) }
let counting = total.listen { _ in }

// Nothing that is told before this is missed by anybody.
until(last.status) { $0.isKnown }
until(done.status) { $0.isKnown }
let ready = store.node("ready", of: [String].self)
meet(ready)
say("ready")

for number in stride(from: 1, through: sets, by: 1) {
  last.value = "\(name):\(number)"
  total.update(default: 0) { $0 += 1 }
  if number % 100 == 0 { say("made \(number)") }
  if let batch, number % batch == 0 {
    until(last.status) { $0.isSettled }
    until(total.status) { $0.isSettled }
    say("stored \(number)")
  }
  if pause > 0 { usleep(UInt32(pause)) }
}
until(last.status) { $0.isSettled }
until(total.status) { $0.isSettled }
say("acknowledged \(sets)")
// What the others set before they were done has a lower revision than their `done`, and one subscription tells in order.
meet(done)
var count = -1
while count != told.all.count {  // nothing more comes
  count = told.all.count
  usleep(700_000)
}
say(told.all.map { "told \($0)" }.joined(separator: "\n"))
say("missed \(last.status.value!.missedCount)")
say("total \(total.value ?? 0)")
say("value \(last.value ?? "-")")
