import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// A combination of many changes the array that it told last, so these look whether it is ever another than
/// one that is read anew.
@Suite(.watched) struct CombineOfManyTests {
  @Test(arguments: [1, 2, 5, 16, 40, 300])
  func `4.1 it tells what a combination that reads all inputs would tell`(_ width: Int) {
    for keepsArrays in [false, true] {
      for seed in Sanitizer.part(of: 1..<21 as Range<UInt64>) {
        var program = ManyInputs(width: width, seed: seed, keepsArrays: keepsArrays)
        program.run(steps: 200)
      }
    }
  }

  @Test func `4.1 an array that somebody kept stays as it was`() {
    let nodes = (0..<20).map { MutableNode($0) }
    let all = Node.combine(nodes)
    nodes[3].value = 30
    let kept = all.value
    nodes[3].value = 300
    nodes[4].value = 400
    #expect(kept?[3] == 30 && kept?[4] == 4)
    #expect(all.value?[3] == 300 && all.value?[4] == 400)
  }

  @Test func `4.1 what an input's old value sets when it dies is told after the array`() {
    final class Sets: Sendable {
      let target: MutableNode<Int>?
      init(_ target: MutableNode<Int>?) { self.target = target }
      deinit { target?.update { $0 += 1 } }
    }
    let died = MutableNode(0)
    let nodes = (0..<8).map { _ in MutableNode(Sets(nil)) }
    let all = Node.combine(nodes)
    let calls = Mutex(0)
    let listening = all.listen { _ in calls.withLock { $0 += 1 } }
    nodes[2].value = Sets(died)
    nodes[2].value = Sets(died)
    nodes[2].value = Sets(nil)
    withExtendedLifetime(listening) { #expect(died.value == 2 && calls.withLock { $0 } == 4) }
  }

  @Test
  func `4.1 what an input's old value sets when it dies is told, also where more is set below`() {
    final class Sets: Sendable {
      let target: MutableNode<Sets>?
      let number: Int
      init(_ number: Int, setting target: MutableNode<Sets>? = nil) {
        (self.number, self.target) = (number, target)
      }
      deinit { target?.value = Sets(number + 100) }
    }
    let nodes = (0..<8).map { MutableNode(Sets($0)) }
    let all = Node.combine(nodes)
    let listening = all.listen {
      if $0[2].number == 3, $0[5].number == 5 { nodes[5].value = Sets(50) }
    }
    nodes[2].value = Sets(2, setting: nodes[1])
    nodes[2].value = Sets(3)
    withExtendedLifetime(listening) {
      #expect(all.value?.map(\.number) == [0, 102, 3, 3, 4, 50, 6, 7])
    }
  }

  @Test(arguments: [false, true])
  func `7.6 threads that set its inputs, and read it, leave it equal to them`(_ empties: Bool) {
    Stress.rounds(20) { round in
      let nodes = (0..<12).map { MutableNode("a value that lies outside of itself \($0)") }
      let all = Node.combine(nodes)
      let listening = all.listen { round.expect($0.count == 12, "an array of \($0.count)") }
      round.threads(3) { member in
        for step in 0..<300 {
          let node = nodes[(step * 7 + member) % 12]
          if step % 5 == 0 {
            round.expect((all.value?.count ?? 12) == 12, "a part of an array")
          } else if step % 5 == 1, empties {
            node.clean()
          } else {
            node.value = "a value that lies outside of itself \(member) \(step)"
          }
        }
      }
      #expect(settle())
      if empties { for node in nodes where node.isEmpty { node.value = "one that was empty" } }
      round.expect(all.value == nodes.map { $0.value ?? "" }, "\(String(describing: all.value))")
      withExtendedLifetime(listening) {}
    }
  }
}

/// Sets, empties and batches at random, beside a plain array of what the inputs hold.
private struct ManyInputs {
  private let nodes: [MutableNode<String>]
  /// What is set here comes to the last input over a sync.
  private let synced: MutableNode<String>
  private let all: MutableNode<[String]>
  private var inputs: [String?]
  private var told: [String]?
  private var heard: Heard
  private var random: SeededGenerator
  private let seed: UInt64
  private let listening: Listening
  private let keeping: any Cancelable
  private var number = 0

  /// What was told last, kept or only described.
  final class Heard: Sendable {
    let last = Mutex<(array: [String]?, text: String)>((nil, ""))
  }

  init(width: Int, seed: UInt64, keepsArrays: Bool) {
    let heard = Heard()
    nodes = (0..<width).map { MutableNode("the first value of input \($0)") }
    inputs = nodes.map(\.value)
    synced = MutableNode()
    keeping = synced.sync(with: nodes[width - 1])
    all = Node.combine(nodes).mutablify()
    told = inputs.map { $0! }
    listening = all.listen { array in
      heard.last.withLock { $0 = (keepsArrays ? array : nil, array.joined(separator: ",")) }
    }
    self.heard = heard
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  mutating func run(steps: Int) {
    for step in 0..<steps {
      switch random.below(12) {
      case 0: empty(random.below(nodes.count))
      case 1: setByHand()
      case 2, 3: setSeveral()
      case 4: fill()
      case 5: set(nodes.count - 1, by: { [synced] in synced.value = $0 })
      case 6, 7: set(random.below(nodes.count), context: step)
      default: set(random.below(nodes.count))
      }
      #expect(all.value == told, "step \(step), seed \(seed)")
      #expect(
        heard.last.withLock { $0.text } == (told ?? []).joined(separator: ","),
        "step \(step), seed \(seed)")
    }
  }

  private mutating func next() -> String {
    number += 1
    return "a value that lies outside of itself \(number)"
  }

  private mutating func tell() {
    if !inputs.contains(nil) { told = inputs.map { $0! } }
  }

  private mutating func set(_ index: Int, context: Int? = nil) {
    let node = nodes[index]
    set(index) { if let context { node.set($0, context: context) } else { node.value = $0 } }
  }

  private mutating func set(_ index: Int, by set: (String) -> Void) {
    let value = next()
    inputs[index] = value
    tell()
    set(value)
  }

  private mutating func empty(_ index: Int) {
    inputs[index] = nil
    nodes[index].clean()
  }

  private mutating func fill() {
    for index in nodes.indices where inputs[index] == nil { set(index) }
  }

  private mutating func setSeveral() {
    let several = (0...random.below(nodes.count)).map { _ in random.below(nodes.count) }
    for index in several { inputs[index] = next() }
    tell()
    batch { for index in several { nodes[index].value = inputs[index] } }
  }

  private mutating func setByHand() {
    told = random.oneIn(2) ? [next()] : [next(), next()]
    all.value = told
  }
}
