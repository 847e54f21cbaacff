import CTestSupport
import EasyReact
import EasyReactInspection
import Foundation
import Testing

@testable import EasyReactInspector

extension Sessions {
  /// Of numbers that no recorder writes.
  @Suite struct Damaged {
    /// Some of each thing: a join, a zip, a listener that sets, an edge that is cut.
    private func records() -> GraphRecords {
      recorded { recorder in
        let a = MutableNode(0).named("a"), b = MutableNode(1).named("b")
        let sum = a.combine(b).map { $0.0 + $0.1 }.named("sum"), pairs = a.zip(b).named("pairs")
        let other = MutableNode(0).named("other"), link = other.link(to: a)
        let listenings: [Listening] = [sum.listen { other.value = $0 }, pairs.listen { _ in }]
        for value in 1...3 { a.set(value, context: "c") }
        link.cancel()
        a.value = 9
        let records = recorder.records
        withExtendedLifetime(listenings) {}
        return records
      }
    }

    private func opened(_ records: GraphRecords) throws(SessionError) -> GraphRecords {
      let data = try GraphSession(program: "x", saved: 0, records: records).data()
      return try GraphSession(data: data).records
    }

    private func refusal(_ change: (inout GraphRecords) -> Void) -> String? {
      var records = records()
      change(&records)
      do { _ = try opened(records) } catch {
        #expect(error.code == .damaged)
        return error.description
      }
      return nil
    }

    @Test func `18.6 an event without a number is refused`() {
      let text = refusal { $0.events[0].sequence = 0 }
      #expect(text?.contains("records.events[0]") == true)
      #expect(refusal { _ in } == nil)
    }

    @Test func `18.6 counts that nothing can count to are refused`() {
      let counts: [WritableKeyPath<NodeCounts, UInt64>] = [
        \.stored, \.told, \.storedEqual, \.ranInVain,
      ]
      for count in counts {
        #expect(refusal { $0.nodes[0].counts[keyPath: count] = .max }?.contains("counts") == true)
        let together = refusal { records in
          for place in records.nodes.indices {
            records.nodes[place].counts[keyPath: count] = .max / 2
          }
        }
        #expect(together?.contains("counts") == true)
      }
    }

    /// Everything that is made of an opened session.
    private func readAll(_ records: GraphRecords) {
      let session = GraphSession(program: "x", saved: 0, records: records)
      _ = (session.turns, session.told, records.waves, records.dot(), records.mermaid())
      _ = records.lint(including: [.neverHeard]).description
      for node in records.nodes {
        _ = (records.why(node.id).description, records.whyNot(node.id).description)
        _ = records.whyNot(node.id, since: 0).description
        _ = NodeCard(node.id, in: records, at: nil)
      }
      for wave in records.waves { _ = WaveAccount(wave.number, orNewest: false, in: records) }
      _ = try? SessionTest(session, name: "x").source()
      var feed = Feed(SavedProgram(title: "x", records: records))
      _ = feed.next()
    }

    @Test func `18.6 whatever number stands in a session, it is refused, or can be looked at`()
      throws
    {
      let data = try GraphSession(program: "x", saved: 0, records: records()).data()
      let text = String(decoding: data, as: UTF8.self)
      let numbers = text.matches(of: #/:(\d+)(?=[,}\]])/#).map(\.output.1)
      #expect(numbers.count > 200)
      // One thread; a sanitizer sees as much in a part of them.
      for place in stride(from: 0, to: numbers.count, by: testsupport_sanitizer() == 0 ? 1 : 7) {
        let number = numbers[place]
        for other in ["0", "\(Int64.max)", "\(UInt64.max)"] {
          var damaged = text
          damaged.replaceSubrange(number.startIndex..<number.endIndex, with: other)
          guard let session = try? GraphSession(data: Data(damaged.utf8)) else { continue }
          readAll(session.records)
        }
      }
    }
  }
}
