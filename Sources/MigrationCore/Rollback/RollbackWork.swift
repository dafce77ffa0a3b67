import Diagnostics
import Folders
import Runs
import SafeFiles

/// The directory beside a folder in which its next content is made.
///
/// Whoever works there has it locked, so of two that come at once only one gets it, and neither takes
/// the other's work away; one that dies lets go. A mark in it says that it is ours, and goes last.
struct RollbackWork {
  /// The name of the mark. Earlier versions have the number of their process in it, or behind its name.
  static let mark: FileName = "made-by-rollback-folder"

  /// The directory, locked as long as this is kept.
  let directory: Directory
  private let parent: Directory
  private let name: FileName

  // MARK: Claiming

  /// Takes what an earlier run left; nil if there is nothing.
  static func claim(
    _ places: RollbackPlaces, context: RunContext
  ) throws(MigrationError) -> RollbackWork? {
    try claim(places, context) { parent, name throws(FileError) in
      do throws(FileError) {
        return try parent.openDirectoryIfPresent(RelativePath(name))
      } catch {
        guard case .wrongKind(let path, _, let found) = error else { throw error }
        throw .inTheWay(path: path, found: found)
      }
    }
  }

  /// Begins: makes the directory, for nobody whom the folder is not open to.
  static func begin(
    _ places: RollbackPlaces, asPrivateAs privacy: Privacy, context: RunContext
  ) throws(MigrationError) -> RollbackWork {
    let work = try claim(places, context) { parent, name throws(FileError) in
      try parent.createDirectory(name, asPrivateAs: privacy)
    }
    guard let work else { throw .brokenInvariant("no directory was created") }
    try MigrationError.wrapping { () throws(FileError) in
      guard try work.directory.stateIfPresent(of: mark) == nil else { return }
      // There at once: half of it would be in the way.
      _ = try work.directory.createFile(mark)
      try work.directory.synchronize()
    }
    return work
  }

  private static func claim(
    _ places: RollbackPlaces, _ context: RunContext,
    opening open: (Directory, FileName) throws(FileError) -> Directory?
  ) throws(MigrationError) -> RollbackWork? {
    let (parent, name) = try FolderAccess.openParent(ofPath: places.work, context: context)
    while true {
      let directory = try MigrationError.wrapping { () throws(FileError) in
        try open(parent, name)
      }
      guard let directory else { return nil }
      let isLocked = try MigrationError.wrapping { () throws(FileError) in
        try directory.lockIfFree()
      }
      guard isLocked else { throw busy(places.folder) }
      let isInPlace = try MigrationError.wrapping { () throws(FileError) in
        try parent.stateIfPresent(of: name)?.isSameFile(as: directory.state()) ?? false
      }
      // Whoever had it may have removed it, and another may have made one since.
      guard isInPlace else { continue }
      try requireOurs(directory, places)
      return RollbackWork(directory: directory, parent: parent, name: name)
    }
  }

  /// Throws if a directory is somebody else's. One that holds nothing is nobody's: a run may have been
  /// killed before it had left its mark.
  private static func requireOurs(
    _ directory: Directory, _ places: RollbackPlaces
  ) throws(MigrationError) {
    let entries = try MigrationError.wrapping { () throws(FileError) in try directory.entries() }
    let marks = entries.map(\.name).filter(isMark)
    guard !marks.isEmpty || entries.isEmpty else {
      throw .underlying(
        Diagnostic(
          .cannotCreate, subject: directory.path, problem: "is in the way",
          remedy: "move it elsewhere"))
    }
    for mark in marks {
      let number = try MigrationError.wrapping { () throws(FileError) in
        try process(ofMark: mark, in: directory)
      }
      guard let number, ProcessNumber.isInUse(number) else { continue }
      throw .underlying(
        Diagnostic(
          .busy, subject: places.folder,
          problem: "another rollback-folder is at work on it, process \(number)",
          remedy: "wait until it is done; if that process is something else, move "
            + "\(directory.path) away"))
    }
  }

  private static func busy(_ folder: String) -> MigrationError {
    .underlying(
      Diagnostic(
        .busy, subject: folder, problem: "another rollback-folder is at work on it",
        remedy: "wait until it is done"))
  }

  private static func isMark(_ name: FileName) -> Bool {
    name == mark || name.bytes.starts(with: mark.bytes + [UInt8(ascii: ".")])
  }

  /// The number of the process whose work this is, as earlier versions wrote it.
  private static func process(
    ofMark name: FileName, in directory: Directory
  ) throws(FileError) -> Int32? {
    let digits =
      name == mark
      ? try directory.contents(of: name, limit: 1 << 12)
      : Array(name.bytes.dropFirst(mark.bytes.count + 1))
    return Int32(String(decoding: digits.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  // MARK: Working

  /// Removes what the JSON was made in: all but the marks and what is told in the end.
  func removeContent() throws(FileError) {
    let told = [RollbackPlaces.today, RollbackPlaces.purged, RollbackPlaces.displaced]
    try remove { !Self.isMark($0) && !told.contains($0) }
  }

  /// Removes all of it. Whatever somebody else puts there then stays.
  func remove() throws(FileError) {
    try remove { !Self.isMark($0) }
    try remove(Self.isMark)
    do throws(FileError) { try parent.removeEmptyDirectory(name) } catch {
      guard case .alreadyExists = error else { throw error }
    }
    try parent.synchronize()
  }

  private func remove(_ isMeant: (FileName) -> Bool) throws(FileError) {
    try directory.makeWritable()
    for entry in try directory.entries() where isMeant(entry.name) {
      if entry.kind == .directory {
        try directory.removeOwnTree(entry.name)
      } else {
        try directory.removeFile(
          entry.name, ifUnchangedSince: directory.state(of: entry.name))
      }
    }
  }

  /// Keeps lines of text in a file.
  func note(_ lines: [String], as name: FileName) throws(FileError) {
    try directory.publish(Array(lines.map { $0 + "\n" }.joined().utf8), as: name)
  }

  /// Returns the lines of a file, none if it is not there.
  func lines(of name: FileName) throws(FileError) -> [String] {
    let text = try text(of: name) ?? ""
    return text.isEmpty ? [] : text.split(separator: "\n").map(String.init)
  }

  /// Returns the text of a file without the end of its last line, nil if there is none.
  func text(of name: FileName) throws(FileError) -> String? {
    guard try directory.stateIfPresent(of: name) != nil else { return nil }
    let bytes = try directory.contents(of: name)
    return String(
      decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}
