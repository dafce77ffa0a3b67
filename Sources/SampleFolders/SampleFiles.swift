package import SafeFiles

/// A folder that is made up, file by file: equal ones give equal bytes.
package protocol SampleFiles {
  /// Calls `body` with each file, directory by directory.
  func forEachFile<Failure>(_ body: (SampleFile) throws(Failure) -> Void) throws(Failure)
}

extension SampleFiles {
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

/// One file of a sample folder.
package struct SampleFile: Sendable {
  /// Its path, relative to the folder.
  package var path: RelativePath
  /// Its bytes.
  package var bytes: [UInt8]
  /// When it says it was written.
  package var modified: FileTime

  /// Names a file.
  package init(path: RelativePath, bytes: [UInt8], modified: FileTime) {
    (self.path, self.bytes, self.modified) = (path, bytes, modified)
  }
}
