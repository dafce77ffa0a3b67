package import SafeFiles

/// A step that makes one value of others in an app's files and preferences.
package struct PlaceStep: Sendable {
  /// What runs it.
  package let migration: AnyMigration
  /// What it does to data that an older version of the app still reads.
  package let risk: MigrationRisk
  /// Its sources, and behind them its destination.
  package let places: [Place]
  /// For people.
  package let description: String?
  /// The parameters that it needs.
  package let parameters: Set<String>
  /// What tells it from every other step, as of a step over entities.
  package let checksum: ContentHash

  /// What names it, for good.
  package var id: MigrationID { migration.id }

  /// Whether a file leaves with it.
  func takes(_ path: RelativePath) -> Bool {
    places.dropLast().contains { $0 == .file(path, ValuePath(names: [])) }
  }

  /// Whether it and another step may both run in a folder; conditions may shut each other out.
  func canRun(beside other: PlaceStep) -> Bool {
    let (own, others) = (migration.platforms, other.migration.platforms)
    if !own.isEmpty, !others.isEmpty, own.isDisjoint(with: others) { return false }
    return !(migration.isConditional && other.migration.isConditional)
  }
}

/// Where an app keeps a value, as plans say it.
package enum Place: Hashable, Sendable {
  /// A file of JSON, or a value in it.
  case file(RelativePath, ValuePath)
  /// A key of a property list.
  case preference(RelativePath, key: String)
  /// An item of a keychain, which nobody but its app reads.
  case keychain(String)
  /// A file that only its app can decrypt.
  case encrypted(RelativePath)

  private static let (files, preferences, keychain, encrypted) = (
    "file", "preferences", "keychain", "encrypted"
  )

  /// The file that it is in; nil if it is in none.
  var path: RelativePath? {
    switch self {
    case .file(let path, _), .preference(let path, _), .encrypted(let path): path
    case .keychain: nil
    }
  }

  /// The key of a storage.
  package var key: StorageKey {
    switch self {
    case .file(let path, let pointer):
      let pointer = pointer.description
      return StorageKey(Self.files, path.description + (pointer.isEmpty ? "" : "#" + pointer))
    case .preference(let path, let key): return StorageKey(Self.preferences, "\(path)#\(key)")
    case .keychain(let item): return StorageKey(Self.keychain, item)
    case .encrypted(let path): return StorageKey(Self.encrypted, path.description)
    }
  }
}
