import Testing

/// The examples of the contract, on the twin itself.
@Suite(.watched) struct TwinTests {
  private let twin = Twin()
  private final class Log { var told: [String] = [] }
  private let log = Log()

  private func hear(_ node: Twin.Node, as name: String = "") {
    _ = twin.listen(node) { [log] value, _ in log.told.append("\(name)\(value)") }
  }
  private func set(_ node: Twin.Node, _ value: Int) { twin.put(.value(value), into: node) }

  @Test func `a diamond is told once`() {
    let a = twin.node(1), b = twin.node(), c = twin.node()
    twin.link(a, b, .plain { $0 + 1 })
    twin.link(a, c, .plain { $0 * 10 })
    hear(twin.combine([b, c]) { $0[0] * 100 + $0[1] })
    set(a, 2)
    #expect(log.told == ["210", "320"])
  }

  @Test func `a set by the first listener waits for the second`() {
    let a = twin.node()
    _ = twin.listen(a) { [twin, log] value, _ in
      log.told.append("L1:\(value)")
      if value == 1 { twin.put(.value(2), into: a) }
    }
    hear(a, as: "L2:")
    set(a, 1)
    #expect(log.told == ["L1:1", "L2:1", "L1:2", "L2:2"])
  }

  @Test(arguments: 2...8) func `a ring passes once round`(count: Int) {
    let ring = (0..<count).map { _ in twin.node() }
    for (place, node) in ring.enumerated() { twin.link(node, ring[(place + 1) % count]) }
    ring.forEach { hear($0) }
    for start in ring {
      log.told = []
      set(start, 5)
      #expect(log.told.count == count)
    }
  }

  @Test(arguments: [2, 3, 5, 8, 12]) func `a mesh of syncs tells each node once`(count: Int) {
    let mesh = (0..<count).map { _ in twin.node() }
    for (place, node) in mesh.enumerated() {
      for other in mesh[..<place] { _ = twin.sync(other, node, { $0 }, { $0 }) }
    }
    mesh.forEach { hear($0) }
    set(mesh[count / 2], 1)
    #expect(log.told.count == count)
  }

  @Test func `synced nodes end equal when one source reaches both`() {
    let source = twin.node(), a = twin.node(), b = twin.node()
    twin.link(source, a)
    twin.link(source, b, .plain { $0 + 1 })
    _ = twin.sync(a, b, { $0 }, { $0 })
    set(source, 1)
    #expect(a.value == b.value)
  }

  @Test func `a batch runs a join of both once, and one that throws sets nothing`() {
    struct Stop: Error {}
    let a = twin.node(1), b = twin.node(2)
    hear(twin.combine([a, b]) { $0[0] * 10 + $0[1] })
    twin.batch {
      set(a, 3)
      set(b, 4)
      try? twin.batch {
        set(a, 5)
        throw Stop()
      }
      #expect(twin.read(a) == 3 && a.value == 1)
    }
    #expect(log.told == ["12", "34"])
  }
}
