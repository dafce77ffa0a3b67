import Automerge
import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles
import Synchronization

/// Tells whether a backup holds entities that a folder holds, or ever held.
///
/// A folder and its backup share nearly all entities, whatever was edited since: a sample of the
/// backup's files decides. The folder is read once, and only if somebody asks.
///
/// Where a part of the folder cannot be looked at, backups that share nothing with the rest may be of
/// that part: each of them is told.
final class SharedContent: Sendable {
  /// What the folder holds, and the first part of it that could not be looked at.
  private struct Content {
    var identities: Set<Identity> = []
    var problem: Finding?
  }

  /// How many files of a backup are looked into.
  private static let sampleCount = 32
  /// The largest of them.
  private static let largestFile = 64 << 20

  private let folder: Directory
  private let context: RunContext
  /// The kinds whose identities tell one folder from another.
  private let telling: Set<EntityKind>
  /// Those of them that do where a backup holds none of the others.
  private let tellingOtherwise: Set<EntityKind>
  private let known = Mutex<Content?>(nil)
  private let undecided = Mutex<[String: Finding]>([:])

  /// Prepares to compare backups with a folder.
  init(of folder: Directory, context: RunContext) {
    self.folder = folder
    self.context = context
    let (first, otherwise) = context.kinds.telling
    telling = first.union(otherwise)
    tellingOtherwise = otherwise
  }

  /// What is told of the backups of which nobody knows whether they are the folder's.
  var findings: [Finding] { undecided.withLock { Array($0.values) } }

  /// Compares the content of a backup with the folder's.
  func compare(
    _ archive: BackupArchive, _ manifest: BackupManifest
  ) throws(BackupError) -> FolderBond.Comparison {
    let content = try folderContent()
    var holdsEntities = false
    var isShared = false
    try archive.read(sample(of: manifest), of: manifest) { path, bytes in
      let found = identities(in: bytes, at: path)
      if !found.isEmpty { holdsEntities = true }
      isShared = found.contains { content.identities.contains($0) }
      return !isShared
    }
    if isShared { return .shared }
    if holdsEntities, let problem = content.problem {
      note(archive, problem)
      return .unknown(backupHoldsEntities: true)
    }
    return holdsEntities && !content.identities.isEmpty
      ? .different : .unknown(backupHoldsEntities: holdsEntities)
  }

  private func note(_ archive: BackupArchive, _ problem: Finding) {
    let finding = Finding(
      .notLookedAt, .error, path: archive.path,
      message: "whether it is a backup of this folder is not known: "
        + "\(problem.path): \(problem.message)",
      next: problem.next)
    undecided.withLock { $0[archive.path] = finding }
  }

  // MARK: The backup

  /// Files with entities that tell, evenly spread over the archive.
  private func sample(of manifest: BackupManifest) -> [Int] {
    var files: [Int] = []
    var others: [Int] = []
    for position in 0..<manifest.count {
      let entry = manifest[position]
      guard entry.kind == .file, entry.size <= Self.largestFile, let (kind, _) = content(entry.path)
      else { continue }
      if tellingOtherwise.contains(kind) {
        others.append(position)
      } else {
        files.append(position)
      }
    }
    if files.isEmpty { files = others }
    let step = max(1, (files.count + Self.sampleCount - 1) / Self.sampleCount)
    return stride(from: 0, to: files.count, by: step).map { files[$0] }
  }

  /// What a file of a backup holds that tells; nil for any other file.
  private func content(_ path: RelativePath) -> (kind: EntityKind, isDocument: Bool)? {
    context.kinds.content(ofPath: path.bytes).flatMap { telling.contains($0.kind) ? $0 : nil }
  }

  private func identities(in bytes: [UInt8], at path: RelativePath) -> [Identity] {
    guard let (kind, isDocument) = content(path) else { return [] }
    if isDocument {
      // A damaged document says nothing.
      guard let document = try? DocumentState(loading: bytes) else { return [] }
      return DocumentRoot(document, of: kind, context.kinds).entities.map(\.identity)
    }
    var batch = EntityBatch(kinds: context.kinds)
    batch.load(bytes, as: kind, path: path)
    return batch.entities.map(\.identity)
  }

  // MARK: The folder

  private func folderContent() throws(BackupError) -> Content {
    if let known = known.withLock({ $0 }) { return known }
    var content = Content()
    do throws(MigrationError) {
      try read(into: &content)
    } catch {
      if case .interrupted = error { throw .interrupted }
      let problem = error.diagnostic
      content.problem = Finding(
        .unreadable, .error, path: problem.subject, message: problem.problem, next: problem.remedy)
    }
    known.withLock { $0 = content }
    return content
  }

  private func read(into content: inout Content) throws(MigrationError) {
    var findings: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, noting: &findings)
    let documents = inventory.documents.map(Int.init).filter { file in
      inventory.kind(of: file) == .other || telling.contains(inventory.kind(of: file))
    }
    let folder = folder
    let held = try Workers.map(
      documents.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) -> ([Identity], Finding?) in
      do throws(DocumentDefect) {
        let (document, _) = try loader.load(documents[item])
        let root = DocumentRoot(document, of: inventory.kind(of: documents[item]), inventory.kinds)
        return (root.entities.map(\.identity), nil)
      } catch {
        return ([], error.finding)
      }
    }
    for (identities, finding) in held {
      content.identities.formUnion(identities)
      if let finding { findings.append(finding) }
    }
    var reader = LegacyReader(folder, inventory)
    let groups = inventory.legacyGroups.filter { telling.contains($0.kind) }
    for file in groups.flatMap(inventory.legacyFiles) {
      reader.read(file)
      for entity in reader.batch.entities { content.identities.insert(entity.identity) }
      findings += reader.batch.findings
    }
    // A damaged file says nothing.
    content.problem = findings.first {
      [.unreadable, .changedWhileRead, .placeholder].contains($0.code)
    }
    try addQuarantined(to: &content.identities)
  }

  /// What was moved to quarantine, or purged from there, was the folder's.
  private func addQuarantined(to identities: inout Set<Identity>) throws(MigrationError) {
    do throws(FileError) {
      guard let quarantine = try folder.openDirectoryIfPresent(Quarantine.path) else { return }
      for entry in try quarantine.entries()
      where entry.kind == .regular && entry.name.hasSuffix(QuarantineManifest.suffix) {
        var reader = try QuarantineManifestReader(entry.name, in: quarantine)
        while let file = try reader.next() { identities.formUnion(file.identities) }
      }
    } catch {
      throw MigrationError(error)
    }
  }
}
