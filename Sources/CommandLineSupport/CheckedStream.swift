/// A buffered output stream of the process whose every write is checked.
///
/// `print` ignores a full disk and a closed pipe; this does not. Not safe to share between threads.
package final class CheckedStream {
  private let descriptor: Int32?
  private let name: String
  private let closesAtEnd: Bool
  private var buffer: [UInt8] = []
  /// Whether a write has failed: then all others will.
  private(set) var hasFailed = false
  private static let capacity = 64 * 1024

  /// Creates a stream over an open descriptor; `name` is what errors call it. Without a descriptor it
  /// keeps what is written.
  package init(descriptor: Int32?, name: String, closesAtEnd: Bool = true) {
    self.descriptor = descriptor
    self.name = name
    self.closesAtEnd = closesAtEnd
  }

  /// Whether somebody looks at the stream on a terminal.
  package var isTerminal: Bool { descriptor.map(SystemCalls.isTerminal) ?? false }

  /// What was written and did not go anywhere.
  var kept: [UInt8] { buffer }

  /// Writes bytes; they reach the system when the buffer is full or `flush()` is called.
  package func write(_ bytes: some Sequence<UInt8>) throws(StreamError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Writes a text as UTF-8.
  package func write(_ text: String) throws(StreamError) {
    try write(text.utf8)
  }

  /// Hands everything buffered to the system, whatever number of calls that takes.
  ///
  /// After an error the buffer is empty: a stream that failed stays failed, it does not repeat.
  package func flush() throws(StreamError) {
    guard let descriptor else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    var position = 0
    while position < buffer.count {
      switch SystemCalls.write(buffer, from: position, to: descriptor) {
      case .wrote(let count): position += count
      case .interrupted: continue
      case .failed(let code):
        hasFailed = true
        throw error(code)
      }
    }
  }

  /// Flushes and closes the stream, so that an error a file system reports late is seen too; one that
  /// others go on with is only flushed.
  package func finish() throws(StreamError) {
    try flush()
    guard closesAtEnd, let descriptor else { return }
    if let code = SystemCalls.close(descriptor) { throw error(code) }
  }

  private func error(_ code: Int32) -> StreamError {
    switch SystemCalls.meaning(of: code) {
    case .readerClosed: .readerClosed(stream: name)
    case .noSpace: .noSpace(stream: name)
    case .other: .writeFailed(stream: name, code: code)
    }
  }
}
