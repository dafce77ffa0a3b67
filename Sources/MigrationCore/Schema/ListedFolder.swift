import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// A folder in which steps are to run, with the names in it as they were a moment ago.
package struct ListedFolder: Sendable {
  /// The path, as the user gave it.
  let path: String
  let directory: Directory
  let inventory: FolderInventory
  /// What could not be listed.
  let unlisted: [Finding]

  /// Reads the names in a folder; throws unless its data is of the app.
  package init(_ path: String, context: RunContext) throws(MigrationError) {
    try self.init(path, FolderAccess.open(path, context: context), nil, context)
  }

  private init(
    _ path: String, _ directory: Directory, _ writing: WritingRun?, _ context: RunContext
  ) throws(MigrationError) {
    self.path = path
    self.directory = directory
    var unlisted: [Finding] = []
    inventory = try FolderAccess.inventory(
      of: directory, for: writing, context: context, noting: &unlisted)
    try inventory.requireKnownApp(in: directory, at: path, unlisted: unlisted)
    self.unlisted = unlisted
  }

  /// Reads the names again, under the lock of the folder.
  func again(for writing: WritingRun, _ context: RunContext) throws(MigrationError) -> ListedFolder
  {
    try ListedFolder(path, directory, writing, context)
  }

  /// Whether it has JSON files of the app, and no documents.
  package var isOfFiles: Bool {
    unlisted.isEmpty && inventory.hasLegacyFiles && inventory.kindsOfDocuments.isEmpty
  }
}
