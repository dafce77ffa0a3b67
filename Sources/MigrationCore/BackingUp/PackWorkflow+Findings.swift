import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

// What a backup does not hold of a folder, or holds although something is wrong with it.
extension PackWorkflow {
  /// Returns what is wrong with documents of the folder that do not load, and what of it cannot be
  /// looked at.
  func damagedDocuments(of folder: Directory) throws(MigrationError) -> [Finding] {
    var findings: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, as: context.kinds, noting: &findings)
    findings += try FolderIndex(of: folder, inventory, notesChanges: false, context: context)
      .findings
    return findings.filter { Self.damage.contains($0.code) }
  }

  /// Returns what a backup keeps as it is although the content is elsewhere, and where that is not known.
  ///
  /// - Parameter isPacking: whether there is a backup, or to be one, of which that is told.
  func missingContent(
    of folder: Directory, isPacking: Bool
  ) throws(MigrationError) -> [Finding] {
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, as: context.kinds, noting: &unlisted)
    let stores = storesAsFiles(in: inventory)
    guard isPacking else { return unlisted + stores + inventory.elsewhere() }
    return unlisted + stores
      + inventory.elsewhere().map { finding in
        var finding = finding
        switch finding.code {
        case .symbolicLink:
          finding.message =
            "is a symbolic link, kept as one: what it leads to is not in the backup"
        case .placeholder:
          finding.message =
            "is only a placeholder, the content is with the sync service and not in the backup"
        default: finding.message += ": what it stands for is not in the backup"
        }
        return finding
      }
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
