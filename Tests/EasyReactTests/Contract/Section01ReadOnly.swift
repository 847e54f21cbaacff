import EasyReact
import Testing

/// What a read-only node must not have: found by overload resolution only where the library has no
/// such member.
private struct Absent: Equatable {}
extension AnyNode {
  fileprivate func set(_ value: some Any) -> Absent { Absent() }
  fileprivate func clean() -> Absent { Absent() }
  fileprivate func update(_ change: (inout Int) -> Void) -> Absent { Absent() }
}

/// Contract, section 1.2. In a file of its own: the stand-ins hide the library's members elsewhere.
extension Section1 {
  @Test
  func `1.2 set, clean and update on a read-only node do not compile: only MutableNode has them`() {
    let node: Node<Int> = Node(1)
    // The stand-ins above are chosen, so the library has no such members.
    #expect(node.set(2) == Absent())
    #expect(node.clean() == Absent())
    #expect(node.update { $0 += 1 } == Absent())
    #expect(node.value == 1)
    let mutable = node.mutablify()
    let set: Void = mutable.set(3), update: Void = mutable.update { $0 += 1 }
    #expect(node.value == 4)
    let clean: Void = mutable.clean()
    #expect(node.isEmpty)
    _ = (set, update, clean)
  }
}
