import Foundation
import SafeFiles
import Synchronization

/// A program that writes into a file that is there, and hides when it did.
enum InPlaceWriter {
  /// Writes bytes over the beginning of a file and sets its time back; false if it is not there.
  static func write(_ text: String, over path: String) -> Bool {
    let system = SystemFileOperations()
    guard let file = try? system.openPath(Array(path.utf8), flags: O_RDWR) else { return false }
    defer { close(file) }
    guard let state = try? system.state(of: file) else { return false }
    let bytes = Array(text.utf8)
    // SAFETY: the array outlives the call.
    let count = unsafe bytes.withUnsafeBytes { unsafe try? system.write($0, to: file, at: 0) }
    try? system.setModified(state.modified, of: file)
    return count == bytes.count
  }
}

/// A value that a test and what it starts both reach.
final class Box<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }
}
