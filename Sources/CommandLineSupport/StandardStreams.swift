/// The streams of a command: data comes in on one, goes out on another; talk has its own.
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

  /// Appends the next bytes of standard input to the buffer; returns false at the end.
  package static func readInput(into buffer: inout [UInt8]) throws(StreamError) -> Bool {
    while true {
      switch SystemCalls.read(0, appendingTo: &buffer) {
      case .moved(let count): return count > 0
      case .failed(let code): throw .readFailed(stream: "standard input", code: code)
      case .interrupted:
        // The workflow asks between items; a read that waits forever would never get there.
        if Interruption.isRequested { return false }
      }
    }
  }
}
