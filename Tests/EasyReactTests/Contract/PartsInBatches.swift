import EasyReact
import EasyReactTesting
import Testing

/// A whole with its parts, and what they are to hold.
struct PartsInBatches {
  let whole: MutableNode<[String: [Int]]>
  let parts: [MutableNode<[Int]>], elements: [MutableNode<Int>]
  var expected: [String: [Int]]?

  init() {
    let keys = ["a", "b"]
    expected = ["a": [1, 2]]
    whole = MutableNode(["a": [1, 2]])
    parts = keys.map { [whole] in whole[key: $0] }
    elements = parts.flatMap { [$0[index: 0], $0[index: 1]] }
  }

  mutating func run(depth: Int, _ random: inout SeededGenerator) throws(Refusal) {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let before = expected
      if depth < 3, Int.random(in: 0..<5, using: &random) == 0 {
        do throws(Refusal) {
          try batch { () throws(Refusal) in try run(depth: depth + 1, &random) }
        } catch {
          expected = before
        }
      } else {
        step(&random)
      }
      // Not each time: what nobody reads may not be made yet.
      if Bool.random(using: &random) { check("inside") }
    }
    if Int.random(in: 0..<5, using: &random) == 0 { throw Refusal() }
  }

  private mutating func step(_ random: inout SeededGenerator) {
    let new = Int.random(in: 0..<100, using: &random), place = new % 2
    let key = ["a", "b"][place], element = new / 2 % 2
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      whole.value = ["a": [new, 0]]
      expected = ["a": [new, 0]]
    case 1:
      whole.clean()
      expected = nil
    case 2:
      whole.update { $0["b"] = [new, new] }
      expected?["b"] = [new, new]
    case 3..<6:
      parts[place].clean()
      expected?[key] = nil
    case 6..<9:
      parts[place].value = [new]
      expected?[key] = [new]
    case 9..<12:
      parts[place].update { $0.append(new) }
      expected?[key]?.append(new)
    case 12..<16:
      elements[2 * place + element].value = new
      if expected?[key]?.indices.contains(element) == true { expected?[key]?[element] = new }
    default:
      elements[2 * place + element].update { $0 += new }
      if expected?[key]?.indices.contains(element) == true { expected?[key]?[element] += new }
    }
  }

  func check(_ moment: String) {
    #expect(whole.value == expected, "\(moment)")
    for (place, key) in ["a", "b"].enumerated() {
      #expect(parts[place].value == expected?[key], "\(moment)")
      for element in 0...1 {
        let list = expected?[key] ?? []
        #expect(
          elements[2 * place + element].value == (element < list.count ? list[element] : nil),
          "\(moment)")
      }
    }
  }
}
