import OpenCombine

// What OpenCombine 0.14 lacks, written as a user would: it does less than the operators of Combine,
// which flatters it.

/// The latest values of all publishers, as an array, at every value of each.
func combineLatest<Value>(
  _ publishers: [AnyPublisher<Value, Never>]
) -> AnyPublisher<[Value], Never> {
  let result = Glue<[Value]>()
  var latest: [Value?] = publishers.map { _ in nil }
  for (index, publisher) in publishers.enumerated() {
    result.follow(publisher) { result, value in
      latest[index] = value
      let values = latest.compactMap(\.self)
      if values.count == latest.count { result.send(values) }
    }
  }
  return result.publisher
}

/// Two of different types.
func combineLatest<First, Second>(
  _ first: AnyPublisher<First, Never>, _ second: AnyPublisher<Second, Never>
) -> AnyPublisher<(First, Second), Never> {
  let result = Glue<(First, Second)>()
  var latestFirst: First?, latestSecond: Second?
  result.follow(first) { result, value in
    latestFirst = value
    if let latestSecond { result.send((value, latestSecond)) }
  }
  result.follow(second) { result, value in
    latestSecond = value
    if let latestFirst { result.send((latestFirst, value)) }
  }
  return result.publisher
}

/// Whatever comes.
func merge<Value>(_ publishers: [AnyPublisher<Value, Never>]) -> AnyPublisher<Value, Never> {
  let result = Glue<Value>()
  for publisher in publishers { result.follow(publisher) { $0.send($1) } }
  return result.publisher
}

private final class Glue<Value> {
  private let subject = CurrentValueSubject<Value?, Never>(nil)
  private var subscriptions: [AnyCancellable] = []

  func send(_ value: Value) { subject.send(value) }

  func follow<Input>(
    _ publisher: AnyPublisher<Input, Never>, _ body: @escaping (Glue<Value>, Input) -> Void
  ) {
    publisher.sink { [unowned self] in body(self, $0) }.store(in: &subscriptions)
  }

  /// It keeps the glue.
  var publisher: AnyPublisher<Value, Never> {
    subject.compactMap { [self] value in
      _ = self
      return value
    }.eraseToAnyPublisher()
  }
}
