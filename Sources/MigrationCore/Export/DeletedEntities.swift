import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// Tells which entities of a backup an export does not show any more.
struct DeletedEntities {
  private let setAside: SetAsideMonths
  /// Whether every document was read, so that what none of them shows was deleted.
  private let hasReadAll: Bool

  /// What is told of documents, or of a place of documents, that nobody could read.
  private static let hiding: Set<FindingCode> = [
    .unreadable, .placeholder, .symbolicLink, .damagedDocument, .incompleteDocument,
  ]

  /// Prepares to tell, once everything else is written.
  ///
  /// - Parameter report: gets what is told of months that were set aside.
  init(
    of folder: Directory, context: RunContext, to report: inout ExportReport
  ) throws(MigrationError) {
    setAside = try SetAsideMonths(of: folder, context: context)
    report.findings += setAside.findings.filter { !report.findings.contains($0) }
    hasReadAll = !report.findings.contains {
      $0.severity == .error && Self.hiding.contains($0.code)
    }
  }

  /// Whether an entity is neither shown nor in a month that was set aside; from then on it counts as
  /// shown.
  func isMissed(_ entity: LegacyEntity, _ shown: inout ShownEntities) -> Bool {
    shown.insert(entity.identity, entity.kind)
      && setAside.document(holding: entity.identity, entity.kind) == nil
  }

  /// Tells of an entity that is missed; whether it is to be exported. Whether it was deleted nobody knows
  /// as long as a document was not read.
  func note(
    _ title: String, at place: String, isExported: Bool, in report: inout ExportReport
  ) -> Bool {
    guard hasReadAll else {
      report.findings.append(
        Finding(
          .notLookedAt, .warning, path: place,
          message: "\(title) is in the backup, and in no document that could be read"))
      return false
    }
    report.deleted += 1
    report.findings.append(
      Finding(
        .deletedSince, .warning, path: place,
        message: "\(title) was deleted since the backup"
          + (isExported ? ", and is exported as it was then" : ""),
        next: isExported ? nil : "add --with-deleted if it is to come back"))
    return isExported
  }
}

/// What an export wrote so far, as far as a backup is compared with it.
struct ShownEntities {
  /// The entities of each kind, in the order of the kinds.
  private var identities: [Set<Identity>]
  private var names: [EntityGroup: Set<[UInt8]>] = [:]

  init(_ kinds: EntityKinds) { identities = kinds.all.map { _ in [] } }

  /// Notes an entity; false if it was there.
  @discardableResult
  mutating func insert(_ identity: Identity, _ kind: EntityKind) -> Bool {
    identities[Int(kind.index)].insert(identity).inserted
  }

  /// Notes what is written.
  mutating func insert(_ group: ExportedGroup) {
    for entity in group.entities {
      guard entity.kind != .other, let identity = Identity(entity.id.span) else { continue }
      insert(identity, entity.kind)
      if let name = entity.place.name { names[group.group, default: []].insert(name) }
    }
  }

  /// The names in a month.
  func names(of group: EntityGroup) -> Set<[UInt8]> { names[group] ?? [] }
}
