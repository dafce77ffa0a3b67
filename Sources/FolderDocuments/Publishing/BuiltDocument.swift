package import SafeFiles

/// A finished document that is not in its place yet.
package struct BuiltDocument: Sendable {
  /// Where it belongs.
  package var path: RelativePath
  /// Its bytes.
  package var bytes: [UInt8]
  /// The file it was built upon, nil if there was none.
  package var replaced: FileVersion?
  /// How many entities it got.
  package var entitiesAdded: Int
  /// How many entities in it got new values.
  package var entitiesUpdated = 0
  /// How many changes it got.
  package var changesAdded: Int

  package init(
    path: RelativePath, bytes: [UInt8], replaced: FileVersion? = nil, entitiesAdded: Int,
    entitiesUpdated: Int = 0, changesAdded: Int
  ) {
    self.path = path
    self.bytes = bytes
    self.replaced = replaced
    self.entitiesAdded = entitiesAdded
    self.entitiesUpdated = entitiesUpdated
    self.changesAdded = changesAdded
  }
}
