package import Diagnostics

/// The two streams a command writes: data on one, talk on the other.
package struct StandardStreams {
  /// Where data goes.
  package let output: CheckedStream
  /// Where everything else goes.
  package let errors: CheckedStream

  /// Takes over the streams of this process.
  ///
  /// A descriptor the caller closed is filled first: otherwise the next file opened would get its
  /// number, and a report could land in a user's document.
  package init() {
    SystemCalls.fillClosedStandardDescriptors()
    output = CheckedStream(descriptor: 1, name: "standard output")
    errors = CheckedStream(descriptor: 2, name: "standard error")
  }
}

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

/// Why a standard stream could not be written.
package enum StreamError: Error, Hashable {
  /// The reader of a pipe went away.
  case readerClosed(stream: String)
  /// The disk or the quota is full.
  case noSpace(stream: String)
  /// The system refused the write with this `errno`.
  case writeFailed(stream: String, code: Int32)
}

extension StreamError: DiagnosableError {
  /// Says which stream, what happened and what helps; always of kind input/output.
  package var diagnostic: Diagnostic {
    switch self {
    case .readerClosed(let stream):
      Diagnostic(
        .inputOutput, subject: stream, problem: "nobody reads it any more",
        remedy: "let the next command of the pipe read to the end")
    case .noSpace(let stream):
      Diagnostic(
        .inputOutput, subject: stream, problem: "no space left",
        remedy: "free some space, or write elsewhere, and run the command again")
    case .writeFailed(let stream, let code):
      Diagnostic(
        .inputOutput, subject: stream, problem: "cannot be written",
        cause: SystemCalls.message(for: code))
    }
  }
}
