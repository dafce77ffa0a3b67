import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a step did to the JSON files of a folder: which ones, what they are since, and where they lie as
/// they were.
struct FileStepRecord {
  /// A file that the step has changed, or made.
  struct Entry: Hashable {
    let path: RelativePath
    /// Whether it was not there before.
    let isNew: Bool
    /// What it is after the step.
    let after: ContentHash
    /// What it was before; nil if it is new.
    var before: ContentHash?
  }

  let id: MigrationID
  let checksum: ContentHash
  /// The directory below which the files lie as they were.
  let originals: RelativePath
  let entries: [Entry]
  /// The entities that it has made, as they are told.
  let made: Set<String>
}

extension FileStepRecord {
  /// What stands in the place of a directory where an entity is named, and no file.
  private static let entityDomain = "entity"
  /// The same, where it is said what a file was.
  private static let originalDomain = "original"

  /// Reads a line of the log; nil if a step over files and preferences wrote it.
  init?(_ line: SchemaLine) {
    guard
      let originals = DisplayText.bytes(shownAs: line.record.replaced.first?.key.domain ?? "")
        .flatMap({ RelativePath($0) }), originals.bytes.starts(with: Self.place.bytes)
    else { return nil }
    var entries: [Entry] = []
    var made: Set<String> = []
    for replaced in line.record.replaced.dropFirst() {
      guard replaced.key.domain != Self.entityDomain else {
        made.insert(replaced.key.name)
        continue
      }
      guard let path = DisplayText.bytes(shownAs: replaced.key.name).flatMap({ RelativePath($0) }),
        let hash = ContentHash(hexDigits: Array(replaced.value.description.utf8)[...])
      else { return nil }
      guard replaced.key.domain != Self.originalDomain else {
        // It is said right behind what the file is now.
        guard entries.last?.path == path else { return nil }
        entries[entries.count - 1].before = hash
        continue
      }
      entries.append(Entry(path: path, isNew: replaced.key.domain.isEmpty, after: hash))
    }
    self.init(
      id: line.record.id, checksum: line.checksum, originals: originals, entries: entries,
      made: made)
  }

  /// The line of the log.
  func line(_ stage: StepRecord.Stage) -> SchemaLine? {
    let domain = DisplayText.escaping(originals.bytes)
    // The first says where files lie as they were, also if there are none.
    guard let none = ValueDigest(ContentHash.zero.description) else { return nil }
    var replaced = [StepRecord.Replaced(StorageKey(domain, ""), none)]
    for entry in entries {
      guard let after = ValueDigest(entry.after.description) else { return nil }
      let place = entry.isNew ? "" : domain
      let name = DisplayText.escaping(entry.path.bytes)
      replaced.append(.init(StorageKey(place, name), after))
      guard let hash = entry.before else { continue }
      guard let before = ValueDigest(hash.description) else { return nil }
      replaced.append(.init(StorageKey(Self.originalDomain, name), before))
    }
    for entity in made.sorted() {
      replaced.append(.init(StorageKey(Self.entityDomain, entity), none))
    }
    return SchemaLine(
      record: StepRecord(id: id, stage, value: none, replaced: replaced, moment: nil),
      checksum: checksum)
  }

  /// Whether another line tells of the same run of a step: each run has a directory of its own.
  func isSameRun(as other: FileStepRecord) -> Bool {
    id == other.id && originals == other.originals
  }

  /// Where a file lies as it was, or once it is away again.
  func place(of path: RelativePath) -> RelativePath? {
    RelativePath(originals.bytes + [UInt8(ascii: "/")] + path.bytes)
  }

  static let place = RelativePath(FolderNames.state).appending(FolderNames.schema)
}

/// The entities that steps have made: what a step makes is not before it, whatever it shows.
struct MadeEntities: Sendable {
  private var made: [MigrationID: Set<String>] = [:]

  init(_ records: [(record: FileStepRecord, stage: StepRecord.Stage)]) {
    for (record, stage) in records where stage == .done {
      made[record.id, default: []].formUnion(record.made)
    }
  }

  /// Whether a step has made an entity.
  func contain(_ entity: ChangingEntity, of step: MigrationID, _ kinds: EntityKinds) -> Bool {
    made[step]?.contains(kinds.title(entity.kind, entity.identity)) ?? false
  }
}
