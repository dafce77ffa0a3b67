import Automerge
import Backups
import Diagnostics
import Folders
import SafeFiles
import Synchronization

/// Tells whether a backup holds entities that a folder holds, or ever held.
///
/// A folder and its backup share nearly all entities, whatever was edited since: a sample of the
/// backup's files decides. The folder is read once, and only if somebody asks.
final class SharedContent: Sendable {
  /// How many files of a backup are looked into.
  private static let sampleCount = 32
  /// The largest of them.
  private static let largestFile = 64 << 20

  private let folder: Directory
  private let context: RunContext
  private let known = Mutex<Set<Identity>?>(nil)

  /// Prepares to compare backups with a folder.
  init(of folder: Directory, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Compares the content of a backup with the folder's.
  func compare(_ archive: BackupArchive) throws(BackupError) -> FolderBond.Comparison {
    let identities: Set<Identity>
    do throws(MigrationError) { identities = try folderIdentities() } catch {
      if case .interrupted = error { throw .interrupted }
      // What is wrong with the folder is told by who reads it for its content.
      identities = []
    }
    let manifest = try archive.manifest()
    var holdsEntities = false
    var isShared = false
    try archive.read(Self.sample(of: manifest), of: manifest) { path, bytes in
      let found = Self.identities(in: bytes, at: path)
      if !found.isEmpty { holdsEntities = true }
      isShared = found.contains { identities.contains($0) }
      return !isShared
    }
    if isShared { return .shared }
    return holdsEntities && !identities.isEmpty
      ? .different : .unknown(backupHoldsEntities: holdsEntities)
  }

  // MARK: The backup

  /// Files with records, evenly spread over the archive; of a backup without any those with tags.
  private static func sample(of manifest: BackupManifest) -> [Int] {
    var records: [Int] = []
    var tags: [Int] = []
    for position in 0..<manifest.count {
      let entry = manifest[position]
      guard entry.kind == .file, entry.size <= Self.largestFile else { continue }
      let path = entry.path
      guard path.isDocument || LegacyPath.classify(path) != nil else { continue }
      if path.parent?.isFolder ?? true { tags.append(position) } else { records.append(position) }
    }
    let files = records.isEmpty ? tags : records
    let step = max(1, (files.count + sampleCount - 1) / sampleCount)
    return stride(from: 0, to: files.count, by: step).map { files[$0] }
  }

  private static func identities(in bytes: [UInt8], at path: RelativePath) -> [Identity] {
    if path.isDocument {
      // A damaged document says nothing.
      guard let document = try? DocumentState(loading: bytes) else { return [] }
      return DocumentRoot(document).entities.map(\.identity)
    }
    guard let (fileClass, _) = LegacyPath.classify(path) else { return [] }
    var batch = EntityBatch()
    batch.load(bytes, as: fileClass, path: path.description)
    return batch.entities.map(\.identity)
  }

  // MARK: The folder

  private func folderIdentities() throws(MigrationError) -> Set<Identity> {
    if let known = known.withLock({ $0 }) { return known }
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, noting: &unlisted)
    if let unlisted = unlisted.first {
      throw .unlisted(path: unlisted.path, problem: unlisted.message)
    }
    let documents = inventory.documents.map(Int.init)
    let folder = folder
    let held = try Workers.map(
      documents.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      // As above.
      guard let (document, _) = try? loader.load(documents[item]) else { return [Identity]() }
      return DocumentRoot(document).entities.map(\.identity)
    }
    var identities = Set(held.joined())
    var reader = LegacyReader(folder, inventory)
    for file in (inventory.tagsFile.map { [UInt32($0)] } ?? []) + inventory.recordFiles {
      reader.read(Int(file))
      for entity in reader.batch.entities { identities.insert(entity.identity) }
    }
    try addQuarantined(to: &identities)
    known.withLock { $0 = identities }
    return identities
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
