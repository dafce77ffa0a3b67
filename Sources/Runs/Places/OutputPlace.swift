import Folders
package import SafeFiles

/// Where a run writes what it makes: never into the content of a data folder that it was not given.
package enum OutputPlace {
  /// Opens a directory to fill; creates it in the directory above, which must exist.
  ///
  /// Throws `insideFolder` if it would be new content of a data folder. One that is a data folder
  /// itself may lie in another.
  package static func createDirectory(
    _ path: String, context: RunContext
  ) throws(MigrationError) -> Directory {
    let (parent, name) = try parentIfMissing(path, nil, context, .refused)
    guard let name else { return parent }
    return try create(name, in: parent, asPrivateAs: nil)
  }

  /// Opens a directory that gets files of a folder, or that folder itself; creates it unless this is
  /// a dry run, which gets nil. A new one is never wider than what its content comes from.
  ///
  /// Throws `nestedPlaces` if one lies inside the other.
  package static func openDirectory(
    _ path: String, apartFrom source: Source? = nil, asPrivateAs privacy: Privacy? = nil,
    context: RunContext, isDryRun: Bool,
    unfinishedRestore: FolderAccess.UnfinishedRestore = .refused
  ) throws(MigrationError) -> Directory? {
    let (parent, name) = try parentIfMissing(path, source, context, unfinishedRestore)
    guard let name else { return parent }
    return isDryRun ? nil : try create(name, in: parent, asPrivateAs: privacy)
  }

  /// Returns how private a folder is.
  package static func privacy(of folder: Directory) throws(MigrationError) -> Privacy {
    try MigrationError.wrapping { () throws(FileError) in Privacy(of: try folder.state()) }
  }

  /// The folder that is read.
  package struct Source {
    package var directory: Directory
    package var path: String

    package init(directory: Directory, path: String) {
      self.directory = directory
      self.path = path
    }
  }

  /// Opens the directory of a file that is written beside a folder's content.
  ///
  /// Throws `insideFolder` if that is below `records` or in our state.
  package static func openParent(
    ofPath path: String, context: RunContext
  ) throws(MigrationError) -> (directory: Directory, name: FileName) {
    let place = try FolderAccess.openParent(ofPath: path, context: context)
    try requireNoContent(in: place.directory, path)
    return place
  }

  /// Throws `insideFolder` if a directory is a folder, or lies in it.
  static func requireOutside(
    _ folder: Directory, _ place: Directory, _ path: String
  ) throws(MigrationError) {
    let (isFolder, isBelow) = (try isSame(place, folder), try isInside(place, folder))
    if isFolder || isBelow { throw try inside(folder, path) }
  }

  /// Throws `insideFolder` if files in a directory would lie below `records` of a data folder, or in
  /// our state.
  package static func requireNoContent(
    inDirectory path: String, context: RunContext
  ) throws(MigrationError) {
    if let directory = try FolderAccess.openIfPresent(path, context: context) {
      try requireNoContent(in: directory, path)
    } else {
      _ = try openParent(ofPath: path, context: context)
    }
  }

  private static func requireNoContent(
    in place: Directory, _ path: String
  ) throws(MigrationError) {
    let folder = try MigrationError.wrapping { () throws(FileError) -> Directory? in
      let surroundings = try Surroundings(of: place)
      if let folder = surroundings.folderOfState { return folder }
      var inner: Directory?
      for outer in surroundings.directories {
        if let inner, try outer.isDataFolder,
          let records = try outer.stateIfPresent(of: FolderNames.records),
          try inner.state().isSameFile(as: records)
        {
          return outer
        }
        inner = outer
      }
      return nil
    }
    if let folder { throw try inside(folder, path) }
  }

  /// Returns the directory at a path or, with its name, the one that it would be created in.
  private static func parentIfMissing(
    _ path: String, _ source: Source?, _ context: RunContext,
    _ unfinishedRestore: FolderAccess.UnfinishedRestore
  ) throws(MigrationError) -> (directory: Directory, name: FileName?) {
    let there = try FolderAccess.openIfPresent(
      path, context: context, unfinishedRestore: unfinishedRestore)
    guard let there else {
      let (parent, name) = try FolderAccess.openParent(ofPath: path, context: context)
      if let source, try isInside(parent, source.directory) {
        throw .nestedPlaces(source: source.path, target: path)
      }
      if let folder = try dataFolder(around: parent, orItself: true) {
        throw try inside(folder, path)
      }
      return (parent, name)
    }
    if let source {
      if try isSame(there, source.directory) { return (there, nil) }
      for (inner, outer) in [(there, source.directory), (source.directory, there)]
      where try isInside(inner, outer) {
        throw .nestedPlaces(source: source.path, target: path)
      }
    }
    if let folder = try dataFolder(around: there, orItself: false) {
      throw try inside(folder, path)
    }
    return (there, nil)
  }

  private static func create(
    _ name: FileName, in parent: Directory, asPrivateAs privacy: Privacy?
  ) throws(MigrationError) -> Directory {
    try MigrationError.wrapping { () throws(FileError) in
      guard let privacy else { return try parent.createDirectory(name) }
      return try parent.createDirectory(name, asPrivateAs: privacy)
    }
  }

  /// Returns the data folder whose content a directory is; nil if it is one of its own, or in none.
  private static func dataFolder(
    around place: Directory, orItself: Bool
  ) throws(MigrationError) -> Directory? {
    try MigrationError.wrapping { () throws(FileError) in
      let surroundings = try Surroundings(of: place)
      if let folder = surroundings.folderOfState { return folder }
      for directory in surroundings.directories where try directory.isDataFolder {
        return !orItself && directory === place ? nil : directory
      }
      return nil
    }
  }

  private static func isSame(_ one: Directory, _ other: Directory) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      try one.state().isSameFile(as: other.state())
    }
  }

  private static func isInside(
    _ inner: Directory, _ outer: Directory
  ) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in try inner.isInside(outer) }
  }

  private static func inside(
    _ folder: Directory, _ path: String
  ) throws(MigrationError) -> MigrationError {
    let folder = try MigrationError.wrapping { () throws(FileError) in
      try folder.canonicalPath()
    }
    return .insideFolder(path: path, folder: String(decoding: folder, as: UTF8.self))
  }
}

extension Directory {
  /// Whether the app or a command has worked here, or could: it holds our state, the app's lock, or
  /// what the app kept before it had documents.
  fileprivate var isDataFolder: Bool {
    get throws(FileError) {
      if try stateIfPresent(of: FolderNames.state)?.kind == .directory { return true }
      if try stateIfPresent(of: FolderNames.writeLock)?.kind == .regular { return true }
      guard try stateIfPresent(of: FolderNames.tagsFile)?.kind == .regular else { return false }
      return try stateIfPresent(of: FolderNames.records)?.kind == .directory
    }
  }
}
