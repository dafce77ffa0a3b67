import Synchronization

/// Results of jobs that run in parallel, in the order of the jobs.
final class Collected<Value: Sendable>: Sendable {
  private let content: Mutex<[Value?]>

  init(count: Int) { content = Mutex(Array(repeating: nil, count: count)) }

  /// The results that were set.
  var values: [Value] { content.withLock { $0.compactMap { $0 } } }

  func set(_ job: Int, _ value: Value) { content.withLock { $0[job] = value } }
}
