import Foundation
import Synchronization
import Testing

@testable import MigrationCore
@testable import Runs

/// An interchange stream in memory and, to be read, in a file of its own.
final class TestStream: Sendable {
  private let content = Mutex<[UInt8]>([])
  private let file: FileHandle
  private let path: String

  init(_ bytes: [UInt8] = []) throws {
    path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(bytes).write(to: URL(filePath: path))
    file = try #require(FileHandle(forReadingAtPath: path))
    content.withLock { $0 = bytes }
  }

  convenience init(_ lines: String...) throws {
    try self.init(Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Takes what an export writes.
  var sink: ByteSink {
    ByteSink(name: "stream") { bytes in self.content.withLock { $0 += bytes } }
  }

  var bytes: [UInt8] { content.withLock { $0 } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The stream from its beginning; only once, as a pipe.
  func source() throws -> ByteSource {
    try Data(bytes).write(to: URL(filePath: path))
    return ByteSource(name: "stream", descriptor: file.fileDescriptor)
  }
}
