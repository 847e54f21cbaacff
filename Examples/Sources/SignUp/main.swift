// A form with live validation; the user name is looked up when the typing pauses, and no old answer is ever shown.
// Time is virtual, so every run prints the same.
import EasyReact
import EasyReactTesting

let help = """
  SignUp reads what a user does, a line each:
    name TEXT, password TEXT, repeat TEXT, email TEXT   types it into the field, a key each 100 ms; no TEXT clears it
    wait MILLISECONDS                                   lets time pass
    submit                                              presses the button
  An example: swift run --package-path Examples SignUp < Examples/Expected/SignUp.in
  """

let clock = VirtualScheduler()

@Sendable func log(_ text: String) {
  let time = "\(Int(clock.now / .milliseconds(1)))"
  print(String(repeating: " ", count: max(0, 6 - time.count)) + time + " ms  " + text)
}

/// A service that takes longer for short names, so that its answers could overtake each other.
@Sendable func isTaken(_ name: String) -> Node<Bool> {
  log("  service: is \(name) taken?")
  return Node.timer(after: .milliseconds(max(200, 4000 - 700 * name.count)), on: clock).map { _ in
    log("  service: answers about \(name)")
    return ["ann", "bob"].contains(name)
  }
}

let form = SignUpForm(asking: isTaken, on: clock)
let bag = CancelableBag()
for (field, problem) in form.problems {
  problem.listen { log("\(field): \($0 ?? "fine")") }.store(in: bag)
}
form.canSubmit.listen { log("submit: \($0 ? "enabled" : "disabled")") }.store(in: bag)

/// Types a text into a field, from its first key to its last.
func type(_ text: Substring, into field: MutableNode<String>) {
  if text.isEmpty { field.value = "" }
  for end in text.indices {
    field.value = String(text[...end])
    clock.advance(by: .milliseconds(100))
  }
}

func run(_ line: String, number: Int) {
  let words = line.split(separator: " ", maxSplits: 1)
  let text = words.dropFirst().first ?? ""
  switch words.first {
  case nil: break
  case "name": type(text, into: form.name)
  case "password": type(text, into: form.password)
  case "repeat": type(text, into: form.repeated)
  case "email": type(text, into: form.email)
  case "wait":
    guard let pause = Int(text), 0...3_600_000 ~= pause else {
      return print("line \(number): wait \(text): write milliseconds up to an hour, as in wait 500")
    }
    clock.advance(by: .milliseconds(pause))
  case "submit":
    log(
      form.canSubmit.current ? "welcome, \(form.name.current)" : "not signed up: something is wrong"
    )
  case let word?: print("line \(number): \(word) is no command; SignUp --help lists them")
  }
}

if CommandLine.arguments.count > 1 {
  print(help)
} else {
  var number = 0
  while let line = readLine() {
    number += 1
    run(line, number: number)
  }
  clock.run()  // what is still under way
}
