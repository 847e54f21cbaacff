// Contract 14 to 16: sixty lines as a user writes them. They type-check in two seconds on a quiet machine; a form that
// makes the compiler search shows here first.
import EasyReact

struct Person: Sendable { var name = "", age = 1 }
func find(_ text: String) async throws -> [String] { [text] }

func sixty(
  _ price: MutableNode<Int>, _ count: MutableNode<Int>, _ flag: MutableNode<Bool>,
  _ query: MutableNode<String>,
  _ person: MutableNode<Person>
) {
  _ = Node.derived { try price.get() * count.get() + 0 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 1" }
  _ = query.debounce(.milliseconds(2), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["3"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 4" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(5 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 6 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 7" }
  _ = query.debounce(.milliseconds(8), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["9"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 10" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(11 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 12 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 13" }
  _ = query.debounce(.milliseconds(14), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["15"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 16" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(17 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 18 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 19" }
  _ = query.debounce(.milliseconds(20), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["21"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 22" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(23 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 24 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 25" }
  _ = query.debounce(.milliseconds(26), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["27"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 28" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(29 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 30 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 31" }
  _ = query.debounce(.milliseconds(32), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["33"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 34" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(35 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 36 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 37" }
  _ = query.debounce(.milliseconds(38), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["39"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 40" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(41 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 42 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 43" }
  _ = query.debounce(.milliseconds(44), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["45"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 46" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(47 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 48 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 49" }
  _ = query.debounce(.milliseconds(50), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["51"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 52" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(53 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
  _ = Node.derived { try price.get() * count.get() + 54 }
  _ = Node.derived { try flag.get() ? price.get() : untracked { count.current } }.map { "\($0) 55" }
  _ = query.debounce(.milliseconds(56), on: .main).mapAsync { try await find($0) }.successes()
  _ = query.load { try await find($0) }.map { $0.value ?? ["57"] }
  _ = person[\.name].combine(person[\.age]).map { "\($0) \($1) 58" }.distinctUntilChanged()
  _ = (
    query.values(buffering: .newest(59 + 1)),
    price.map { $0 + 1 }.deliver(on: .global()).listen { print($0) }
  )
}
