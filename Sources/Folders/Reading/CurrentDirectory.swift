package import SafeFiles

/// The directory of the file that was asked for last, which stays open: files come in the order of
/// their paths, so that the next one mostly lies there, too.
package struct CurrentDirectory {
  private let folder: Directory
  private var current: (number: Int, directory: Directory)?

  /// Creates one for the files of a folder; nothing is opened yet.
  package init(in folder: Directory) { self.folder = folder }

  /// Returns the directory of a file of the folder's inventory.
  package mutating func directory(
    of file: Int, in inventory: FolderInventory
  ) throws(FileError) -> Directory {
    let number = inventory.directory(of: file)
    if let current, current.number == number { return current.directory }
    let directory = try folder.openDirectory(inventory.directoryPath(number))
    current = (number, directory)
    return directory
  }
}
