import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

struct Address: Sendable, Equatable {
  var city = "London"
  var street: String? = nil
}

struct Person: Sendable, Equatable {
  var name = "Ada"
  var age = 36
  var address = Address()
  var email: String? = nil
  var second: Address? = nil
}

extension Person {
  fileprivate var greeting: String {
    get { "How do you do, \(name)?" }
    set { name = String(newValue.dropFirst(15).dropLast()) }
  }
  fileprivate var words: [String] {
    get { [name] }
    set { name = newValue[0] }
  }
  fileprivate var longNames: [String]? {
    get { [name + " A name that does not lie in the string"] }
    set { name = String(newValue![0].dropLast(" A name that does not lie in the string".count)) }
  }
  fileprivate var nameSet: Set<String> {
    get { [name] }
    set { name = newValue.first! }
  }
  fileprivate var lengths: [Int32] {
    get { [Int32(name.count)] }
    set { name = String(repeating: "x", count: Int(newValue[0])) }
  }
  fileprivate var letters: [String: [[Int]]] {
    get { [name: [[name.count]]] }
    set { name = newValue.keys.first! }
  }
}

/// Contract, 15.4: nodes of a part of another node.
@Suite(.watched) struct `15 Lenses` {
  @Test func `15.4 a lens is a mutable node of a part: setting it changes that part of the whole`()
  {
    let person = MutableNode(Person())
    let name: MutableNode<String> = person[\.name]
    let whole = Recorder(person), part = Recorder(name)
    #expect(name.value == "Ada" && name.isMutable && !name.isEmpty)
    name.value = "Grace"
    #expect(person.value == Person(name: "Grace") && name.value == "Grace")
    name.set("Joan")
    name.update { $0 += " Clarke" }
    #expect(part.values == ["Ada", "Grace", "Joan", "Joan Clarke"])
    #expect(whole.values.map(\.name) == part.values)
    #expect(whole.values.allSatisfy { $0.age == 36 })
    #expect(checkInvariants([person, name]) == [])
  }

  @Test func `15.4 it is told when the whole is; distinctUntilChanged is the user's choice`() {
    let person = MutableNode(Person())
    let part = Recorder(person[\.name]), distinct = Recorder(person[\.name].distinctUntilChanged())
    person[\.age].value = 37
    person.value = Person(name: "Grace")
    #expect(part.values == ["Ada", "Ada", "Grace"])
    #expect(distinct.values == ["Ada", "Grace"])
  }

  @Test func `15.4 a join of two lenses of one whole runs once a set`() {
    let person = MutableNode(Person())
    let both = Recorder(person[\.name].combine(person[\.age]).map { "\($0) \($1)" })
    person.value = Person(name: "Grace", age: 85)
    person[\.age].value = 86
    #expect(both.values == ["Ada 36", "Grace 85", "Grace 86"])
  }

  @Test func `15.4 lenses of lenses`() {
    let person = MutableNode(Person())
    let city = person[\.address][\.city], direct = person[\.address.city]
    let told = Recorder(city)
    city.value = "Paris"
    direct.value = "Rome"
    person[\.address].value = Address(city: "Oslo")
    #expect(told.values == ["London", "Paris", "Rome", "Oslo"])
    #expect(person.value?.address.city == "Oslo")
    #expect(checkInvariants([person, city, direct]) == [])
  }

  @Test
  func `15.4 of optional parts: empty while there is none, set puts it in, clean takes it out`() {
    let person = MutableNode(Person())
    let email = person[unwrapping: \.email], optional = person[\.email]
    let told = Recorder(email), asOptional = Recorder(optional)
    #expect(email.isEmpty && !optional.isEmpty && optional.value == .some(nil))
    email.update { $0 += "!" }
    #expect(person.value?.email == nil)
    email.value = "ada@example.org"
    #expect(person.value?.email == "ada@example.org")
    email.update { $0 += ".uk" }
    email.clean()
    #expect(email.isEmpty && person.value?.email == nil && person.value?.name == "Ada")
    optional.value = "grace@example.org"
    optional.value = nil
    #expect(told.values == ["ada@example.org", "ada@example.org.uk", "grace@example.org"])
    #expect(
      asOptional.values == [
        nil, "ada@example.org", "ada@example.org.uk", nil, "grace@example.org", nil,
      ])
    #expect(checkInvariants([person, email, optional]) == [])
  }

  @Test func `15.4 a lens of an optional part's part does nothing while that is nil`() {
    let person = MutableNode(Person())
    let whole = Recorder(person)
    let city = person[unwrapping: \.second][\.city]
    let street = person[unwrapping: \.second][unwrapping: \.street]
    city.value = "Paris"
    street.value = "High Street"
    city.update { $0 += "!" }
    street.clean()
    #expect(whole.values.count == 1 && city.isEmpty && street.isEmpty)
    person[\.second].value = Address()
    city.value = "Paris"
    street.value = "Rue"
    #expect(person.value?.second == Address(city: "Paris", street: "Rue"))
    street.clean()
    #expect(person.value?.second == Address(city: "Paris"))
    person[unwrapping: \.second].clean()
    #expect(city.isEmpty && person.value?.second == nil)
  }

  @Test func `15.4 elements by index are empty while there is none, and come and go`() {
    let lines = MutableNode(["one", "two"])
    let second = lines[index: 1]
    let whole = Recorder(lines), told = Recorder(second)
    second.value = "zwei"
    #expect(lines.value == ["one", "zwei"])
    lines.value = ["one"]
    #expect(second.isEmpty)
    // Nothing is changed, and nobody is told.
    second.value = "lost"
    second.update { $0 += "!" }
    lines[index: -1].value = "lost"
    lines[index: 9].value = "lost"
    #expect(lines.value == ["one"] && whole.values.count == 3)
    lines.update { $0 += ["deux", "trois"] }
    second.update { $0 += "!" }
    #expect(lines.value == ["one", "deux!", "trois"])
    #expect(told.values == ["two", "zwei", "deux", "deux!"])
    #expect(checkInvariants([lines, second]) == [])
  }

  @Test func `15.4 an index counts as the collection counts: of a slice from its start`() {
    let slice = MutableNode([1, 2, 3, 4][2...])
    #expect(slice[index: 0].isEmpty && slice[index: 2].value == 3)
    slice[index: 3].value = 5
    #expect(slice.value == [3, 5])
  }

  @Test func `15.4 elements by key are empty while there is none, set inserts, clean takes out`() {
    let stock = MutableNode(["apples": 3])
    let pears = stock[key: "pears"]
    let whole = Recorder(stock), told = Recorder(pears)
    #expect(pears.isEmpty)
    pears.update { $0 += 1 }
    pears.clean()
    #expect(whole.values.count == 1)
    pears.value = 5
    pears.update { $0 += 1 }
    #expect(stock.value == ["apples": 3, "pears": 6])
    pears.clean()
    #expect(stock.value == ["apples": 3] && pears.isEmpty)
    stock.value = ["pears": 1]
    #expect(told.values == [5, 6, 1])
  }

  @Test func `15.4 of elements of elements`() {
    let people = MutableNode([Person()])
    let city = people[index: 0][\.address][\.city]
    city.value = "Paris"
    people[index: 0][unwrapping: \.email].value = "x"
    #expect(people.value == [Person(address: Address(city: "Paris"), email: "x")])
    people.value = []
    #expect(city.isEmpty)
    city.value = "Rome"
    #expect(people.value == [])
    people.value = [Person()]
    #expect(city.value == "London")
  }

  @Test func `15.4 of a Node it is a derived node, which cannot be set`() {
    let person = MutableNode(Person()), read: Node<Person> = person.fork()
    let name = read[\.name], count = read[\.name.count], email = read[unwrapping: \.email]
    person.value = Person(name: "Grace", email: "g")
    #expect(name.value == "Grace" && count.value == 5 && email.value == "g")
    #expect(!name.isMutable && !email.isMutable)
    let lines: Node<[Int]> = Node([1]), stock: Node<[String: Int]> = Node(["a": 1])
    #expect(lines[index: 0].value == 1 && lines[index: 1].isEmpty)
    #expect(stock[key: "a"].value == 1 && stock[key: "b"].isEmpty)
    // What can only be read of a mutable whole is derived too.
    let length: Node<Int> = person[\.name.count]
    #expect(length.value == 5 && !length.isMutable)
  }

  @Test func `15.4 a lens of an empty whole is empty, and setting it does nothing, as with update`()
  {
    let person = MutableNode<Person>()
    let name = person[\.name]
    name.value = "Grace"
    #expect(name.isEmpty && person.isEmpty)
    person.value = Person()
    person.clean()
    #expect(name.isEmpty)
  }

  @Test func `15.4 the context and the path come along`() {
    let person = MutableNode(Person()).named("person")
    let name = person[\.name].named("name")
    let heard = Journal<String>()
    let listening = name.listenToChanges { change in
      let path = change.path.map { $0.name ?? "?" }
      heard.note("\(change.value) \(change.context ?? "-") \(path)")
    }
    name.set("Grace", context: "import")
    #expect(
      heard.entries == [
        #"Ada - ["person", "name"]"#, #"Grace import ["person", "name"]"#,
      ])
    keepAlive(listening)
  }

  @Test func `15.4 in a batch a lens stages its part of the whole, and reads what was staged`() {
    let person = MutableNode(Person())
    let name = person[\.name], age = person[\.age], city = person[\.address][\.city]
    let whole = Recorder(person)
    batch {
      name.value = "Grace"
      age.update { $0 += 1 }
      city.value = "Paris"
      #expect(name.value == "Grace" && age.value == 37 && city.value == "Paris")
      #expect(person.value == Person(name: "Grace", age: 37, address: Address(city: "Paris")))
      #expect(whole.values.count == 1)
    }
    #expect(whole.values.count == 2 && name.value == "Grace")
    struct Stop: Error {}
    try? batch {
      name.value = "Joan"
      throw Stop()
    }
    #expect(name.value == "Grace" && whole.values.count == 2)
    batch {
      let lines = MutableNode([1])
      lines[index: 3].value = 4
      #expect(lines.value == [1])
    }
  }

  @Test func `15.4 a set in a listener of the whole waits for it, like any other`() {
    let person = MutableNode(Person(age: 0))
    let age = person[\.age]
    let listening = person.listen { if $0.age < 5 { age.value = $0.age + 1 } }
    let told = Recorder(age)
    #expect(person.value?.age == 5)
    age.value = 3
    #expect(told.values == [5, 3, 4, 5])
    keepAlive(listening)
  }

  @Test func `15.4 a lens stays a lens: mutablify returns it, and it is what a receiver sets`() {
    let person = MutableNode(Person())
    let name = person[\.name]
    #expect((name as Node<String>).mutablify() === name)
    name.value = "Grace"
    name.receive("Joan", from: nil, context: nil)
    #expect(person.value?.name == "Joan")
  }

  // MARK: Linked and synced

  @Test func `15.4 what a lens is linked to goes to the whole, until it is cut`() {
    let person = MutableNode(Person()), source = MutableNode("Grace")
    let name = person[\.name], whole = Recorder(person)
    let link = name.link(to: source)
    source.value = "Joan"
    #expect(person.value?.name == "Joan" && name.value == "Joan")
    #expect(whole.values.map(\.name) == ["Ada", "Grace", "Joan"])
    #expect(checkInvariants([person, name, source]) == [])
    link.cancel()
    source.value = "Barbara"
    #expect(name.value == "Joan" && source.downstreamNodes.isEmpty)
    let twice = name.wiring
    name.link(to: source)
    twice.removeUpstreamNode(source)
    source.value = "Ada"
    #expect(name.value == "Barbara")
  }

  @Test func `15.4 a transform leads to a lens, and says so`() {
    let person = MutableNode(Person()), number = MutableNode(1)
    let name = person[\.name]
    let transform = NodeTransform<String, String>()
    let text = number.map { "\($0)" }
    transform.from = text
    transform.to = name
    #expect(transform.to === name && person.value?.name == "1")
    number.value = 2
    transform.send("sent")
    #expect(person.value?.name == "sent")
    transform.to = nil
    number.value = 3
    #expect(person.value?.name == "sent")
  }

  @Test func `15.4 a sync with a lens goes both ways, and tells each side once a set`() {
    let person = MutableNode(Person()), field = MutableNode<String>()
    let name = person[\.name]
    let sync = field.sync(with: name)
    #expect(field.value == "Ada")
    let inField = Recorder(field), inName = Recorder(name)
    field.value = "Grace"
    #expect(person.value?.name == "Grace")
    name.value = "Joan"
    person.value = Person(name: "Barbara")
    #expect(inField.values == ["Ada", "Grace", "Joan", "Barbara"])
    #expect(inName.values == inField.values)
    sync.cancel()
    field.value = "x"
    #expect(name.value == "Barbara")
    // The lens as the first side: the other one wins.
    let other = MutableNode("Radia")
    name.sync(with: other)
    #expect(person.value?.name == "Radia")
    name.value = "Ada"
    #expect(other.value == "Ada")
    #expect(checkInvariants([person, name, field, other]) == [])
  }

  @Test func `15.4 a ring through a lens ends`() {
    let person = MutableNode(Person(age: 1))
    let age = person[\.age], told = Recorder(person)
    age.link(to: person.map { $0.age + 1 })
    told.clear()
    person[\.name].value = "Grace"
    #expect(told.values.count <= 2)
    #expect(person.value?.name == "Grace")
    let a = person[\.age], b = MutableNode<Int>(), c = MutableNode<Int>()
    b.link(to: a)
    c.link(to: b)
    a.link(to: c)
    a.value = 50
    #expect(b.value == c.value && c.value == person.value?.age)
  }

  @Test func `15.4 synced fields of two parts lose nothing, and all agree after quiet`() {
    let person = MutableNode(Person(name: "", age: 0))
    let name = person[\.name], age = person[\.age]
    let nameField = MutableNode(""), ageField = MutableNode(0)
    name.sync(with: nameField)
    age.sync(with: ageField)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for number in 1...2_000 {
        if thread == 0 { nameField.value = "\(number)" } else { ageField.value = number }
      }
    }
    #expect(settle())
    #expect(person.value?.name == "2000" && person.value?.age == 2_000)
    #expect(nameField.value == "2000" && ageField.value == 2_000)
    #expect(name.value == "2000" && age.value == 2_000)
  }

  @Test(arguments: [false, true])
  func `15.4 a set of a synced field stands where another part is set while it is told`(
    byField: Bool
  ) {
    let person = MutableNode(Person(age: 1))
    let name = person[\.name], age = person[\.age]
    let ageField = MutableNode(0), nameField = MutableNode("")
    ageField.sync(with: age)
    nameField.sync(with: name)
    let told = Recorder(ageField)
    let listening = ageField.listen { value in
      if value == 30 { (byField ? nameField : name).value = "Grace" }
      if value == 40 { person.update { $0.email = "ada" } }
    }
    ageField.value = 30
    #expect(person.value == Person(name: "Grace", age: 30))
    ageField.value = 40
    #expect(person.value == Person(name: "Grace", age: 40, email: "ada"))
    #expect(age.value == 40 && ageField.value == 40 && nameField.value == "Grace")
    #expect(told.values == [1, 30, 40])
    // The part itself: the later set wins, as between any two that are synced.
    let later = ageField.listen { if $0 == 50 { age.value = 60 } }
    ageField.value = 50
    #expect(person.value?.age == 60 && ageField.value == 60)
    #expect(checkInvariants([person, name, age, ageField, nameField]) == [])
    keepAlive([listening, later] as AnyObject)
  }

  /// Its getter makes the value anew, so it never has the same bits twice.
  @Test func `15.4 so does one of a computed part, and is told once`() {
    func check<Part: Equatable & Sendable>(
      _ path: any WritableKeyPath<Person, Part> & Sendable, _ new: Part
    ) {
      let person = MutableNode(Person()), part = person[path], age = person[\.age]
      let field = MutableNode<Part>()
      field.sync(with: part)
      let told = Recorder(field), old = part.value!
      let listening = field.listen { if $0 == new, age.value! < 40 { age.update { $0 += 1 } } }
      field.value = new
      #expect(field.value == new && part.value == new && person.value?[keyPath: path] == new)
      person[\.age].value = 50
      #expect(told.values == [old, new], "\(path)")
      person[keyPath: \.self].value = Person()
      #expect(told.values == [old, new, old] && field.value == old, "\(path)")
      keepAlive(listening)
    }
    check(\.greeting, "How do you do, Grace?")
    check(\.words, ["Grace"])
    check(\.letters, ["Grace": [[5]]])
    check(\.longNames, ["Grace A name that does not lie in the string"])
    check(\.nameSet, ["Grace"])
    check(\.lengths, [Int32(7)])
  }

  /// Its own `==` looks at the number alone, and its field shows the text.
  @Test
  func `15.4 a part that is equal by its own == and another is told to what is synced with it`() {
    struct Row: Sendable, Equatable {
      var id = 1, text = "a text that does not lie in the string itself"
      static func == (a: Row, b: Row) -> Bool { a.id == b.id }
    }
    struct Table: Sendable {
      var first = Row(), edits = 0
    }
    let table = MutableNode(Table()), row = table[\.first], field = MutableNode<Row>()
    field.sync(with: row)
    table.value = Table(first: Row(text: "a text that is longer than fifteen bytes, and another"))
    #expect(field.value?.text == row.value?.text && row.value!.text.hasSuffix("another"))
  }

  @Test
  func `15.4 a part that a change of the whole leaves alone is not told to what is synced with it`()
  {
    let person = MutableNode(Person())
    let city = person[\.address][\.city], field = MutableNode<String>()
    field.sync(with: city)
    let told = Recorder(field), part = Recorder(city)
    person[\.age].value = 37
    person[\.address][\.street].value = "High Street"
    person.update {
      $0.address = Address(city: "A city whose name is too long to lie in the string itself")
    }
    person[\.age].value = 38
    field.value = "Paris"
    person.value = Person()
    #expect(told.values == ["London", part.values[3], "Paris", "London"])
    #expect(part.values.count == 7 && person.value == Person())
  }

  @Test(arguments: [1, 30])
  func `15.4 a set of a synced field stands where another thread sets another part`(sets: Int) {
    Stress.rounds(3_000 / sets + 500) { round in
      let person = MutableNode(Person(age: 0))
      let age = person[\.age], field = MutableNode(0), other = MutableNode(0)
      let year = person[\.address][unwrapping: \.street]
      field.sync(with: age)
      other.sync(with: field)
      round.threads(2) { member in
        for number in 1...sets {
          if member == 0 { field.value = number } else { year.value = "\(number)" }
        }
      }
      round.expect(settle(), "no rest")
      round.expect(
        person.value == Person(age: sets, address: Address(street: "\(sets)")),
        "the whole is \(person.value!)")
      round.expect(
        field.value == sets && other.value == sets && age.value == sets,
        "the field is \(field.value!), the other one \(other.value!)")
      keepAlive([age, year, field, other] as AnyObject)
    }
  }

  // MARK: Threads

  /// Cut, it is no part of the whole's region any more. What goes wrong a sanitizer sees.
  @Test func `15.4, 7.1 a lens that was cut is linked while another thread sets it`() {
    Stress.rounds(200) { round in
      let person = MutableNode(Person()), name = person[\.name]
      name.wiring.removeUpstreamNodes()
      let source = MutableNode("a name that takes more room than a String has")
      round.threads(2) { member in
        if member == 0 { name.link(to: source) }
        for number in 1...10 where member == 1 { name.value = "another long name, \(number)" }
      }
      round.expect(settle(), "no rest")
      round.expect(person.value!.name.contains("name"), "the whole is \(person.value!)")
      keepAlive(name)
    }
  }

  @Test func `15.4 eight threads that set eight parts lose nothing`() {
    let whole = MutableNode(Array(repeating: 0, count: 8))
    let told = Journal<[Int]>()
    let listening = whole.listen { told.note($0) }
    let each = 1_000
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let part = whole[index: thread]
      for number in 1...each { part.value = number }
    }
    #expect(settle())
    #expect(whole.value == Array(repeating: each, count: 8))
    #expect(told.count == 8 * each + 1)
    // Each value told differs from the one before in one part, which counts on by one.
    let all = told.entries
    for (before, after) in zip(all, all.dropFirst()) {
      let changed = zip(before, after).filter { $0 != $1 }
      if changed.count != 1 || changed[0].1 != changed[0].0 + 1 {
        Issue.record("\(before) became \(after)")
        break
      }
    }
    keepAlive(listening)
  }

  @Test func `15.4 updates of one part from eight threads, by lenses and by the whole, are exact`()
  {
    let person = MutableNode(Person(age: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let age = person[\.age]
      for _ in 0..<500 {
        if thread.isMultiple(of: 2) {
          age.update { $0 += 1 }
        } else {
          person.update { $0.age += 1 }
        }
      }
    }
    #expect(settle())
    #expect(person.value?.age == 4_000 && person[\.age].value == 4_000)
  }

  @Test
  func
    `15.4 an element that another thread takes away and brings back: nothing is torn, nothing stops`()
  {
    let lines = MutableNode([0, 0])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let second = lines[index: 1]
      for number in 0..<1_000 {
        switch thread {
        case 0: lines.update { if $0.count == 2 { $0.removeLast() } else { $0.append(number) } }
        case 1: second.value = number
        case 2: second.update { $0 += 1 }
        default: if let value = second.value { #expect(value >= 0) }
        }
      }
    }
    #expect(settle())
    let last = lines[index: 1]
    #expect(last.value == lines.value?.dropFirst().first)
  }

  @Test
  func `15.4 what a thread has set by a lens it reads, also while another one is inside the whole`()
  {
    let person = MutableNode(Person())
    let name = person[\.name], email = person[unwrapping: \.email]
    whileInside(person, settingTo: Person(age: 1)) {
      name.value = "Grace"
      email.value = "g"
      #expect(name.value == "Grace" && email.value == "g")
      email.clean()
      #expect(email.value == nil)
    }
    #expect(person.value == Person(name: "Grace", age: 1))
    #expect(name.value == "Grace")
  }

  @Test func `15.4 two threads that set one lens never read an older value than their own`() {
    Stress.rounds(300) { round in
      let person = MutableNode(Person()), age = person[\.age]
      let told = Journal<Int>(), reads = Journal<(set: Int, read: Int)>()
      let listening = age.listen { told.note($0) }
      round.threads(2) { member in
        for number in 1...200 {
          let value = 1_000 + number * 2 + member
          age.value = value
          reads.note((value, age.value!))
        }
      }
      round.expect(settle(), "it does not come to rest")
      let places = Dictionary(told.entries.enumerated().map { ($1, $0) }) { first, _ in first }
      let older = reads.entries.filter { places[$0.read, default: -1] < places[$0.set]! }
      round.expect(older.isEmpty, "older than what was set: \(older)")
      keepAlive(listening)
    }
  }

  // MARK: Links and syncs of what is older or newer than the lens

  @Test
  func `15.4, 5.3 a sync brings a value to a lens, and the lens's to it, however old either is`() {
    let older = MutableNode("a@b"), person = MutableNode(Person())
    person.value = Person()
    let email = person[unwrapping: \.email]
    older.sync(with: email)
    #expect(person.value?.email == "a@b" && email.value == "a@b" && older.value == "a@b")

    let stock = MutableNode(["apples": 3]), draft = MutableNode(7)
    stock.value = ["apples": 4]
    let pears = stock[key: "pears"]
    draft.sync(with: pears)
    #expect(stock.value == ["apples": 4, "pears": 7] && pears.value == 7)
    stock.value = ["pears": 9]
    #expect(draft.value == 9)
    draft.value = 10
    #expect(stock.value == ["pears": 10])
    #expect(checkInvariants([older, email, person, stock, draft, pears]) == [])
  }

  @Test func `15.4 a lens that is made before the sync and never set is what its whole says`() {
    let person = MutableNode(Person()), email = person[unwrapping: \.email]
    let field = MutableNode("a@b")
    field.sync(with: email)
    #expect(person.value?.email == "a@b" && email.value == "a@b")
  }

  @Test func `15.4, 2.2 a link to a lens that closes a ring pushes its value through`() {
    let person = MutableNode(Person()), name = person[\.name], field = MutableNode<String>()
    let never = name.filter { _ in false }
    field.link(to: never)
    field.value = "Grace"
    person.value = Person(name: "Joan")
    name.link(to: field)
    #expect(name.value == "Grace" && person.value?.name == "Grace" && field.value == "Grace")
    person.value = Person(name: "Ada")
    #expect(name.value == "Ada" && field.value == "Grace")
    name.wiring.removeUpstreamNode(field)
    field.wiring.removeUpstreamNodes()
  }

  @Test
  func `5.3 a sync of an empty node with a lens takes its value, and tells the whole nothing`() {
    let whole = MutableNode([Int](repeating: 5, count: 16)), told = Recorder(whole)
    var kept: [AnyNode] = []
    for number in 0..<100 {
      let part = whole[index: number % 16], field = MutableNode<Int>()
      field.sync(with: part)
      #expect(field.value == 5)
      kept += [part, field]
    }
    #expect(told.values.count == 1)
    whole.update { $0[3] = 6 }
    #expect(kept.count { ($0 as? MutableNode<Int>)?.value == 6 } == 2 * 7)
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `7.6, 15.4 fields, lenses and wholes that are set and synced in any order end equal`(
    seed: UInt64
  ) {
    var random = SplitMix64(state: seed)
    let fields = (0..<3).map { MutableNode($0 + 100) },
      wholes = (0..<3).map { MutableNode(["a": $0]) }
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      fields.randomElement(using: &random)!.update { $0 += 10 }
      wholes.randomElement(using: &random)!.update { $0["a"]! += 1 }
    }
    let lenses = wholes.map { $0[key: "a"] }
    var group = Array(0..<6), value = 0
    func set() {
      value += 1
      let place = Int.random(in: 0..<6, using: &random)
      if place < 3 { fields[place].value = value } else { lenses[place - 3].value = value }
    }
    for _ in 0..<10 {
      if Int.random(in: 0..<3, using: &random) > 0 { set() }
      let (a, b) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
      if Bool.random(using: &random) {
        fields[a].sync(with: lenses[b])
      } else {
        lenses[b].sync(with: fields[a])
      }
      let (old, new) = (group[a], group[3 + b])
      group = group.map { $0 == old ? new : $0 }
    }
    set()
    let values = fields.map(\.value) + lenses.map(\.value)
    for (place, number) in group.enumerated() {
      #expect(values[place] == values[group.firstIndex(of: number)!], "seed \(seed): \(values)")
    }
    #expect(lenses.map(\.value) == wholes.map { $0.value?["a"] }, "seed \(seed)")
  }

  // MARK: Misuse and lifetime

  @Test func `15.4 a part cannot be cleaned: the message says what, where and the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = MutableNode(Person())
      person[\.name].named("name").clean()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EasyReact: clean: a part cannot be taken out of its whole"))
    #expect(text.contains("node “name” of String, made at EasyReactTests/Section15Lenses.swift"))
    #expect(text.contains("Set it to another value, or change the whole with `update`."))
  }

  @Test func `15.4 the lens keeps the whole, which keeps no lens; nothing is left`() throws {
    try expectFreed {
      var person: MutableNode<Person>? = MutableNode(Person())
      weak let watched = person
      var name = person?[\.name]
      person = nil
      #expect(watched != nil)
      name?.value = "Grace"
      #expect(watched?.value?.name == "Grace")
      name = nil
      #expect(watched == nil)
    }
    let person = MutableNode(Person())
    try expectFreed {
      let source = MutableNode("x"), name = person[\.name]
      name.link(to: source)
      name.sync(with: MutableNode("y"))
      person[\.address][\.city].value = "Paris"
      person[unwrapping: \.email].value = "z"
    }
    #expect(!person.hasDownstreamNode && person.upstreamNodes.isEmpty)
    #expect(checkInvariants([person]) == [])
  }

  /// Both leave their changes with the thread that is inside the whole.
  @Test func `7.5, 15.4 who has set a lens reads nothing older, whoever else sets it`() {
    struct Whole: Sendable { var a = 0, b = 0 }
    Stress.rounds(200) { round in
      let root = MutableNode(Whole()), part = root[\.a], steps = Steps()
      let told = Heard<Int>(letsOthersRunEvery: .max), reads = Mutex([0, 0])
      let listenings = [
        part.listen { told.hear($0) },
        root[\.b].listen { value in
          if value == 0 { return }
          steps.note { $0.runs[0] = 1 }
          steps.wait { $0.returned == 2 }
        },
      ]
      onThreads(3) { thread in
        if thread == 2 { return root[\.b].value = 1 }
        steps.wait { $0.runs[0] == 1 }
        steps.note { $0.runs[1] += 1 }
        steps.wait { $0.runs[1] == 2 }
        part.value = thread + 1
        let read = part.value!
        reads.withLock { $0[thread] = read }
        steps.note { $0.returned += 1 }
      }
      round.expect(settle(), "it does not come to rest")
      for (thread, read) in reads.withLock({ $0 }).enumerated() {
        let places = [read, thread + 1].map { told.values.lastIndex(of: $0) ?? -1 }
        round.expect(
          places[0] >= places[1], "set \(thread + 1), read \(read), told \(told.values)")
      }
      keepAlive(listenings as AnyObject)
    }
  }

  /// Found by a hostile review: what was synced knew no number, and each set went round for ever.
  @Test(arguments: ["cell", "part", "another part"], ["part", "cell"])
  func `5.3, 15.4 a lens is synced while another thread is inside its whole`(
    _ set: String, _ first: String
  ) {
    let person = MutableNode(Person()), age = person[\.age], cell = MutableNode(1)
    var sync: (any Cancelable)?
    whileInside(person[\.name], settingTo: "Grace") {
      sync = first == "part" ? age.sync(with: cell) : cell.sync(with: age)
    }
    let expected = first == "part" ? 1 : 36
    #expect(age.value == expected && cell.value == expected)
    let told = Heard<Int>(letsOthersRunEvery: .max), inCell = Heard<Int>(letsOthersRunEvery: .max)
    let stop = sync!
    let listenings = [
      age.listen {
        told.hear($0)
        if told.values.count == 1_000 { stop.cancel() }
      }, cell.listen { inCell.hear($0) },
    ]
    switch set {
    case "cell": cell.value = 7
    case "part": age.value = 7
    default: person[\.name].value = "Joan"
    }
    let last = set == "another part" ? expected : 7
    #expect(told.values == [expected, last])
    #expect(inCell.values == (set == "another part" ? [expected] : [expected, 7]))
    #expect(person.value?.age == last && cell.value == last)
    keepAlive(listenings as AnyObject)
  }

  /// Found by a hostile review: the first of them gave the part a number that was newer than all three.
  @Test(arguments: [1, 2])
  func
    `5.2, 7.5, 15.4 of sets of a lens and of what is synced with it, which wait, the last one stays`(
      _ cells: Int
    )
  {
    let person = MutableNode(Person()), age = person[\.age]
    let cell = MutableNode(0), last = cells == 1 ? cell : MutableNode(0)
    for cell in Set([cell, last]) { cell.sync(with: age) }
    whileInside(person, settingTo: Person(name: "Grace", age: 0)) {
      cell.value = 5
      age.value = 6
      last.value = 8
      #expect(last.value == 8)
    }
    #expect(age.value == 8 && cell.value == 8 && last.value == 8)
    #expect(person.value?.age == 8 && person.value?.name == "Grace")
  }

  /// Found by a hostile review: what waited at the lens and had one number with its partner's lost its sequence there.
  @Test func `7.6, 15.4 lenses of two wholes and a cell that are synced end equal`() {
    syncedLensesEndEqual()
  }

  @Test func `7.6, 15.4 so they do where each message goes over a background queue`() async {
    await #expect(processExitsWith: .success) {
      GraphLimits.messagesPerTurn = 1
      `15 Lenses`().syncedLensesEndEqual()
    }
  }

  private func syncedLensesEndEqual() {
    Stress.rounds(1_000) { round in
      let people = (0..<2).map { _ in MutableNode(Person(age: 0)) }
      let ages = people.map { $0[\.age] }, cell = MutableNode(0), values = Tally()
      ages[0].sync(with: round.seed % 2 == 0 ? ages[1] : MutableNode(0))
      let other = round.seed % 2 == 0 ? ages[1] : cell
      cell.sync(with: ages[0])
      let listenings = people.map { $0.listen { _ in letOthersRun() } }
      round.threads(3) { member in
        var random = round.generator(member)
        for _ in 0..<20 {
          [ages[0], other, cell].randomElement(using: &random)!.value = values.add()
        }
      }
      round.expect(settle(), "it does not come to rest")
      let all = [ages[0].value, people[0].value?.age, other.value, cell.value]
      round.expect(Set(all).count == 1, "\(all)")
      keepAlive(listenings as AnyObject)
    }
  }

  /// Found by a hostile review: what had to wait of another part's link gave the whole a number newer than all that followed.
  @Test(arguments: ["lens", "whole"])
  func `5.2, 7.5, 15.4 so does the last one where another part follows a node that is set too`(
    _ kind: String
  ) {
    let person = MutableNode(Person()), age = person[\.age], cell = MutableNode(0)
    let source = MutableNode<String?>(), email = person[\.email]
    cell.sync(with: age)
    email.link(to: source)
    whileInside(person, settingTo: Person(name: "Grace", age: 0)) {
      source.value = "a"
      if kind == "lens" { age.value = 6 } else { person.update { $0.age = 6 } }
      cell.value = 8
      #expect(cell.value == 8)
    }
    #expect(age.value == 8 && cell.value == 8)
    #expect(person.value?.age == 8 && person.value?.email == "a" && email.value == "a")
  }

  /// Found by a hostile review: what came to the part behind another part's change got that one's number.
  @Test(arguments: ["lens", "whole", "link"])
  func `5.2, 7.5, 15.4 so does the last one where another part is being changed`(_ kind: String) {
    let person = MutableNode(Person()), age = person[\.age], cell = MutableNode(0)
    let source = MutableNode<Int>(), told = Heard<Int>(letsOthersRunEvery: .max)
    cell.sync(with: age)
    age.link(to: source)
    let listening = cell.listen { told.hear($0) }
    whileUpdating(person[\.name], by: { $0 = "Grace" }) {
      switch kind {
      case "lens": age.value = 1
      case "whole": person.update { $0.age = 1 }
      default: source.value = 1
      }
      cell.value = 2
      #expect(cell.value == 2)
    }
    #expect(age.value == 2 && cell.value == 2 && told.values == [36, 2])
    #expect(person.value?.age == 2 && person.value?.name == "Grace")
    keepAlive(listening)
  }

  /// The other part's change is made last, and comes before what waits: it is set in the listener that is waited for.
  @Test(arguments: ["lens", "link"])
  func `5.2, 7.5, 15.4 so does the last one where another part is set before what waits is made`(
    _ kind: String
  ) {
    let person = MutableNode(Person()), age = person[\.age], cell = MutableNode(0)
    let source = MutableNode<Int>(), name = person[\.name]
    cell.sync(with: age)
    age.link(to: source)
    let behind = person.map { $0.email }
    let listening = behind.listen { if $0 == "e", name.value != "Grace" { name.value = "Grace" } }
    whileInside(person, settingTo: Person(age: 0, email: "e")) {
      if kind == "lens" { age.value = 1 } else { source.value = 1 }
      cell.value = 2
      #expect(cell.value == 2)
    }
    #expect(age.value == 2 && cell.value == 2)
    #expect(person.value == Person(name: "Grace", age: 2, email: "e"))
    keepAlive(listening)
  }

  /// Found by two hostile reviews: what came round was newer than the part, which the wave had not touched, each time.
  @Test(arguments: ["a lens", "a map", "another lens of the part", "a link of the lens"])
  func `5.1, 15.4 a wave ends that comes round to a part by what is synced with it`(_ way: String) {
    struct Two: Sendable, Equatable { var a = 0, b = 0 }
    for isLinkedFirst in [true, false] {
      let whole = MutableNode(Two()), a = whole[\.a], b = whole[\.b], field = MutableNode(7)
      let told = Heard<Two>(letsOthersRunEvery: .max), end = CancelableBag()
      let listening = whole.listen {
        told.hear($0)
        if told.values.count == 100 { end.cancel() }
      }
      func link() {
        switch way {
        case "a lens": end.add(field.link(to: b))
        case "a map": end.add(field.link(to: whole.map { $0.a }))
        case "another lens of the part": end.add(field.link(to: whole[\.a]))
        default: end.add(field.link(to: a))
        }
      }
      if isLinkedFirst { link() }
      end.add(field.sync(with: a))
      if !isLinkedFirst { link() }
      let before = told.values.count
      b.value = 5
      #expect(whole.value == Two(a: way == "a lens" ? 5 : 0, b: 5))
      a.value = 6
      // What the field follows may bring it what that holds, and so the part.
      #expect(whole.value?.a == field.value && (way == "a lens" || field.value == 6))
      whole.value = Two(a: 8, b: 9)
      whole.update { $0.b = 10 }
      field.value = 11
      #expect(
        field.value == 11 && whole.value == Two(a: 11, b: 10), "\(isLinkedFirst) \(told.values)")
      // Each of the four that set the whole, or a part, comes round to `a` once.
      #expect(told.values.count - before <= 4 * 2 + 1, "\(told.values)")
      #expect(checkInvariants([whole, a, b, field]) == [])
      keepAlive([listening, end] as AnyObject)
    }
  }

  /// Of those with links one in ten did not end (found by a hostile review's random programs).
  @Test(arguments: 1...400 as ClosedRange<UInt64>)
  func `5.1, 15.4 waves end in any net of wholes, lenses and fields, and lenses show their wholes`(
    seed: UInt64
  ) {
    struct Two: Sendable { var a = 0, b = 0 }
    var random = SplitMix64(state: seed)
    let wholes = (0..<2).map { MutableNode(Two(a: $0, b: $0 + 10)) }
    let paths: [any WritableKeyPath<Two, Int> & Sendable] = [\.a, \.b, \.a, \.b]
    let lenses = wholes.flatMap { whole in paths.map { whole[$0] } }
    let fields = (0..<3).map { MutableNode($0 + 100) }, cells = lenses + fields
    let told = Mutex(0), wires = CancelableBag()
    let listenings = cells.map {
      $0.listen { _ in
        let count = told.withLock { told in
          told += 1
          return told
        }
        if count == 2_000 { wires.cancel() }
      }
    }
    for step in 0..<12 {
      told.withLock { $0 = 0 }
      let (one, other) = (
        cells.randomElement(using: &random)!, cells.randomElement(using: &random)!
      )
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: wires.add(one.sync(with: other))
      case 2: wires.add(one.link(to: other))
      case 3: wholes.randomElement(using: &random)!.update { $0.b = step }
      default: one.value = step
      }
      #expect(told.withLock { $0 } < 2_000, "seed \(seed), step \(step) does not end")
      let parts = wholes.flatMap { whole in paths.map { whole.value![keyPath: $0] } }
      #expect(lenses.map(\.value) == parts, "seed \(seed), step \(step)")
    }
    keepAlive(listenings as AnyObject)
  }

  /// A hostile review's random programs found it in 11 of 60,000; this form of it is a guard, for it passed before, too.
  @Test func `15.4 a lens shows what its whole has taken, however old it is`() {
    struct Inner: Sendable { var y: Int? = nil }
    struct Whole: Sendable { var a = 1, b = 2, inner: Inner? = nil }
    let whole = MutableNode(Whole())
    let nowhere = whole[unwrapping: \.inner][unwrapping: \.y], shown = whole[\.b]
    let b = whole[\.b], a = whole[\.a]
    nowhere.sync(with: shown)  // cannot go anywhere: there is no inner part
    b.sync(with: a)
    #expect(whole.value?.b == 1 && b.value == 1 && shown.value == 1)
  }

  /// Found by a hostile review: the lens had the number of another part's set, under which nothing went over the sync.
  @Test(arguments: [false, true])
  func `5.3, 15.4 a second partner is synced behind a change of another part`(_ isLensFirst: Bool) {
    let person = MutableNode(Person()), age = person[\.age]
    let first = MutableNode(0), second = MutableNode(0)
    age.value = 3
    first.sync(with: age)
    second.value = 7
    person[\.name].value = "Grace"
    if isLensFirst { age.sync(with: second) } else { second.sync(with: age) }
    let expected = isLensFirst ? 7 : 3
    #expect(age.value == expected && first.value == expected && second.value == expected)
    second.value = 8
    #expect(age.value == 8 && first.value == 8 && person.value?.age == 8)
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func
    `7.6, 15.4 partners of a lens and other parts that are set and synced in any order end equal`(
      seed: UInt64
    )
  {
    var random = SplitMix64(state: seed)
    let person = MutableNode(Person()), age = person[\.age]
    let partners = (0..<3).map { _ in MutableNode<Int>() }
    var synced: Set<Int> = []
    for step in 0..<16 {
      let number = Int.random(in: 0..<3, using: &random), partner = partners[number]
      switch Int.random(in: 0..<7, using: &random) {
      case 0: age.value = step
      case 1: partner.value = step
      case 2: person[\.name].value = "\(step)"
      case 3: person.update { $0.email = "\(step)" }
      case 4: person.update { $0.age = step }
      case 5 where !synced.contains(number):
        partner.sync(with: age)
        synced.insert(number)
      case 6 where !synced.contains(number):
        age.sync(with: partner)
        synced.insert(number)
      default: break
      }
      for number in synced {
        #expect(partners[number].value == age.value, "seed \(seed), step \(step)")
      }
      #expect(person.value?.age == age.value, "seed \(seed)")
    }
  }

  /// Found by a hostile review: what was linked next gave the part the number of the whole, and the set on its way was older.
  @Test(arguments: ["link", "sync"])
  func `5.2, 15.4 what is linked to a lens meanwhile makes a set of its partner no older`(
    _ kind: String
  ) {
    let person = MutableNode(Person()), age = person[\.age], cell = MutableNode(0)
    let more = MutableNode<Int>(), sync = Mutex<(any Cancelable)?>(nil)
    let listening = cell.listen {
      if $0 != 5 { return }
      person[\.name].value = "Grace"
      let next = kind == "link" ? age.link(to: more) : age.sync(with: more)
      sync.withLock { $0 = next }
    }
    cell.sync(with: age)
    cell.value = 5
    #expect(age.value == 5 && person.value?.age == 5 && cell.value == 5)
    #expect(person.value?.name == "Grace" && more.value == (kind == "link" ? nil : 5))
    keepAlive(listening)
  }

  @Test func `5.2, 7.5, 15.4 so it is where other threads link, and set other parts`() {
    Stress.rounds(400) { round in
      let person = MutableNode(Person(age: 0)), age = person[\.age], cell = MutableNode(0)
      let more = MutableNode<Int>(), name = person[\.name]
      cell.sync(with: age)
      let listening = name.listen { _ in letOthersRun() }
      round.threads(3) { member in
        for number in 1...30 {
          switch member {
          case 0:
            cell.value = number
            let read = cell.value!
            round.expect(read >= number, "set \(number), read \(read)")
          case 1: name.value = "\(number)"
          default:
            let link = age.link(to: more)
            if number % 2 == 0 { link.cancel() }
          }
        }
      }
      round.expect(settle(), "it does not come to rest")
      round.expect(cell.value == 30 && age.value == 30, "\(cell.value!) and \(age.value!)")
      keepAlive(listening as AnyObject)
    }
  }

  @Test func `7.6, 15.4 a lens, or a link to one, is made while other threads set both sides`() {
    Stress.rounds(600) { round in
      let person = MutableNode(Person(age: 0)), age = person[\.age], cell = MutableNode(0)
      let isLink = round.seed % 3 == 0, isPartFirst = round.seed % 3 == 1
      round.threads(3) { member in
        var random = round.generator(member)
        switch member {
        case 0:
          for number in 1...40 {
            if Bool.random(using: &random) {
              person.update { $0.age = 1_000 + number }
            } else {
              person.update { $0.name = "\(number)" }
            }
          }
        case 1: for number in 1...Int.random(in: 1...40, using: &random) { cell.value = number }
        default:
          for _ in 0..<Int.random(in: 0..<40, using: &random) { _ = person.value }
          if isLink {
            age.link(to: cell)
          } else if isPartFirst {
            age.sync(with: cell)
          } else {
            cell.sync(with: age)
          }
        }
      }
      round.expect(settle(), "it does not come to rest")
      if !isLink { round.expect(age.value == cell.value, "\(age.value!) and \(cell.value!)") }
      let told = Heard<Int>(letsOthersRunEvery: .max)
      let listening = age.listen {
        told.hear($0)
        if told.values.count == 100 { cell.wiring.removeUpstreamNode(age) }
      }
      for value in [-1, -2] {
        if isLink || value == -2 { cell.value = value } else { age.value = value }
      }
      round.expect(
        told.values.suffix(2) == [-1, -2] && told.values.count == 3, "told \(told.values)")
      round.expect(person.value?.age == -2 && cell.value == -2, "the last set is lost")
      keepAlive(listening as AnyObject)
    }
  }

  @Test func `15.4 a lens is seen in the graph by its operator`() {
    let person = MutableNode(Person()).named("person")
    let name = person[\.name].named("name"), source = MutableNode("x").named("source")
    name.link(to: source)
    #expect(name.upstreamNodes == [person])
    #expect(name.upstreamTransforms.map(\.name) == ["Lens"])
    #expect(person.upstreamTransforms.map(\.name) == ["Inlet"])
    #expect(person.upstreamNodes.first?.upstreamNodes == [source])
    #expect(name.dot().contains("Lens"))
  }

  @Test(arguments: ["link", "through", "ends", "sync", "back"])
  func `2.3, 15.4 a lens is not joined with the node at which what is linked to it arrives`(
    _ way: String
  ) throws {
    let person = MutableNode(Person()), source = MutableNode("Grace")
    let name = person[\.name]
    name.link(to: source)
    let inlet = try #require(person.upstreamNodes.first as? Node<String>)
    let transform = NodeTransform<String, String>()
    let told = Recorder(name)
    switch way {
    case "link": name.link(to: inlet).cancel()
    case "through": name.link(to: inlet, through: transform).cancel()
    case "sync": name.sync(with: inlet).cancel()
    case "back": inlet.wiring.sync(with: name).cancel()
    default:
      transform.from = inlet
      transform.to = name
    }
    source.value = "Ada"
    #expect(told.values == ["Grace", "Ada"] && person.value?.name == "Ada")
    #expect(inlet.upstreamNodes == [source] && inlet.downstreamNodes == [person])
    #expect(name.downstreamNodes.isEmpty)
    #expect(checkInvariants([person, name, source]) == [])
  }
}
