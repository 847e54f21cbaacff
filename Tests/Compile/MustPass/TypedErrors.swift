// What a closure throws is the results' type of error.
import EasyReact

struct ParseError: Error {}
struct LoadError: Error {}
func parse(_ text: String) throws(ParseError) -> Int { throw ParseError() }
func load(_ number: Int) throws(LoadError) -> Int { throw LoadError() }
func half(_ number: Int) throws(ParseError) -> Int { throw ParseError() }
func anything(_ text: String) throws -> Int { throw ParseError() }

func results(_ text: Node<String>) {
  let typed = text.tryMap(parse)
  let _: Node<Result<Int, ParseError>> = typed
  let said = text.tryMap { text throws(ParseError) in try parse(text) }
  let _: Node<Result<Int, ParseError>> = said
  let untyped = text.tryMap { try anything($0) }
  let _: Node<Result<Int, any Error>> = untyped
  let reference = text.tryMap(anything)
  let _: Node<Result<Int, any Error>> = reference
  let thrown = text.tryMap { text in
    guard let number = Int(text) else { throw ParseError() }
    return number
  }
  let _: Node<Result<Int, any Error>> = thrown
  // Of results: the same type of error stays, another one does not.
  let same = typed.tryMap(half)
  let _: Node<Result<Int, ParseError>> = same
  let none = typed.tryMap { $0 + 1 }
  let _: Node<Result<Int, ParseError>> = none
  let other = typed.tryMap(load)
  let _: Node<Result<Int, any Error>> = other
  let both = typed.tryMap { try load($0) }
  let _: Node<Result<Int, any Error>> = both
  let further = untyped.tryMap { try load($0) }
  let _: Node<Result<Int, any Error>> = further
  let caught = typed.mapError { _ in LoadError() }.tryMap(load).catch { (_: LoadError) in Node(0) }
  let _: Node<Int> = caught
}
