import EasyReact
import EasyReactInspection
import Foundation
import Testing

extension `18 A graph that explains itself` {
  /// 18.2 and 9.3: listeners are known with their owners, which nobody keeps for that.
  @Suite struct Owners {
    private final class Panel: Sendable {}
    /// Its description is nobody's business.
    private final class Printer: Sendable, CustomStringConvertible {
      var description: String {
        Issue.record("an owner is not described")
        return "?"
      }
    }

    private func owners(_ recorder: GraphRecorder, of node: AnyNode) -> [OwnerRecord?] {
      recorder.records.edges.filter { $0.isListener && $0.upstream == node.id && $0.cut == nil }
        .map(\.owner)
    }

    @Test func `18.2 a listener's record has its owner: one number for each, and its type`() throws
    {
      try recorded { recorder in
        let a = MutableNode(1), b = MutableNode(2)
        let panels = [Panel(), Panel()], printer = Printer()
        let plain = a.listen { _ in }
        for panel in panels { a.listen(by: panel) { _, _ in } }
        b.listenToChanges(by: panels[1]) { _, _ in }
        b.listen(by: printer, on: .immediate) { _, _ in }
        let (ofA, ofB) = (owners(recorder, of: a), owners(recorder, of: b))
        #expect(ofA.map { $0?.type } == [nil, "Panel", "Panel"])
        #expect(ofB.map { $0?.type } == ["Panel", "Printer"])
        #expect(Set(ofA.compactMap { $0 }).count == 2 && ofB[0] == ofA[2])
        // The same number when the graph is looked at again, and in a session.
        let more = a.map { $0 }
        #expect(owners(recorder, of: a) == ofA)
        let session = GraphSession(program: "x", records: recorder.records)
        let opened = try GraphSession(data: try session.data())
        #expect(opened == session)
        withExtendedLifetime((plain, panels, printer, more)) {}
      }
    }

    @Test func `18.2 who looks keeps no owner, and a dead one's listener still says whose it was`()
    {
      recorded { recorder in
        let a = MutableNode(1)
        var panel: Panel? = Panel()
        weak let known = panel
        a.listen(by: panel!) { _, _ in }
        let before = owners(recorder, of: a)
        panel = nil
        #expect(known == nil)
        // Until the node's next event the listener is there.
        let more = a.map { $0 }
        #expect(owners(recorder, of: a) == before && before.first??.type == "Panel")
        a.value = 2
        #expect(owners(recorder, of: a) == [])
        // Of those that are gone the record says it too.
        let gone = recorder.records.edges.first { $0.isListener && $0.upstream == a.id }
        #expect(gone?.cut != nil && gone?.owner?.type == "Panel")
        // Whoever takes its memory is another one.
        let others = (0..<20).map { _ in Panel() }
        for other in others { a.listen(by: other) { _, _ in } }
        let now = owners(recorder, of: a)
        #expect(now.count == 20 && !now.contains(before.first!))
        withExtendedLifetime((others, more)) {}
      }
    }
  }
}
