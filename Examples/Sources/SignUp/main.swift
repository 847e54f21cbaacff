// A form with live validation; the user name is looked up when the typing pauses, and no old answer is ever shown.
// Time is virtual, so every run prints the same.
import EasyReact
import EasyReactTesting

let help = """
  SignUp reads what a user does, a line each:
    name TEXT, password TEXT, repeat TEXT, email TEXT   types it into the field, a key each 100 ms; no TEXT clears it
    wait MILLISECONDS                                   lets time pass
    submit                                              presses the button, which empties the form
  An example: swift run --package-path Examples SignUp < Examples/Expected/SignUp.in
  """

let clock = VirtualScheduler()

@Sendable func log(_ text: String) {
  let time = "\(Int(clock.now / .milliseconds(1)))"
  print(String(repeating: " ", count: max(0, 6 - time.count)) + time + " ms  " + text)
}

/// A service that takes longer for short names, so that its answers could overtake each other.
@Sendable func isTaken(_ name: String) async -> Bool {
  log("  service: is \(name) taken?")
  do {
    try await clock.sleep(for: .milliseconds(max(200, 4000 - 700 * name.count)))
    log("  service: answers about \(name)")
  } catch { log("  service: nobody asks about \(name) any more") }
  return ["ann", "bob"].contains(name)
}

let form = SignUpForm(asking: isTaken, on: clock), account = form.account
let bag = CancelableBag()
for (field, problem) in form.problems {
  problem.listen { log("\(field): \($0 ?? "fine")") }.store(in: bag)
}
form.canSubmit.listen { log("submit: \($0 ? "enabled" : "disabled")") }.store(in: bag)

/// What the fields on the screen are bound to, both ways: typing changes the account, and a new account what they show.
let fields = [
  "name": account[\.name], "password": account[\.password], "repeat": account[\.repeated],
  "email": account[\.email],
]

/// Types a text behind what the field shows, key by key.
func type(_ text: Substring, into field: MutableNode<String>) {
  if text.isEmpty { field.value = "" }
  for key in text {
    field.update { $0.append(key) }
    clock.advance(by: .milliseconds(100))
  }
}

func run(_ line: String, number: Int) {
  let words = line.split(separator: " ", maxSplits: 1)
  let text = words.dropFirst().first ?? ""
  if let field = fields[String(words.first ?? "")] { return type(text, into: field) }
  switch words.first {
  case nil: break
  case "wait":
    guard let pause = Int(text), 0...3_600_000 ~= pause else {
      return print("line \(number): wait \(text): write milliseconds up to an hour, as in wait 500")
    }
    clock.advance(by: .milliseconds(pause))
  case "submit":
    guard form.canSubmit.current else { return log("not signed up: something is wrong") }
    log("welcome, \(account.current.name)")
    account.value = Account()
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
