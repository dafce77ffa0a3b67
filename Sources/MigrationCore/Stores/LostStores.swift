import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

extension StoreSource {
  /// Opens the folder at a path; nil if a file is there, and an error with a way back if a store was.
  static func openUnlessFile(
    _ path: String, context: RunContext
  ) throws(MigrationError) -> Directory? {
    do throws(MigrationError) {
      return try FolderAccess.openUnlessFile(path, context: context)
    } catch {
      if error.diagnostic.kind == .missingInput { try requireNotLost(path, context: context) }
      throw error
    }
  }

  /// Throws an error that says what brings a store back, if nothing is at a path at which one was.
  static func requireNotLost(_ path: String, context: RunContext) throws(MigrationError) {
    guard let last = path.split(separator: "/").last, let called = FileName(Array(last.utf8)),
      hasNameOfStore(called),
      // Where nothing is around it either, nobody can say that it was there.
      let (parent, name) = try? FolderAccess.openParent(ofPath: path, context: context),
      try hasTraces(of: name, in: parent)
    else { return }
    let recover = NextCommand(.recoverFolder, [path])
    throw .underlying(
      Diagnostic(
        .missingInput, subject: path, problem: "the store is gone, and what was of it is there",
        remedy: "bring it back: \(recover.shellText)", command: recover))
  }

  /// Whether something beside a database shows that it is a store: its log, its journal, its hidden
  /// folder or its backups.
  static func hasCompany(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    let files = StoreFiles(in: directory, name: name, path: "")
    let backups = FileName(name.bytes + Array(FolderNames.backupsSuffix.utf8))
    for name in [files.logName, files.journalName, files.supportName, backups].compactMap({ $0 }) {
      if try directory.stateIfPresent(of: name) != nil { return true }
    }
    return false
  }

  private static func hasTraces(
    of name: FileName, in directory: Directory
  ) throws(MigrationError) -> Bool {
    let isSomethingLeft = try MigrationError.wrapping { () throws(FileError) in
      try hasCompany(name, in: directory)
    }
    return isSomethingLeft || !AppBackups(around: directory, and: nil).items.isEmpty
  }
}

extension StoreFinder.Found {
  /// Tells of each store whose database is gone or only a link: nothing of it is read.
  ///
  /// - Parameter place: the directory that was given, for commands.
  func lost(at place: String) -> [Finding] {
    let recover = NextCommand(.recoverFolder, [place])
    let gone = missing.map { files in
      Finding(
        .missingStore, .error, path: files.path,
        message: "the database is gone, and what was beside it is there: the newest rows may be in "
          + "that",
        next: "keep what is left, and bring the store back from a backup: \(recover.shellText)",
        command: recover)
    }
    return gone
      + links.sorted().map { path in
        Finding(
          .symbolicLink, .error, path: path,
          message: "is a link that is called a store, and is not followed: nothing of it is read",
          next: "give the store that it leads to by its own path")
      }
  }
}
