// Contract 15.1: an observed node is the main actor's.
// expect: main actor-isolated property 'observed' can not be referenced from a nonisolated context
import EasyReact

func read(_ node: Node<Int>) -> Int? { node.observed.value }
