import Diagnostics
import Folders
import Runs
import SafeFiles

/// Why one item of a merge was not written.
enum MergeFailure: Error {
  /// The item stays as it was, and the finding says why; others can go on.
  case left(Finding)
  /// Nothing can go on.
  case stopped(MigrationError)
}

/// Puts the results of a merge into their places.
enum MergePublisher {
  /// Gives a copy the name of a base that is not there, in one rename that replaces nothing.
  static func adopt(
    _ copy: MergeFile, as base: RelativePath, in folder: Directory
  ) throws(MergeFailure) {
    do throws(FileError) {
      let ((parent, name), (target, newName)) = (try copy.path.split(), try base.split())
      let source = try folder.openDirectory(parent)
      guard let now = try source.stateIfPresent(of: name),
        now.isUnchanged(since: copy.version.state)
      else { throw .changedSince(path: copy.path.description) }
      let directory = try folder.createDirectory(target)
      try source.move(name, to: directory, as: newName)
      try directory.synchronize()
      try source.synchronize()
    } catch {
      throw failure(error, base)
    }
  }

  /// Publishes new bytes of a base once they were read back from disk, as staging does, and judged.
  static func publish(
    _ result: MergeResult, at base: RelativePath, in folder: Directory
  ) throws(MergeFailure) {
    let defect: String?
    do throws(FileError) {
      let (parent, name) = try base.split()
      let file = try folder.openDirectory(parent)
        .stage(result.bytes, as: name, replacing: .unchanged(result.replaced))
      defect = result.defect(result.bytes)
      if defect == nil { try StagedFile.publish([file]) } else { file.discard() }
    } catch {
      throw failure(error, base)
    }
    guard let defect else { return }
    throw .left(
      Finding(
        .kept, .error, path: base.description, message: "was not merged: \(defect)",
        next: "nothing was changed; report this with the files"))
  }

  /// Returns what a base is now, nil if it is gone.
  static func state(
    of base: RelativePath, in folder: Directory
  ) throws(MergeFailure) -> FileState? {
    do {
      return try folder.stateIfPresent(of: base)
    } catch {
      throw failure(error, base)
    }
  }

  /// What moves under our hands is left to the next run; any other failure stops this one.
  private static func failure(_ error: FileError, _ base: RelativePath) -> MergeFailure {
    switch error {
    case .changedSince, .alreadyExists, .missing:
      .left(
        Finding(
          .changedWhileRead, .error, path: base.description, message: error.diagnostic.problem,
          next: "run the command again"))
    default: .stopped(MigrationError(error))
    }
  }
}

extension RelativePath {
  /// Returns the directory and the name; throws for the folder itself, which has none.
  fileprivate func split() throws(FileError) -> (parent: RelativePath, name: FileName) {
    guard let parent, let lastComponent else { throw .invalidPath(path: description) }
    return (parent, lastComponent)
  }
}
