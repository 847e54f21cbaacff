import CTestSupport
import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// Contract, 15.3: properties whose value is a node's.
@Suite(.watched) struct `15 Reactive properties` {
  final class Cart {
    @Reactive var price = 4
    @Reactive var count = 3
    var total: Node<Int> { $price.combine($count).map { $0 * $1 } }
  }

  struct Settings: Sendable {
    @Reactive var volume = 5
    @Reactive var owner: String?
    @Reactive var device: String
  }

  actor Account {
    @Reactive var balance = 100
    func pay(_ amount: Int) { balance -= amount }
  }

  @Test func `15.3 setting the property sets the node, and the $ is the node`() {
    let cart = Cart()
    let told = Recorder(cart.total)
    cart.price = 5
    cart.count += 1
    #expect(told.values == [12, 15, 20])
    cart.$price.value = 1
    #expect(cart.price == 1)
    cart.$price.set(2, context: "import")
    #expect(cart.price == 2 && told.values.last == 8)
    #expect(cart.$price === cart.$price)
    #expect(cart.$price.created.file.hasSuffix("Section15Properties.swift"))
  }

  @Test func `15.3 a copy of a struct has the same node, and needs no var to be set`() {
    let settings = Settings(), copy = settings
    copy.volume = 7
    #expect(settings.volume == 7 && settings.$volume === copy.$volume)
    #expect(Settings().volume == 5)
  }

  @Test func `15.3 an actor's property, from many tasks`() async {
    let account = Account()
    let told = Recorder(await account.$balance)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { await account.pay(1) } }
    }
    #expect(await account.balance == 50)
    #expect(told.values == Array((50...100).reversed()))
  }

  @Test func `15.3 an optional property begins as nil and is nil while the node is empty`() {
    let settings = Settings()
    #expect(settings.owner == nil)
    settings.owner = "Ada"
    settings.$owner.clean()
    #expect(settings.owner == nil && settings.$owner.isEmpty)
  }

  @Test func `15.3 a property without a first value is empty until it is set`() {
    let settings = Settings()
    #expect(settings.$device.isEmpty)
    settings.device = "radio"
    #expect(settings.device == "radio")
  }

  @Test func `15.3 reading a property whose node is empty stops with what, where and the remedy`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cart = Cart()
      cart.$price.named("price").clean()
      _ = cart.price
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EasyReact: Reactive: the property was read while its node is empty"))
    #expect(text.contains("node “price” of Int, made at EasyReactTests/Section15Properties.swift"))
    #expect(text.contains("read `$property.value`, which is nil then"))
  }

  @Test func `15.3 a listener may set the property that it hears: exclusive access is kept`() {
    let settings = Settings()
    let listening = settings.$volume.listen { if $0 > 10 { settings.volume = 10 } }
    settings.volume = 12
    #expect(settings.volume == 10)
    keepAlive(listening)
    final class Owner: @unchecked Sendable {
      // Unchecked: one thread.
      @Reactive var level = 0
    }
    let owner = Owner()
    owner.$level.listen(by: owner) { owner, level in if level == 1 { owner.level = 2 } }
    owner.level = 1
    #expect(owner.level == 2)
  }

  @Test func `15.3 a property may stand for a node that is there`() {
    struct Row { @Reactive var name: String }
    let name = MutableNode("Ada")
    let row = Row(name: Reactive(node: name))
    row.name = "Grace"
    #expect(name.value == "Grace")
  }

  @Test func `15.3 a batch stages it, and nothing is kept`() throws {
    try expectFreed {
      let cart = Cart()
      let told = Recorder(cart.total)
      batch {
        cart.price = 10
        cart.count = 10
        #expect(cart.price == 10)
      }
      #expect(told.values == [12, 100])
    }
  }
}

/// Contract, 15.5: nodes that set properties.
@Suite(.watched) struct `15 Assigning` {
  @MainActor final class Label {
    var text = ""
    var detail: String?
    var changes: [String] = []
    var title = "" { didSet { changes.append(title) } }
    let freed: Tally
    init(freed: Tally = Tally()) { self.freed = freed }
    isolated deinit { freed.add() }
  }

  final class Board: Sendable {
    private let state = Mutex(0)
    var price: Int {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// An object at home on the main actor that is not Sendable.
  final class Plain { var text = "" }

  @Test @MainActor
  func `15.5 assign sets the property at once and with each set, before set returns`() {
    let label = Label(), name = MutableNode("Ada")
    name.assign(to: \.text, of: label)
    name.assign(to: \.detail, of: label)
    #expect(label.text == "Ada" && label.detail == "Ada")
    name.value = "Grace"
    #expect(label.text == "Grace" && label.detail == "Grace")
    let plain = Plain()
    name.assign(to: \.text, of: plain)
    name.value = "Barbara"
    #expect(plain.text == "Barbara")
  }

  @Test @MainActor func `15.5 an event is a value, also where a value came before it`() async {
    let events = MutableNode<String>.eventNode(), values = MutableNode("first"), label = Label()
    events.assign(to: \.title, of: label)
    events.value = "Ada"
    events.value = "Grace"
    #expect(label.changes == ["Ada", "Grace"])
    values.merge(events).assign(to: \.text, of: label)
    #expect(label.text == "first")
    onThread {
      values.value = "value"
      events.value = "event"
    }
    await mainQueue()
    #expect(label.text == "event")
  }

  @Test @MainActor
  func `15.5 from another thread it is set later on the main actor, in order, the newest last`()
    async
  {
    let label = Label(), name = MutableNode("0")
    name.assign(to: \.title, of: label)
    let isDone = Tally()
    onThread {
      for number in 1...1_000 { name.value = "\(number)" }
      isDone.add()
    }
    #expect(label.title == "0", "not before the main actor comes to it")
    await mainQueue()
    #expect(label.title == "1000")
    let numbers = label.changes.compactMap { Int($0) }
    #expect(numbers == numbers.sorted())
  }

  @Test @MainActor func `15.5 a set here brings what waits before it`() {
    let label = Label(), name = MutableNode("Ada"), other = MutableNode("1")
    name.assign(to: \.text, of: label)
    other.assign(to: \.detail, of: label)
    onThread { name.value = "Grace" }
    #expect(label.text == "Ada")
    other.value = "2"
    #expect(label.text == "Grace" && label.detail == "2")
  }

  @Test @MainActor
  func `15.5 the object is not kept, and what the assignment kept goes with the next value`() async
  {
    let name = MutableNode("Ada"), freed = Tally()
    var label: Label? = Label(freed: freed)
    name.assign(to: \.text, of: label!)
    #expect(name.listenerCount == 1)
    label = nil
    #expect(freed.count == 1)
    name.value = "Grace"
    #expect(!name.hasListener)
    // Waiting for the main actor it is not kept either.
    label = Label(freed: freed)
    name.assign(to: \.text, of: label!)
    onThread { name.value = "Barbara" }
    label = nil
    #expect(freed.count == 2)
    await mainQueue()
  }

  @Test @MainActor func `15.5 cancelled, it is not set any more, nor with what waits`() async {
    let label = Label(), name = MutableNode("Ada")
    let assignment = name.assign(to: \.text, of: label)
    onThread { name.value = "Grace" }
    assignment.cancel()
    await mainQueue()
    name.value = "Barbara"
    #expect(label.text == "Ada" && !name.hasListener)
    name.assign(to: \.text, of: label)
    name.stopListening(by: label)
    name.value = "Joan"
    #expect(label.text == "Barbara")
  }

  @Test func `15.5 off the main actor it sets on the thread that sets, each value`() {
    let board = Board(), price = MutableNode(4)
    price.assign(to: \.price, of: board)
    #expect(board.price == 4)
    onThread { price.value = 5 }
    #expect(board.price == 5)
  }

  @MainActor final class Screen: ListeningOwner {
    nonisolated let listenings = CancelableBag()
    var title = ""
  }

  @Test @MainActor func `15.5 nothing is kept after the end`() throws {
    let name = MutableNode("Ada")
    try expectFreed {
      let label = Label()
      let assignment = name.map { $0 + "?" }.assign(to: \.text, of: label)
      name.value = "Grace"
      #expect(label.text == "Grace?")
      assignment.cancel()
    }
    try expectFreed {
      let screen = Screen()
      name.map { $0 + "!" }.assign(to: \.title, of: screen)
      #expect(screen.title == "Grace!")
    }
    #expect(!name.hasDownstreamNode && !name.hasListener)
  }
}

/// Returns when the main queue has run what waits there now.
func mainQueue() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
