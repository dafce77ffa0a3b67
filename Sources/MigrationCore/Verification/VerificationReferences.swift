import Backups
import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// What the documents of a folder are compared with.
package struct VerificationReferences {
  /// Calls its argument with one batch of entities after the other, the month they belong to and
  /// what messages call their place.
  typealias Entries = (
    _ body: (EntityBatch, Month?, String) throws(MigrationError) -> Void
  ) throws(MigrationError) -> Void

  /// What people call the reference.
  var name: String
  /// Sets of legacy files.
  var folders: [VerificationInput.Reference] = []
  /// Entities that come one by one.
  var entries: Entries?
  /// Makes the entities of stores, but for rows that need no line.
  var lines: ((_ settled: SettledRows) -> StoreEntries)?
  /// What making entities of stores brings to light, once all were made.
  typealias StoreEntries = (entries: Entries, findings: () -> [Finding])
  /// The kinds that the app of stores keeps elsewhere, which nobody gave.
  var kindsNotGiven: Set<EntityKind> = []
  /// What compares the cells of stores, if they are the reference.
  var witness: StoreWitness?
  /// The rows of the stores of which cells alone may decide.
  var plainRows: PlainRows?
  /// Findings about the reference itself.
  var findings: [Finding] = []
  /// What the quarantine of the folder holds, if it is part of the reference.
  var quarantine: [Quarantine.Content] = []
  /// The images that those of the folder are compared with, unless these are the folder's own.
  var images: ReferenceImages?
  /// Whether the reference is what the documents were made from: entities that are not in it were
  /// made later, and that is no error.
  var isInPlace = false

  /// The legacy files of a folder.
  static func legacyFiles(
    of folder: Directory, _ inventory: FolderInventory, rules: EntityRules
  ) -> VerificationReferences {
    var references = VerificationReferences(name: "legacy files", isInPlace: true)
    references.folders.append(
      VerificationInput.Reference(
        directory: folder, inventory: inventory, rules: rules, pathPrefix: "", place: .folder))
    return references
  }

  /// The legacy files of a folder and of its quarantine, newest first: an earlier migration that was
  /// rolled back may have left older versions of an entity there, which say nothing any more.
  static func inPlace(
    _ folder: Directory, _ inventory: FolderInventory, rules: EntityRules
  ) throws(MigrationError) -> VerificationReferences {
    var references = legacyFiles(of: folder, inventory, rules: rules)
    var hasQuarantine = false
    for run in try Quarantine.runs(of: folder, noting: &references.findings).reversed() {
      let quarantined = try Quarantine.inventory(
        of: run, as: inventory.kinds, noting: &references.findings)
      references.quarantine.append(Quarantine.Content(run: run, inventory: quarantined))
      guard quarantined.hasLegacyFiles else { continue }
      hasQuarantine = true
      references.folders.append(
        VerificationInput.Reference(
          directory: run.directory, inventory: quarantined, rules: rules,
          pathPrefix: run.path.description + "/", place: .quarantine))
    }
    if hasQuarantine {
      references.name = inventory.hasLegacyFiles ? "legacy files and quarantine" : "quarantine"
    }
    return references
  }

  /// A folder that is compared with, as it was listed.
  struct Listed {
    let path: String
    let directory: Directory
    let inventory: FolderInventory
    /// What could not be listed.
    let unlisted: [Finding]

    init(_ path: String, context: RunContext) throws(MigrationError) {
      self.path = path
      directory = try FolderAccess.open(path, context: context)
      try FolderAccess.requireFinishedSteps(in: directory)
      var unlisted: [Finding] = []
      inventory = try FolderAccess.inventory(
        of: directory, as: context.kinds, threads: context.workerCount, noting: &unlisted)
      self.unlisted = unlisted
    }

    /// Whether all of it was listed, and nothing in it is of the app.
    var holdsNothing: Bool {
      unlisted.isEmpty && inventory.documents.isEmpty && !inventory.hasLegacyFiles
    }
  }

  /// The legacy files of another folder.
  static func folder(
    _ listed: Listed, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    let (path, directory, inventory) = (listed.path, listed.directory, listed.inventory)
    var references = VerificationReferences(name: path)
    let found = listed.unlisted
    references.images = .inFolder(directory, inventory, shown: path)
    guard inventory.documents.isEmpty else {
      // What such a folder says is what an export of it says: documents win over legacy files.
      let exported = try ExportedStream(
        of: path, numericDates: rules.numericDates, context: context)
      references.findings = (found + exported.findings).filter { $0.severity > .info }
      references.entries = entries { () throws(FolderError) in
        try InterchangeReader(exported.bytes, name: path, of: context.kinds, rules: rules)
      }
      return references
    }
    references.findings = (found + inventory.findings()).map { finding in
      var finding = finding
      finding.path = "\(path)/\(finding.path)"
      return finding
    }
    references.folders = [
      VerificationInput.Reference(
        directory: directory, inventory: inventory, rules: rules, pathPrefix: path + "/",
        place: .elsewhere)
    ]
    return references
  }

  /// The legacy files of a backup, which is verified first; of one without them, what its documents
  /// show.
  static func backup(
    _ path: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    let backup = try BackupAccess.verify(path, context: context)
    var references = VerificationReferences(name: path)
    references.images = .inBackup(backup.manifest, shown: path)
    references.entries = BackupEntities(of: backup, rules: rules, context: context).forEachBatch
    return references
  }

  /// The entities of an interchange stream.
  static func stream(
    _ source: ByteSource, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    var references = VerificationReferences(name: source.name)
    references.entries = entries { () throws(FolderError) in
      try InterchangeReader(
        FileReader(borrowing: source.descriptor, path: source.name), of: context.kinds,
        rules: rules)
    }
    return references
  }

  /// The rows of stores; nil are none.
  static func stores(
    _ stores: StoreSource?, at path: String, rules: EntityRules
  ) throws(MigrationError) -> VerificationReferences {
    var references = VerificationReferences(name: path)
    guard let stores else { return references }
    references.findings = stores.findings + (try stores.countRemainder())
    references.kindsNotGiven = stores.kindsNotGiven
    references.witness = StoreWitness(stores)
    references.lines = { settled in
      let lines = stores.lines(besides: settled)
      return (
        entries { () throws(FolderError) in try lines.reader(rules: rules) },
        { lines.gaps }
      )
    }
    do throws(StoreError) { references.plainRows = try PlainRows(stores) } catch {
      throw MigrationError(error)
    }
    return references
  }

  /// The entities that come one by one; of stores but for rows that need no line.
  func entries(besides settled: SettledRows) -> StoreEntries? {
    lines?(settled) ?? entries.map { ($0, { [] }) }
  }

  /// The entities of a stream that is opened when they are asked for.
  private static func entries(
    _ open: @escaping () throws(FolderError) -> InterchangeReader
  ) -> Entries {
    { body throws(MigrationError) in try InterchangeReader.forEachBatch(body, of: open) }
  }
}

extension StoreLines {
  /// What no line says and nobody compares: what is missing on both sides is no difference, and what cannot
  /// be read may be one.
  var gaps: [Finding] {
    findings.filter { $0.code == .missingFile }.map(\.asGap)
      + findings.filter { $0.code == .unreadable }
  }
}

extension Finding {
  /// The finding where what is there was compared, and what is not there is no difference.
  var asGap: Finding {
    var finding = self
    finding.severity = min(severity, .warning)
    return finding
  }
}

/// What is found at a path that a verification is to compare with.
///
/// A stream is read from a file that stays open as long as this value is kept.
package struct ReferencePlace: Sendable {
  /// What to compare with.
  package let reference: VerificationOptions.Reference
  private let stream: FileReader?

  /// Tells by what is there: a directory is a folder, a file that starts like an interchange stream
  /// is one, a pipe is one too, and anything else has to be a backup.
  package init(path: String) throws(MigrationError) {
    do throws(FileError) {
      let reader = try FileReader.open(path: path)
      switch try reader.state().kind {
      case .directory:
        reference = .folder(path: path)
        stream = nil
      case .regular:
        guard try Self.startsLikeStream(reader) else {
          reference = try Self.isStore(path) ? .stores(path: path) : .backup(path: path)
          stream = nil
          return
        }
        let stream = try FileReader.open(path: path)
        reference = .stream(ByteSource(name: stream.path, descriptor: stream.descriptor))
        self.stream = stream
      default:
        reference = .stream(ByteSource(name: reader.path, descriptor: reader.descriptor))
        stream = reader
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// No archive begins as a database does.
  private static func isStore(_ path: String) throws(FileError) -> Bool {
    let reader = try FileReader.open(path: path)
    var start = [UInt8](repeating: 0, count: DatabaseHeader.magic.count)
    return try reader.read(into: &start) == start.count && start == DatabaseHeader.magic
  }

  /// JSON starts with a brace, after a byte order mark if there is one; no archive does.
  private static func startsLikeStream(_ reader: FileReader) throws(FileError) -> Bool {
    var start = [UInt8](repeating: 0, count: 4)
    let count = try reader.read(into: &start)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = start.starts(with: mark) ? start[3..<max(3, count)] : start[..<count]
    return text.first == UInt8(ascii: "{")
  }
}
