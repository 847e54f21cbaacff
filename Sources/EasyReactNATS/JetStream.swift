#if NATS
import EasyReactShared
import Foundation

/// What JetStream is asked, and what it answers: JSON under `$JS.API`.
struct JetStream: Sendable {
  let bucket, stream, prefix: String

  init(bucket: String) {
    (self.bucket, stream, prefix) = (bucket, "KV_\(bucket)", "$KV.\(bucket).")
  }

  func api(_ call: String) -> String { "$JS.API.\(call).\(stream)" }

  struct Failure: Error {
    var code = 0
    /// JetStream's own number.
    var number = 0
    var description = ""
  }

  private struct ErrorAnswer: Decodable {
    struct Inner: Decodable {
      var code: Int
      var err_code: Int?
      var description: String?
    }
    var error: Inner
  }

  /// What an answer says, or the failure that it tells.
  static func decode<Answer: Decodable>(_ data: Data, _: Answer.Type) throws(Failure) -> Answer {
    if let failed = try? JSONDecoder().decode(ErrorAnswer.self, from: data).error {
      throw Failure(
        code: failed.code, number: failed.err_code ?? 0, description: failed.description ?? "")
    }
    do { return try JSONDecoder().decode(Answer.self, from: data) } catch {
      throw Failure(description: "an answer that is none of JetStream's")
    }
  }

  // MARK: The stream of a bucket

  struct StreamInfo: Decodable {
    struct Config: Decodable {
      var subjects: [String]?
      var max_msgs_per_subject: Int?
      var mirror: Mirror?
    }
    struct Mirror: Decodable { var name: String }
    var config: Config
    /// When it was made: another one has another moment.
    var created: String
  }

  func isBucket(_ config: StreamInfo.Config) -> Bool {
    config.subjects == [prefix + ">"] && 1...64 ~= (config.max_msgs_per_subject ?? -1)
  }

  private struct StreamConfig: Encodable {
    var name: String
    var subjects: [String]
    var retention = "limits"
    var max_consumers = -1
    var max_msgs = -1
    var max_bytes = -1
    var max_msgs_per_subject: Int
    var discard = "new"
    var storage: String
    var num_replicas: Int
    var duplicate_window = 120_000_000_000
    var deny_delete = true
    var allow_rollup_hdrs = true
    var allow_direct = false
  }

  func makeStream(_ options: NATSOptions) -> Data {
    encode(
      StreamConfig(
        name: stream, subjects: [prefix + ">"], max_msgs_per_subject: options.history,
        storage: options.storage.rawValue, num_replicas: options.replicas))
  }

  // MARK: Consumers

  struct ConsumerInfo: Decodable {
    var name: String
    var num_pending: Int?
  }

  private struct MakeConsumer: Encodable {
    struct Config: Encodable {
      var deliver_subject: String
      var deliver_policy: String
      var opt_start_seq: UInt64?
      var ack_policy = "none"
      var max_deliver = 1
      var filter_subject: String
      var replay_policy = "instant"
      var idle_heartbeat = 1_000_000_000
      var flow_control = true
      var mem_storage = true
      var num_replicas = 1
    }
    var stream_name: String
    var config: Config
  }

  /// Delivers what comes after a revision; nil: beginning with the newest entry of each key.
  func makeConsumer(to subject: String, of filter: String, after revision: UInt64?) -> Data {
    encode(
      MakeConsumer(
        stream_name: stream,
        config: .init(
          deliver_subject: subject,
          deliver_policy: revision == nil ? "last_per_subject" : "by_start_sequence",
          // None comes after the greatest number: the server then begins with the next one that it stores.
          opt_start_seq: revision.map { $0 == .max ? $0 : $0 + 1 }, filter_subject: filter)))
  }

  // MARK: Entries

  struct Acknowledgement: Decodable { var seq: UInt64 }

  /// The same as decoding one, without a decoder: `{"stream":"KV_b", "seq":7}`. Nil: it is not that simple.
  static func acknowledged(_ data: Data) -> UInt64? {
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      func skip(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
      }
      guard skip(#"{"stream":""#) else { return nil }
      rest = rest.drop { $0 != UInt8(ascii: "\"") }
      guard skip(#"", "seq":"#) else { return nil }
      let digits = rest.prefix { 48...57 ~= $0 }
      return digits.isEmpty ? nil : digits.reduce(0) { $0 &* 10 &+ UInt64($1 - 48) }
    }
  }

  struct Stored: Decodable {
    struct Message: Decodable {
      var subject: String
      var seq: UInt64
      var data: Data?
      var hdrs: Data?
    }
    var message: Message
  }

  func newest(of key: String) -> Data { encode(["last_by_subj": prefix + key]) }

  func entry(_ message: Stored.Message) -> StoreEntry {
    let headers = message.hdrs.flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
    let isDeletion =
      headers.contains("KV-Operation: DEL") || headers.contains("KV-Operation: PURGE")
    return StoreEntry(
      key: String(message.subject.dropFirst(prefix.count)), revision: message.seq,
      bytes: message.data ?? Data(), isDeletion: isDeletion)
  }

  private func encode(_ value: some Encodable) -> Data {
    // With such values nothing can fail.
    try! JSONEncoder().encode(value)
  }
}
#endif
