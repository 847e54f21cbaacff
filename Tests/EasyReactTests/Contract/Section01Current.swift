import EasyReact
import EasyReactTesting
import Testing

@Suite(.watched) struct `1.7 The present value, where there must be one` {
  @Test func `1.7 get() returns the value, or throws with the node's name and place`() throws {
    let price = MutableNode(4), line = #line
    let count = MutableNode<Int>().named("count")
    #expect(try price.get() == 4)
    let error = #expect(throws: NodeIsEmpty.self) { try price.get() * count.get() }
    #expect(error?.name == "count" && error?.line == line + 1 && error?.valueType == "Int")
    #expect(error?.file == "EasyReactTests/Section01Current.swift")
    #expect(
      error?.description
        == "node “count” of Int, made at EasyReactTests/Section01Current.swift:\(line + 1), is empty."
        + " Set it first, or read `value`, which is nil then.")
    count.value = 3
    #expect(try price.get() * count.get() == 12)
  }

  @Test func `1.7 a node of optionals that holds nil is not empty for get()`() throws {
    let node = MutableNode<Int?>(nil)
    #expect(try node.get() == nil)
    #expect(node.current == nil)
  }

  @Test func `1.7 current is the value`() {
    let a = MutableNode(1), b = MutableNode(2)
    let sum = a.combine(b).map { $0 + $1 }
    #expect(sum.current == 3)
    a.value = 5
    #expect(sum.current == 7)
  }

  @Test func `1.7 current stops where the node is empty, with its name and place`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = MutableNode<Int>().named("price").current
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EasyReact: current: the node is empty (node “price” of Int, made at"))
    #expect(text.contains("Set it first, or read `value` or `get()`."))
  }

  @Test func `1.7 assigning nil to a node of optionals stores nil, only clean() empties it`() {
    let node = MutableNode<Int?>(1)
    let told = Recorder(node)
    node.value = nil
    #expect(!node.isEmpty && node.value == .some(nil))
    node.set(nil)
    #expect(told.values == [1, nil, nil])
    batch {
      node.value = 2
      node.value = nil
    }
    #expect(!node.isEmpty && told.values == [1, nil, nil, nil])
    node.clean()
    #expect(node.isEmpty && told.values == [1, nil, nil, nil])
  }

  @Test func `1.7 assigning nil to any other node empties it`() {
    let node = MutableNode(1)
    node.value = nil
    #expect(node.isEmpty)
  }
}
