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
