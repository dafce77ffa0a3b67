import Automerge
import Backups
import Diagnostics
import Folders
import SafeFiles

// Bringing back some entries of a backup. All others of the folder are left alone.
extension RestoreWorkflow {
  /// Returns what would become of each entry that was asked for; writes nothing.
  func planChosen() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .planned
    report.isDryRun = true
    do throws(BackupError) {
      let chosen = try BackupArchive(path: options.backup).choose(options.only)
      report.add(chosen, restoring: try differing(chosen))
    } catch {
      throw MigrationError(error)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Restores what differs, and says of each entry what became of it.
  func performChosen() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .restored
    let chosen: ChosenEntries
    do { chosen = try BackupArchive(path: options.backup).choose(options.only) } catch {
      throw MigrationError(error)
    }
    let folder = try FolderAccess.openOrCreate(options.folder, context: context)
    if let outcome = try finishEarlierRestore(of: folder) {
      report.finishedEarlierRestore = true
      report.setAside = outcome.setAside?.description ?? ""
    }
    let different: ChosenEntries
    let staged: StagedRestore?
    do throws(BackupError) {
      let checking = BackupContext(context, phase: .checking)
      different = try chosen.differing(from: folder, context: checking)
      staged =
        different.isEmpty
        ? nil
        : try StagedRestore.stage(
          different, into: folder, run: Self.runName(clock),
          context: BackupContext(context, phase: .restoring))
    } catch {
      throw MigrationError(error)
    }
    report.add(chosen, restoring: different)
    // Without anything to bring back nothing but the manifest was read.
    report.isVerified = staged == nil ? nil : true
    report.seconds = clock.seconds
    guard let staged else { return report }
    report.findings = try damage(of: different, in: staged)
    report = try commit(staged, into: folder, relyingOn: nil, clock, report)
    try report.noteSetAside(different, in: folder)
    return report
  }

  /// What differs, if there is a folder already.
  private func differing(_ chosen: ChosenEntries) throws(BackupError) -> ChosenEntries {
    let folder: Directory
    do throws(FileError) {
      folder = try Directory.open(path: options.folder, operations: context.operations)
    } catch {
      if case .missing = error { return chosen }
      throw .file(error)
    }
    return try chosen.differing(from: folder, context: BackupContext(context, phase: .checking))
  }

  /// Names the documents that were damaged when the backup was made: they come back as they are.
  private func damage(
    of chosen: ChosenEntries, in staged: StagedRestore
  ) throws(MigrationError) -> [Finding] {
    let content: Directory
    do { content = try staged.content() } catch { throw MigrationError(error) }
    let inventory = try FolderAccess.inventory(of: content)
    var loader = DocumentLoader(content, inventory)
    var findings: [Finding] = []
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
