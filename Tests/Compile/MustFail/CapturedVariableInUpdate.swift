// Contract 1.6 and 7.1: an update may run on another thread.
// expect: mutation of captured var 'old' in concurrently-executing code
import EasyReact

func increment(_ node: MutableNode<Int>) -> Int {
  var old = 0
  node.update { value in
    old = value
    value += 1
  }
  return old
}
