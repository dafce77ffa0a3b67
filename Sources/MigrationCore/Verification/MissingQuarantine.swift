import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// Files that the manifests of a quarantine list, and that are neither there nor in the folder.
///
/// Who takes a file out of quarantine takes its line off the manifest: what is listed and gone went
/// some other way.
struct MissingQuarantine {
  /// A file that is gone.
  package struct File {
    /// Its path in the folder, as its manifest says.
    var path: RelativePath
    /// The path of the directory it was moved to, relative to the folder.
    var run: RelativePath
    /// The identities it held.
    var identities: [Identity]
    /// The hash of its bytes; nil if its manifest does not say it.
    fileprivate var hash: ContentHash?
  }

  private(set) var files: [File] = []
  private(set) var findings: [Finding] = []

  /// None.
  init() {}

  /// Reads the manifests of a folder.
  ///
  /// - Parameters:
  ///   - rests: the files of the folder that hold what stays when entities are out of a file: such a
  ///     file is not what was moved.
  ///   - contents: what could be listed of the runs; a run that could not is told elsewhere, and
  ///     nothing is known of its files.
  init(
    of folder: Directory, _ inventory: FolderInventory, rests: Set<Int>,
    holding contents: [Quarantine.Content], context: RunContext
  ) throws(MigrationError) {
    var runs: [FileName: FolderInventory] = [:]
    for content in contents { runs[content.run.name] = content.inventory }
    let quarantine = try MigrationError.wrapping { () throws(FileError) in
      try folder.openDirectoryIfPresent(Quarantine.path)
    }
    guard let quarantine else { return }
    let entries = try MigrationError.wrapping { () throws(FileError) in try quarantine.entries() }
    let directories = Set(entries.lazy.filter { $0.kind == .directory }.map(\.name))
    let manifests = entries.compactMap { entry -> (run: FileName, name: FileName)? in
      guard entry.kind == .regular, let run = QuarantineManifest.run(ofManifest: entry.name),
        runs[run] != nil || !directories.contains(run)
      else { return nil }
      return (run, entry.name)
    }
    for (run, name) in manifests {
      if context.isInterrupted() { throw .interrupted }
      do throws(FileError) {
        try look(for: run, in: runs[run], or: inventory, rests, manifest: name, quarantine)
      } catch {
        findings.append(.unlisted(Quarantine.path.appending(name), because: error))
      }
    }
    // What a run has not moved that died, the next one has.
    for (run, name) in manifests where !files.isEmpty {
      guard let content = runs[run] else { continue }
      do throws(FileError) {
        try forget(movedBy: run, content, manifest: name, quarantine)
      } catch {
        // It was told when it was looked at for its own files.
      }
    }
  }

  /// Takes out the files that another run has moved with the same bytes, and still has.
  private mutating func forget(
    movedBy run: FileName, _ content: FolderInventory, manifest: FileName, _ quarantine: Directory
  ) throws(FileError) {
    var missing: [RelativePath: [ContentHash]] = [:]
    for file in files where file.run.lastComponent != run {
      if let hash = file.hash { missing[file.path, default: []].append(hash) }
    }
    if missing.isEmpty { return }
    var moved: [RelativePath: ContentHash] = [:]
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    while let entry = try reader.next() {
      guard let hash = entry.hash, missing[entry.path]?.contains(hash) ?? false,
        content.file(at: entry.path) != nil
      else { continue }
      moved[entry.path] = hash
    }
    files.removeAll { file in
      file.run.lastComponent != run && file.hash != nil && moved[file.path] == file.hash
    }
  }

  private mutating func look(
    for run: FileName, in content: FolderInventory?, or folder: FolderInventory,
    _ rests: Set<Int>, manifest: FileName, _ quarantine: Directory
  ) throws(FileError) {
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    // What a purge that died has unlinked the next one finds out.
    if reader.isBeingPurged { return }
    while let entry = try reader.next() {
      let isOnlyRest =
        entry.rest != nil && folder.file(at: entry.path).map(rests.contains) ?? false
      guard content?.mayHold(entry.path) != true, isOnlyRest || !folder.mayHold(entry.path) else {
        continue
      }
      files.append(
        File(
          path: entry.path, run: Quarantine.path.appending(run), identities: entry.identities,
          hash: entry.hash))
    }
  }

  /// Tells of the files: one that held what is nowhere else is an error, the others are counted.
  mutating func judge(isKnown: (Identity) -> Bool) {
    var counts: [RelativePath: Int] = [:]
    for file in files {
      guard let lost = file.identities.first(where: { !isKnown($0) }) else {
        counts[file.run, default: 0] += 1
        continue
      }
      findings.append(
        Finding(
          .missingFile, .error, path: "\(file.run)/\(file.path)",
          message: "is gone from quarantine, and \(lost), which it held, is in no document",
          next: "bring \(file.path), or its document, back from a backup with "
            + "restore-backup --only"))
    }
    for (run, count) in counts.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(
          .missingFile, .warning, path: "\(run)\(QuarantineManifest.suffix)",
          message: "\(count.counted("file")) of this list, which nobody purged or brought back, "
            + (count == 1 ? "is" : "are") + " gone; every identity in it is known elsewhere",
          next: "a backup may hold them; if they were removed on purpose, remove this list, too"))
    }
  }
}

extension FolderInventory {
  /// Whether something lies at a path, or may lie there because a directory could not be listed.
  fileprivate func mayHold(_ path: RelativePath) -> Bool {
    if file(at: path) != nil { return true }
    var parent = path.parent
    while let directory = parent {
      if let file = file(at: directory), fileClass(of: file) == .unreadable { return true }
      parent = directory.parent
    }
    return false
  }
}
