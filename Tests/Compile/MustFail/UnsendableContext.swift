// Contract 8.1: a context goes to every listener, on any thread, so it is Sendable.
// expect: type 'Draft' does not conform to the 'Sendable' protocol
import EasyReact

final class Draft { var text = "" }

func set(_ node: MutableNode<Int>) { node.set(1, context: Draft()) }
