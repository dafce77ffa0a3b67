import Automerge
import Foundation

/// Changes a document as the app does: loaded, changed by a user's actor, saved whole.
///
/// With `copy` the result is another file, as a sync service leaves one when two devices have saved.
func editAsApp(
  _ document: URL, copiedTo copy: URL? = nil, by user: String = "anna",
  _ change: (Document) throws -> Void
) throws {
  let edited = try Document(try Data(contentsOf: document))
  guard let actor = ActorId(data: Data(user.utf8)) else { throw CocoaError(.fileReadCorruptFile) }
  edited.actor = actor
  try change(edited)
  edited.commitWith(timestamp: Date(timeIntervalSince1970: 1_767_700_000))
  try edited.save().write(to: copy ?? document, options: .atomic)
}

extension Document {
  /// Gives a record or a tag another value.
  func set(_ field: String, of identity: String, to value: String) throws {
    guard case .Object(let object, .Map)? = try get(obj: .ROOT, key: identity) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    try put(obj: object, key: field, value: .String(value))
  }
}
