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
    /// What it was before; nil if it is new, or nobody knows.
    var before: ContentHash?

    /// Whether nobody knows what it was before: a restore brought it, and the step was done elsewhere.
    var isBrought: Bool { !isNew && before == nil }
  }

  let id: MigrationID
  let checksum: ContentHash
  /// The directory below which the files lie as they were.
  let originals: RelativePath
  let entries: [Entry]
  /// The entities that it has made, as they are told.
  let made: Set<String>
  /// The entities that it has changed where it ran for those alone that had come later; empty where it ran
  /// for all.
  var late: Set<String> = []
  /// The entities that it has seen of kinds for whose entities it makes others; where it has folds, also what
  /// these put together and what gets that, and `foldsMark`. Where it was only taken as done, and does neither, all
  /// that was there.
  var sources: Set<String> = []
  /// The files that undoing it did not give back, because they were gone.
  var left: Set<RelativePath> = []
  /// Whether nobody has undone it: a restore has taken away all that it made, if what it made is in no file.
  var isRestored = false
}

extension FileStepRecord {
  /// What says that all is noted which folds had to do with; it names no entity.
  static let foldsMark = ""
  /// What stands in the place of a directory where an entity is named, and no file.
  private static let entityDomain = "entity"
  /// The same for entities that came later than the step, which it ran for alone.
  private static let lateDomain = "late"
  /// The same for those that it has seen, and makes others for.
  private static let sourceDomain = "source"
  /// The same, where a file is named that undoing the step did not give back.
  private static let leftDomain = "left"
  /// The same, where it is said that a restore has taken away what the step made.
  private static let restoredDomain = "restored"
  /// The same, where it is said what a file was.
  private static let originalDomain = "original"

  /// Reads a line of the log; nil if a step over files and preferences wrote it.
  init?(_ line: SchemaLine) {
    guard
      let originals = DisplayText.bytes(shownAs: line.record.replaced.first?.key.domain ?? "")
        .flatMap({ RelativePath($0) }), originals.bytes.starts(with: Self.place.bytes)
    else { return nil }
    var entries: [Entry] = []
    var left: Set<RelativePath> = []
    var (made, late, sources): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    var isRestored = false
    for replaced in line.record.replaced.dropFirst() {
      guard replaced.key.domain != Self.entityDomain else {
        made.insert(replaced.key.name)
        continue
      }
      guard replaced.key.domain != Self.lateDomain else {
        late.insert(replaced.key.name)
        continue
      }
      guard replaced.key.domain != Self.sourceDomain else {
        sources.insert(replaced.key.name)
        continue
      }
      guard replaced.key.domain != Self.restoredDomain else {
        isRestored = true
        continue
      }
      guard let path = DisplayText.bytes(shownAs: replaced.key.name).flatMap({ RelativePath($0) }),
        let hash = ContentHash(hexDigits: Array(replaced.value.description.utf8)[...])
      else { return nil }
      guard replaced.key.domain != Self.leftDomain else {
        left.insert(path)
        continue
      }
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
      made: made, late: late, sources: sources, left: left, isRestored: isRestored)
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
    for entity in late.sorted() {
      replaced.append(.init(StorageKey(Self.lateDomain, entity), none))
    }
    for entity in sources.sorted() {
      replaced.append(.init(StorageKey(Self.sourceDomain, entity), none))
    }
    for path in left.sorted() {
      replaced.append(.init(StorageKey(Self.leftDomain, DisplayText.escaping(path.bytes)), none))
    }
    if isRestored { replaced.append(.init(StorageKey(Self.restoredDomain, ""), none)) }
    return SchemaLine(
      record: StepRecord(id: id, stage, value: none, replaced: replaced, moment: nil),
      checksum: checksum)
  }

  /// Whether another line tells of the same run of a step: each run has a directory of its own.
  func isSameRun(as other: FileStepRecord) -> Bool {
    id == other.id && originals == other.originals
  }

  /// What is noted of some files alone.
  func only(_ entries: [Entry]) -> FileStepRecord {
    FileStepRecord(
      id: id, checksum: checksum, originals: originals, entries: entries, made: [])
  }

  /// The same, with files that undoing it did not give back.
  func leaving(_ paths: some Sequence<RelativePath>) -> FileStepRecord {
    var record = self
    record.left = Set(paths)
    return record
  }

  /// The step as a record has it.
  var step: SchemaRecord.Step { SchemaRecord.Step(id: id.rawValue, checksum: checksum) }

  /// Where files lie as they were before a run of a step.
  static func originals(of step: String, _ number: Int) -> RelativePath? {
    RelativePath(place.bytes + Array("/\(step)/\(number)".utf8))
  }

  /// Whether nothing was changed or made: the step was only taken as done, or there was nothing for it.
  var hasNoEffect: Bool { entries.isEmpty && made.isEmpty }

  /// Where a file lies as it was, or once it is away again.
  func place(of path: RelativePath) -> RelativePath? {
    RelativePath(originals.bytes + [UInt8(ascii: "/")] + path.bytes)
  }

  static let place = RelativePath(FolderNames.state).appending(FolderNames.schema)
}
