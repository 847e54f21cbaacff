// Public types as SwiftUI, Combine, RealityKit, Observation and others have them: the files of MustPass that begin with `Beside` import
// this module and EasyReact, and use the names of both unqualified.
public struct Group { public init() {} }
public protocol Scheduler {}
public struct Transform { public init() {} }
@propertyWrapper public struct Published<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
public protocol Subscription { func cancel() }
public protocol Subscriber {}
public protocol Publisher {}
@propertyWrapper public struct State<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
@propertyWrapper public struct Binding<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
public struct Path { public init() {} }
public struct Entity { public init() {} }
public struct Edge { public init() {} }
public struct Event { public init() {} }
public struct View { public init() {} }
public final class AnyCancellable: Hashable, Sendable {
  public init() {}
  public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) {}
}
public struct Observable {}
public struct Observer {}
public struct Property {}
public struct MutableProperty {}
public struct Signal {}
public struct SignalProducer {}
public struct Lifetime {}
public struct BehaviorRelay {}
public struct PublishSubject {}
public struct DisposeBag {}
public struct PassthroughSubject {}
public struct CurrentValueSubject {}
public struct AnyPublisher {}
public struct Just {}
public struct Future {}
precedencegroup BindingPrecedence {
  higherThan: AssignmentPrecedence
}
infix operator <~ : BindingPrecedence
