import Diagnostics
import Folders
import SwiftDataStores

/// The version of a profile that a store differs least from, and by what.
struct NearestVersion {
  /// What the version is called.
  private let name: String
  /// What differs, an entity each.
  private let differences: [String]
  /// How many names are missing, or are there besides.
  let count: Int

  /// How many differences are told.
  private static let mostTold = 6

  /// Compares a store with every version; nil if the profile knows none of its entities.
  init?(of store: Store, _ profile: Profile) {
    let layouts = store.layout.entities.filter { !$0.table.isEmpty }
    let isKnown = layouts.contains { layout in
      profile.kinds.contains { $0.home?.rows?.holds(layout.name) ?? false }
    }
    guard isKnown else { return nil }
    let names = profile.identifiers
    let told = store.metadata?.versionIdentifiers ?? []
    var nearest: (version: Int, differences: [(text: String, count: Int)], count: Int)?
    // Of versions that differ as little it is the one that the store names, else the last.
    // One that no other grew out of is recognised or it is not.
    let versions = (1...profile.version).reversed().filter { version in
      !profile.branches.contains { $0.version == version }
    }
    let isTold = { names.indices.contains($0 - 1) && told.contains(names[$0 - 1]) }
    for version in versions.filter(isTold) + versions.filter({ !isTold($0) }) {
      let found = Self.differences(of: layouts, profile, version)
      let count = found.reduce(0) { $0 + $1.count }
      if count < nearest?.count ?? .max { nearest = (version, found, count) }
    }
    guard let (version, found, count) = nearest else { return nil }
    name =
      names.indices.contains(version - 1)
      ? "version \(names[version - 1]) of \(profile.name)" : profile.name
    differences = found.map(\.text)
    self.count = count
  }

  /// What is nearest, and by what the store differs from that.
  var text: String {
    let told = differences.prefix(Self.mostTold)
    let rest = differences.count - told.count
    return "nearest is \(name)"
      + (told.isEmpty ? "" : ": " + told.joined(separator: ", "))
      + (rest > 0 ? ", and \(rest.counted("more difference"))" : "")
  }

  private static func differences(
    of layouts: [EntityLayout], _ profile: Profile, _ version: Int
  ) -> [(text: String, count: Int)] {
    var differences: [(text: String, count: Int)] = []
    for layout in layouts {
      guard let kind = profile.kinds.first(where: { $0.home?.rows?.holds(layout.name) ?? false })
      else {
        differences.append(("the entity \(layout.name) is more", layout.properties.count + 1))
        continue
      }
      let (held, known) = (StoreMatch.names(of: layout), StoreMatch.names(of: kind, in: version))
      let (more, missing) = (held.subtracting(known), known.subtracting(held))
      if more.isEmpty, missing.isEmpty {
        guard !StoreMatch.fits(layout, kind, version) else { continue }
        differences.append(("identities of \(layout.name) are kept unique otherwise", 1))
        continue
      }
      let parts = [
        more.isEmpty ? nil : "has more: \(shown(more, of: layout, kind))",
        missing.isEmpty ? nil : "lacks \(shown(missing, of: layout, kind))",
      ]
      differences.append(
        (
          "\(layout.name) \(parts.compactMap(\.self).joined(separator: " and "))",
          more.count + missing.count
        ))
    }
    for kind in profile.kinds where !kind.isPrivate {
      guard let rows = kind.home?.rows, !layouts.contains(where: { rows.holds($0.name) }),
        kind.properties.contains(where: { $0.since <= version && ($0.until ?? .max) > version })
      else { continue }
      differences.append(("there is no entity for \(kind.name)", 1))
    }
    return differences
  }

  /// Names as the store or the profile has them, ascending.
  private static func shown(
    _ names: Set<String>, of layout: EntityLayout, _ kind: EntityKindProfile
  ) -> String {
    let all = layout.properties.map(\.name) + kind.properties.map(\.name.description)
    return names.sorted().map { name in
      DisplayText.escaping((all.first { $0.lowercased() == name } ?? name).utf8)
    }.joined(separator: " and ")
  }
}
