import MigrationCore

/// What `inspect-crdt --history` shows: of each folder and store who wrote to it.
package struct HistoryView {
  private let places: NamedFolders
  private let preferences: String?

  /// Creates the view of some places; nothing is read yet.
  package init(of places: NamedFolders, preferences: String?) {
    (self.places, self.preferences) = (places, preferences)
  }

  /// Reads the places and shows what it found.
  package func show(on console: Console, failFast: Bool) throws {
    // What stands behind a store is no other place, but the folder that it was imported into.
    if let pair = places.pair, try isShown(pair.0, importedInto: pair.1, on: console) { return }
    try console.read(places, failFast: failFast) { place in
      _ = try isShown(place, importedInto: nil, on: console)
    }
  }

  /// Shows the history of a place, unless there is a folder behind it and it is no store.
  private func isShown(
    _ place: String, importedInto folder: String?, on console: Console
  ) throws -> Bool {
    var options = HistoryOptions(place: place)
    (options.folder, options.preferences) = (folder, preferences)
    switch try PlaceHistory.read(options, context: console.context()) {
    case .folder(let report): console.show(report)
    case .store(let report): console.show(report)
    case .folders: return false
    }
    return true
  }
}
