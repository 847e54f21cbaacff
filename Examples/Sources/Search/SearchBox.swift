import EasyReact

/// What is known of one text.
struct Answer: Sendable {
  let text: String
  let titles: Result<[String], any Error>
}

/// Asks a service, and remembers what it has answered.
actor Catalogue {
  private let ask: @Sendable (String) async throws -> [String]
  private var known: [String: [String]] = [:]

  init(asking ask: @escaping @Sendable (String) async throws -> [String]) { self.ask = ask }

  func find(_ text: String) async -> Answer {
    if let titles = known[text] { return Answer(text: text, titles: .success(titles)) }
    do {
      let titles = try await ask(text)
      known[text] = titles
      return Answer(text: text, titles: .success(titles))
    } catch {
      return Answer(text: text, titles: .failure(error))
    }
  }
}

/// A field that is looked up when the typing pauses.
struct SearchBox: Sendable {
  let text = MutableNode("")
  let shown: Node<String>

  init(in catalogue: Catalogue, on scheduler: some NodeScheduler) {
    let answer = text.debounce(.milliseconds(300), on: scheduler).filter { !$0.isEmpty }
      .mapAsync(.latest, on: scheduler) { await catalogue.find($0) }

    shown = Node.derived { [text] in
      let text = text.current
      if text.isEmpty { return "type a word" }
      guard let answer = answer.value, answer.text == text else { return "looking up…" }
      switch answer.titles {
      case .success(let found): return found.isEmpty ? "nothing" : found.joined(separator: ", ")
      case .failure(let error): return "no answer: \(error)"
      }
    }
  }
}
