import Dispatch
import EasyReact
import EasyReactTesting
import Observation
import Testing

@MainActor @Observable final class Model {
  var name = "Ada"
  var age = 36
  var isShort = false
}

/// Contract, 15.2: nodes of what is read from observable objects.
@Suite(.watched) @MainActor struct `15 Observing` {
  @Test func `15.2 it holds what the closure reads, and is told after each change has happened`()
    async
  {
    let model = Model()
    let name = Node.observing { model.name }
    let told = Recorder(name)
    #expect(name.value == "Ada" && !name.isMutable)
    model.name = "Grace"
    #expect(told.values == ["Ada"], "Observation tells before the change")
    await mainQueue()
    #expect(told.values == ["Ada", "Grace"])
    model.name = "Grace"
    model.age = 85
    await mainQueue()
    #expect(told.values.count <= 3, "the age is not read")
  }

  @Test func `15.2 once for changes made together`() async {
    let model = Model()
    let text = Node.observing { "\(model.name) \(model.age)" }
    let told = Recorder(text)
    model.name = "Grace"
    model.age = 85
    model.age = 86
    await mainQueue()
    #expect(told.values == ["Ada 36", "Grace 86"])
    for number in 1...10 {
      model.age = number
      await mainQueue()
    }
    #expect(told.values.count == 12 && text.value == "Grace 10")
  }

  @Test func `15.2 what is read may change from one reading to the next`() async {
    let model = Model()
    let text = Node.observing { model.isShort ? "" : model.name }
    let told = Recorder(text)
    model.isShort = true
    await mainQueue()
    model.name = "Grace"
    await mainQueue()
    model.isShort = false
    await mainQueue()
    #expect(told.values == ["Ada", "", "Grace"])
  }

  @Test func `15.2 of observed nodes, too: a whole step is one reading`() async {
    let a = MutableNode(1), b = a.map { $0 * 2 }
    let sum = Node.observing { a.observed.current + b.observed.current }
    let told = Recorder(sum)
    a.value = 2
    await mainQueue()
    #expect(told.values == [3, 6])
  }

  @Test func `15.2 it lives as long as somebody holds it, and then nothing is watched or kept`()
    async throws
  {
    let model = Model(), read = Tally()
    var token: Token? = Token()
    weak let watched = token
    try await expectFreed {
      var node: Node<String>? = Node.observing { [token] in
        keepAlive(token)
        read.add()
        return model.name
      }
      token = nil
      var mapped = node?.map { $0.count }
      node = nil
      model.name = "Grace"
      await mainQueue()
      #expect(read.count == 2 && mapped?.value == 5 && watched != nil)
      mapped = nil
    }
    #expect(watched == nil)
    model.name = "Joan"
    await mainQueue()
    #expect(read.count == 2)
  }

  @Test func `15.2 a reading that waits when the node goes is not made`() async {
    let model = Model(), read = Tally()
    do {
      let node = Node.observing {
        read.add()
        return model.name
      }
      model.name = "Grace"
      keepAlive(node)
    }
    await mainQueue()
    #expect(read.count == 1)
  }

  @Test func `15.2 settled waits for it`() async {
    let model = Model()
    let name = Node.observing { model.name }
    model.name = "Grace"
    #expect(await settle())
    #expect(name.value == "Grace")
  }

  @Test func `15.2 there and back: a node of an object's property, and the property of a node`()
    async
  {
    let model = Model()
    let upper = Node.observing { model.name }.map { $0.uppercased() }
    let label = `15 Assigning`.Label()
    upper.assign(to: \.text, of: label)
    model.name = "Grace"
    await mainQueue()
    #expect(label.text == "GRACE")
  }

  @Test func `15.2 it is a source of the graph, by its operator's name and place`() {
    let model = Model()
    let name = Node.observing { model.name }
    #expect(name.upstreamTransforms.map(\.name) == ["Observing"])
    #expect(name.created.file == "EasyReactTests/Section15Observing.swift")
    #expect(checkInvariants([name]) == [])
  }
}
