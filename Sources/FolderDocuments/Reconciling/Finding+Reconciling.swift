package import Diagnostics

extension Finding {
  /// Tells that a document shows other values than a legacy file that it was not made from.
  package static func differs(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .fieldDiffers, .error, path: path,
      message: "\(entity) is in a document that differs in \(fields)",
      next: "decide which is right; the file stays until they agree")
  }

  /// Tells that a legacy file and a document have different new values.
  package static func editedBoth(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .editedBoth, .error, path: path,
      message: "\(entity) changed after it was imported, here and in the document: \(fields)",
      next: "see both values with inspect-crdt; import-crdt --update --prefer legacy takes the "
        + "file's, moving the file out of the folder keeps the document's")
  }

  /// Tells that a document holds what a legacy file says beside what another one said.
  package static func besideOther(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .duplicateID, .warning, path: path,
      message: "\(entity) was imported with other values, too; the document holds both of "
        + "\(fields) and shows the other one",
      next: "look at both with inspect-crdt --conflicts, and enter with the app what is right")
  }
}

extension [String] {
  /// The names of fields for a message, the first eight of them.
  package var listed: String {
    let shown = prefix(8).joined(separator: ", ")
    return count > 8 ? "\(shown) and \((count - 8).grouped) more" : shown
  }
}
