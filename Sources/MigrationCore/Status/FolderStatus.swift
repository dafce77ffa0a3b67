/// Where a folder stands between legacy files and documents; the raw value is part of the scripting
/// contract.
package enum FolderStatus: String, CaseIterable, Hashable, Sendable {
  /// There is nothing in it.
  case empty
  /// There is nothing in it that we know.
  case unknown
  /// Legacy files, and no documents.
  case legacy
  /// Legacy files and documents; some entities of the files are in no document yet.
  case migrating
  /// Legacy files and documents; every entity of the files is proven.
  case migrated
  /// Documents, and no legacy files.
  case cleaned
  /// Legacy files and documents, and errors stand in the way.
  case mixed
}
