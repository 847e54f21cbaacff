// The original's throttle is what the field calls debounce; warnings are errors here.
// expect: 'throttle(_:on:file:line:)' is deprecated: renamed to 'debounce(_:on:file:line:)'
import EasyReact

func quiet(_ node: Node<Int>) -> Node<Int> { node.throttle(.seconds(1), on: .main) }
