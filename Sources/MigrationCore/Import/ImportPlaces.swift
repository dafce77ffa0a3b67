import SafeFiles

/// The folders an import reads from and writes to.
struct ImportPlaces {
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
    target = try Self.openTarget(path, from: source, context: context, isDryRun: isDryRun)
    isInPlace = false
    guard let source, let target else { return }
    do {
      if try source.state().isSameFile(as: target.state()) {
        isInPlace = true
      } else if try source.isInside(target) || target.isInside(source) {
        throw MigrationError.nestedPlaces(source: sourcePath, target: path)
      }
    } catch let error as FileError {
      throw MigrationError(error)
    } catch let error as MigrationError {
      throw error
    } catch {
      throw .brokenInvariant("\(error)")
    }
  }

  private static func openTarget(
    _ path: String, from source: Directory?, context: RunContext, isDryRun: Bool
  ) throws(MigrationError) -> Directory? {
    guard isDryRun else {
      let privacy = try MigrationError.wrapping { () throws(FileError) in
        try source.map { source throws(FileError) in Privacy(of: try source.state()) }
      }
      return try FolderAccess.openOrCreate(path, asPrivateAs: privacy, context: context)
    }
    do {
      return try Directory.openTarget(path: path, operations: context.operations)
    } catch {
      throw MigrationError(error)
    }
  }
}
