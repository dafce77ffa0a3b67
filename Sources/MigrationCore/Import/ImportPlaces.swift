import Runs
import SafeFiles

/// The folders an import reads from and writes to.
package struct ImportPlaces {
  /// The folder the entities come from; nil for a stream.
  var source: Directory?
  /// The folder that gets the documents; nil if a dry run would have to create it.
  var target: Directory?
  var sourcePath: String
  var targetPath: String
  /// Whether source and target are one folder.
  var isInPlace: Bool

  /// Opens both folders; the target is created unless this is a dry run.
  ///
  /// Throws `nestedPlaces` if one lies inside the other.
  init(_ options: ImportOptions, context: RunContext, isDryRun: Bool) throws(MigrationError) {
    switch options.source {
    case .folder(let path):
      source = try FolderAccess.open(path, context: context)
      sourcePath = path
    case .stores(let stores):
      source = nil
      sourcePath = stores.path
      if options.target == nil {
        throw .optionMissing(
          option: "--into", reason: "a store stays as it is, expected --into FOLDER")
      }
    case .stream(let bytes):
      source = nil
      sourcePath = bytes.name
      if options.target == nil {
        throw .optionMissing(
          option: "--into", reason: "a stream has no folder of its own, expected --into FOLDER")
      }
    }
    guard let path = options.target else {
      target = source
      targetPath = sourcePath
      isInPlace = true
      return
    }
    targetPath = path
    let source = source
    let privacy = try source.map { source throws(MigrationError) in
      try OutputPlace.privacy(of: source)
    }
    let target = try OutputPlace.openDirectory(
      path, apartFrom: source.map { [sourcePath] in .init(directory: $0, path: sourcePath) },
      asPrivateAs: privacy, context: context, isDryRun: isDryRun)
    self.target = target
    guard let source, let target else {
      isInPlace = false
      return
    }
    isInPlace = try MigrationError.wrapping { () throws(FileError) in
      try source.state().isSameFile(as: target.state())
    }
  }
}
