import EasyReact
import EasyReactTesting
import Testing

// MARK: - 20-21 Branching

extension Examples {
  static let script = [
    "On a quiet afternoon", "Li Lei: Hello everyone, I am Li Lei.",
    "Han Meimei: Hello everyone, I am Han Meimei.", "Li Lei: Hello Han Meimei.",
    "Han Meimei: Hello Li Lei.", "And so they lived happily together",
  ]

  @Sendable static func speaker(_ line: String) -> String? {
    line.firstIndex(of: ":").map { String(line[..<$0]) }
  }

  @Sendable static func words(_ line: String) -> String {
    line.firstIndex(of: ":").map { String(line[line.index($0, offsetBy: 2)...]) } ?? line
  }

  /// What the three branches of a switched script are told, in order.
  static func play(
    _ branches: (MutableNode<String>) -> Switched<String, String>
  ) -> [String] {
    let node = MutableNode<String>()
    let lines = branches(node)
    let log = Journal<String>()
    let listenings = [
      lines.case("Li Lei").listen { log.note("L| \($0)") },
      lines.case("Han Meimei").listen { log.note("H| \($0)") },
      lines.default.listen { log.note("-| \($0)") },
    ]
    for line in script { node.value = line }
    listenings.forEach { $0.cancel() }
    return log.entries
  }

  @Test func `20 switch: each line is told to its speaker, in the order of the lines`() {
    let told = Self.play { node in node.switch { Self.speaker($0) } }
    #expect(
      told == [
        "-| On a quiet afternoon", "L| Li Lei: Hello everyone, I am Li Lei.",
        "H| Han Meimei: Hello everyone, I am Han Meimei.", "L| Li Lei: Hello Han Meimei.",
        "H| Han Meimei: Hello Li Lei.", "-| And so they lived happily together",
      ])
  }

  @Test func `20 switchMap: the same nodes hear only the words`() {
    let told = Self.play { node in node.switchMap { (Self.speaker($0), Self.words($0)) } }
    #expect(
      told == [
        "-| On a quiet afternoon", "L| Hello everyone, I am Li Lei.",
        "H| Hello everyone, I am Han Meimei.", "L| Hello Han Meimei.", "H| Hello Li Lei.",
        "-| And so they lived happily together",
      ])
  }

  @Test func `21 if, then and else`() {
    let a = MutableNode<Int>()
    let log = Journal<String>()
    var bag: [Listening] = []
    let signs = a.if { $0 > 0 }
    signs.then { $0.listen { log.note("yes \($0)") }.store(in: &bag) }
      .else { $0.listen { log.note("no \($0)") }.store(in: &bag) }
    let positive = Recorder(signs.thenNode)
    for value in [1, -1, 2, 0, -3] { a.value = value }
    #expect(log.entries == ["yes 1", "no -1", "yes 2", "no 0", "no -3"])
    #expect(positive.values == [1, 2])
  }
}

// MARK: - 22-23 Cycles

extension Examples {
  @Test func `22 sync`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    let sync = a.sync(with: b)
    a.value = 1
    #expect(b.value == 1)
    b.value = 2
    #expect(a.value == 2)
    sync.cancel()
    a.value = 3
    #expect(b.value == 2)

    let c = MutableNode<Int>()
    let d = MutableNode<Int>()
    c.sync(with: d, transform: { $0 / 2 }, revert: { $0 * 2 })
    c.value = 1
    #expect(d.value == 2)
    d.value = 4
    #expect(c.value == 2)
  }

  @Test func `23 a ring by hand`() {
    weak var gone: MutableNode<Int>?
    var edge: (any Cancelable)?
    do {
      let a = MutableNode<Int>()
      let b = MutableNode<Int>()
      let c = MutableNode<Int>()
      gone = b
      b.link(to: a)
      c.link(to: b)
      edge = a.link(to: c)
      let told = [a, b, c].map { Recorder($0) }
      for (value, node) in [a, b, c].enumerated() {
        node.value = value + 1
        #expect([a, b, c].allSatisfy { $0.value == value + 1 })
      }
      #expect(told.map(\.values) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    }
    #expect(gone != nil)
    edge?.cancel()
    #expect(gone == nil)
  }
}

// MARK: - 24-25 Flatten

extension Examples {
  @Test func `24 flatten`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    let c = MutableNode<Int>()
    let outer = MutableNode<Node<Int>>(a)
    let flat = outer.flatten()
    a.value = 1
    #expect(flat.value == 1)
    outer.value = b
    b.value = 2
    #expect(flat.value == 2)
    a.value = 3
    #expect(flat.value == 2)
    outer.value = c
    c.value = 4
    #expect(flat.value == 4)
  }

  @Test func `25 flattenMap to a node that is delivered on the main queue`() {
    let main = VirtualScheduler()
    let outer = MutableNode<Int>()
    let digits = outer.flattenMap { number -> Node<Int> in
      let node = MutableNode<Int>()
      let delivered = node.deliver(on: main)
      var rest = number
      while rest > 0 {
        node.value = rest % 10
        rest /= 10
      }
      return delivered
    }
    let log = Recorder(digits)
    for number in [12, 0, 27, 9527] {
      outer.value = number
      main.advance(by: .seconds(1))
    }
    #expect(log.values == [2, 1, 7, 2, 7, 2, 5, 9])
  }
}
