import SafeFiles

/// Where an interchange stream comes from: standard input or another open descriptor.
package struct ByteSource: Sendable {
  /// What messages call it, for example `standard input`.
  package let name: String
  /// An open descriptor, which the caller closes.
  package let descriptor: Int32

  /// Creates a source from a descriptor that stays open as long as it is used.
  package init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Appends the next bytes to a buffer; returns false at the end.
  package func appendNext(_ buffer: inout [UInt8]) throws(MigrationError) -> Bool {
    let reader = FileReader(borrowing: descriptor, path: name)
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: 1 << 16))
    do {
      let count = try reader.readSome(into: &buffer, at: start..<buffer.count)
      buffer.removeLast(buffer.count - start - count)
      return count > 0
    } catch {
      throw MigrationError(error)
    }
  }

  /// The standard input of the process.
  package static let standardInput = ByteSource(name: "standard input", descriptor: 0)
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
