// What the code blocks of the documents use without saying where it comes from:
// Scripts/check-documents.py. What means something else
// in one of them stands before that one: in a comment `<!-- compile: … -->`, or in examples.txt.
import Dispatch
import EasyReact
import EasyReactTesting
import EasySequence

// MARK: - Nodes

let a = MutableNode(1), b = MutableNode(2), c = MutableNode(3)
let node = MutableNode(1), number = MutableNode(1), counter = MutableNode(0), score = MutableNode(3)
let price = MutableNode(4), count = MutableNode(3), tea = MutableNode(3), milk = MutableNode(2)
let total = price.combine(count).map { $0 * $1 }
let name = MutableNode("Ada")
let ada = MutableNode(1), grace = MutableNode(2), barbara = MutableNode(3)
let text = MutableNode("1"), word = MutableNode("a"), typed = MutableNode("s")
let query = MutableNode("s"), voice = MutableNode("hello")
let symbol = MutableNode("EZR"), links = MutableNode("/"), drafts = MutableNode("Dear")
let script = MutableNode("Ada: hello")
let loaded = MutableNode("page"), nearby = MutableNode("page"), faraway = MutableNode("page")
let reply = MutableNode("yes")
let cart = MutableNode(["tea"]), replies = MutableNode("yes"), asked = MutableNode("?")
let message = MutableNode<Message>()
let currentTab = MutableNode(Node("first")), room = MutableNode(Node("hello"))
let degrees = MutableNode(18), reading = MutableNode(18), progress = MutableNode(0.0)
let celsius = MutableNode(0.0), fahrenheit = MutableNode<Double>()
let point = MutableNode(Point(x: 0, y: 0)), position = MutableNode(Point(x: 0, y: 0))
let taps = MutableNode<Void>.eventNode(), sent = MutableNode<Void>.eventNode()
let frames = MutableNode<Void>.eventNode()
let keys = MutableNode<String>.eventNode()

struct Point: Sendable, Equatable { var x, y: Double }
struct Message: Sendable { var room, text: String }

// MARK: - Services

let queue = DispatchQueue(label: "documents"), storage = DispatchQueue(label: "storage")
let logger = Logger()
let panel = InfoPanel(), other = InfoPanel(), log = Diary()
let focused = MutableNode(Weak(panel))
@MainActor let view = View(), label = Label()

func search(_ text: String) -> Node<[String]> { Node([text]) }
func speaker(of line: String) -> String? { nil }
func quotes(of symbol: String) -> Node<Int> { Node(1) }
func load(_ link: String) -> Node<String> { Node(link) }
func save(_ draft: String) -> Node<Bool> { Node(true) }
func store(_ value: Int) {}
func pay() -> Node<Bool> { Node(true) }
func parse(_ text: String) throws -> Int { Int(text) ?? 0 }
func expensive(_ number: Int) -> Int { number }

final class InfoPanel: Sendable {
  let title = "title"
  func show() {}
  func show(_ value: Int) {}
}
final class Diary: Sendable {
  func add(_ value: Int) {}
  func note(_ value: Int, by context: (any Sendable)?) {}
}
struct Logger: Sendable { func debug(_ line: String) {} }
@MainActor final class View { func render(_ page: String) {} }
@MainActor final class Label { var text = "" }

// MARK: - Tests

let clock = VirtualScheduler(), test = MarbleTest(), recorder = Recorder(node)

// MARK: - Streams

let stream = LazyStream(1...9), primes = LazyStream([2, 3, 5]), ages = LazyStream([36, 85])
let names = LazyStream(["Ada", "Grace"])
