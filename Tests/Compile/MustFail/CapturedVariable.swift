// Contract 7.1: stored closures are @Sendable.
// expect: mutation of captured var 'total' in concurrently-executing code
import EasyReact

func sum(_ node: Node<Int>) -> Listening {
  var total = 0
  let listening = node.listen { total += $0 }
  print(total)
  return listening
}
