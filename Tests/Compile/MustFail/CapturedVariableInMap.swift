// Contract 7.1: the closures of operators are @Sendable.
// expect: mutation of captured var 'count' in concurrently-executing code
import EasyReact

func counted(_ node: Node<Int>) -> Node<Int> {
  var count = 0
  return node.map { value in
    count += 1
    return value + count
  }
}
