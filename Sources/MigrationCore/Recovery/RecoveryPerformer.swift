import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// Does the steps of a recovery that are no commands. Each file is there whole or not at all, and what
/// was done is not done again.
struct RecoveryPerformer {
  /// The absolute path of the folder.
  let folder: String
  let context: RunContext

  /// Makes a directory and those it lies in.
  func makeDirectory(_ path: String) throws(MigrationError) -> Directory {
    var missing: [FileName] = []
    var outer = path
    while true {
      if let directory = try open(outer) {
        return try MigrationError.wrapping { () throws(FileError) in
          var directory = directory
          for name in missing.reversed() {
            let inner = try directory.createDirectory(name)
            try directory.synchronize()
            directory = inner
          }
          return directory
        }
      }
      let (parent, name) = try MigrationError.wrapping { () throws(FileError) in
        try Self.parent(of: outer)
      }
      missing.append(name)
      outer = parent
    }
  }

  /// Copies a file to a place where nothing is.
  func copyFile(_ file: String, to copy: String) throws(MigrationError) {
    let (directory, name) = try self.parent(ofFile: file)
    let (target, newName) = try self.parent(ofFile: copy)
    try MigrationError.wrapping { () throws(FileError) in
      try target.sweepTemporaries(for: newName)
      try directory.copyFile(name, to: target, as: newName)
      try target.synchronize()
    }
  }

  /// Copies a file, or a directory with all files in it, into a directory.
  func copyTree(_ source: String, into target: String) throws(MigrationError) {
    let (parent, name) = try self.parent(ofFile: source)
    let target = try makeDirectory(target)
    try MigrationError.wrapping { () throws(FileError) in
      try copy(name, in: parent, to: target, depth: 0)
      try target.synchronize()
    }
  }

  /// JSON lies three directories deep.
  private static let deepest = 8

  private func copy(
    _ name: FileName, in directory: Directory, to target: Directory, depth: Int
  ) throws(FileError) {
    switch try directory.state(of: name).kind {
    case .regular:
      try target.sweepTemporaries(for: name)
      if try target.stateIfPresent(of: name) != nil {
        // An earlier run has copied it.
        guard try target.hash(of: name) == directory.hash(of: name) else {
          throw .alreadyExists(path: target.path(of: name))
        }
        return
      }
      try directory.copyFile(name, to: target, as: name)
    case .directory where depth < Self.deepest:
      let (inner, innerTarget) = (
        try directory.openDirectory(name), try target.createDirectory(name)
      )
      for entry in try inner.entries() {
        try copy(entry.name, in: inner, to: innerTarget, depth: depth + 1)
      }
      try innerTarget.synchronize()
    default: return
    }
  }

  /// Moves a document away, under the lock of the folder, unless it loads: somebody may have put a
  /// whole one there since, which stays.
  func moveDamaged(_ document: String, to target: String) throws(MigrationError) {
    let folder = try FolderAccess.open(folder, context: context)
    let (targetDirectory, newName) = try self.parent(ofFile: target)
    let lock = try FolderAccess.lockAfterRestores(folder, context: context)
    defer { withExtendedLifetime(lock) {} }
    let (directory, name) = try self.parent(ofFile: document)
    try MigrationError.wrapping { () throws(FileError) in
      var bytes: [UInt8] = []
      let state: FileState
      do throws(FileError) {
        state = try directory.read(name, into: &bytes, limit: DocumentLoader.largestDocument)
      } catch {
        // Somebody took it away, or an earlier run did.
        if case .missing = error { return }
        throw error
      }
      guard !SalvagedDocuments.isWhole(bytes) else { return }
      guard try directory.state(of: name).isUnchanged(since: state) else {
        throw .changedSince(path: directory.path(of: name))
      }
      try directory.move(name, to: targetDirectory, as: newName)
      try targetDirectory.synchronize()
      try directory.synchronize()
    }
  }

  private func open(_ path: String) throws(MigrationError) -> Directory? {
    try FolderAccess.openIfPresent(path, context: context)
  }

  private func parent(
    ofFile path: String
  ) throws(MigrationError) -> (directory: Directory, name: FileName) {
    try FolderAccess.openParent(ofPath: path, context: context)
  }

  private static func parent(of path: String) throws(FileError) -> (String, FileName) {
    let outer = RecoveryPlanner.directory(of: path)
    guard let name = FileName(Array(path.utf8.dropFirst(outer.utf8.count + 1))), !outer.isEmpty
    else {
      throw .invalidPath(path: DisplayText.escaping(path.utf8))
    }
    return (outer, name)
  }
}
