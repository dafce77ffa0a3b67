import Backups
import Folders
import SafeFiles

/// A folder and the place where its backups are.
struct BackedUpFolder {
  let directory: Directory
  /// The last name of its real path.
  let name: String
  /// The path of the place, as a command would take it.
  let place: String

  private let operations: any FileOperations

  init(_ options: PackOptions, context: RunContext) throws(MigrationError) {
    directory = try FolderAccess.open(options.folder, context: context)
    operations = context.operations
    let path: String
    do {
      path = String(decoding: try directory.canonicalPath(), as: UTF8.self)
    } catch {
      throw MigrationError(error)
    }
    name = path.split(separator: "/").last.map(String.init) ?? "folder"
    place = options.backupDirectory ?? path + FolderNames.backupsSuffix
  }

  /// Opens the place; nil if it is not there and is not to be created.
  func store(isCreating: Bool) throws(BackupError) -> BackupStore? {
    let directory: Directory
    do throws(FileError) {
      directory = try open(isCreating: isCreating)
    } catch {
      if case .missing = error, !isCreating { return nil }
      throw .file(error)
    }
    return try BackupStore(directory, for: self.directory, named: name)
  }

  private func open(isCreating: Bool) throws(FileError) -> Directory {
    if let there = try Directory.openTarget(path: place, operations: operations) { return there }
    guard isCreating else { throw .missing(path: place) }
    let (parent, name) = try Directory.openParent(ofPath: place, operations: operations)
    // A place that would be part of the backup is not even created.
    guard try !parent.isInside(directory) else { return parent }
    return try parent.createDirectory(name, asPrivateAs: Privacy(of: directory.state()))
  }

  /// Opens what tells how much space there is for a new backup: the place, or the directory in which
  /// it would be created.
  func volume() throws(BackupError) -> Directory {
    do throws(FileError) {
      if let there = try Directory.openTarget(path: place, operations: operations) { return there }
      return try Directory.openParent(ofPath: place, operations: operations).directory
    } catch {
      throw .file(error)
    }
  }
}
