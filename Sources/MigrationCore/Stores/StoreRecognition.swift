import Diagnostics
import Folders
import Runs
import SwiftDataStores

/// Finds out whose stores these are, and of which version.
///
/// What the tables are made of decides; what a store says of its version is a second witness.
struct StoreRecognition {
  private let stores: [Store]
  private let path: String
  private let context: RunContext

  init(_ stores: [Store], at path: String, _ context: RunContext) {
    (self.stores, self.path, self.context) = (stores, path, context)
  }

  /// Returns the stores with the profile that was given, else with the one that fits, else with one
  /// made of the model of the only store.
  func source() throws(MigrationError) -> StoreSource {
    if !context.kinds.isMinuta {
      return try source(of: context.kinds)
    }
    for profile in Profile.builtIn where profile.describesStore {
      let matches = stores.compactMap { StoreMatch($0, profile) }
      guard matches.count == stores.count, matches.contains(where: \.isLikely) else { continue }
      return source(of: EntityKinds(profile, givenAs: profile.name), matches)
    }
    guard stores.count == 1 else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: path,
          problem: "holds \(stores.count.counted("store")) that no built-in profile knows",
          remedy: "give one of them"))
    }
    return try source(of: EntityKinds(GenericProfile(of: stores[0]).profile()))
  }

  private func source(of kinds: EntityKinds) throws(MigrationError) -> StoreSource {
    var matches: [StoreMatch] = []
    for store in stores {
      guard let match = StoreMatch(store, kinds.profile) else {
        throw .underlying(
          Diagnostic(
            .conflictsWithData, subject: store.files.path,
            problem: "has an entity that the profile \(kinds.profileName) does not know",
            remedy: "run the command again without --profile, or with another one"))
      }
      matches.append(match)
    }
    return source(of: kinds, matches)
  }

  private func source(of kinds: EntityKinds, _ matches: [StoreMatch]) -> StoreSource {
    var findings: [Finding] = []
    let opened = zip(stores, matches).map { store, match in
      findings += store.findings + match.findings
      return StoreSource.Opened(
        store: store, version: match.version,
        entities: match.entities.compactMap { layout, kind in
          let kind = kinds.all[kind]
          return kinds[kind].map {
            StoreEntity(layout, as: kind, $0, among: store.layout, store.model)
          }
        })
    }
    return StoreSource(path: path, kinds: kinds, stores: opened, findings: findings)
  }
}

/// How a store is one of a profile.
struct StoreMatch {
  /// The entities with the positions of their kinds.
  let entities: [(EntityLayout, Int)]
  /// The versions that the tables are of, ascending.
  let versions: [Int]
  /// The version that both witnesses say, or that the tables say alone; nil if they are of none.
  let version: Int?
  let findings: [Finding]
  /// Whether the profile knows at least half of its entities and half of their properties.
  let isLikely: Bool

  /// Looks at a store; nil if the profile knows none of its entities.
  init?(_ store: Store, _ profile: Profile) {
    var entities: [(EntityLayout, Int)] = []
    var unknown: [EntityLayout] = []
    for layout in store.layout.entities where !layout.table.isEmpty {
      let kind = profile.kinds.firstIndex { $0.home?.rows?.holds(layout.name) ?? false }
      if let kind { entities.append((layout, kind)) } else { unknown.append(layout) }
    }
    guard !entities.isEmpty else { return nil }
    self.entities = entities
    var (known, all) = (0, 0)
    for (layout, kind) in entities {
      let names = Self.names(of: layout)
      all += names.count
      known += names.intersection(Self.names(of: profile.kinds[kind], in: nil)).count
    }
    isLikely = entities.count >= unknown.count && 2 * known >= all
    let versions = (1...profile.version).filter { version in
      entities.allSatisfy { layout, kind in
        Self.fits(layout, profile.kinds[kind], version)
      }
    }
    self.versions = profile.identifiers.isEmpty ? [] : versions
    let identifiers = store.metadata?.versionIdentifiers ?? []
    let told = versions.filter { version in
      version <= profile.identifiers.count && identifiers.contains(profile.identifiers[version - 1])
    }
    version = profile.identifiers.isEmpty ? nil : told.last ?? versions.last
    var findings = unknown.map { layout in
      Finding(
        .unknownEntity, .error, path: store.files.path,
        message:
          "the profile \(profile.name) does not know the entity \(layout.name): its rows are "
          + "not carried",
        next:
          "add it to a profile file, which inspect-crdt --print-profile \(profile.name) begins, "
          + "and give that with --profile")
    }
    if versions.isEmpty, !profile.identifiers.isEmpty {
      findings.append(
        Finding(
          .unknownVersion, .warning, path: store.files.path,
          message:
            "its tables are those of no version that the profile \(profile.name) knows: what "
            + "it does not know is carried as it is"))
    } else if told.isEmpty, !identifiers.isEmpty, !profile.identifiers.isEmpty {
      let numbers = versions.map(String.init).joined(separator: " or ")
      findings.append(
        Finding(
          .dormantVersioning, .warning, path: store.files.path,
          message: "it says that it is of version \(identifiers.joined(separator: ", ")), and its "
            + "tables are those of version \(numbers)"))
    }
    self.findings = findings
  }

  /// Whether an entity has exactly the properties that a kind has in a version.
  private static func fits(_ layout: EntityLayout, _ kind: EntityKindProfile, _ version: Int)
    -> Bool
  {
    guard names(of: layout) == names(of: kind, in: version) else { return false }
    guard let until = kind.home?.rows?.uniqueUntil, let identity = kind.identity.property else {
      return true
    }
    let isUnique = layout.uniqueTogether.contains { names in
      names.count == 1 && names[0].lowercased() == identity.description.lowercased()
    }
    return isUnique == (version < until)
  }

  /// The names of what has a place of its own in the tables; what only leads back to it has none.
  private static func names(of layout: EntityLayout) -> Set<String> {
    Set(
      layout.properties.compactMap { property in
        switch property.place {
        case .attribute, .toOne, .links: property.name.lowercased()
        case .toMany, .missing: nil
        }
      })
  }

  private static func names(of kind: EntityKindProfile, in version: Int?) -> Set<String> {
    let properties = kind.properties.filter { property in
      guard let version else { return true }
      return property.since <= version && (property.until ?? .max) > version
    }
    return Set(
      properties.map { $0.name.description.lowercased() }
        + (kind.identity.property.map { [$0.description.lowercased()] } ?? []))
  }
}
