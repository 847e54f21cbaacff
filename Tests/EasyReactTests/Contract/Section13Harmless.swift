import EasyReact
import EasyReactTesting
import Synchronization
import Testing

extension `13 Misuse` {
  /// What may happen at run time is a value, or nothing; never a stop.
  @Suite struct Harmless {
    @Test
    func `13 setting a node that has no consumer is reported through the tracer, never an error`() {
      let node = MutableNode(1)
      let log = traced {
        node.value = 2
        node.clean()
        node.update { $0 += 1 }
        node.value = 3
      }
      #expect(log.stops(node) == [.noConsumer, .noConsumer, .noConsumer, .noConsumer])
      #expect(node.value == 3)
    }

    @Test
    func `13 what may happen at run time is a value: no nodes, empty nodes, a node with itself`() {
      #expect(Node<Int>.combine([]).value == [])
      #expect(Node<Int>.zip([]).value == nil)
      #expect(Node<Int>.merge([]).value == nil)
      let a = MutableNode(1)
      let paired = a.combine(a)
      #expect(paired.value! == (1, 1))
      let zipped = a.zip(a)
      #expect(zipped.value! == (1, 1))
      let recorder = Recorder(a.merge(a))
      a.value = 2
      #expect(recorder.values == [1, 2, 2])
      a.link(to: a).cancel()
      a.sync(with: a).cancel()
      a.wiring.removeUpstreamNode(a)
      a.wiring.removeDownstreamNodes()
      #expect(a.value == 2)
      #expect(checkInvariants([a, paired, zipped]) == [])
    }

    @Test func `13 what may happen at run time is a value: everything cancelled or removed twice`()
    {
      let (a, b) = (MutableNode(1), Node<Int>())
      let link = b.wiring.link(to: a)
      let sync = a.sync(with: MutableNode(2))
      let listening = a.listen { _ in }
      let bag = CancelableBag()
      for member in [link, sync, listening] as [any Cancelable] {
        bag.add(member)
        member.cancel()
        member.cancel()
      }
      bag.cancel()
      bag.cancel()
      b.wiring.removeUpstreamNodes()
      b.wiring.removeUpstreamNode(a)
      b.wiring.removeDownstreamNode(a)
      a.stopListening(by: bag)
      #expect(checkInvariants([a, b]) == [])
    }

    @Test func `13 what may happen at run time is a value: a flatten of itself, of its own result`()
    {
      let outer = MutableNode(0)
      let place = Mutex<Node<Int>?>(nil)
      let spare = Node(7)
      let flat = outer.flattenMap { _ in place.withLock { $0 } ?? spare }
      place.withLock { $0 = flat }
      outer.value = 1
      #expect(flat.value == 7)
      place.withLock { $0 = nil }
      #expect(checkInvariants([outer]) == [])
    }

    @Test
    func
      `13 what may happen at run time is a thrown error: a batch passes it on, and sets nothing`()
    {
      struct Failure: Error, Equatable {}
      let a = MutableNode(1)
      #expect(throws: Failure()) {
        try batch { () throws(Failure) in
          a.value = 2
          throw Failure()
        }
      }
      #expect(a.value == 1)
    }

    @Test func `13 one half of a sync is cut, then its upstream goes`() {
      let b = MutableNode(1)
      do {
        let a = MutableNode(2)
        a.sync(with: b)
        a.wiring.removeUpstreamNodes()  // the half from b
        a.value = 3
        #expect(b.value == 3)
      }
      b.value = 4
      #expect(b.upstreamNodes.isEmpty)
      #expect(checkInvariants([b]) == [])
    }

    @Test func `13 a transform sends outside of receive, without ends and after it was cut`() {
      let (a, b) = (MutableNode(1), Node<Int>())
      let transform = NodeTransform<Int, Int>()
      transform.send(5)
      transform.sendEmpty()
      let link = b.wiring.link(to: a, through: transform)
      transform.send(6)
      #expect(b.value == 6)
      link.cancel()
      transform.send(7)
      #expect(b.value == 6)
    }
  }
}
