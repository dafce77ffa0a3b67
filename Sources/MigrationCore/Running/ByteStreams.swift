/// Where an interchange stream comes from: standard input or an open file.
package struct ByteSource {
  /// What messages call it, for example `standard input`.
  package let name: String
  /// Appends the next bytes to the buffer; false at the end.
  package let appendNext: (inout [UInt8]) throws -> Bool

  /// Creates a source from a closure that appends the next bytes and returns false at the end.
  package init(name: String, appendNext: @escaping (inout [UInt8]) throws -> Bool) {
    self.name = name
    self.appendNext = appendNext
  }
}

/// Where an interchange stream goes: standard output or an open file.
package struct ByteSink {
  /// What messages call it, for example `standard output`.
  package let name: String
  /// Writes all of the bytes or throws.
  package let write: ([UInt8]) throws -> Void

  /// Creates a sink from a closure that writes all of the bytes or throws.
  package init(name: String, write: @escaping ([UInt8]) throws -> Void) {
    self.name = name
    self.write = write
  }
}
