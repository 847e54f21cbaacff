import EasyReact
import EasyReactTesting
import Testing

extension `12 Looking at the graph` {
  /// A set is told with its own call site, and with no other one's.
  @Suite struct CallSites {
    /// Where each set of these nodes was called, by the name; a set that is told of twice, once.
    private func sites(_ body: () -> Void) -> [String: String?] {
      var sites: [String: String?] = [:]
      for event in traced(body).everything {
        guard case .set = event.kind, let name = event.name else { continue }
        sites[name] = .some(event.callSite)
      }
      return sites
    }

    @Test func `12.4 a set that is left with another thread is told with its own call site`() throws
    {
      let left = MutableNode(0).named("left-set"), next = MutableNode(0).named("next-set")
      let sites = sites {
        whileInside(left, settingTo: 1) {
          left.set(2)
          next.value = 3
        }
      }
      let site = try #require(sites["left-set"] ?? nil)
      #expect(site.hasPrefix("EasyReactTests/Section12CallSites.swift:"))
      #expect(sites["next-set"] == .some(nil))
    }

    @Test func `12.4 the call site of a set that a batch drops is not told of the next one`() {
      let dropped = MutableNode(0), next = MutableNode(0).named("next-set")
      let sites = sites {
        try? batch {
          dropped.set(4)
          throw Refusal()
        }
        next.value = 3
      }
      #expect(sites["next-set"] == .some(nil))
    }

    @Test func `12.4 the call site of a set that changes nothing is not told of the next one`() {
      let whole = MutableNode([1]).named("whole-set"), next = MutableNode(0).named("next-set")
      let part = whole[index: 5]
      let sites = sites {
        batch {
          whole.value = [2]
          part.set(4)
          next.value = 3
        }
      }
      #expect(sites["whole-set"] == .some(nil) && sites["next-set"] == .some(nil))
    }

    @Test func `12.4 the call site of a listener that is not made is not told of the next set`() {
      let a = MutableNode(0), next = MutableNode(0).named("next-set")
      let sites = sites {
        whileInside(a, settingTo: 1) {
          a.listen { _ in }.cancel()
          next.value = 3
        }
      }
      #expect(sites["next-set"] == .some(nil))
    }
  }
}
