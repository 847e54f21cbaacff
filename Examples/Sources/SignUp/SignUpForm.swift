import EasyReact

/// A form that says of each field, as it is typed, what is still wrong with it.
struct SignUpForm {
  let name = MutableNode(""), password = MutableNode("")
  let repeated = MutableNode(""), email = MutableNode("")

  /// What is wrong with each field; nil where nothing is.
  let problems: [(field: String, problem: Node<String?>)]
  let canSubmit: Node<Bool>

  /// - Parameter isTaken: Asks whether somebody has this user name; the node is empty until the answer is there.
  init(
    asking isTaken: @escaping @Sendable (String) -> Node<Bool>, on scheduler: some NodeScheduler
  ) {
    // Each key stroke leaves the node of the one before, and so drops its pause, its question and its answer.
    let nameProblem = name.flattenMap { name -> Node<String?> in
      if name.count < 3 { return Node("at least 3 letters") }
      return Node(name).debounce(.milliseconds(300), on: scheduler)
        .flattenMap(isTaken)
        .map { $0 ? "\(name) is taken" : nil }
        .startWith("looking up \(name)")
    }
    let passwordProblem = password.map { $0.count < 8 ? "at least 8 letters" : nil }
    let repeatedProblem = repeated.combine(password)
      .map { $0 == $1 ? nil : "not the same password" }
    let emailProblem = email.map {
      $0.wholeMatch(of: /\S+@\S+\.\S+/) == nil ? "not an address" : nil
    }

    problems = [
      ("name", nameProblem), ("password", passwordProblem), ("repeat", repeatedProblem),
      ("email", emailProblem),
    ].map { ($0, $1.distinctUntilChanged()) }
    canSubmit = Node.combine(problems.map(\.problem)).map { $0.allSatisfy { $0 == nil } }
      .distinctUntilChanged()
  }
}
