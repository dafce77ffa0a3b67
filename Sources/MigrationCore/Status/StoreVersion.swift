import Folders
import Runs
import SwiftDataStores

/// Of which version a store is, in the words of its app.
struct StoreVersion {
  /// The names of all versions that the profile knows, the oldest first; of some the name is the same.
  private let names: [String]
  /// What people call versions that no other grew out of, by their positions.
  private let branches: [Int: String]
  /// The positions of those that the store is of.
  private let positions: [Int]
  /// What the store calls its version.
  private let told: [String]

  /// How a version that an app names compares with the store's.
  enum Order {
    case same
    /// The store is of an earlier one.
    case storeIsOlder
    /// The store is of a later one.
    case storeIsNewer
    /// It is the name of no version that the profile knows.
    case unknown
  }

  init(of source: StoreSource) {
    names = source.kinds.profile.identifiers
    branches = Dictionary(
      source.kinds.profile.branches.map { ($0.version - 1, $0.name) }
    ) { first, _ in first }
    positions = source.stores.compactMap(\.version).map { $0 - 1 }
    told = Set(source.stores.flatMap { $0.store.metadata?.versionIdentifiers ?? [] }).sorted()
  }

  /// The version of the store for people; empty if nothing tells it.
  var text: String {
    let known = positions.filter(names.indices.contains).map {
      branches[$0] ?? names[$0]
    }
    return (known.isEmpty ? told : Set(known).sorted()).joined(separator: ", ")
  }

  /// Whether an app that came to a version reads a store that says it is of some: it migrates what is
  /// older, and cannot open what is newer.
  func isRead(_ identifiers: [String], byAppAt name: String) -> Bool {
    guard let last = names.lastIndex(of: name) else { return identifiers.contains(name) }
    return !identifiers.isEmpty
      && identifiers.allSatisfy { identifier in
        names.firstIndex(of: identifier).map { $0 <= last } ?? false
      }
  }

  /// Compares a version that the app names. What the tables are made of decides; what the store says of
  /// itself only where they tell nothing.
  func order(of name: String) -> Order {
    let named = names.indices.filter { names[$0] == name }
    if positions.isEmpty { return told.contains(name) ? .same : .unknown }
    guard let first = named.first, let oldest = positions.min() else { return .unknown }
    if positions.contains(where: named.contains) { return .same }
    return oldest < first ? .storeIsOlder : .storeIsNewer
  }
}
