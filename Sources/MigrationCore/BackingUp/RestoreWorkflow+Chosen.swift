import Automerge
import Backups
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

// Bringing back some entries of a backup. All others of the folder are left alone.
extension RestoreWorkflow {
  /// Returns what would become of each entry that was asked for; writes nothing.
  func planChosen() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .planned
    report.isDryRun = true
    // What differs is known only once an earlier restore is finished.
    let folder = try OutputPlace.openDirectory(options.folder, context: context, isDryRun: true)
    let chosen: ChosenEntries
    do { chosen = try BackupArchive(path: options.backup).choose(options.only) } catch {
      throw MigrationError(error)
    }
    _ = try scope(for: chosen.manifest)
    let different =
      try folder.map { folder throws(MigrationError) in
        try differing(chosen, from: folder)
      } ?? chosen
    report.add(chosen, restoring: different)
    if let folder { report.findings += try stepsNotNoted(of: different, in: folder) }
    report.seconds = clock.seconds
    return report
  }

  /// Restores what differs, and says of each entry what became of it.
  ///
  /// What differs is found out before the lock is held and once more under it, so that what changes
  /// in between is neither left out nor called unchanged.
  func performChosen() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .restored
    let chosen: ChosenEntries
    let privacy: Privacy
    do throws(BackupError) {
      let archive = try BackupArchive(path: options.backup)
      chosen = try archive.choose(options.only)
      privacy = Privacy(of: try archive.state())
    } catch {
      throw MigrationError(error)
    }
    let scope = try scope(for: chosen.manifest)
    let replaced = try replacedBackup()
    let folder = try openOrCreateTarget(asPrivateAs: privacy)
    if let outcome = try finishEarlierRestore(of: folder) {
      report.addEarlier(outcome, of: folder)
    }
    var patience = Patience(seconds: Double(context.lockTimeoutSeconds))
    while true {
      do throws(MigrationError) {
        return try restoreDiffering(
          chosen, into: folder, keeping: scope, replacing: replaced, clock, report)
      } catch {
        guard case .folderChanging = error, patience.wait() else { throw error }
      }
    }
  }

  /// Restores what differs; throws `folderChanging` if something else does when it is unpacked.
  private func restoreDiffering(
    _ chosen: ChosenEntries, into folder: Directory, keeping scope: BackupScope,
    replacing replaced: VerifiedBackup?, _ clock: RunClock, _ report: RestoreReport
  ) throws(MigrationError) -> RestoreReport {
    var report = report
    let different = try differing(chosen, from: folder)
    report.add(chosen, restoring: different)
    report.seconds = clock.seconds
    // Without anything to bring back nothing but the manifest was read. The restore that brought it
    // may have died while it tidied up.
    guard !different.isEmpty else {
      try MigrationError.wrapping { () throws(FileError) in
        try RestoreSweep.removeDebris(in: folder)
      }
      return report
    }
    let (staged, damage) = try stage(different, into: folder, keeping: scope, clock)
    report.isVerified = true
    report.findings += damage + (try stepsNotNoted(of: different, in: folder))
    report = try commit(
      staged, into: folder, keeping: scope, relyingOn: nil, clock, report
    ) {
      () throws(MigrationError) in
      guard try differing(chosen, from: folder).entries == different.entries else {
        throw .folderChanging(path: options.folder)
      }
      if let replaced { try require(folder, toHold: replaced) }
    }
    try report.noteSetAside(different, in: folder)
    return report
  }

  private func differing(
    _ chosen: ChosenEntries, from folder: Directory
  ) throws(MigrationError) -> ChosenEntries {
    do {
      return try chosen.differing(
        from: folder, context: BackupContext(context, phase: .checking))
    } catch {
      throw MigrationError(error)
    }
  }

  /// Unpacks what differs beside the content, and looks at the documents in it.
  private func stage(
    _ different: ChosenEntries, into folder: Directory, keeping scope: BackupScope,
    _ clock: RunClock
  ) throws(MigrationError) -> (StagedRestore, damage: [Finding]) {
    let staged = try waitingForOthers { () throws(MigrationError) in
      do throws(BackupError) {
        return .success(
          try StagedRestore.stage(
            different, into: folder, run: Self.runName(clock), keeping: scope,
            context: BackupContext(context, phase: .restoring)))
      } catch {
        return .failure(error)
      }
    }
    do throws(MigrationError) {
      return (staged, try damage(in: staged))
    } catch {
      // What cannot be discarded is debris, which the next restore sweeps.
      try? staged.discard()
      throw error
    }
  }

  /// Names the documents that were damaged when the backup was made: they come back as they are.
  private func damage(in staged: StagedRestore) throws(MigrationError) -> [Finding] {
    let content: Directory
    do { content = try staged.content() } catch { throw MigrationError(error) }
    var findings: [Finding] = []
    let inventory = try FolderAccess.inventory(of: content, as: context.kinds, noting: &findings)
    var loader = DocumentLoader(content, inventory)
    for file in inventory.documents.map(Int.init) {
      do throws(DocumentDefect) {
        _ = try loader.load(file)
      } catch {
        var finding = error.finding
        finding.message = "is in the backup as it is now: \(finding.message)"
        finding.next = "restore it from an older backup, or see repair-crdt"
        findings.append(finding)
      }
    }
    return findings
  }
}

extension RestoreReport {
  fileprivate mutating func add(_ chosen: ChosenEntries, restoring different: ChosenEntries) {
    let restored = Set(different.entries.map(\.path))
    // A directory is there for what is in it.
    entries = chosen.entries.filter { $0.kind != .directory }.map { entry in
      Entry(
        path: entry.path.description, byteCount: Int(clamping: entry.size),
        outcome: restored.contains(entry.path) ? .restored : .unchanged)
    }
  }

  /// Says of each entry where the one is that was in its place.
  fileprivate mutating func noteSetAside(
    _ different: ChosenEntries, in folder: Directory
  ) throws(MigrationError) {
    guard let place = RelativePath(setAside) else { return }
    var old: [String: String] = [:]
    for entry in different.entries {
      let path = place.appending(entry.path)
      do throws(FileError) {
        guard try folder.stateIfPresent(of: path) != nil else { continue }
      } catch {
        // Something else than a directory was in the place of the one it lies in.
        guard case .wrongKind = error else { throw MigrationError(error) }
        continue
      }
      old[entry.path.description] = path.description
    }
    for index in entries.indices { entries[index].setAside = old[entries[index].path] ?? "" }
  }
}
