import Diagnostics

/// The proof that the copy of a store is sound; it can be made while the copy is read.
///
/// The copy goes with its store, which the one who makes the proof keeps.
package struct SoundnessCheck: Sendable {
  private let place: [UInt8]
  private let path: String

  /// - Parameters:
  ///   - place: the absolute path of the copy.
  ///   - path: the path of what it is a copy of, for messages.
  init(of place: [UInt8], path: String) { (self.place, self.path) = (place, path) }

  /// Looks at everything in the copy; throws `corrupt` unless it is sound.
  package func perform() throws(StoreError) {
    try Self.perform(in: Database(at: place, .fileAlone, path: path))
  }

  static func perform(in database: Database) throws(StoreError) {
    let verdict = try database.cell("PRAGMA integrity_check(1)").string ?? "nothing can be checked"
    guard verdict == "ok" else {
      throw .corrupt(
        path: database.path, problem: DisplayText.escaping(verdict.prefix(200).utf8))
    }
  }
}
