// A queue is no scheduler itself, so that nothing of ours shows on it; every operator with `on:` says what to write.
// expect: conformance of 'DispatchQueue' to 'NodeScheduler' is unavailable: write .queue(queue), or .main for the main queue
import Dispatch
import EasyReact

func shown(_ node: Node<Int>) -> Node<Int> { node.deliver(on: DispatchQueue.main) }
