import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// A graph is changed while another thread is inside it: what comes of it is what would have come
/// without that thread.
@Suite(.watched) struct ConcurrentEditTests {
  // MARK: Inner nodes

  @Test func `10.4 an inner node that was emptied under a thread's feet empties the result`() {
    let outer = MutableNode<Node<Int>>(Node(7)), inner = MutableNode(1)
    let flat = outer.flatten(), kept = outer.flattenMerge()
    whileInside(inner, settingTo: 2) {
      inner.clean()
      outer.value = inner
    }
    #expect(flat.isEmpty)
    #expect(kept.value == 7)
    inner.value = 3
    #expect(flat.value == 3 && kept.value == 3)
    #expect(checkInvariants([outer, inner, flat, kept]) == [])
  }

  @Test(arguments: ["flatten", "flattenMerge", "concatMap"])
  func `8 10.4 the switch to an inner node under a thread's feet has the set's context`(
    name: String
  ) {
    let outer = MutableNode<Node<Int>>(Node(7)), inner = MutableNode(1)
    let flat =
      switch name {
      case "flatten": outer.flatten()
      case "flattenMerge": outer.flattenMerge()
      default: outer.concatMap(until: { $0 != 2 }) { $0 }
      }
    let told = Journal<String>()
    let listening = flat.listenToChanges { change in
      told.note("\(change.value) \(change.context.map { "\($0)" } ?? "–")")
    }
    whileInside(inner, settingTo: 2) {
      outer.set(inner, context: "switch")
      inner.set(3, context: "inner")
    }
    #expect(told.entries == ["7 –", "2 switch", "3 inner"])
    keepAlive(listening)
  }

  @Test(arguments: ["flatten", "flattenMerge"])
  func `10.4 an inner edge that was cut before it was attached is made anew`(name: String) {
    let outer = MutableNode<Node<Int>>(Node(7)), inner = MutableNode(1)
    let flat = name == "flatten" ? outer.flatten() : outer.flattenMerge()
    let told = Recorder(flat)
    whileInside(inner, settingTo: 2) {
      outer.value = inner
      flat.wiring.removeUpstreamNode(inner)
      outer.value = inner
    }
    inner.value = 3
    #expect(told.values == [7, 2, 3])
    #expect(inner.downstreamNodes.count == 1)
    #expect(checkInvariants([outer, inner, flat]) == [])
  }

  @Test func `10.4 a member's edge that was cut before it was attached is made anew`() {
    let rows = MutableNode<[Node<Int>]>([]), inner = MutableNode(1)
    let all = rows.flattenCombine()
    whileInside(inner, settingTo: 2) {
      rows.value = [inner]
      all.wiring.removeUpstreamNode(inner)
      rows.value = [inner]
    }
    #expect(all.value == [2])
    inner.value = 3
    #expect(all.value == [3])
    #expect(checkInvariants([rows, inner, all]) == [])
  }

  @Test(arguments: ["flatten", "flattenMerge", "concatMap"])
  func `2.4 what an inner node told and still waits when the outer edge is cut is dropped`(
    name: String
  ) {
    let inner = MutableNode(1), outer = MutableNode<Node<Int>>(inner)
    let flat =
      switch name {
      case "flatten": outer.flatten()
      case "flattenMerge": outer.flattenMerge()
      default: outer.concatMap(until: { _ in false }) { $0 }
      }
    let told = Recorder(flat), result = flat.mutablify()
    whileInside(result, settingTo: -1) {
      inner.value = 2
      outer.value = inner  // tells it again, where it is followed once
      flat.wiring.removeUpstreamNode(outer)
      inner.value = 3
    }
    #expect(told.values == [1, -1])
    #expect(inner.downstreamNodes.isEmpty)
    #expect(checkInvariants([outer, inner, flat]) == [])
  }

  @Test func `10.4 an inner edge that was cut before it was attached has done its work`() {
    let outer = MutableNode<Node<Int>>(), inner = MutableNode(0), other = MutableNode(5)
    let flat = outer.exhaustMap(until: { _ in false }) { $0 }
    whileInside(inner, settingTo: 1) {
      outer.value = inner
      flat.wiring.removeUpstreamNode(inner)
      outer.value = other
    }
    #expect(flat.value == 5)
    #expect(checkInvariants([outer, inner, other, flat]) == [])
  }

  @Test func `2.4 a closure that says when an inner node is done cuts the outer edge`() {
    let outer = MutableNode<Node<Int>>(Node(6)), inner = MutableNode(8)
    let place = Mutex<Node<Int>?>(nil)
    let flat = outer.concatMap(until: { value in
      if value >= 8 { place.withLock { $0 }?.wiring.removeUpstreamNode(outer) }
      return value != 8
    }) { $0 }
    place.withLock { $0 = flat }
    outer.value = Node(9)
    #expect(flat.value == 6)
    let second = outer.concatMap(until: { value in
      if value == 10 { place.withLock { $0 }?.wiring.removeUpstreamNode(outer) }
      return value == 10
    }) { $0 }
    place.withLock { $0 = second }
    outer.value = inner
    inner.value = 10
    #expect(second.value == 9)
    place.withLock { $0 = nil }
    #expect(checkInvariants([outer, inner, flat, second]) == [])
  }

  // MARK: Syncs

  @Test func `5.3 the other side of a sync wins, also while a thread is inside it`() {
    let a = MutableNode(1), b = MutableNode(0)
    let told = Recorder(a)
    whileInside(b, settingTo: 2) { a.sync(with: b) }
    #expect(a.value == 2 && b.value == 2)
    #expect(told.values == [1, 2])
    a.value = 3
    #expect(b.value == 3)
    b.value = 4
    #expect(a.value == 4)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `5.3 this side of a sync is empty, and a thread is inside the other`() {
    let a = MutableNode<Int>(), b = MutableNode(0)
    whileInside(b, settingTo: 2) { a.sync(with: b) }
    #expect(a.value == 2 && b.value == 2)
    a.value = 3
    #expect(b.value == 3)
  }

  @Test func `5.3 both sides of a sync are empty while a thread is inside the other`() {
    let a = MutableNode<Int>(), b = MutableNode(0)
    whileInside(b, settingTo: 2) {
      b.clean()
      a.sync(with: b)
    }
    #expect(a.isEmpty && b.isEmpty)
    b.value = 1
    #expect(a.value == 1)
    a.value = 3
    #expect(b.value == 3)
  }

  @Test func `5.3 the other side of a sync is emptied before by a thread that comes first`() {
    let a = MutableNode(1), b = MutableNode(0)
    whileInside(b, settingTo: 2) {
      b.clean()
      a.sync(with: b)
    }
    #expect(a.value == 1 && b.value == 1)
    b.value = 2
    #expect(a.value == 2)
  }

  @Test func `5.3 what is set after a sync was made under a thread's feet counts`() {
    let a = MutableNode(1), b = MutableNode(0)
    whileInside(b, settingTo: 2) {
      a.sync(with: b)
      a.value = 5
    }
    #expect(a.value == 5 && b.value == 5)
    whileInside(b, settingTo: 6) { b.value = 7 }
    #expect(a.value == 7 && b.value == 7)
  }

  @Test func `5.3 threads are inside both sides of a sync that is made`() {
    let a = MutableNode(0), b = MutableNode(0)
    whileInside(a, settingTo: 1) {
      whileInside(b, settingTo: 2) { a.sync(with: b) }
    }
    #expect(a.value == 2 && b.value == 2)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `7.5 the last of two sets of a synced node stays, which waited in the mailbox`() {
    let a = MutableNode(0), b = MutableNode(0)
    a.sync(with: b)
    let told = [Recorder(a), Recorder(b)]
    whileInside(b, settingTo: 9) {
      a.value = 1
      a.value = 2
    }
    #expect(a.value == 2 && b.value == 2)
    // What waited comes back as an echo.
    #expect(told.map(\.values) == [[0, 1, 2, 2], [0, 9, 1, 2]])
    whileInside(b, settingTo: 9) {
      b.value = 3
      a.value = 4
    }
    #expect(a.value == 4 && b.value == 4)
    whileInside(b, settingTo: 9) {
      a.value = 5
      b.update { $0 += 1 }
      a.value = 7
    }
    #expect(a.value == 7 && b.value == 7)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `5.2 the last set by a listener of a synced node stays, in whichever end`() {
    let a = MutableNode(0), b = MutableNode(0)
    a.sync(with: b)
    let listening = b.listen { value in
      switch value {
      case 9:
        a.value = 1
        a.value = 2
      case 19:
        b.value = 11
        a.value = 12
      case 29:
        a.value = 21
        b.value = 22
      default: break
      }
    }
    for first in [9, 19, 29] {
      b.value = first
      #expect(a.value == first - 7 && b.value == first - 7)
    }
    keepAlive(listening)
  }

  @Test func `5.3 what is set in either end after a sync was made wins, whoever is inside`() {
    for isInA in [true, false] {
      for setsA in [true, false] {
        for isEmpty in [true, false] {
          let a = MutableNode(0), b = MutableNode(1)
          let inside = isInA ? a : b
          whileInside(inside, settingTo: 2) {
            if isEmpty { b.clean() }
            a.sync(with: b)
            (setsA ? a : b).value = 5
          }
          let ends = [a.value, b.value]
          #expect(ends == [5, 5], "inside a: \(isInA), sets a: \(setsA), b is empty: \(isEmpty)")
          #expect(checkInvariants([a, b]) == [])
        }
      }
    }
  }

  @Test func `5.3 the other side of a sync wins over what was left on this side before`() {
    let a = MutableNode(0), b = MutableNode(2)
    whileInside(a, settingTo: 5) {
      a.value = 7
      a.sync(with: b)
    }
    #expect(a.value == 2 && b.value == 2)
  }

  // MARK: What reads its upstreams when it is made

  @Test func `10.6 a gate's node that holds a value has told it, also where a thread is inside`() {
    let source = MutableNode(1), gate = MutableNode(0)
    let taken = Journal<Int>(), skipped = Journal<Int>()
    var listenings: [Listening] = []
    whileInside(gate, settingTo: 1) {
      listenings = [
        source.takeUntil(gate).listen { taken.note($0) },
        source.skipUntil(gate).listen { skipped.note($0) },
      ]
      source.value = 2
    }
    #expect(taken.entries == [])
    #expect(skipped.entries == [1, 2])
    source.value = 3
    #expect(taken.entries == [])
    #expect(skipped.entries == [1, 2, 3])
    keepAlive(listenings as AnyObject)
  }

  @Test func `10.6 what this thread left in a gate's node counts as told`() {
    let gate = MutableNode(0), source = MutableNode(1)
    let taken = Journal<Int>(), skipped = Journal<Int>()
    whileEmptying(gate) {
      gate.value = 5  // left with the other thread
      #expect(gate.value == 5)
      let listenings = [
        source.takeUntil(gate).listen { taken.note($0) },
        source.skipUntil(gate).listen { skipped.note($0) },
      ]
      keepAlive(listenings as AnyObject)
    }
    #expect(taken.entries == [] && skipped.entries == [1])
  }

  @Test func `10.6 a gate's node that this thread has emptied has told nothing`() {
    let gate = MutableNode(0), source = MutableNode(1)
    let taken = Journal<Int>(), skipped = Journal<Int>()
    var listenings: [Listening] = []
    whileInside(gate, settingTo: 1) {
      gate.clean()
      listenings = [
        source.takeUntil(gate).listen { taken.note($0) },
        source.skipUntil(gate).listen { skipped.note($0) },
      ]
    }
    source.value = 2
    #expect(taken.entries == [1, 2] && skipped.entries == [])
    gate.value = 3
    source.value = 4
    #expect(taken.entries == [1, 2] && skipped.entries == [4])
    keepAlive(listenings as AnyObject)
  }

  @Test func `10.6 a race that is made while a thread is inside has the first node with a value`() {
    let a = MutableNode(0), b = MutableNode(10)
    var race: Node<Int>?
    whileInside(a, settingTo: 1) { race = a.race(b) }
    #expect(race?.value == 1)
    b.value = 11
    a.value = 2
    #expect(race?.value == 2)
    #expect(b.downstreamNodes.isEmpty)
  }

  @Test(arguments: [true, false])
  func `10.6 withLatest: what this thread left in the other node is in the first pair`(
    isEmpty: Bool
  ) {
    let a = MutableNode(1), b = MutableNode(0), told = Journal<[Int]>()
    var listening: Listening?
    func make() {
      b.value = 5
      listening = a.withLatest(from: b).map { [$0, $1] }.listen { told.note($0) }
    }
    if isEmpty { whileEmptying(b, make) } else { whileInside(b, settingTo: 1, make) }
    b.value = 6
    #expect(told.entries == [[1, 5]])
    a.value = 2
    #expect(told.entries == [[1, 5], [2, 6]])
    keepAlive(listening)
  }

  @Test(arguments: ["withLatest", "sample"])
  func `4.1 one that is made while a thread tells its node is told what that turn tells after it`(
    name: String
  ) {
    let a = MutableNode(1), b = MutableNode(10), told = Journal<[Int]>()
    let sum = a.combine(b).map { $0 + $1 }
    var listening: Listening?
    whileInside(a, settingTo: 2) {
      let made =
        name == "sample"
        ? sum.sample(on: a).map { [$0] } : a.withLatest(from: sum).map { [$0, $1] }
      listening = made.listen { told.note($0) }
    }
    #expect(told.entries == (name == "sample" ? [[11], [12]] : [[2, 11], [2, 12]]))
    b.value = 20
    #expect(told.entries.count == 2)
    keepAlive(listening)
  }

  @Test(arguments: [CombineMode.latest, .everyValue])
  func
    `10.6 withLatest: what this thread left, and another one tells just now, is in the first pair`(
      mode: CombineMode
    )
  {
    let a = MutableNode(100), other = MutableNode(0), told = Journal<[Int]>()
    var listening: Listening?
    let isFirst = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let isSecond = DispatchSemaphore(value: 0), isOver = DispatchSemaphore(value: 0)
    let blocker = other.listen {
      if $0 == 0 { return }
      ($0 == 1 ? isFirst : isSecond).signal()
      if $0 < 3 { wait(for: mayGoOn) }
    }
    startThread({ other.value = 1 }) { isOver.signal() }
    wait(for: isFirst)
    other.value = 2  // left with that thread
    mayGoOn.signal()
    wait(for: isSecond)  // stored, and being told
    listening = a.withLatest(from: other, mode: mode).map { [$0, $1] }.listen { told.note($0) }
    mayGoOn.signal()
    wait(for: isOver)
    #expect(waitForBackgroundWork())
    #expect(told.entries == [[100, 2]])
    other.value = 3
    #expect(told.entries == [[100, 2]])
    keepAlive(listening, blocker)
  }

  @Test(arguments: [CombineMode.latest, .everyValue])
  func `10.6 withLatest: there is no first pair with what this thread has emptied`(
    mode: CombineMode
  ) {
    let a = MutableNode(1), b = MutableNode(0), told = Journal<[Int]>()
    var listening: Listening?
    whileInside(b, settingTo: 1) {
      b.clean()
      listening = a.withLatest(from: b, mode: mode).map { [$0, $1] }.listen { told.note($0) }
    }
    #expect(told.entries == [])
    b.value = 2
    #expect(told.entries == [])
    a.value = 3
    #expect(told.entries == [[3, 2]])
    keepAlive(listening)
  }

  @Test
  func `10.6 a part that is not there wins no race and turns no gate by what was left for it`() {
    let list = MutableNode([1, 2, 3]), element = list[index: 5]
    let b = MutableNode(10), source = MutableNode(0)
    var race: Node<Int>?, gated: Node<Int>?
    whileInside(list, settingTo: [1, 2, 3, 4]) {
      element.value = 9
      race = element.race(b)
      gated = source.takeUntil(element)
    }
    #expect(element.isEmpty)
    b.value = 11
    source.value = 1
    #expect(race?.value == 11)
    #expect(gated?.value == 1)
  }

  @Test func `7.5 a batch reads of a part what this thread has set before it`() {
    struct Pair: Equatable { var x: Int, y: Int }
    let whole = MutableNode(Pair(x: 1, y: 0)), x = whole[\.x], y = whole[\.y]
    var read: [Int?] = []
    whileInside(whole, settingTo: Pair(x: 1, y: 99)) {
      x.value = 5
      batch {
        y.value = 7
        read.append(x.value)
        x.value = x.current + 1
        read.append(x.value)
        batch { read.append(x.value) }
      }
      batch {
        x.value = 1  // what the whole still holds
        read.append(x.value)
        x.value = 6
      }
    }
    #expect(read == [5, 6, 6, 1])
    #expect(whole.value == Pair(x: 6, y: 7))
  }

  /// Another thread is inside the node, which it has emptied.
  private func whileEmptying(_ node: MutableNode<Int>, _ meanwhile: () -> Void) {
    let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    let blocker = node.listen(
      with: Blocker {
        isInside.signal()
        wait(for: mayGoOn)
      })
    DispatchQueue.global().async {
      node.clean()
      isOver.signal()
    }
    wait(for: isInside)
    meanwhile()
    mayGoOn.signal()
    wait(for: isOver)
    #expect(waitForBackgroundWork())
    blocker.cancel()
  }

  private final class Blocker: ListenEdge<Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    private let emptied: @Sendable () -> Void
    init(_ emptied: @escaping @Sendable () -> Void) { self.emptied = emptied }
    override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { emptied() }
  }

  @Test(arguments: ["combine", "combine as everyValue", "withLatest", "flattenCombine"])
  func `7.2 a join made while a thread is inside an upstream tells its first value once`(
    name: String
  ) {
    let a = MutableNode(0), b = MutableNode(10)
    let told = Journal<[Int]>()
    var listening: Listening?
    whileInside(a, settingTo: 1) {
      let join: Node<[Int]> =
        switch name {
        case "combine": a.combine(b).map { [$0, $1] }
        case "combine as everyValue": a.combine(b, mode: .everyValue).map { [$0, $1] }
        case "withLatest": a.withLatest(from: b).map { [$0, $1] }
        default: MutableNode([a as Node<Int>, b]).flattenCombine()
        }
      listening = join.listen { told.note($0) }
    }
    #expect(told.entries == [[1, 10]])
    a.value = 2
    #expect(told.entries == [[1, 10], [2, 10]])
    keepAlive(listening)
  }

  @Test(arguments: ["combine", "withLatest", "flattenCombine"])
  func `7.2 a join made while a thread is inside hears what was left there before`(name: String) {
    let a = MutableNode(0), b = MutableNode(10)
    let told = Journal<[Int]>()
    var listening: Listening?
    whileInside(a, settingTo: 1) {
      a.value = 2
      let join: Node<[Int]> =
        switch name {
        case "combine": a.combine(b).map { [$0, $1] }
        case "withLatest": a.withLatest(from: b).map { [$0, $1] }
        default: MutableNode([a as Node<Int>, b]).flattenCombine()
        }
      listening = join.listen { told.note($0) }
    }
    #expect(told.entries == [[1, 10], [2, 10]])
    keepAlive(listening)
  }

  @Test func `10.6 a sample made while a thread is inside tells its first value once`() {
    let a = MutableNode(0), ticks = MutableNode(0), told = Journal<Int>()
    var listening: Listening?
    whileInside(a, settingTo: 1) { listening = a.sample(on: ticks).listen { told.note($0) } }
    ticks.value = 1
    #expect(told.entries == [1])
    a.value = 2
    ticks.value = 2
    #expect(told.entries == [1, 2])
    keepAlive(listening)
  }

  @Test func `10.6 a tick tells what has come to it; a value that is still on its way comes later`()
  {
    let a = MutableNode<Int>(), ticks = MutableNode<Int>(), told = Journal<Int>()
    let listening = a.sample(on: ticks).listen { told.note($0) }
    a.value = 1
    whileInside(a, settingTo: 2) { ticks.value = 1 }
    #expect(told.entries == [1])
    ticks.value = 2
    ticks.value = 3
    #expect(told.entries == [1, 2])
    a.value = 3
    ticks.value = 4
    #expect(told.entries == [1, 2, 3])
    keepAlive(listening)
  }

  @Test func `10.6 a tick in the death of an old value, on another thread, tells no value twice`() {
    let a = MutableNode<Dying>(), ticks = MutableNode<Int>(), told = Journal<Int>()
    let early = a.sample(on: ticks).listen { told.note($0.number) }
    a.value = Dying(1) { onThread { ticks.value = 1 } }
    a.value = Dying(2)
    #expect(waitForBackgroundWork())
    #expect(told.entries == [2])
    ticks.value = 2
    #expect(told.entries == [2])
    keepAlive(early)
  }

  @Test func `10.6 a sample that is made in the death of an old value tells no value twice`() {
    let a = MutableNode<Dying>(), ticks = MutableNode(0), told = Journal<Int>()
    let kept = Journal<Listening>()
    a.value = Dying(1) {
      onThread { kept.note(a.sample(on: ticks).listen { told.note($0.number) }) }
    }
    a.value = Dying(2)
    #expect(waitForBackgroundWork())
    #expect(told.entries == [2])
    ticks.value = 1
    #expect(told.entries == [2])
    a.value = Dying(3)
    #expect(told.entries == [2])
    ticks.value = 2
    #expect(told.entries == [2, 3])
    _ = kept.take()
  }

  @Test func `10.5 an input that is emptied while a combine of many is made is not told any more`()
  {
    let a = MutableNode(1), b = MutableNode(2), told = Journal<[Int]>()
    let empties = a.listen { if $0 == 3 { a.clean() } }
    var listening: Listening?
    whileInside(a, settingTo: 3) {
      listening = Node.combine([a, b]).listen { told.note($0) }
      b.value = 5  // reads all, so that later runs need not
    }
    #expect(a.isEmpty)
    _ = told.take()
    b.value = 6
    #expect(told.entries == [])
    a.value = 4
    #expect(told.entries == [[4, 6]])
    keepAlive([empties, listening] as AnyObject)
  }

  // MARK: Ends

  @Test func `9.5 who cancels what another thread is cancelling returns when it has ended`() {
    let node = MutableNode(0), heard = Tally(), isIn = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let members: [any Cancelable] = [
      ClosureCancelable {
        isIn.signal()
        wait(for: mayGoOn)
      }, node.listen { _ in heard.add() }, node.listen(by: heard) { heard, _ in heard.add() },
    ]
    let bag = CancelableBag()
    for member in members { bag.add(member) }
    _ = heard.take()
    onThreads(2) { number in
      if number == 0 { return bag.cancel() }
      wait(for: isIn)
      bag.cancel()
      node.value = 1
      #expect(heard.count == 0)
      #expect(!node.hasListener)
      mayGoOn.signal()
    }
    #expect(bag.count == 0)
  }

  @Test func `13 a bag that is in itself, or in one that it holds, ends`() {
    let node = MutableNode(0), listenings = CancelableBag(), bag = CancelableBag(),
      other = CancelableBag()
    let heard = Tally()
    for one in [listenings, bag] {
      listenings.add(one)
      bag.add(one)
    }
    other.add(listenings)
    listenings.add(other)
    listenings.add(node.listen { _ in heard.add() })
    bag.cancel()
    #expect(!node.hasListener)
    #expect(listenings.count == 0 && bag.count == 0 && other.count == 0)
  }

  @Test func `9.5 cancelling a bag in its own cancel ends what was added meanwhile`() {
    let node = MutableNode(0), bag = CancelableBag()
    bag.add(
      ClosureCancelable {
        bag.add(node.listen { _ in })
        #expect(node.hasListener)
        bag.cancel()
        #expect(!node.hasListener)
      })
    bag.cancel()
    #expect(!node.hasListener)
    #expect(bag.count == 0)
  }

  @Test func `9.5 a member that its own cancel adds again stays`() {
    final class Again: Cancelable {
      let calls = Tally(), bag: CancelableBag
      init(_ bag: CancelableBag) { self.bag = bag }
      func cancel() { if calls.add() == 1 { bag.add(self) } }
    }
    let bag = CancelableBag(), again = Again(bag)
    bag.add(again)
    bag.cancel()
    #expect(bag.count == 1)
    bag.cancel()
    #expect(bag.count == 0 && again.calls.count == 2)
  }

  @Test func `9.5 what is added while a bag is cancelled stays`() {
    let node = MutableNode(0), bag = CancelableBag(), heard = Tally()
    bag.add(
      ClosureCancelable {
        for _ in 0..<2 { bag.add(node.listen { _ in heard.add() }) }
      })
    bag.cancel()
    #expect(bag.count == 2 && heard.count == 2)
    bag.cancel()
    #expect(bag.count == 0 && !node.hasListener)
  }

  @Test func `9.5 a member that cancels its bag again cancels what was added meanwhile, once`() {
    let bag = CancelableBag(), order = Journal<Int>()
    for number in 0..<3 {
      bag.add(
        ClosureCancelable {
          bag.cancel()
          order.note(number)
          bag.add(ClosureCancelable { order.note(number + 10) })
          bag.cancel()
        })
    }
    bag.cancel()
    #expect(order.entries == [0, 10, 1, 11, 2, 12] && bag.count == 0)
  }

  /// After its own `cancel` has returned, a thread hears nothing of what it sets.
  @Test(arguments: ["listening", "owner", "link", "sync", "hop"])
  func `9.5 two threads cancel the same at once, and neither hears of it afterwards`(kind: String) {
    let queue = DispatchQueue(label: "hop")
    Stress.rounds(400) { round in
      let node = MutableNode(0), end = MutableNode(0), late = Tally(), owner = Token()
      let over = [Tally(), Tally()]
      @Sendable func hear(_ value: Int) {
        if value > 0, over[value - 1].count > 0 { late.add() }
      }
      let cancelable: any Cancelable
      switch kind {
      case "listening": cancelable = node.listen { hear($0) }
      case "owner": cancelable = node.listen(by: owner) { _, value in hear(value) }
      case "hop": cancelable = node.listen(on: .queue(queue)) { hear($0) }
      default:
        cancelable = kind == "link" ? end.link(to: node) : end.sync(with: node)
        end.listen(by: owner) { _, value in hear(value) }
      }
      round.threads(2) { member in
        cancelable.cancel()
        over[member].add()
        node.value = member + 1
      }
      queue.sync {}
      round.expect(late.count == 0, "heard \(late.count) of what was set after the cancel")
      keepAlive(owner, end)
    }
  }

  @Test func `4.4 what another thread's cancel causes is no part of a batch that throws`() throws {
    final class Setter: Sendable {
      let node: MutableNode<Int>
      init(_ node: MutableNode<Int>) { self.node = node }
      deinit { node.value = 1 }
    }
    let node = MutableNode(0), target = MutableNode(0), mine = MutableNode(0)
    func listener() -> Listening {
      let setter = Setter(target)
      return node.listen { _ in keepAlive(setter) }
    }
    let end = MutableNode(0), join = target.combine(MutableNode(0))
    // A join's run is no part of it either.
    let following = join.listen { value, _ in end.value = value }
    let foreign = listener()
    #expect(throws: Refusal.self) {
      try batch {
        mine.value = 1
        let listening = node.listen { _ in
          onThread { foreign.cancel() }
          // A step that finds the other's message.
          _ = node.map { $0 }
        }
        keepAlive(listening)
        throw Refusal()
      }
    }
    #expect(mine.value == 0)
    #expect(target.value == 1 && end.value == 1)
    keepAlive(following)
  }
}
