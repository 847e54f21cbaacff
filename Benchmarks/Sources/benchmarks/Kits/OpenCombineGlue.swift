import Glibc
import OpenCombine

// What OpenCombine 0.14 lacks, as lean as it can be: one object between the publishers and the subscriber, its lock, and nothing of
// demand, completion and re-entrance, for which the operators of Combine take care. That flatters it.

/// The latest values of all publishers, as an array, at every value of each.
func combineLatest<Upstream: Publisher<Value, Never>, Value>(
  _ publishers: [Upstream]
) -> Joined<[Value]> {
  Joined { downstream in
    var latest: [Value] = []
    var early: [Value?] = publishers.map { _ in nil }
    var missing = publishers.count
    return publishers.enumerated().map { index, publisher in
      publisher.sink { value in
        downstream.locked { send in
          if missing == 0 {
            latest[index] = value
            return send(latest)
          }
          if early[index] == nil { missing -= 1 }
          early[index] = value
          if missing > 0 { return }
          latest = early.compactMap(\.self)
          send(latest)
        }
      }
    }
  }
}

/// Two of different types.
func combineLatest<First, Second>(
  _ first: some Publisher<First, Never>, _ second: some Publisher<Second, Never>
) -> Joined<(First, Second)> {
  Joined { downstream in
    var latestFirst: First?, latestSecond: Second?
    return [
      first.sink { value in
        downstream.locked { send in
          latestFirst = value
          if let latestSecond { send((value, latestSecond)) }
        }
      },
      second.sink { value in
        downstream.locked { send in
          latestSecond = value
          if let latestFirst { send((latestFirst, value)) }
        }
      },
    ]
  }
}

/// Whatever comes.
func merge<Upstream: Publisher<Value, Never>, Value>(_ publishers: [Upstream]) -> Joined<Value> {
  Joined { downstream in
    publishers.map { publisher in
      publisher.sink { value in downstream.locked { send in send(value) } }
    }
  }
}

/// Follows its publishers for each subscriber.
struct Joined<Output>: Publisher {
  typealias Failure = Never
  let follow: (Downstream<Output>) -> [AnyCancellable]

  func receive<S: Subscriber<Output, Never>>(subscriber: S) {
    let downstream = Downstream<Output> { _ = subscriber.receive($0) }
    subscriber.receive(subscription: downstream)
    downstream.upstreams = follow(downstream)
  }
}

/// The subscriber's end, and the lock of all that comes to it: what it does may come back, so it is recursive.
final class Downstream<Output>: Subscription {
  private let send: (Output) -> Void
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  fileprivate var upstreams: [AnyCancellable] = []

  init(_ send: @escaping (Output) -> Void) {
    self.send = send
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
  }
  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always) fileprivate func locked(_ body: ((Output) -> Void) -> Void) {
    pthread_mutex_lock(mutex)
    body(send)
    pthread_mutex_unlock(mutex)
  }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() { upstreams = [] }
}
