import EasyReact
import EasyReactTesting
import Synchronization
import Testing

// Sets and syncs in one another: whatever of it waits, all ends as if each call had taken effect at once (decision 0002). The
// law `as_called` of `Tests/Model/contract_model.py`, on the engine.

extension Section5 {
  @Test(arguments: ["nodes", "parts"], 0..<8 as Range<UInt64>)
  func `5.2, 5.3, 15.4 sets and syncs, by listeners too, end as if each took effect at once`(
    _ kind: String, chunk: UInt64
  ) {
    for seed in Sanitizer.part(of: chunk * 250..<(chunk + 1) * 250) {
      let calls = SyncCalls(seed: seed, withParts: kind == "parts")
      calls.run()
      #expect(calls.ended == calls.expected, "seed \(seed): \(calls.log)")
    }
  }

  /// Found by a hostile review. Two threads do the same where one is inside the node.
  @Test(arguments: [false, true])
  func `5.2, 5.3 a set that waits at the side that wins, or at its partner, is not undone`(
    atPartner: Bool
  ) {
    let a = MutableNode(0), partner = MutableNode(0), field = MutableNode(7)
    partner.sync(with: a)
    let node = atPartner ? partner : a, told = Recorder(node)
    let listening = node.listen {
      if $0 != 1 || field.value != 7 { return }
      node.value = 11
      field.value = 5
      field.sync(with: a)
    }
    a.value = 1
    #expect(a.value == 11 && partner.value == 11 && field.value == 11)
    // What waited comes back once over an older sync: decision 0006.
    #expect(told.values == (atPartner ? [0, 1, 11, 11] : [0, 1, 11]))
    keepAlive(listening)
  }

  @Test func `5.2, 5.3 a set that waits at the side that loses is older than the first value`() {
    let a = MutableNode(0), field = MutableNode(7), told = Recorder(a)
    let listening = field.listen {
      if $0 != 8 { return }
      field.value = 9
      field.sync(with: a)
    }
    field.value = 8
    #expect(a.value == 0 && field.value == 0 && told.values == [0])
    keepAlive(listening)
  }

  @Test func `5.2, 5.3 what is set after a sync was made is newer than what waited before`() {
    let a = MutableNode(0), field = MutableNode(0)
    let listening = a.listen {
      if $0 != 1 || field.value != 0 { return }
      a.value = 11
      field.sync(with: a)
      field.value = 12
    }
    a.value = 1
    #expect(a.value == 12 && field.value == 12)
    keepAlive(listening)
  }

  @Test func `5.3, 15.4 two parts of a whole, synced through a transform, come to rest`() {
    let whole = MutableNode(Three()), told = Recorder(whole)
    let sync = whole[\.a].sync(with: whole[\.b], transform: { $0 / 2 }, revert: { $0 * 2 })
    #expect(whole.value == Three() && told.values.count <= 3)
    sync.cancel()
    whole.update { $0.b = 5 }
    let again = whole[\.a].sync(with: whole[\.b], transform: { $0 / 2 }, revert: { $0 * 2 })
    #expect(whole.value == Three(a: 2, b: 4))  // it came back
    keepAlive(again)
  }

  @Test(arguments: [false, true])
  func `5.3, 7.6 syncs that threads make and cancel beside others that set leave all equal`(
    throughTransform: Bool
  ) {
    Stress.rounds(300) { round in
      var random = round.generator(9)
      let nodes = (0..<Int.random(in: 2...5, using: &random)).map { MutableNode($0) }
      let syncs = CancelableBag()
      let listenings = nodes.enumerated().map { place, node in
        node.listen { value in
          if value % 7 == 3, value > 50 { nodes[(place + value) % nodes.count].value = value % 40 }
        }
      }
      round.threads(3) { member in
        var random = round.generator(member)
        for number in 0..<30 {
          let a = nodes.randomElement(using: &random)!, b = nodes.randomElement(using: &random)!
          switch Int.random(in: 0..<10, using: &random) {
          case 0..<6: a.value = 100 + member * 1_000 + number
          case 6..<9 where throughTransform:
            a.sync(with: b, transform: { $0 }, revert: { $0 }).store(in: syncs)
          case 6..<9: a.sync(with: b).store(in: syncs)
          default: syncs.cancel()
          }
        }
      }
      round.expect(settle(), "it does not come to rest")
      for node in nodes.dropFirst() { node.sync(with: nodes[0]) }
      round.expect(
        nodes.allSatisfy { $0.value == nodes[0].value }, "\(nodes.map { $0.value! })")
      nodes.last!.value = -5
      round.expect(nodes.allSatisfy { $0.value == -5 }, "the last set is lost")
      keepAlive(listenings as AnyObject)
    }
  }
}

// MARK: - A sync with a part begins while another thread sets another part

extension Section5 {
  @Test(arguments: [false, true])
  func `5.2, 5.3, 7.6, 15.4 what is set in a field that is synced meanwhile is not lost`(
    isFirst: Bool
  ) {
    Stress.rounds(2_000) { round in
      let whole = MutableNode(Three(a: 7)), part = whole[\.a], field = MutableNode(5)
      round.threads(2) { member in
        var random = round.generator(member)
        spin(Int.random(in: 0...400, using: &random))
        if member == 0 {
          _ = isFirst ? field.sync(with: part) : part.sync(with: field)
        } else {
          field.value = 100
          whole.update { $0.b += 1 }
        }
      }
      round.expect(settle(), "it does not come to rest")
      let has = "\(part.value!) \(field.value!)"
      // The whole's value may win over what the field had before the sync was made.
      let isRight = part.value == 100 || isFirst && part.value == 7
      round.expect(part.value == field.value && isRight, has)
      round.expect(whole.value!.b == 1, "the other part is lost")
    }
  }

  @Test func `5.2, 7.6, 15.4 two parts that are synced beside a set of a third are equal`() {
    Stress.rounds(2_000) { round in
      let whole = MutableNode(Three(a: 7, b: 8)), a = whole[\.a], b = whole[\.b]
      round.threads(2) { member in
        var random = round.generator(member)
        spin(Int.random(in: 0...400, using: &random))
        if member == 0 { a.sync(with: b) } else { whole.update { $0.c += 1 } }
      }
      round.expect(settle(), "it does not come to rest")
      round.expect(whole.value == Three(a: 8, b: 8, c: 1), "\(whole.value!)")
      keepAlive([a, b] as AnyObject)
    }
  }

  /// The part begins to count its sets when its lens is told, if it cannot before. This was right before the other two were.
  @Test(arguments: [false, true])
  func `5.3, 7.6, 15.4 a part that nobody has set is no newer than a sync made inside its whole`(
    ofTwoParts: Bool
  ) {
    let whole = MutableNode(Three(a: 7, b: 8)), part = whole[\.a], listenings = CancelableBag()
    let field: MutableNode<Int> = ofTwoParts ? whole[\.b] : MutableNode(5)
    whileInside { stop in
      part.listen { _ in
        if whole.value!.c != 1 { return }
        stop()
        whole.update { $0.c = 2 }
      }.store(in: listenings)
      return { whole.update { $0.c = 1 } }
    } meanwhile: {
      part.sync(with: field)
    }
    #expect(whole.value == (ofTwoParts ? Three(a: 8, b: 8, c: 2) : Three(a: 5, b: 8, c: 2)))
    #expect(field.value == part.value)
    listenings.cancel()
  }

  /// Some time that depends on the number, without giving the thread away.
  private func spin(_ times: Int) {
    let count = Atomic(0)
    for _ in 0..<times { count.add(1, ordering: .relaxed) }
  }
}

struct Three: Sendable, Equatable { var a = 0, b = 0, c = 0 }

/// A random program of sets and syncs, which says what it is to hold in the end.
private final class SyncCalls: @unchecked Sendable {
  // Unchecked: of one thread.
  private var random: SplitMix64
  private var nodes: [MutableNode<Int>] = [], expectations: [Int] = []
  /// The nodes that are synced with each one, by their places; and what a node has more than those whose shift is 0.
  private var pieces: [Set<Int>] = [], shifts: [Int] = []
  private var left = 0
  private var kept: [AnyObject] = []
  private(set) var log: [String] = []

  init(seed: UInt64, withParts: Bool) {
    random = SplitMix64(state: seed)
    var parts = [0, 1].flatMap { _ in
      let whole = MutableNode(Three())
      kept.append(whole)
      return [whole[\.a], whole[\.b], whole[\.c]]
    }
    for place in 0..<number(2...6) {
      let isPart = withParts && number(0...1) == 0
      nodes.append(isPart ? parts.remove(at: number(0...parts.count - 1)) : MutableNode(place))
      pieces.append([place])
      shifts.append([0, 0, 7, 11][number(0...3)])
      expectations.append(nodes[place].value! - shifts[place])
    }
  }

  private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  func run() {
    call(number(0...3))
    for place in nodes.indices where number(0...1) == 0 { react(to: place, times: number(1...2)) }
    call(number(1...12))
  }

  private func react(to place: Int, times: Int) {
    let times = Mutex(times)
    kept.append(
      nodes[place].listen { [unowned self] value in
        log.append("told \(place) \(value - shifts[place])")
        let isOver = times.withLock { times in
          times -= 1
          return times < 0
        }
        if !isOver { for _ in 0..<number(0...3) { call() } }
      } as AnyObject)
  }

  private func call(_ count: Int) {
    left = count
    while left > 0 { call() }
  }

  private func call() {
    if left == 0 { return }
    left -= 1
    let a = number(0...nodes.count - 1), b = number(0...nodes.count - 1)
    if number(0...9) < 6 {
      let value = number(0...899)
      log.append("set \(a) \(value)")
      for place in pieces[a] { expectations[place] = value }
      nodes[a].value = value + shifts[a]
    } else if !pieces[a].contains(b) {
      log.append("sync \(a) \(b)")
      let expected = expectations[b], piece = pieces[a].union(pieces[b])
      for place in piece { (pieces[place], expectations[place]) = (piece, expected) }
      let more = shifts[a] - shifts[b]
      if more != 0 || number(0...4) == 0 {
        nodes[a].sync(with: nodes[b], transform: { $0 + more }, revert: { $0 - more })
      } else {
        nodes[a].sync(with: nodes[b])
      }
    }
  }

  var ended: [Int] { zip(nodes, shifts).map { $0.value! - $1 } }
  var expected: [Int] { expectations }
}
