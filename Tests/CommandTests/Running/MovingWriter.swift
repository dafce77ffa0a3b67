import Automerge
import Foundation
import Synchronization

/// A program that goes on writing to a folder while commands work on it.
///
/// It writes as the app does: take the lock, read, change, write a temporary, rename. Or rudely, as
/// sync clients do, without the lock.
final class MovingWriter: Sendable {
  enum Manners: String, CaseIterable {
    case takesTheLock
    case takesNoLock
  }

  /// What was written last, by path.
  private let last = Mutex<[String: String]>([:])
  private let isStopped = Mutex(false)
  private let thread = DispatchQueue(label: "moving writer")
  private let folder: URL
  private let manners: Manners
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts to write to these files in turn: a legacy record gets another comment, every record of a
  /// document another `note`.
  init(_ folder: URL, _ files: [String], _ manners: Manners) {
    self.folder = folder
    self.manners = manners
    thread.async { [self] in
      var round = 0
      while !isStopped.withLock({ $0 }) {
        round += 1
        for file in files where !isStopped.withLock({ $0 }) {
          do {
            try write("round \(round)", to: file)
            // An app leaves the lock to others between two edits.
            usleep(2_000)
          } catch {
            failure.withLock { $0 = error }
            return
          }
        }
      }
    }
  }

  /// Stops, and returns the text that was written last to each file.
  func stop() throws -> [String: String] {
    isStopped.withLock { $0 = true }
    thread.sync {}
    if let error = failure.withLock({ $0 }) { throw error }
    return last.withLock { $0 }
  }

  private func write(_ text: String, to path: String) throws {
    let lock = manners == .takesTheLock ? try FolderLockHolder(folder) : nil
    defer { withExtendedLifetime(lock) {} }
    let file = folder.appending(path: path)
    // A file that a command moved away meanwhile is not written again: an app finds it in documents.
    guard let bytes = FileManager.default.contents(atPath: file.path) else { return }
    let changed =
      path.hasSuffix(".json")
      ? try Self.legacyFile(bytes, text) : try Self.document(bytes, text)
    let temporary = file.deletingLastPathComponent()
      .appending(path: ".app-\(UUID().uuidString)")
    try changed.write(to: temporary)
    // SAFETY: the paths outlive the call, which keeps no pointer.
    guard unsafe rename(temporary.path, file.path) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    last.withLock { $0[path] = text }
  }

  private static func legacyFile(_ bytes: Data, _ comment: String) throws -> Data {
    var object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    object["comment"] = comment
    return try JSONSerialization.data(withJSONObject: object)
  }

  private static func document(_ bytes: Data, _ note: String) throws -> Data {
    let document = try Document(bytes)
    for key in document.keys(obj: .ROOT) {
      guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: key) else {
        continue
      }
      try document.put(obj: record, key: "note", value: .String(note))
    }
    return document.save()
  }
}
