import Foundation

/// How the values of a shared node become bytes, and back.
///
///     let photo = store.node("photo", of: Data.self)                 // bytes as they are
///     let point = store.node("point", of: [String: Int].self)        // Codable: JSON
///     let table = store.node("table", of: Table.self, coding: SharedCoding(encode: pack, decode: unpack))
public struct SharedCoding<Value: Sendable>: Sendable {
  let encode: @Sendable (Value) throws -> Data
  let decode: @Sendable (Data) throws -> Value

  /// Both run where the store's work is done; what they throw shows in ``SharedNode/status``. What comes to the node over an edge,
  /// while it has nothing to write, is compared with what the store has by these bytes too, in the set that brought it.
  public init(
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    (self.encode, self.decode) = (encode, decode)
  }
}

extension SharedCoding where Value: Codable {
  /// Bytes as they are if the value is `Data` or `[UInt8]`, else JSON with sorted keys.
  public static var standard: SharedCoding {
    if let bytes = SharedCoding<Data>.bytes as? SharedCoding { return bytes }
    if let bytes = SharedCoding<[UInt8]>.bytes as? SharedCoding { return bytes }
    return json
  }

  private static var json: SharedCoding {
    let encoder = JSONEncoder(), decoder = JSONDecoder()
    encoder.outputFormatting = [.sortedKeys]
    return SharedCoding(
      encode: { try encoder.encode($0) }, decode: { try decoder.decode(Value.self, from: $0) })
  }
}

extension SharedCoding where Value == Data {
  static var bytes: SharedCoding { SharedCoding(encode: { $0 }, decode: { $0 }) }
}

extension SharedCoding where Value == [UInt8] {
  static var bytes: SharedCoding { SharedCoding(encode: { Data($0) }, decode: { [UInt8]($0) }) }
}
