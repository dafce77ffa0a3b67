package import SafeFiles

extension SampleFolder {
  /// Writes all files into a directory that is empty, and returns how many.
  ///
  /// Throws `alreadyExists` if it is not. Files get the modes and times of a folder in use. Nothing
  /// is synchronized: a sample that a crash spoils is made again.
  package func write(into folder: Directory) throws(FileError) -> Int {
    guard try folder.entries().isEmpty else { throw .alreadyExists(path: folder.path) }
    var count = 0
    var current: (path: RelativePath, directory: Directory)?
    try forEachFile { file throws(FileError) in
      guard let parent = file.path.parent, let name = file.path.lastComponent else { return }
      let directory: Directory
      if let current, current.path == parent {
        directory = current.directory
      } else {
        directory = try folder.createDirectory(parent)
        current = (parent, directory)
      }
      let writer = try directory.createFile(name)
      try writer.write(file.bytes)
      try writer.setAttributes(mode: 0o644, modified: file.modified, owner: folder.folderOwner)
      count += 1
    }
    return count
  }
}
