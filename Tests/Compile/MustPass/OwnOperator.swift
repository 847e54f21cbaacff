// Contract 2.5: an operator of the user's own.
import EasyReact

final class Twice: NodeTransform<Int, String>, @unchecked Sendable {
  // Unchecked: adds no state.
  override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
    send("\(value)")
    send("\(value)")
  }
  override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { sendEmpty() }
}

func twice(_ node: Node<Int>) -> Node<String> {
  let result = Node<String>()
  result.wiring.link(to: node, through: Twice())
  return result
}
