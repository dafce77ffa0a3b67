/// A file that was unlinked as soon as it was made: it goes with the process, however that ends.
package struct NamelessFile: Sendable {
  /// Appends to it.
  package let writer: FileWriter
  /// Reads it, from its start on.
  package let reader: FileReader

  /// Makes a file in a directory, as the user gave it.
  package init(in path: String, operations: any FileOperations) throws(FileError) {
    let directory = try Directory.open(path: path, operations: operations)
    guard let name = FileName(Array("automerge-migrate-spool.".utf8) + Entropy.hexDigits(16)) else {
      throw .invalidPath(path: path)
    }
    writer = try directory.createFile(name)
    do throws(FileError) {
      reader = try directory.openForReading(name)
    } catch {
      // What could not be read is of no use; a name that stays behind leads to nothing.
      try? directory.unlink(name, flags: 0)
      throw error
    }
    try directory.unlink(name, flags: 0)
  }
}
