import Automerge
import Backups
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// The backups of a folder that can be used, newest first, and what is told of the others.
struct RecoveryBackups {
  /// A backup that was read whole.
  struct Backup {
    /// The absolute path, as a command takes it.
    var path: String
    var archive: BackupArchive
    var manifest: BackupManifest
  }

  /// The longest image of which a part is compared.
  private static let longestImage: Int64 = 256 << 20

  private(set) var usable: [Backup] = []
  /// The backups that cannot be used, and why: a line each.
  private(set) var unusable: [String] = []
  /// The errors among what is told of backups: what they hold is not compared with the folder.
  private(set) var findings: [Finding] = []

  private let context: RunContext

  /// Reads every backup there is.
  init(
    of folder: String, in backupDirectory: String?, context: RunContext
  ) throws(MigrationError) {
    self.context = context
    var options = PackOptions(folder: folder)
    options.backupDirectory = backupDirectory
    let report = try PackWorkflow(options, context: context).list(isVerifying: true)
    findings = report.findings.filter { $0.severity == .error }
    unusable = report.findings.filter {
      [.unverifiedBackup, .notLookedAt].contains($0.code)
    }.map { "\($0.path): \($0.message)" }
    for listed in report.archives where listed.isVerified == true {
      do throws(BackupError) {
        // What no command can be told is of no use.
        guard let path = String(validating: listed.absolutePath, as: UTF8.self) else { continue }
        let archive = try BackupArchive(path: path, operations: context.operations)
        usable.append(Backup(path: path, archive: archive, manifest: try archive.manifest()))
      } catch {
        throw MigrationError(error)
      }
    }
    guard backupDirectory == nil else { return }
    let known = Set(report.archives.map(\.absolutePath))
    unusable += try Self.unknown(besides: known, of: folder, context)
  }

  /// Where only backups of this folder lie each archive is one, even if it does not look like it.
  private static func unknown(
    besides known: Set<[UInt8]>, of folder: String, _ context: RunContext
  ) throws(MigrationError) -> [String] {
    let place = "\(folder)\(FolderNames.backupsSuffix)"
    guard let directory = try FolderAccess.openBeside(place, context: context) else { return [] }
    return try MigrationError.wrapping { () throws(FileError) in
      let start = try directory.canonicalPath() + [UInt8(ascii: "/")]
      return try directory.entries().filter {
        $0.kind == .regular && !$0.name.hasPrefix(".")
          && ($0.name.hasSuffix(".tar") || $0.name.hasSuffix(".tar.zst"))
          && !known.contains(start + $0.name.bytes)
      }.map { "\(place)/\($0.name): is not known as a backup of this folder" }
    }
  }

  // MARK: Documents

  /// Returns where a document comes back from: the newest backup that holds it whole, else the one
  /// with the most files of its JSON, else a run of the quarantine.
  ///
  /// A backup that cannot be read in this moment ends the run: another could be older.
  func source(
    of stem: RelativePath, besides quarantine: RelativePath?
  ) throws(MigrationError) -> RecoverySituation.Source {
    guard let path = RelativePath(stem.bytes + Array(FolderNames.documentExtension.utf8)) else {
      return .nowhere
    }
    for backup in usable where try holds(path, backup) { return .document(backup: backup.path) }
    guard unusable.isEmpty else { return .waits }
    guard let legacy = LegacyContent(of: stem, kinds) else { return .nowhere }
    var most = (count: 0, backup: "")
    for backup in usable {
      let positions = (0..<backup.manifest.count).filter { position in
        let entry = backup.manifest[position]
        return entry.kind == .file && legacy.holds(entry.path, kinds)
      }
      var count = 0
      for position in positions where try !holdsOnlyRest(position, backup) { count += 1 }
      if count > most.count { most = (count, backup.path) }
    }
    if most.count > 0 { return .legacy(backup: most.backup) }
    return quarantine.map { .quarantine(run: $0) } ?? .nowhere
  }

  /// Returns the files of a backup that hold the JSON of a document, where no one path says that.
  func files(of stem: RelativePath, in path: String) -> [RelativePath] {
    guard let legacy = LegacyContent(of: stem, kinds), legacy.chosen == nil,
      let backup = usable.first(where: { $0.path == path })
    else { return [] }
    return (0..<backup.manifest.count).map { backup.manifest[$0] }
      .filter { $0.kind == .file && legacy.holds($0.path, kinds) }.map(\.path)
  }

  /// Returns the documents of kinds that the newest backup with any of them has.
  func documents(of wanted: Set<EntityKind>) -> [RelativePath] {
    for backup in usable {
      let paths = (0..<backup.manifest.count).map { backup.manifest[$0].path }.filter { path in
        kinds.content(ofPath: path.bytes).map { $0.isDocument && wanted.contains($0.kind) } ?? false
      }
      if !paths.isEmpty { return paths }
    }
    return []
  }

  private var kinds: EntityKinds { context.kinds }

  private func holds(_ path: RelativePath, _ backup: Backup) throws(MigrationError) -> Bool {
    if context.isInterrupted() { throw .interrupted }
    guard let position = backup.manifest.position(of: path),
      backup.manifest[position].kind == .file,
      backup.manifest[position].size <= Int64(DocumentLoader.largestDocument)
    else { return false }
    var isWhole = false
    do throws(BackupError) {
      try backup.archive.read([position], of: backup.manifest) { _, bytes in
        // An error is the answer.
        isWhole = !bytes.isEmpty && (try? DocumentState(loading: bytes)) != nil
        return true
      }
    } catch {
      throw MigrationError(error)
    }
    return isWhole
  }

  /// Whether a file holds no entity, but what stays when entities are out of a file.
  private func holdsOnlyRest(_ position: Int, _ backup: Backup) throws(MigrationError) -> Bool {
    if context.isInterrupted() { throw .interrupted }
    let entry = backup.manifest[position]
    guard let kind = kinds.content(ofPath: entry.path.bytes)?.kind,
      kinds[kind]?.home?.content.pointer != nil, entry.size <= Int64(LegacyReader.largestFile)
    else { return false }
    var batch = EntityBatch(kinds: kinds)
    do throws(BackupError) {
      try backup.archive.read([position], of: backup.manifest) { _, bytes in
        batch.load(bytes, as: kind, path: entry.path)
        return true
      }
    } catch {
      throw MigrationError(error)
    }
    return batch.isRest
  }

  // MARK: Content

  /// Returns the newest backup that holds documents or JSON, and which of its content comes back:
  /// what is entered by others stays.
  func content(
    besides isThere: (FileName) throws(MigrationError) -> Bool
  ) throws(MigrationError) -> RecoverySituation.Content? {
    for backup in usable {
      let entries = (0..<backup.manifest.count).map { backup.manifest[$0] }
      guard entries.contains(where: { $0.kind == .file && isContent($0.path) }) else {
        continue
      }
      let tops = Set(entries.compactMap(\.path.components.first)).sorted()
      var names: [String] = []
      for name in tops {
        let isContent = entries.contains {
          $0.path.components.first == name && self.isContent($0.path)
        }
        if !isContent, try isThere(name) { continue }
        names.append(RelativePath(name).text)
      }
      return .init(backup: backup.path, names: names)
    }
    return nil
  }

  private func isContent(_ path: RelativePath) -> Bool {
    kinds.content(ofPath: path.bytes) != nil
  }

  // MARK: Images

  /// What became of the images of backups.
  struct ImageFindings {
    /// What comes back, by backup and directory.
    var images: [RecoverySituation.Images] = []
    /// Images with other bytes than in the newest backup, and that backup.
    var changed: [(path: RelativePath, backup: String)] = []
    /// What is told of images that nobody can compare with those of a backup.
    var unseen: [Finding] = []
  }

  /// Returns the images that come back: those that records name and that are gone, and those that are
  /// empty, all zeros, or end early, which no app makes of an image it had.
  func images(
    gone: Set<RelativePath>, in folder: Directory, besides known: RecoveryFindings
  ) throws(MigrationError) -> ImageFindings {
    var findings = ImageFindings()
    var found: [(backup: String, path: RelativePath)] = []
    var settled: Set<RelativePath> = []
    for (age, backup) in usable.enumerated() {
      var returning: [RelativePath] = []
      var inQuestion: [Int: FileState] = [:]
      var hasher = ContentHasher()
      for position in 0..<backup.manifest.count {
        let entry = backup.manifest[position]
        guard isImage(entry), !settled.contains(entry.path), !known.isUnseen(entry.path)
        else { continue }
        if context.isInterrupted() { throw .interrupted }
        switch Self.standing(of: entry, in: folder, &hasher) {
        case .equal: continue
        case .gone: if gone.contains(entry.path) { returning.append(entry.path) }
        case .different(let state): inQuestion[position] = state
        case .unseen(let error):
          settled.insert(entry.path)
          findings.unseen.append(Self.unseen(entry.path, error))
        }
      }
      let damaged = try damaged(inQuestion, of: backup, in: folder, noting: &findings.unseen)
      for position in inQuestion.keys.sorted() {
        let path = backup.manifest[position].path
        if damaged.contains(position) {
          returning.append(path)
        } else if age == 0 {
          findings.changed.append((path, backup.path))
        }
      }
      settled.formUnion(returning)
      found += returning.sorted().map { (backup.path, $0) }
    }
    findings.images = Self.grouped(found)
    return findings
  }

  /// Groups images by backup and directory, those of directories inside of it included.
  private static func grouped(
    _ found: [(backup: String, path: RelativePath)]
  ) -> [RecoverySituation.Images] {
    var groups: [RecoverySituation.Images] = []
    var rest = found
    while let first = rest.first, let directory = first.path.parent {
      let group = rest.filter { $0.backup == first.backup && directory.contains($0.path) }
      rest.removeAll { $0.backup == first.backup && directory.contains($0.path) }
      groups.append(.init(backup: first.backup, paths: group.map(\.path)))
    }
    return groups
  }

  private func isImage(_ entry: BackupEntry) -> Bool {
    entry.kind == .file && kinds.isAttachment(entry.path)
  }

  private enum Standing {
    case equal
    case gone
    /// The folder has other bytes, of a file of this state.
    case different(FileState)
    /// Nobody can tell.
    case unseen(FileError)
  }

  private static func unseen(_ path: RelativePath, _ error: FileError) -> Finding {
    Finding(
      .unreadable, .error, path: path.description,
      message: "\(error.diagnostic.problem), so nobody knows whether it is what a backup holds",
      next: error.diagnostic.remedy ?? "run again; if it stays like this, check the disk")
  }

  private static func standing(
    of entry: BackupEntry, in folder: Directory, _ hasher: inout ContentHasher
  ) -> Standing {
    do throws(FileError) {
      guard let (directory, name) = try folder.openParent(of: entry.path),
        let state = try directory.stateIfPresent(of: name)
      else { return .gone }
      // What is no file somebody else has put there.
      guard state.kind == .regular else { return .equal }
      guard state.size == entry.size else { return .different(state) }
      return try hasher.hash(name, in: directory).hash == entry.hash ? .equal : .different(state)
    } catch {
      switch error {
      case .missing, .wrongKind: return .gone
      default: return .unseen(error)
      }
    }
  }

  /// Returns which images are damaged of those that have other bytes than a backup has.
  private func damaged(
    _ images: [Int: FileState], of backup: Backup, in folder: Directory,
    noting unseen: inout [Finding]
  ) throws(MigrationError) -> Set<Int> {
    var damaged: Set<Int> = []
    var shorter: [Int] = []
    for (position, state) in images.sorted(by: { $0.key < $1.key })
    where state.size <= Self.longestImage {
      if context.isInterrupted() { throw .interrupted }
      let path = backup.manifest[position].path
      let bytes: [UInt8]
      do throws(FileError) { bytes = try folder.contents(of: path) } catch {
        unseen.append(Self.unseen(path, error))
        continue
      }
      if bytes.allSatisfy({ $0 == 0 }) {
        damaged.insert(position)
      } else if state.size < backup.manifest[position].size {
        shorter.append(position)
      }
    }
    guard !shorter.isEmpty else { return damaged }
    do throws(BackupError) {
      try backup.archive.read(shorter, of: backup.manifest) { path, bytes in
        guard let position = backup.manifest.position(of: path) else { return true }
        do throws(FileError) {
          if bytes.starts(with: try folder.contents(of: path)) { damaged.insert(position) }
        } catch {
          unseen.append(Self.unseen(path, error))
        }
        return true
      }
    } catch {
      throw MigrationError(error)
    }
    return damaged
  }
}
