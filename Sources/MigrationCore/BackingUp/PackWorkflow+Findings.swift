import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

// What a backup does not hold of a folder, or holds although something is wrong with it.
extension PackWorkflow {
  /// Returns which documents do not load, if old backups may be dropped, what cannot be looked at, and
  /// what a backup keeps as it is although the content is elsewhere.
  ///
  /// - Parameter isPacking: whether there is a backup, or to be one, of which that is told.
  func findings(
    about backedUp: BackedUpFolder, dropsOld: Bool, isPacking: Bool
  ) throws(MigrationError) -> [Finding] {
    let folder = backedUp.directory
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &unlisted)
    var damaged: [Finding] = []
    if dropsOld {
      let index = try FolderIndex(of: folder, inventory, notesChanges: false, context: context)
      damaged = (unlisted + index.findings).filter { Self.damage.contains($0.code) }
    }
    let elsewhere = inventory.elsewhere().map { isPacking ? toldOfBackup($0) : $0 }
    let unfinished = isPacking ? try unfinishedStep(in: backedUp) : []
    return (damaged + unlisted + storesAsFiles(in: inventory) + elsewhere + unfinished)
      .withoutRepetitions()
  }

  /// Tells that a step of a plan is done to some files and not to others. A backup holds JSON files as they
  /// were before it; documents, and what nobody knows of, as they are, and not what would finish the step,
  /// which is in our state.
  private func unfinishedStep(in folder: BackedUpFolder) throws(MigrationError) -> [Finding] {
    if let stopped = folder.stopped, stopped.isWhole {
      if stopped.hasEnded { return [] }
      return [
        Finding(
          .unfinishedStep, .info,
          message: "a run of migrate-schema is changing the folder for \(stopped.step), or was "
            + "stopped while it did: the backup holds the files as they were before that")
      ]
    }
    do throws(MigrationError) {
      try FolderAccess.requireFinishedSteps(in: folder.directory)
      return []
    } catch {
      guard error.diagnostic.kind == .busy else { throw error }
      return [
        Finding(
          .unfinishedStep, .warning,
          message: "a run of migrate-schema is changing the folder, or was stopped while it did: "
            + "the backup holds some files with what it does, and others without",
          next: error.diagnostic.remedy.map { "\($0); then make another backup" })
      ]
    }
  }

  /// Says of what stands for content elsewhere what a backup has of it.
  private func toldOfBackup(_ finding: Finding) -> Finding {
    var finding = finding
    switch finding.code {
    case .symbolicLink:
      finding.message = "is a symbolic link, kept as one: what it leads to is not in the backup"
    case .placeholder:
      finding.message =
        "is only a placeholder, the content is with the sync service and not in the backup"
    default: finding.message += ": what it stands for is not in the backup"
    }
    return finding
  }

  /// Tells of stores that are packed as any file is.
  private func storesAsFiles(in inventory: FolderInventory) -> [Finding] {
    inventory.indices.compactMap { file in
      guard inventory.fileClass(of: file) == .foreign,
        StoreSource.hasNameOfStore(inventory.name(of: file))
      else { return nil }
      let path = inventory.path(of: file).description
      let folder = options.folder.hasSuffix("/") ? options.folder : options.folder + "/"
      return Finding(
        .notLookedAt, .warning, path: path,
        message: "is called a store, and its files are packed as they lie, which may be of several "
          + "moments", command: NextCommand(.packBackup, [folder + path]))
    }
  }
}
