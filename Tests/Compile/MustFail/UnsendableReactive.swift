// Contract 15.3: the value of a property is a node's, so it is Sendable.
// expect: type 'Draft' does not conform to the 'Sendable' protocol
import EasyReact

final class Draft { var text = "" }

struct Editor { @Reactive var draft = Draft() }
