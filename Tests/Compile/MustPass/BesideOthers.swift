// In a file that imports EasyReact and a module with the types of SwiftUI and Combine, the names of both are used unqualified.
import EasyReact
import Neighbour

struct Cancelled: Subscription, Publisher, Subscriber { func cancel() {} }

struct Now: Scheduler {}

struct Screen {
  @Published var title = "title"
  @State var count = 1
  @Binding var isShown = true
  let group = Group(), transform = Transform(), path = Path(), edge = Edge(), entity = Entity(),
    event = Event(), view = View()
  let scheduler: any Scheduler = Now(), subscription: any Subscription = Cancelled()
  let node = MutableNode(1), read: Node<Int> = Node(2)
}

func use(_ screen: Screen, _ scheduler: some NodeScheduler) -> [Listening] {
  screen.node.link(to: screen.read, through: NodeTransform())
  let groups: Node<NodeGroup<Bool, Int>> = screen.read.groupBy { $0 > 0 }
  return [groups.listen { print($0.key) }, screen.node.listen(on: scheduler) { print($0) }]
}

func others(
  _: AnyCancellable, _: Observable, _: Observer, _: Property, _: MutableProperty, _: Signal,
  _: SignalProducer, _: Lifetime, _: BehaviorRelay, _: PublishSubject, _: DisposeBag,
  _: PassthroughSubject, _: CurrentValueSubject, _: AnyPublisher, _: Just, _: Future
) {}

// The bindings of ReactiveSwift can be taught nodes.
func <~ (follower: MutableNode<Int>, node: Node<Int>) { follower.link(to: node) }
func follow(_ follower: MutableNode<Int>, _ node: Node<Int>) { follower <~ node }
