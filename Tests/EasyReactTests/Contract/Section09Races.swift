import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 9 with several threads: what one attaches, another ends.
///
/// Less is left to other threads at a time than what a background queue would take over, so that all is at rest when the
/// threads are done.
extension Section9 {
  private final class Prompt: ListeningOwner, Sendable {
    let listenings = Listenings()
  }

  @Test func `9.3 any thread may end an owner's listenings while another is attaching them`() {
    let a = MutableNode(0)
    let prompt = Prompt(), plain = Token()
    let told = Tally()
    for _ in 0..<100 {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for round in 1...100 {
          switch thread {
          case 0: a.listen(by: prompt) { _, _ in told.add() }
          case 1: a.listen(by: plain) { _, _ in told.add() }
          case 2:
            prompt.listenings.cancel()
            a.stopListening(by: plain)
          default: a.value = round
          }
        }
      }
      prompt.listenings.cancel()
      a.stopListening(by: plain)
      #expect(!a.hasListener)
      #expect(waitForBackgroundWork())
      #expect(checkInvariants([a]) == [])
    }
    #expect(a.value == 100)
    #expect(told.count > 0)
  }

  @Test func `9.7 any thread may cut the links that another makes`() {
    let up = MutableNode(0), down = Node<Int>()
    for repetition in 0..<100 {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for round in 1...100 {
          switch thread {
          case 0: down.link(to: up)
          case 1: down.removeUpstreamNodes()
          case 2: up.removeDownstreamNode(down)
          default: up.value = round
          }
        }
      }
      down.removeUpstreamNodes()
      let last = -1 - repetition
      up.value = last
      #expect(!up.hasDownstreamNode && !down.hasUpstreamNode)
      #expect(down.value != last)
      #expect(waitForBackgroundWork())
      #expect(checkInvariants([up, down]) == [])
    }
  }
}
