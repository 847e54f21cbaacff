/// How many bytes a network interface has carried (`/proc/net/dev`).
public struct InterfaceCounters: CounterBlock {
  public let device: String
  public var received: UInt64 = 0
  public var sent: UInt64 = 0

  public init(device: String) { self.device = device }

  public static let fields: [Field<InterfaceCounters>] = [
    Field("receivedBytes", \.received), Field("sentBytes", \.sent),
  ]
}
