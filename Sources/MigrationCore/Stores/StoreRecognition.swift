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
  /// What is told of the place besides.
  private let findings: [Finding]

  init(
    _ stores: [Store], at path: String, _ context: RunContext, noting findings: [Finding] = []
  ) {
    (self.stores, self.path, self.context, self.findings) = (stores, path, context, findings)
  }

  /// Returns the stores with the profile that was given, else with the one that fits, else with one
  /// made of the model of the only store.
  func source() throws(MigrationError) -> StoreSource {
    if context.kinds.toldName != nil {
      return try source(of: context.kinds)
    }
    for profile in Profile.builtIn where profile.describesStore {
      let matches = stores.compactMap { StoreMatch($0, profile) }
      guard matches.count == stores.count, matches.contains(where: \.isLikely) else { continue }
      return try source(of: EntityKinds(profile, givenAs: profile.name), matches)
    }
    guard stores.count == 1 else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: path,
          problem: "holds \(stores.count.counted("store")) that no built-in profile knows",
          remedy: "give one of them"))
    }
    return try source(
      of: EntityKinds(GenericProfile(of: stores[0]).profile()), noting: nearestProfile)
  }

  /// Tells which built-in profile comes nearest where none fits, if one knows any entity.
  private var nearestProfile: [Finding] {
    let known = Profile.builtIn.filter(\.describesStore).compactMap { profile in
      NearestVersion(of: stores[0], profile)
    }
    guard let nearest = known.min(by: { $0.count < $1.count }) else { return [] }
    return [
      Finding(
        .unknownVersion, .info, path: stores[0].files.path,
        message: "no built-in profile knows most of it; \(nearest.text)")
    ]
  }

  private func source(
    of kinds: EntityKinds, noting others: [Finding] = []
  ) throws(MigrationError) -> StoreSource {
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
    return try source(of: kinds, matches, noting: others)
  }

  private func source(
    of kinds: EntityKinds, _ matches: [StoreMatch], noting others: [Finding] = []
  ) throws(MigrationError) -> StoreSource {
    var findings = findings + others + zip(stores, matches).flatMap { $0.findings + $1.findings }
    let kinds = withoutIdleChecks(extended(kinds, &findings), matches)
    if kinds.profileName == GenericProfile.name { findings += renamed }
    let opened = zip(stores, matches).map { store, match in
      context.explain(
        store.files.path,
        message: "is read with the profile \(kinds.profileName), "
          + (match.version.map { "version \($0), which its tables show" }
            ?? "whose versions its tables do not tell apart"))
      return StoreSource.Opened(
        store: store, version: match.version, entities: StoreEntity.all(of: store, as: kinds))
    }
    var preferences: PreferenceEntities?
    if let path = context.preferences {
      preferences = try PreferenceEntities(
        AppPreferences.read(path, context: context), at: path, of: kinds)
    }
    return StoreSource(
      path: path, kinds: kinds, stores: opened, findings: findings, preferences: preferences)
  }

  /// Tells of entities whose kinds cannot have their names.
  private var renamed: [Finding] {
    stores.flatMap { store in
      store.layout.entities.filter { !$0.table.isEmpty && StoreRows.isName($0.name) }
        .compactMap { entity in
          let name = GenericProfile.kindName(of: entity)
          if name == entity.name { return nil }
          return Finding(
            .unknownEntity, .info, path: store.files.path,
            message:
              "the rows of the entity \(DisplayText.escaping(Array(entity.name.utf8))) are of the "
              + "kind \(name): no kind can have its name")
        }
    }
  }

  /// Leaves out checks of what the tables do not have, where all stores are of a version that no other
  /// grew out of: nothing of it is missing there.
  private func withoutIdleChecks(_ kinds: EntityKinds, _ matches: [StoreMatch]) -> EntityKinds {
    let profile = kinds.profile
    guard let branch = profile.branches.first(where: { $0.version == matches.first?.version }),
      matches.allSatisfy({ $0.version == branch.version })
    else { return kinds }
    let checked = profile.kinds.map { kind in
      var kind = kind
      if let known = branch.properties(of: kind.name) {
        kind.checks.removeAll { check in
          !known.contains(check.property) || check.other.map { !known.contains($0) } ?? false
        }
      }
      return kind
    }
    do throws(ProfileDefect) {
      let profile = try Profile(
        name: profile.name, version: profile.version, description: profile.description,
        lock: profile.lock, recognition: profile.recognition, identifiers: profile.identifiers,
        branches: profile.branches, kinds: checked)
      return EntityKinds(profile, givenAs: kinds.options.last)
    } catch {
      // What keeps the rules keeps them with fewer checks, too.
      return kinds
    }
  }

  /// Adds kinds for the entities that the profile does not know: their rows are carried, too.
  private func extended(_ kinds: EntityKinds, _ findings: inout [Finding]) -> EntityKinds {
    var profile = kinds.profile
    for store in stores {
      let more = GenericProfile.extending(profile, with: store)
      profile = more.profile
      func told(_ entity: EntityLayout, _ severity: Severity, _ what: String, _ next: String)
        -> Finding
      {
        Finding(
          .unknownEntity, severity, path: store.files.path,
          message:
            "the profile \(kinds.profileName) does not know the entity \(entity.name): its rows are "
            + what, next: next)
      }
      findings += more.carried.map { entity in
        told(
          entity, .warning,
          "carried as they are, as the kind \(GenericProfile.kindName(of: entity))",
          "for commands that read the documents: inspect-crdt --profile-from "
            + "\(ShellWord.quoting(path)) writes the profile that they need with --profile")
      }
      findings += more.left.map { entity in
        told(
          entity, .error, "not carried",
          "describe it in a profile file, which inspect-crdt --print-profile \(kinds.profileName) "
            + "begins, and give that with --profile")
      }
    }
    return profile == kinds.profile ? kinds : EntityKinds(profile, givenAs: kinds.options.last)
  }
}

/// How a store is one of a profile.
struct StoreMatch {
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
    var unknownCount = 0
    for layout in store.layout.entities where !layout.table.isEmpty {
      let kind = profile.kinds.firstIndex { $0.home?.rows?.holds(layout.name) ?? false }
      if let kind { entities.append((layout, kind)) } else { unknownCount += 1 }
    }
    guard !entities.isEmpty else { return nil }
    var (known, all) = (0, 0)
    for (layout, kind) in entities {
      let names = Self.names(of: layout)
      all += names.count
      known += names.intersection(Self.names(of: profile.kinds[kind], in: nil)).count
    }
    isLikely = entities.count >= unknownCount && 2 * known >= all
    let versions = (1...profile.version).filter { version in
      let branch = profile.branches.first { $0.version == version }
      return entities.allSatisfy { layout, kind in
        Self.fits(layout, profile.kinds[kind], version, branch)
      }
    }
    self.versions = profile.identifiers.isEmpty ? [] : versions
    let identifiers = store.metadata?.versionIdentifiers ?? []
    let told = versions.filter { version in
      version <= profile.identifiers.count && identifiers.contains(profile.identifiers[version - 1])
    }
    version =
      profile.identifiers.isEmpty
      ? nil : told.last ?? Self.onlyVersion(among: versions, of: profile)
    var findings: [Finding] = []
    if versions.isEmpty, !profile.identifiers.isEmpty {
      findings.append(
        Finding(
          .unknownVersion, .warning, path: store.files.path,
          message:
            "its tables are those of no version that the profile \(profile.name) knows: what "
            + "it does not know is carried as it is"
            + (NearestVersion(of: store, profile).map { "; \($0.text)" } ?? "")))
    } else if told.isEmpty, !identifiers.isEmpty, !profile.identifiers.isEmpty {
      let numbers = versions.map { version in
        profile.branches.first { $0.version == version }?.name ?? String(version)
      }.joined(separator: " or ")
      findings.append(
        Finding(
          .dormantVersioning, .warning, path: store.files.path,
          message: "it says that it is of version \(identifiers.joined(separator: ", ")), and its "
            + "tables are those of version \(numbers)"))
    }
    self.findings = findings
  }

  /// The one of several versions that tables are of which no other witness tells apart: the first, where
  /// later ones have nothing new; else nobody knows.
  private static func onlyVersion(among versions: [Int], of profile: Profile) -> Int? {
    guard let first = versions.first, let last = versions.last else { return nil }
    let changes = profile.kinds.flatMap { kind in
      kind.properties.flatMap { [$0.since, $0.until] } + [kind.home?.rows?.uniqueUntil]
    }
    let isChanged = changes.contains { change in
      change.map { first < $0 && $0 <= last } ?? false
    }
    return isChanged || profile.branches.contains { $0.version > first && $0.version <= last }
      ? nil : first
  }

  /// Whether an entity has exactly the properties that a kind has in a version.
  static func fits(
    _ layout: EntityLayout, _ kind: EntityKindProfile, _ version: Int,
    _ branch: VersionBranch? = nil
  ) -> Bool {
    if let branch {
      guard let properties = branch.properties(of: kind.name) else { return false }
      let all = properties + (kind.identity.property.map { [$0] } ?? [])
      return names(of: layout) == Set(all.map { $0.description.lowercased() })
    }
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
  static func names(of layout: EntityLayout) -> Set<String> {
    Set(
      layout.properties.compactMap { property in
        switch property.place {
        case .attribute, .composite, .toOne, .links: property.name.lowercased()
        case .toMany, .missing: nil
        }
      })
  }

  static func names(of kind: EntityKindProfile, in version: Int?) -> Set<String> {
    let properties = kind.properties.filter { property in
      guard let version else { return true }
      return property.since <= version && (property.until ?? .max) > version
    }
    return Set(
      properties.map { $0.name.description.lowercased() }
        + (kind.identity.property.map { [$0.description.lowercased()] } ?? []))
  }
}
