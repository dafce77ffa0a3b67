import SafeFiles

/// A finished document that is not in its place yet.
struct BuiltDocument: Sendable {
  /// Where it belongs.
  var path: RelativePath
  /// Its bytes.
  var bytes: [UInt8]
  /// The file it was built upon, nil if there was none.
  var replaced: FileVersion?
  /// How many entities it got.
  var entitiesAdded: Int
  /// How many entities in it got new values.
  var entitiesUpdated = 0
  /// How many changes it got.
  var changesAdded: Int
}
