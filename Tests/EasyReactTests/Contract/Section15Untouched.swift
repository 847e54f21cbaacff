import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Its part is made anew at each look, as by a computed property or a `map`.
private struct Whole<Part: Sendable>: Sendable {
  var make: @Sendable () -> Part
  var other = 0
  var part: Part {
    get { make() }
    set { make = { newValue } }
  }
}

/// Longer than what lies in a string itself, and made anew.
private func text(_ letter: Character = "x") -> String { String(repeating: letter, count: 40) }

private struct Card: Sendable, Hashable {
  var title = text(), weight = 1.5, tags: [String?] = [text("t"), nil]
  /// Cards are the same to their owner, whatever they say.
  static func == (a: Card, b: Card) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

private enum Shape: Sendable {
  case none, empty
  case titled(String, size: Double)
  case named(String), called(String)
  indirect case inside(Shape)
}

private protocol Figure: Sendable {}
extension Card: Figure {}
/// Has the fields of a card.
private struct Sheet: Figure {
  var title = text(), weight = 1.5, tags: [String?] = [text("t"), nil]
}
extension String: Figure {}

private final class Object: Sendable {
  let title = text()
}

private struct Holder: Sendable {
  var title = text()
  let object: Object
}

private struct Drawing: Sendable {
  var title = text()
  var figure: any Figure
}

private struct Numbered: Sendable {
  var title = text()
  var number: any Sendable & Equatable
}

private struct Secretive: Sendable, CustomReflectable {
  var title = text()
  var customMirror: Mirror { Mirror(self, children: ["title": ""], displayStyle: .struct) }
}

private struct Tree: Sendable {
  var name = text()
  var children: [Tree] = []
}

@Suite(.watched) struct `15 Parts that are made anew` {
  /// Is what is synced with the part told of it, when the whole is set and its part is made by `next`?
  private func isTold<Part: Sendable>(
    _ first: @escaping @Sendable () -> Part, then next: @escaping @Sendable () -> Part
  ) -> Bool {
    let whole = MutableNode(Whole(make: first)), part = whole[\.part]
    let field = MutableNode<Part>()
    field.sync(with: part)
    let told = Atomic(-1)
    let listening = field.listen { _ in told.wrappingAdd(1, ordering: .relaxed) }
    whole.update {
      $0.make = next
      $0.other += 1
    }
    keepAlive(listening)
    keepAlive(part)
    return told.load(ordering: .relaxed) == 1
  }

  // Functions, for `#expect` takes a closure that it is given for one of its own.

  private func expectUntold<Part: Sendable>(
    at place: Testing.SourceLocation = #_sourceLocation, _ again: @escaping @Sendable () -> Part
  ) {
    let told = isTold(again, then: again)
    #expect(!told, sourceLocation: place)
  }

  private func expectTold<Part: Sendable>(
    at place: Testing.SourceLocation = #_sourceLocation, _ first: @escaping @Sendable () -> Part,
    then next: (@Sendable () -> Part)? = nil
  ) {
    let told = isTold(first, then: next ?? first)
    #expect(told, sourceLocation: place)
  }

  @Test func `15.4 a part that is made anew with the same content is not told to its partners`() {
    expectUntold { text() }
    expectUntold { Card() }
    expectUntold { (text(), 2.5) }
    expectUntold { Shape.titled(text(), size: 3) }
    expectUntold { Shape.inside(.inside(.titled(text(), size: 3))) }
    expectUntold { [1.5, 2.5] }
    expectUntold { [[Card()], [], [Card(), Card(title: text("y"))]] }
    expectUntold { [text("k"): Card()] }
    expectUntold { Set([Card()]) }
    expectUntold { text().dropFirst(3) }
    expectUntold { Character("e" + String(repeating: "\u{301}", count: 20)) }
    expectUntold { Drawing(figure: Card()) }
    expectUntold { Drawing(figure: text("f")) }
    expectUntold { Card() as any Figure }
    expectUntold { Tree(children: [Tree(), Tree(children: [Tree()])]) }
    let object = Object()
    expectUntold { Holder(object: object) }
  }

  @Test func `15.4 it is where anything in it differs, whatever its own == says`() {
    expectTold({ Card() }, then: { Card(title: text("y")) })
    expectTold({ Card(weight: 0.0) }, then: { Card(weight: -0.0) })
    expectTold({ Card(tags: [text()]) }, then: { Card(tags: [text(), nil]) })
    expectTold({ Card(tags: [nil]) }, then: { Card(tags: [text()]) })
    let eAcute = "\u{E9}" + text(), eAndAccent = "e\u{301}" + text()
    expectTold({ Card(title: eAcute) }, then: { Card(title: eAndAccent) })
    expectTold({ (text(), 2.5) }, then: { (text(), 3.5) })
    expectTold({ Shape.none }, then: { Shape.empty })
    expectTold({ Shape.inside(.none) }, then: { Shape.inside(.empty) })
    expectTold({ Shape.inside(.none) }, then: { Shape.inside(.inside(.none)) })
    expectTold({ Shape.titled(text(), size: 3) }, then: { Shape.titled(text(), size: 4) })
    expectTold({ [text("k"): Card()] }, then: { [text("k"): Card(weight: 2)] })
    expectTold({ Set([Card()]) }, then: { Set([Card(weight: 2)]) })
    expectTold({ Shape.named(text()) }, then: { Shape.called(text()) })
    expectTold({ Card() as any Figure }, then: { Sheet() as any Figure })
    expectTold({ Drawing(figure: Card()) }, then: { Drawing(figure: Sheet()) })
    expectTold({ Drawing(figure: Card()) }, then: { Drawing(figure: Card(weight: 2)) })
    expectTold({ Tree(children: [Tree(), Tree()]) }, then: { Tree(children: [Tree()]) })
  }

  @Test func `15.4 so it is where nobody can see whether it differs`() {
    expectTold { Object() }
    expectTold { Holder(object: Object()) }
    expectTold { Secretive() }
    expectTold { Numbered(number: 7) }
    // As many as are looked at, and one more.
    expectUntold { (1...64).map { _ in Tree() } }
    expectTold { (1...65).map { _ in Tree() } }
  }

  @Test func `15.4 a part is looked at to some depth only, and uses little stack`() {
    let told = onSmallStack { [self] in
      @Sendable func deep() -> Shape {
        (1...1_000).reduce(Shape.none) { shape, _ in .inside(shape) }
      }
      return isTold({ deep() }, then: { deep() })
    }
    #expect(told)
  }

  /// Each row's label follows its price, and is a value that is made anew whenever its row is told again.
  @Test(arguments: [1, 40])
  func `15.4 rows that have nothing to do with each other do not tell each other`(length: Int) {
    struct Row: Sendable {
      var price = 1, label = Card()
    }
    let rows = MutableNode(Array(repeating: Row(), count: 20)), told = Recorder(rows.map { _ in 1 })
    let parts = (0..<20).map { index in
      let row = rows[index: index], label = row[\.label]
      label.link(to: row[\.price].map { Card(title: String(repeating: "\($0)", count: length)) })
      return [row, label] as [AnyNode]
    }
    rows[index: 3][\.price].value = 2
    told.clear()
    rows[index: 7][\.price].value = 3
    #expect(told.values.count == 2)
    #expect(rows.value?[7].label.title == String(repeating: "3", count: length))
    #expect(checkInvariants([rows] + parts.joined()) == [])
  }
}
