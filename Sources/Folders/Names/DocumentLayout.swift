package import SafeFiles

/// Where the documents of a folder lie.
package enum DocumentLayout: String, CaseIterable, Hashable, Sendable {
  /// One document a month: `records/YYYY/MM.automerge`.
  case monthly
  /// One document a record: `records/YYYY/MM/NAME.automerge`.
  case perRecord = "per-record"

  /// Returns the path of the document that holds the entity of a place.
  package func documentPath(for place: EntityPlace) -> RelativePath {
    switch (place, self) {
    case (.tags, _): RelativePath(FolderNames.tagsDocument)
    case (.record(let month, _), .monthly): DocumentLayout.documentPath(of: month)
    case (.record, .perRecord): place.path(FolderNames.documentExtension)
    }
  }

  /// Returns the path of a month's document in the monthly layout.
  package static func documentPath(of month: Month) -> RelativePath {
    var path: [UInt8] = []
    EntityPlace.append(month, to: &path)
    path.append(contentsOf: FolderNames.documentExtension.utf8)
    return .checked(path)
  }
}
