import EasyReact
import EasyReactTesting
import Foundation
import Synchronization

/// A value that says which sets it came of.
struct Mark: Sendable, Hashable, CustomStringConvertible {
  var sets: Set<Int>
  var number: Int
  var description: String { "\(sets.sorted()) \(number)" }
}

/// A net on the library: its nodes, and what each one's listener heard.
final class NetRun: Sendable {
  let net: Net
  let nodes: [Node<Mark>]
  /// Where each one's edges end: of a join the node behind the one that makes a mark of it.
  let entries: [AnyNode]
  let clock = VirtualScheduler()

  private struct Heard {
    /// Of each node: set and phase, in order.
    var sets: [[(set: Int, phase: Int)]]
    /// Those that listeners made: by set, the node and the phase.
    var made: [Int: (node: Int, phase: Int)] = [:]
    var phase = 0
    var lastReaction = 1_000_000
  }
  private let heard: Mutex<Heard>
  // By place in `ways`.
  private let links: Mutex<[Int: any Cancelable]>
  private let listenings = Mutex<[Listening]>([])
  /// The set whose listener does not return.
  private let closed = Mutex<Int?>(nil)
  private let isInside = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
  /// Never told: what waits for a call waits until the node goes.
  private let nothing = MutableNode<Int>()

  init(_ net: Net) {
    self.net = net
    heard = Mutex(Heard(sets: net.pieces.map { _ in [] }))
    var nodes: [Node<Mark>] = []
    for (number, piece) in net.pieces.enumerated() {
      nodes.append(makeNode(piece, piece.ups.map { nodes[$0] }, clock, nothing).named("\(number)"))
    }
    self.nodes = nodes
    entries = zip(net.pieces, nodes).map { piece, node in
      piece.kind.isTuple ? node.upstreamNodes[0] : node
    }
    var links: [Int: any Cancelable] = [:]
    for (place, way) in net.ways.enumerated() where way.made == 0 && way.form != .operation {
      // A sync stands there as two ways.
      if way.form == .link { links[place] = nodes[way.down].mutablify().link(to: nodes[way.up]) }
      if way.form == .sync, way.up > way.down {
        links[place] = nodes[way.up].mutablify().sync(with: nodes[way.down])
      }
    }
    self.links = Mutex(links)
    attach()
  }

  // MARK: - Listeners

  private func attach() {
    var new: [Listening] = []
    for number in nodes.indices { new.append(noteAll(number)) }
    if let gate = net.gate { new.append(close(gate)) }
    if let cutter = net.cutter { new.append(cut(cutter.way, at: cutter.hearing)) }
    for (from, to) in net.reactions { new.append(react(from, to)) }
    listenings.withLock { $0 = new }
  }

  private func noteAll(_ number: Int) -> Listening {
    let pairs = net.isBelowZip(number)
    return nodes[number].listenToChanges { [unowned self] change in
      let context = change.context as? Int
      let sets = pairs ? change.value.sets.sorted() : context.map { [$0] } ?? []
      heard.withLock { heard in
        for set in sets { heard.sets[number].append((set, heard.phase)) }
      }
    }
  }

  private func close(_ gate: Int) -> Listening {
    nodes[gate].listenToChanges { [unowned self] change in
      guard let set = change.context as? Int, closed.withLock({ $0 == set }) else { return }
      isInside.signal()
      goOn.wait()
    }
  }

  private func cut(_ way: Int, at hearing: Int) -> Listening {
    let count = Mutex(0)
    return nodes[net.ways[way].up].listenToChanges { [unowned self] change in
      if change.context == nil
        || count.withLock({
          $0 += 1; return $0
        }) != hearing
      {
        return
      }
      links.withLock { $0[way] }?.cancel()
    }
  }

  private func react(_ from: Int, _ to: Int) -> Listening {
    let left = Mutex(3)
    let target = nodes[to].mutablify()
    return nodes[from].listenToChanges { [unowned self] change in
      if change.context == nil
        || left.withLock({
          $0 -= 1; return $0
        }) < 0
      {
        return
      }
      let id = heard.withLock { heard in
        heard.lastReaction += 1
        heard.made[heard.lastReaction] = (to, heard.phase)
        return heard.lastReaction
      }
      target.set(Mark(sets: [id], number: id % 12), context: id)
    }
  }

  /// Of each node: set and phase, in order.
  var told: [[(set: Int, phase: Int)]] { heard.withLock { $0.sets } }
  var made: [Int: (node: Int, phase: Int)] { heard.withLock { $0.made } }

  // MARK: - Life

  /// One phase, up to the quiet after it.
  func run(_ number: Int) async {
    let phase = net.phases[number]
    begin(number)
    await onThreads(phase.threads.count + 1) { [self] thread in
      if thread < phase.threads.count { return phase.threads[thread].forEach(call) }
      for _ in 0..<phase.advanceMeanwhile { clock.advance(by: .milliseconds(1)) }
    }
    _ = await settled()
    clock.advance(by: .milliseconds(phase.advance))
    _ = await settled()
  }

  private func begin(_ number: Int) {
    heard.withLock { $0.phase = number }
    for place in net.phases[number].cuts {
      let way = net.ways[place]
      if let link = links.withLock({ $0[place] }) {
        link.cancel()
      } else {
        entries[way.down].wiring.removeUpstreamNode(nodes[way.up])
      }
    }
    for place in net.phases[number].links {
      let way = net.ways[place]
      let link = nodes[way.down].mutablify().link(to: nodes[way.up])
      links.withLock { $0[place] = link }
    }
  }

  /// One set does not return from a listener while several threads make `calls`; then `look` is called.
  func runClosed(
    _ gate: Net.Call, _ phase: Int, _ calls: [[Net.Call]], _ look: @escaping @Sendable () -> Void
  ) async {
    guard case .set(_, let id, _) = gate else { return }
    heard.withLock { $0.phase = phase }
    closed.withLock { $0 = id }
    let left = Mutex(calls.count), ready = DispatchSemaphore(value: 0)
    await onThreads(calls.count + 1) { [self] thread in
      if thread == calls.count { return call(gate) }
      ready.waitOnce(for: isInside)
      calls[thread].forEach(call)
      if left.withLock({
        $0 -= 1; return $0
      }) > 0 {
        return
      }
      look()
      closed.withLock { $0 = nil }
      goOn.signal()
    }
    _ = await settled()
  }

  private func call(_ call: Net.Call) {
    func set(_ node: Int, _ id: Int, _ number: Int) {
      nodes[node].mutablify().set(Mark(sets: [id], number: number), context: id)
    }
    switch call {
    case .set(let node, let id, let number): set(node, id, number)
    case .batch(let sets): batch { for (node, id, number) in sets { set(node, id, number) } }
    }
  }
}

extension DispatchSemaphore {
  /// Waits until `other` was signalled, and lets the next one wait for the same.
  fileprivate func waitOnce(for other: DispatchSemaphore) {
    other.wait()
    other.signal()
  }
}

extension Net.Kind {
  /// Does a map make one value of several?
  var isTuple: Bool { [.zip, .combine, .combineWithEmpty, .combineWithEvents].contains(self) }
}

private func makeNode(
  _ piece: Net.Piece, _ ups: [Node<Mark>], _ clock: VirtualScheduler, _ nothing: Node<Int>
) -> Node<Mark> {
  @Sendable func latest(_ a: Mark, _ b: Mark) -> Mark {
    Mark(sets: a.sets.union(b.sets), number: a.number + b.number)
  }
  let number = piece.number, time = Duration.milliseconds(10 * number)
  switch piece.kind {
  case .source: return MutableNode(Mark(sets: [], number: 0))
  case .events: return MutableNode<Mark>.eventNode()
  case .map: return ups[0].map { Mark(sets: $0.sets, number: $0.number + number) }
  case .filter: return ups[0].filter { $0.number % (number + 1) != 0 || $0.sets.isEmpty }
  case .never: return ups[0].filter { _ in false }
  case .distinct: return ups[0].distinctUntilChanged(on: \.halved)
  case .skip: return ups[0].skip(number)
  case .merge: return ups[0].merge(ups[1])
  case .zip: return ups[0].zip(ups[1]).map { latest($0, $1) }
  case .combine: return ups[0].combine(ups[1]).map { latest($0, $1) }
  case .combineWithEmpty: return ups[0].combine(MutableNode<Mark>()).map { latest($0, $1) }
  case .combineWithEvents: return ups[0].combine(ups[1]).map { latest($0, $1) }
  case .deliver: return ups[0].deliver(on: clock)
  case .delay: return ups[0].delay(time, on: clock)
  case .debounce: return ups[0].debounce(time, on: clock)
  case .throttleFirst: return ups[0].throttleFirst(time, on: clock)
  case .throttleLatest: return ups[0].throttleLatest(time, on: clock)
  case .call:
    return ups[0].mapAsync { value in
      _ = await nothing.values.first { _ in true }
      return value
    }
  }
}

extension Mark {
  var halved: Int { number / 4 }
}
