import MigrationCore

/// What `inspect-crdt --history` shows: of each folder and store who wrote to it.
package struct HistoryView {
  private let places: [String]
  private let list: FolderListOptions
  private let preferences: String?

  /// Creates the view of some places; nothing is read yet.
  package init(of places: [String], and list: FolderListOptions, preferences: String?) {
    (self.places, self.list, self.preferences) = (places, list, preferences)
  }

  /// Reads the places and shows what it found.
  package func show(on console: Console, failFast: Bool) throws {
    let target = try targetOfStore(console)
    let places = target == nil ? places : Array(places.dropLast())
    try console.read(places, and: list, failFast: failFast) { place in
      var options = HistoryOptions(place: place)
      (options.folder, options.preferences) = (target, preferences)
      switch try PlaceHistory.read(options, context: console.context()) {
      case .folder(let report): console.show(report)
      case .store(let report): console.show(report)
      }
    }
  }

  /// The folder that a store was imported into: of two places the second, if the first is a store.
  private func targetOfStore(_ console: Console) throws -> String? {
    guard places.count == 2, list.foldersFrom == nil,
      try PlaceHistory.isOfStore(places[0], context: console.context())
    else { return nil }
    return places[1]
  }
}
