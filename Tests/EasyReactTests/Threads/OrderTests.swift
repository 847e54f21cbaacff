import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What comes between two values must not change their order.
@Suite(.watched) struct OrderTests {
  /// Runs `during` while another thread is inside `node`: its listener is being told `value`.
  private func inside(
    _ node: MutableNode<Int>, telling value: Int, _ during: @escaping @Sendable () -> Void
  ) {
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let listening = node.listen {
      if $0 != value { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return node.value = value }
      wait(for: isInside)
      during()
      mayGo.signal()
    }
    listening.cancel()
  }

  @Test func `7.2 a flatten that follows its inner node again tells nothing out of order`() {
    let inner = MutableNode(0), outer = MutableNode(1), heard = Heard<Int>()
    let door = MutableNode(0)
    let flat = outer.flattenMap { _ in inner }
    flat.link(to: door)  // who sets the door is inside the result
    let listening = flat.listen { heard.hear($0) }
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let block = flat.listen {
      if $0 != -1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return door.value = -1 }
      wait(for: isInside)
      outer.value = 2
      for value in 1...3 { inner.value = value }
      mayGo.signal()
    }
    #expect(heard.values == [0, -1, 1, 2, 3, 3])
    listening.cancel()
    block.cancel()
  }
}
