import EasyReact

struct Account: Sendable { var name = "", password = "", repeated = "", email = "" }

/// A form that says of each field, as it is typed, what is still wrong with it.
struct SignUpForm {
  let account = MutableNode(Account())

  /// What is wrong with each field; nil where nothing is.
  let problems: [(field: String, problem: Node<String?>)]
  let canSubmit: Node<Bool>

  /// - Parameter isTaken: Asks whether somebody has this user name.
  init(
    asking isTaken: @escaping @Sendable (String) async -> Bool, on scheduler: some NodeScheduler
  ) {
    // Each key stroke leaves the node of the one before, and so drops its pause, its question and its answer.
    let nameProblem = account[\.name].distinctUntilChanged().flattenMap { name -> Node<String?> in
      if name.count < 3 { return Node("at least 3 letters") }
      return Node(name).debounce(.milliseconds(300), on: scheduler)
        .mapAsync(on: scheduler) { await isTaken($0) ? "\($0) is taken" : nil }
        .startWith("looking up \(name)")
    }
    problems = [
      ("name", nameProblem),
      ("password", account.map { $0.password.count < 8 ? "at least 8 letters" : nil }),
      ("repeat", account.map { $0.repeated == $0.password ? nil : "not the same password" }),
      ("email", account.map { $0.email.contains(/^\S+@\S+\.\S+$/) ? nil : "not an address" }),
    ].map { ($0, $1.distinctUntilChanged()) }
    canSubmit = Node.combine(problems.map(\.problem)).map { $0.allSatisfy { $0 == nil } }
      .distinctUntilChanged()
  }
}
