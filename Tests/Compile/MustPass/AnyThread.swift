// Contract 7.1: nodes, edges and listenings are Sendable, and go to any thread, task or queue.
import Dispatch
import EasyReact

func share(_ node: MutableNode<Int>, _ queue: DispatchQueue) async -> Int? {
  let derived = node.map { $0 + 1 }
  let transform = NodeTransform<Int, Int>()
  let listening = derived.listen { print($0) }
  queue.async {
    node.value = 1
    node.update { $0 += 1 }
    transform.from = derived
    listening.cancel()
  }
  let other = await Task.detached {
    let result = Node<Int>()
    transform.to = result
    return result
  }.value
  async let value = other.value
  return await value
}

actor Account {
  let balance = MutableNode(0)
  func deposit(_ amount: Int) { balance.update { $0 += amount } }
}

func watch(_ account: Account) -> Listening {
  account.balance.listen { print($0) }
}
