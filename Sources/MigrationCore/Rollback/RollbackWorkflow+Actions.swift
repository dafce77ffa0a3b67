import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// What a rollback does to the copy of a folder that is no command.
extension RollbackWorkflow {
  mutating func copyQuarantine() throws(MigrationError) {
    let folder = try openFolder()
    let next = try open(RollbackPlaces.next)
    closed = try MigrationError.wrapping { () throws(FileError) in
      if let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)),
        try state.stateIfPresent(of: FolderNames.quarantine)?.kind == .directory
      {
        try state.copyTree(
          FolderNames.quarantine, to: next.createDirectory(FolderNames.state))
      }
      // Whoever may not write to a directory of the folder may make JSON of its copy all the same.
      var closed: [(path: RelativePath, mode: UInt16)] = []
      try Self.makeWritable(next, at: .folder, noting: &closed)
      return closed
    }
  }

  private static func makeWritable(
    _ directory: Directory, at path: RelativePath,
    noting closed: inout [(path: RelativePath, mode: UInt16)]
  ) throws(FileError) {
    let mode = try directory.state().mode
    if mode & 0o700 != 0o700 {
      closed.append((path, mode))
      try directory.makeWritable()
    }
    for entry in try directory.entries() where entry.kind == .directory {
      try makeWritable(
        directory.openDirectory(entry.name), at: path.appending(entry.name), noting: &closed)
    }
  }

  func notePurged() throws(MigrationError) {
    let folder = try openFolder()
    let next = try open(RollbackPlaces.next)
    let runs = try Quarantine.runsOfMonths(of: folder).filter(\.isPurged)
    let gone = try MigrationError.wrapping { () throws(FileError) in
      var gone: Set<String> = []
      for run in runs {
        var reader = try run.manifest.get()
        while let entry = try reader.next() {
          if entry.path.isDocument, try next.stateIfPresent(of: entry.path) == nil {
            gone.insert(entry.path.description)
          }
        }
      }
      return gone
    }
    guard !gone.isEmpty else { return }
    var unseen: [String] = []
    let purged = try PurgedDocuments(gone, in: backups(noting: &unseen)) {
      backup throws(MigrationError) in
      do throws(BackupError) {
        let manifest =
          backup == options.backup
          ? manifest : try BackupArchive(path: backup, operations: context.operations).manifest()
        return Set((0..<manifest.count).map { manifest[$0].path.description })
      } catch {
        if case .interrupted = error { throw MigrationError(error) }
        unseen.append("\(backup): \(error.diagnostic.problem)")
        return []
      }
    }
    try note(purged.lines(unseen: unseen), as: RollbackPlaces.purged)
  }

  /// The backups of the folder: the newest first, then those under names that no command gave them, and
  /// the one that was given.
  private func backups(noting unseen: inout [String]) throws(MigrationError) -> [String] {
    var packing = PackOptions(folder: places.folder)
    packing.backupDirectory = options.backupDirectory
    let workflow = PackWorkflow(packing, context: context)
    var list = try workflow.list(isVerifying: false)
    let others = try workflow.unlisted(by: &list)
    unseen += list.findings.filter { $0.code == .notLookedAt }.map { "\($0.path): \($0.message)" }
    let paths = (list.archives.map(\.absolutePath) + others).compactMap {
      String(validating: $0, as: UTF8.self)
    }
    return paths.contains(options.backup) ? paths : paths + [options.backup]
  }

  func dropShared() throws(MigrationError) {
    let json = try open(RollbackPlaces.json)
    let inventory = try FolderAccess.wholeInventory(of: json, as: kinds)
    for file in inventory.indices
    where inventory.nominalClass(of: file).isLegacy && !kinds.isFileEach(inventory.kind(of: file)) {
      try MigrationError.wrapping { () throws(FileError) in
        guard let (directory, name) = try json.openParent(of: inventory.path(of: file)) else {
          return
        }
        try directory.remove(name)
      }
    }
  }

  func assemble() throws(MigrationError) {
    let next = try open(RollbackPlaces.next)
    let runs = try monthsAside(of: openFolder())
    let inventory = try FolderAccess.wholeInventory(of: next, as: kinds)
    let json = try open(RollbackPlaces.json)
    let rewritten = try rewrittenFiles(of: next, inventory)
    let steps = try notedSteps(in: next, inventory)
    let displaced = try MigrationError.wrapping { () throws(FileError) in
      // The JSON of months that were set aside knows its names until the export is done. All of it was
      // imported before, or deleted since.
      for run in runs {
        if let directory = run.directory { try removeEqualJSON(of: directory, in: next) }
      }
      for document in Self.documents(of: inventory) {
        guard let (directory, name) = try next.openParent(of: inventory.path(of: document))
        else { continue }
        try directory.remove(name)
      }
      if try next.stateIfPresent(of: FolderNames.state) != nil {
        try next.removeOwnTree(FolderNames.state)
      }
      if let lock = kinds.lock { try next.remove(lock) }
      return try Self.displaced(by: json, in: next, at: places.folder).filter {
        !rewritten.contains($0)
      }
    }
    try note(displaced, as: RollbackPlaces.displaced)
    try note(steps, in: next)
    try MigrationError.wrapping { () throws(FileError) in
      try json.moveContent(to: next)
      for (path, mode) in closed {
        guard let directory = try next.openDirectoryIfPresent(path) else { continue }
        try directory.setAttributes(
          mode: mode, modified: directory.state().modified, owner: nil)
      }
    }
  }

  /// The paths of files that stay because they hold more than entities, and whose entities are all in
  /// documents: what replaces such a file has the rest of it.
  private func rewrittenFiles(
    of next: Directory, _ inventory: FolderInventory
  ) throws(MigrationError) -> Set<String> {
    let shared = inventory.indices.filter { file in
      inventory.nominalClass(of: file).isLegacy
        && kinds.isShared(fileOf: inventory.kind(of: file))
    }
    guard !shared.isEmpty else { return [] }
    let rules = EntityRules(numericDates: options.numericDates)
    var verification = VerificationRun(
      next, inventory, unlisted: [], against: .legacyFiles(of: next, inventory, rules: rules),
      context: context)
    let findings = try verification.run().report.findings
    // What a document has that nobody could read is not known to be in it.
    guard !findings.contains(where: \.isOfUnseen) else { throw unseen }
    let wrong = Set(findings.lazy.filter { $0.severity == .error }.map(\.path))
    return Set(shared.map { inventory.path(of: $0).description }).subtracting(wrong)
  }

  /// The paths of files that are about to be replaced by others: they hold what no document has.
  private static func displaced(
    by new: Directory, in old: Directory, at folder: String, below path: String = ""
  ) throws(FileError) -> [String] {
    var displaced: [String] = []
    let entries = try new.entries()
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      guard let there = try old.stateIfPresent(of: entry.name) else { continue }
      let place = path + entry.name.description
      let isDirectory = entry.kind == .directory
      if (there.kind == .directory) != isDirectory {
        throw .inTheWay(path: "\(folder)/\(place)", found: there.kind)
      } else if isDirectory {
        displaced += try Self.displaced(
          by: new.openDirectory(entry.name), in: old.openDirectory(entry.name), at: folder,
          below: place + "/")
      } else if there.kind != .regular {
        displaced.append(place)
      } else if try old.hash(of: entry.name) != new.hash(of: entry.name) {
        displaced.append(place)
      }
    }
    return displaced
  }

  /// Removes the legacy files of a copy that hold the same bytes as those of a run.
  private func removeEqualJSON(of run: Directory, in copy: Directory) throws(FileError) {
    var unlisted: [Finding] = []
    let inventory = try FolderInventory.scan(run, as: kinds, noting: &unlisted)
    for file in inventory.indices where inventory.fileClass(of: file).isLegacy {
      let path = inventory.path(of: file)
      guard try copy.stateIfPresent(of: path)?.kind == .regular,
        let (there, name) = try copy.openParent(of: path),
        let (own, _) = try run.openParent(of: path),
        try there.hash(of: name) == own.hash(of: name)
      else { continue }
      try there.remove(name)
    }
  }

  func note(_ lines: [String], as name: FileName) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try work?.note(lines, as: name) }
  }
}

extension Directory {
  /// Removes a file of a copy, if it is there.
  fileprivate func remove(_ name: FileName) throws(FileError) {
    guard let state = try stateIfPresent(of: name) else { return }
    try removeFile(name, ifUnchangedSince: state)
  }
}
