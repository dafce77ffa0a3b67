import Diagnostics
package import SafeFiles

/// Reads the legacy files of a folder one after the other into one reused batch.
///
/// A reader belongs to one thread; several readers can share a folder and an inventory. After the
/// first files it allocates next to nothing. Files of one directory should be read in a row, as the
/// inventory lists them, because the reader keeps the directory of the last one open.
package struct LegacyReader {
  /// The largest legacy file that is read.
  package static let largestFile = 16 << 20
  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// The entities and findings of the file that was read last.
  package private(set) var batch = EntityBatch()
  /// The state of the file that was read last, `nil` if it could not be read.
  package private(set) var state: FileState?

  private let folder: Directory
  private let inventory: FolderInventory
  private let rules: EntityRules
  private var current: (number: Int, directory: Directory)?

  /// Creates a reader of the files of an inventory.
  package init(
    _ folder: Directory, _ inventory: FolderInventory, rules: EntityRules = EntityRules()
  ) {
    self.folder = folder
    self.inventory = inventory
    self.rules = rules
  }

  /// Reads a legacy file of the inventory, a tags file or a record file.
  ///
  /// Never throws: what cannot be read is a finding of severity error in the batch, which then has
  /// no entities and is not complete.
  package mutating func read(_ file: Int) {
    state = nil
    do {
      state = try readBytes(of: file)
      batch.load(
        as: inventory.fileClass(of: file), path: inventory.path(of: file).description,
        rules: rules)
    } catch {
      batch.removeAll()
      batch.isComplete = false
      batch.findings.append(finding(error, file))
    }
  }

  /// The bytes of the file that was read last, as they are on disk.
  package var source: ArraySlice<UInt8> { batch.tape.text[..<batch.tape.sourceByteCount] }

  private mutating func readBytes(of file: Int) throws(FileError) -> FileState {
    let name = inventory.name(of: file)
    let directory = try directory(of: file)
    #if canImport(Darwin)
      // Reading a dataless file would make the sync service fetch it.
      let state = try directory.state(of: name)
      if state.kind == .regular, state.size > 0, state.allocatedBlocks == 0 {
        throw .missing(path: directory.path(of: name))
      }
    #endif
    var attempt = 1
    while true {
      do {
        return try directory.read(name, into: &batch.tape.text, limit: Self.largestFile)
      } catch {
        guard case .changedWhileRead = error, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }

  private mutating func directory(of file: Int) throws(FileError) -> Directory {
    let number = inventory.directory(of: file)
    if let current, current.number == number { return current.directory }
    let directory = try folder.openDirectory(inventory.directoryPath(number))
    current = (number, directory)
    return directory
  }

  private func finding(_ error: FileError, _ file: Int) -> Finding {
    let path = inventory.path(of: file).description
    switch error {
    case .changedWhileRead:
      return Finding(
        .changedWhileRead, .error, path: path, message: "changes while it is read",
        next: "wait until the app and the sync service are done, then run again")
    case .tooLarge:
      return Finding(.damaged, .error, path: path, message: error.diagnostic.problem)
    default:
      let isPlaceholder: Bool
      #if canImport(Darwin)
        if case .missing = error { isPlaceholder = true } else { isPlaceholder = false }
      #else
        isPlaceholder = false
      #endif
      return isPlaceholder
        ? Finding(
          .placeholder, .error, path: path,
          message: "is not downloaded, or was removed meanwhile",
          next: "download the folder (Finder: Download Now) and run again")
        : Finding(
          .unreadable, .error, path: path, message: error.diagnostic.problem,
          next: error.diagnostic.remedy)
    }
  }
}
