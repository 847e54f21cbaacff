// Contract 7.1: values are Sendable.
// expect: type 'Draft' does not conform to the 'Sendable' protocol
import EasyReact

final class Draft { var text = "" }

func keepAlive() { _ = MutableNode(Draft()) }
