import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// A list of numbers that is copied where it is changed while somebody else holds it too, as an array is; and says how often.
private struct Numbers: Sendable, Equatable {
  private final class Room: Sendable {
    let numbers: Mutex<[Int]>
    init(_ numbers: [Int]) { self.numbers = Mutex(numbers) }
  }
  private var room: Room
  private let copies: Tally

  init(count: Int, copies: Tally) {
    room = Room(Array(repeating: 0, count: count))
    self.copies = copies
  }

  var all: [Int] { room.numbers.withLock { $0 } }

  subscript(place: Int) -> Int {
    get { room.numbers.withLock { $0[place] } }
    set {
      if !isKnownUniquelyReferenced(&room) {
        copies.add()
        room = Room(all)
      }
      room.numbers.withLock { $0[place] = newValue }
    }
  }

  static func == (a: Numbers, b: Numbers) -> Bool { a.all == b.all }
}

private struct Sheet: Sendable, Equatable {
  var title = "new"
  var numbers: Numbers
  var more: Numbers?
}

/// A part whose setting is user code, and so is its end.
private struct Noisy: Sendable {
  final class Part: Sendable {
    let name: String, atEnd: @Sendable (String) -> Void
    init(_ name: String, atEnd: @escaping @Sendable (String) -> Void = { _ in }) {
      self.name = name
      self.atEnd = atEnd
    }
    deinit { atEnd(name) }
  }
  private var stored: Part
  var other = 0
  let onSet: @Sendable () -> Void

  init(_ part: Part, onSet: @escaping @Sendable () -> Void = {}) {
    stored = part
    self.onSet = onSet
  }

  var part: Part {
    get { stored }
    set {
      onSet()
      stored = newValue
    }
  }
}

/// Contract, 4.3 and 15.4: what a batch makes of sets of parts.
extension `15 Lenses` {
  @Test(arguments: [false, true])
  func `15.4, 4.3 however many parts a batch sets, it copies their whole twice`(_ isNested: Bool) {
    let copies = Tally()
    let sheet = MutableNode(Sheet(numbers: Numbers(count: 40, copies: copies)))
    let numbers = sheet[\.numbers],
      cells = (0..<40).map { isNested ? numbers[\.[$0]] : sheet[\.numbers[$0]] }
    batch {
      for cell in cells { cell.value = 1 }
      for (place, cell) in cells.enumerated() { cell.update { $0 += place } }
      for (place, cell) in cells.enumerated() { #expect(cell.value == 1 + place) }
      #expect(copies.take() <= 2)
    }
    #expect(copies.take() <= 1)
    #expect(sheet.value?.numbers.all == (1...40).map { $0 })
    batch {
      sheet.value = Sheet(numbers: Numbers(count: 40, copies: copies))
      for cell in cells { cell.value = 2 }
    }
    #expect(copies.take() <= 2)
    #expect(sheet.value?.numbers.all == Array(repeating: 2, count: 40))
  }

  @Test func `15.4, 4.3 so it copies what may be nil and holds many parts`() {
    let copies = Tally(), numbers = Numbers(count: 40, copies: copies)
    let sheet = MutableNode(Sheet(numbers: numbers, more: numbers))
    let more = sheet[unwrapping: \.more], cells = (0..<40).map { more[\.[$0]] }
    batch { for cell in cells { cell.value = 1 } }
    #expect(copies.count <= 3 && sheet.value?.more?.all == Array(repeating: 1, count: 40))
    more.clean()
    batch { for cell in cells { cell.value = 2 } }
    #expect(sheet.value?.more == nil && cells[0].isEmpty)
  }

  /// Found by a hostile review: two copies for each inner batch.
  @Test func `15.4, 4.3 inner batches that set parts, and throw, copy their whole no more often`() {
    let copies = Tally()
    let sheet = MutableNode(Sheet(numbers: Numbers(count: 40, copies: copies)))
    let cells = (0..<40).map { sheet[\.numbers[$0]] }
    batch {
      for (place, cell) in cells.enumerated() {
        batch {
          cell.value = -1
          cell.value = 1
        }
        batch { cell.update { $0 += place } }
        try? batch { () throws(Refusal) in
          cell.value = -2
          throw Refusal()
        }
        batch { batch { batch { cell.update { $0 *= 2 } } } }
      }
      #expect(copies.take() <= 2)
      for (place, cell) in cells.enumerated() { #expect(cell.value == 2 + 2 * place) }
    }
    #expect(copies.take() <= 1)
    #expect(sheet.value?.numbers.all == (0..<40).map { 2 + 2 * $0 })
  }

  @Test func `15.4, 4.3 however many parts an inner batch sets and reads, it copies twice`() {
    let copies = Tally()
    let sheet = MutableNode(Sheet(numbers: Numbers(count: 40, copies: copies)))
    let cells = (0..<40).map { sheet[\.numbers[$0]] }
    batch {
      cells[0].value = 7
      cells[1].value = 7
      _ = copies.take()
      try? batch { () throws(Refusal) in
        for (place, cell) in cells.enumerated() {
          cell.value = place
          #expect(cell.value == place && sheet.value?.numbers[39] == (place == 39 ? 39 : 0))
        }
        #expect(copies.take() <= 2)
        throw Refusal()
      }
      #expect(cells.prefix(3).map { $0.value } == [7, 7, 0])
    }
    #expect(sheet.value?.numbers.all == [7, 7] + Array(repeating: 0, count: 38))
  }

  @Test func `15.4, 4.3 what an inner batch leaves is set in order, with the context of the last`()
  {
    let person = MutableNode(Person()), other = MutableNode(0)
    let name = person[\.name], age = person[\.age], told = Journal<String>()
    let listenings = [
      person.listen { told.note("\($0.name) \($0.age)") }, other.listen { told.note("\($0)") },
    ]
    let recorder = Recorder(person)
    _ = told.take()
    batch {
      batch {
        name.set("Grace", context: "first")
        other.value = 1
        batch {
          age.set(1, context: "second")
          age.set(2, context: "third")
        }
      }
    }
    #expect(told.take() == ["Grace 2", "1"])
    batch {
      batch {
        name.value = "Ada"
        person.value = Person(name: "Lise", age: 3)
        #expect(name.value == "Lise")
        age.value = 4
      }
      #expect(name.value == "Lise" && age.value == 4)
    }
    #expect(told.take() == ["Lise 4"])
    #expect(recorder.contexts.map { $0 as? String } == [nil, "third", nil])
    keepAlive(listenings[0], listenings[1])
  }

  /// Whoever sets its part reads the whole meanwhile, and notes it, until that is over.
  private static func wholeThatIsReadWhileItChanges()
    -> (whole: MutableNode<Noisy>, read: Journal<String>, fallSilent: () -> Void)
  {
    let place = Journal<MutableNode<Noisy>>(), read = Journal<String>()
    let whole = MutableNode(
      Noisy(.init("0")) {
        for node in place.entries { read.note("\(node.value!.part.name) \(node.value!.other)") }
      })
    place.note(whole)
    return (whole, read, { _ = place.take() })
  }

  @Test func `15.4, 4.3 while an inner batch makes a part, the whole reads as it was before`() {
    let (whole, read, fallSilent) = Self.wholeThatIsReadWhileItChanges()
    let part = whole[\.part], other = whole[\.other]
    batch {
      other.value = 1
      batch {
        part.value = .init("1")
        other.value = 2
        part.value = .init("2")
        #expect(part.value?.name == "2" && whole.value?.other == 2)
        let during = read.take()
        #expect(!during.isEmpty && Set(during).isSubset(of: ["0 1", "1 2", "2 2"]))
      }
      _ = read.take()
      #expect(part.value?.name == "2" && whole.value?.other == 2)
    }
    fallSilent()
    #expect(whole.value?.part.name == "2" && whole.value?.other == 2)
  }

  @Test func `15.4, 4.3 what was read in a batch stays as it was read`() {
    let sheet = MutableNode(Sheet(numbers: Numbers(count: 3, copies: Tally())))
    let cells = (0..<3).map { sheet[\.numbers[$0]] }
    var read: [Sheet] = []
    batch {
      for step in 1...9 {
        cells[step % 3].value = step
        read.append(sheet.value!)
      }
    }
    #expect(
      read.map(\.numbers.all) == [
        [0, 1, 0], [0, 1, 2], [3, 1, 2], [3, 4, 2], [3, 4, 5], [6, 4, 5], [6, 7, 5], [6, 7, 8],
        [9, 7, 8],
      ])
  }

  @Test func `15.4, 4.3 while a part is set, the whole reads as it was before`() {
    let (whole, read, fallSilent) = Self.wholeThatIsReadWhileItChanges()
    let part = whole[\.part], other = whole[\.other]
    batch {
      for step in 1...4 {
        _ = read.take()
        part.value = .init("\(step)")
        let during = read.take(), texts = ["\(step - 1) \(step - 1)", "\(step) \(step - 1)"]
        #expect(!during.isEmpty && Set(during).isSubset(of: Set(texts)))
        other.value = step
        #expect(part.value?.name == "\(step)" && whole.value?.other == step)
      }
    }
    #expect(whole.value?.part.name == "4" && whole.value?.other == 4)
    fallSilent()
  }

  @Test func `15.4, 4.3 a part that is replaced in a batch dies at once, and what it sets counts`()
  {
    let told = Journal<String>()
    let whole = MutableNode(Noisy(.init("stored")))
    let part = whole[\.part], other = whole[\.other]
    let atEnd: @Sendable (String) -> Void = { name in
      told.note("\(name) died, \(whole.value!.part.name) is there")
      other.update { $0 += 1 }
    }
    batch {
      whole.value = Noisy(.init("0"))
      for step in 1...5 {
        part.value = .init("\(step)", atEnd: atEnd)
        #expect(told.take() == (step == 1 ? [] : ["\(step - 1) died, \(step) is there"]))
        #expect(whole.value?.other == step - 1)
      }
      whole.update { $0.other *= 10 }
      #expect(whole.value?.other == 40)
      part.value = .init("last")
      #expect(whole.value?.other == 41)
    }
    #expect(told.take() == ["5 died, last is there"])
    #expect(whole.value?.part.name == "last")
  }

  @Test func `15.4, 4.3 a set of another part inside of an update stays`() {
    let person = MutableNode(Person())
    let name = person[\.name], age = person[\.age]
    batch {
      person.value = Person(name: "Grace", age: 1)
      for step in 2...5 {
        name.update { name in
          age.value = step
          name += "!"
        }
        #expect(age.value == step)
      }
    }
    #expect(person.value == Person(name: "Grace!!!!", age: 5))
  }

  @Test func `15.4, 4.3 an update of a part runs once where the batch has set the whole`() {
    let person = MutableNode(Person())
    let age = person[\.age], runs = Tally()
    batch {
      person.value = Person(age: 1)
      for _ in 0..<5 {
        age.update {
          runs.add()
          $0 += 1
        }
      }
      #expect(runs.count == 5 && age.value == 6)
    }
    #expect(runs.count == 5 && age.value == 6)
  }

  @Test func `15.4, 4.3 random sets of parts and of the whole read as if made one by one`() {
    for seed in 0..<Sanitizer.part(of: 600) {
      var random = SeededGenerator(seed: UInt64(seed))
      var session = PartsInBatches()
      for _ in 0..<4 {
        let before = session.expected
        do throws(Refusal) {
          try batch { () throws(Refusal) in try session.run(depth: 0, &random) }
        } catch {
          session.expected = before
        }
        session.check("seed \(seed), behind the batch")
      }
    }
  }

  /// Found by a hostile review, as the next one.
  @Test func `15.4, 4.3 what is changed in an inner batch is what was read there last`() {
    let root = MutableNode([1, 2]), other = MutableNode([10, 20, 30])
    let missing = root[index: 5], part = root[index: 0]
    batch {
      batch {
        missing.value = 9
        #expect(root.value == [1, 2])
        root.link(to: other)
        #expect(root.value == [10, 20, 30])
        part.value = 7
        #expect(root.value == [7, 20, 30])
      }
      #expect(root.value == [7, 20, 30])
    }
    #expect(root.value == [7, 20, 30])
  }

  @Test func `15.4, 4.3 a whole that a part's setter sets in an inner batch is read at once`() {
    let root = MutableNode(Hooked())
    let lens = root[\.first]
    let hook = Hook { root.value = Hooked(numbers: [7, 7]) }
    root.value?.hook = hook
    batch {
      batch {
        lens.value = 1
        #expect(root.value?.numbers == [7, 7])
        #expect(root.value?.numbers == [7, 7])
      }
      #expect(root.value?.numbers == [7, 7])
    }
    #expect(root.value?.numbers == [7, 7])
  }

  /// The bits are the same, and yet it is newer than what waits.
  @Test(arguments: [0, 1, 2])
  func `5.2, 15.4 to set a part to what it holds is a set of it, in a batch too`(depth: Int) {
    struct Pair { var x: Int, y: Int }
    let whole = MutableNode(Pair(x: 5, y: 0)), x = whole[\.x], y = whole[\.y]
    let field = MutableNode(0)
    field.sync(with: x)
    let told = Recorder(field)
    @Sendable func set() {
      switch depth {
      case 0: x.value = 5
      case 1:
        batch {
          x.value = 5
          y.value = 1
        }
      default: batch { batch { x.value = 5 } }
      }
    }
    told.clear()
    set()
    #expect(told.values == [5])
    let listening = field.listen { [weak field] in
      if $0 != 6 { return }
      field?.value = 7  // waits
      set()  // as long as the 6 has not come there
    }
    told.clear()
    field.value = 6
    #expect(field.value == 5 && x.value == 5)
    #expect(told.values == [6, 7, 5])
    keepAlive(listening)
  }
}

/// Its first part's setter calls the hook, once.
private struct Hooked: Sendable {
  var numbers = [0, 0]
  var hook: Hook?
  var first: Int {
    get { numbers[0] }
    set {
      hook?.call()
      numbers[0] = newValue
    }
  }
}

private final class Hook: Sendable {
  private let body: @Sendable () -> Void
  private let isOver = Atomic(false)
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  func call() { if !isOver.exchange(true, ordering: .relaxed) { body() } }
}
