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

  /// The entities and findings of the file that was read last.
  package private(set) var batch: EntityBatch
  /// The state of the file that was read last, `nil` if it could not be read.
  package private(set) var state: FileState?

  private let inventory: FolderInventory
  private let rules: EntityRules
  private let takesKept: Bool
  private var current: CurrentDirectory
  private var filesAtRest = FilesAtRest()

  /// Creates a reader of the files of an inventory.
  ///
  /// - Parameter takesKept: whether files that the inventory keeps are not read from the folder again.
  package init(
    _ folder: Directory, _ inventory: FolderInventory, rules: EntityRules = EntityRules(),
    takesKept: Bool = false
  ) {
    self.takesKept = takesKept
    current = CurrentDirectory(in: folder)
    batch = EntityBatch(kinds: inventory.kinds)
    self.inventory = inventory
    self.rules = rules
  }

  /// Reads a legacy file of the inventory, or a copy of one.
  ///
  /// Never throws: what cannot be read is a finding of severity error in the batch, which then has
  /// no entities and is not complete.
  package mutating func read(_ file: Int) {
    guard readBytes(of: file) else { return }
    let kind = inventory.kind(of: file)
    batch.load(
      as: kind == .other ? inventory.copies[file]?.kind ?? kind : kind,
      identifiedBy: identityPath(of: file), rules: rules)
    if !batch.findings.isEmpty { batch.name(findingsBy: inventory.path(of: file)) }
  }

  /// The path that says which entity a file holds; that of the folder where it does not matter.
  private func identityPath(of file: Int) -> RelativePath {
    inventory.kinds.isIdentifiedByPath(inventory.kind(of: file))
      ? inventory.identityPath(of: file) : .folder
  }

  /// Reads of a file that is one entity of a declared kind only who that is, and the month that a date
  /// of it says.
  ///
  /// Never throws, as `read(_:)`. Whether the rest of the entity follows the rules is not looked at.
  ///
  /// - Returns: nil if the file holds no entity with an identity.
  package mutating func readDate(_ file: Int) -> (identity: Identity, month: Month?)? {
    guard readBytes(of: file) else { return nil }
    return batch.loadDate(as: inventory.kind(of: file), identifiedBy: identityPath(of: file))
  }

  /// Reads a file to the batch; tells whether that was possible, after a finding if not.
  private mutating func readBytes(of file: Int) -> Bool {
    state = takesKept ? inventory.kept?.read(file, into: &batch.tape.text) : nil
    if state != nil { return true }
    do {
      let directory = try current.directory(of: file, in: inventory)
      let name = inventory.name(of: file)
      guard try Self.isDownloaded(name, in: directory) else {
        fail(Self.notDownloaded, file)
        return false
      }
      state = try readBytes(of: name, in: directory)
      return true
    } catch {
      fail(Self.finding(error), file)
      return false
    }
  }

  /// The bytes of the file that was read last, as they are on disk.
  package var source: ArraySlice<UInt8> { batch.tape.text[..<batch.tape.sourceByteCount] }

  private mutating func readBytes(
    of name: FileName, in directory: Directory
  ) throws(FileError) -> FileState {
    try SteadyRead.perform { () throws(FileError) in
      try directory.readListed(
        name, into: &batch.tape.text, limit: Self.largestFile, like: &filesAtRest)
    }
  }

  private mutating func fail(_ finding: Finding, _ file: Int) {
    batch.removeAll()
    batch.isComplete = false
    batch.findings.append(finding)
    batch.name(findingsBy: inventory.path(of: file))
  }

  /// Returns what a failure to read a file is, without its path.
  static func finding(_ error: FileError) -> Finding {
    if case .missing = error { return .gone }
    let code: Finding.Code =
      switch error {
      case .changedWhileRead: .changedWhileRead
      case .tooLarge: .damaged
      default: .unreadable
      }
    return Finding(
      code, .error, message: error.diagnostic.problem, next: error.diagnostic.remedy)
  }

  /// Reading a file without blocks on macOS would make the sync service fetch it.
  private static func isDownloaded(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    #if canImport(Darwin)
      let state = try directory.state(of: name)
      return state.kind != .regular || state.size == 0 || state.allocatedBlocks > 0
    #else
      return true
    #endif
  }

  private static let notDownloaded = Finding(
    .placeholder, .error, message: "is not downloaded, the content is with the sync service",
    next: "download the folder (Finder: Download Now) and run again")
}

/// The directories of the files that were asked for last, which stay open: files come in the order of
/// their paths, so that the next one mostly lies in one of them, or by months, which have few.
package struct CurrentDirectory {
  /// How many stay open.
  private static let limit = 16

  private let folder: Directory
  /// The one that was asked for last stands last.
  private var open: [(number: Int, directory: Directory)] = []

  /// Creates one for the files of a folder; nothing is opened yet.
  package init(in folder: Directory) { self.folder = folder }

  /// Returns the directory of a file of the folder's inventory.
  package mutating func directory(
    of file: Int, in inventory: FolderInventory
  ) throws(FileError) -> Directory {
    try directory(inventory.directory(of: file), in: inventory)
  }

  /// Each is opened in the one it lies in, which mostly is open.
  private mutating func directory(
    _ number: Int, in inventory: FolderInventory
  ) throws(FileError) -> Directory {
    if let index = open.lastIndex(where: { $0.number == number }) {
      if index < open.count - 1 { open.append(open.remove(at: index)) }
      return open[open.count - 1].directory
    }
    guard let (parent, name) = inventory.location(ofDirectory: number) else { return folder }
    let directory = try directory(parent, in: inventory).openDirectory(name)
    if open.count == Self.limit { open.removeFirst() }
    open.append((number, directory))
    return directory
  }
}
