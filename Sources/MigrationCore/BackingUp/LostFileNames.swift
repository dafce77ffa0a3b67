import Backups
import Diagnostics
import Runs
import SafeFiles
import SwiftDataStores

/// The files for large values that a store names and no longer has, as far as anybody knows.
enum LostFileNames {
  /// Just these.
  case known(Set<FileName>)
  /// The store was not opened: it may have lost what its newest backup does not hold.
  case unknown

  /// Returns which backups, given newest first, hold one of the files, or may be the last that do.
  func holders(among items: [BackupStore.Item]) throws(BackupError) -> Set<Int> {
    if case .known(let names) = self, names.isEmpty { return [] }
    var holders: Set<Int> = []
    var newest: Set<FileName>?
    for (index, item) in items.enumerated() where item.summary?.store != nil {
      let held: Set<FileName>
      do throws(BackupError) { held = try item.archive.manifest().externalFiles } catch {
        switch error {
        case .interrupted: throw error
        // Somebody dropped it meanwhile.
        case .file(.missing): continue
        // What nobody can read may be the last that holds something.
        default: holders.insert(index)
        }
        continue
      }
      switch self {
      case .known(let names):
        if !held.isDisjoint(with: names) { holders.insert(index) }
      case .unknown:
        guard let newest else {
          newest = held
          continue
        }
        if !held.isSubset(of: newest) { holders.insert(index) }
      }
    }
    return holders
  }
}

extension BackupManifest {
  /// Where the files for large values are, of a backup of a store.
  var externalFolder: RelativePath? {
    summary.store.flatMap { FileName($0.name) }.flatMap(StoreFiles.externalFolder(ofStoreNamed:))
  }

  /// The files for large values in a backup of a store.
  var externalFiles: Set<FileName> {
    guard let folder = externalFolder, var position = position(of: folder) else { return [] }
    var names: Set<FileName> = []
    position += 1
    // What is in a directory comes right behind it.
    while position < count {
      let entry = self[position]
      guard folder.contains(entry.path) else { break }
      if entry.kind == .file, entry.path.parent == folder, let name = entry.path.lastComponent {
        names.insert(name)
      }
      position += 1
    }
    return names
  }
}

extension [LostFiles] {
  /// One finding for each property whose files are gone.
  ///
  /// - Parameters:
  ///   - store: the path of the store, for commands.
  ///   - path: what the findings are about.
  ///   - more: what follows the message.
  func findings(
    about store: String, _ severity: Severity, path: String, _ more: String = ""
  ) -> [Finding] {
    map { lost in
      let example = lost.names.min().map { ", such as \($0)" } ?? ""
      return Finding(
        .missingFile, severity, path: path,
        message: "\(lost.names.count.counted("file")) for values of \(lost.entity)."
          + "\(lost.property) \(lost.names.count == 1 ? "is" : "are") not beside the store"
          + example + more,
        command: NextCommand(.recoverFolder, [store]))
    }
  }
}
