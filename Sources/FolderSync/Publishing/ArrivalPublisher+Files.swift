import Diagnostics
import Runs
import SafeFiles

// Attached files get their names in groups, so that a directory is synchronized once for many of them.
extension ArrivalPublisher {
  /// So many files are on disk without their names at most, each with a descriptor.
  private static let groupSize = 128

  private enum Outcome: Sendable {
    case staged(StagedFile)
    case failed(FileError)
  }

  /// Writes files, each of which is proven before it gets its name.
  ///
  /// One whose name is taken by now, or that has no such name here, is told, and the others go on.
  func publish(
    _ files: [ArrivedFile], of spool: FileSpool, to published: inout PublishedArrivals
  ) throws(MigrationError) {
    for start in stride(from: 0, to: files.count, by: Self.groupSize) {
      if context.isInterrupted() { throw .interrupted }
      let group = files[start..<min(start + Self.groupSize, files.count)]
      try publish(Array(group), of: spool, &published)
    }
  }

  private func publish(
    _ group: [ArrivedFile], of spool: FileSpool, _ published: inout PublishedArrivals
  ) throws(MigrationError) {
    // Nothing is left half done by somebody who wants to stop.
    var context = context
    context.isInterrupted = { false }
    context.reportProgress = nil
    let places = directories(of: group)
    let outcomes = try Workers.map(
      group.count, phase: .publishing, context: context, makeState: {}
    ) { item, _ throws(MigrationError) in
      do throws(FileError) {
        let file = group[item]
        guard let place = places[file.path.parent] else {
          throw .invalidPath(path: file.path.description)
        }
        return Outcome.staged(try stage(file, in: place.get(), of: spool))
      } catch {
        return .failed(error)
      }
    }
    var failure: FileError?
    var changed: [Directory] = []
    for (file, outcome) in zip(group, outcomes) {
      do throws(FileError) {
        switch outcome {
        case .failed(let error): throw error
        case .staged(let staged) where failure != nil: staged.discard()
        case .staged(let staged):
          try staged.publish()
          published.files.insert(file.path)
          if !changed.contains(where: { $0 === staged.directory }) {
            changed.append(staged.directory)
          }
        }
      } catch {
        switch error {
        case .diskFull, .notEnoughSpace, .inputOutput, .writtenBytesDiffer:
          failure = failure ?? error
        default: note(error, of: file, in: &published)
        }
      }
    }
    do throws(FileError) {
      for directory in changed { try directory.synchronize() }
      if let failure { throw failure }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Opens the directories that files go to, or creates them.
  private func directories(
    of group: [ArrivedFile]
  ) -> [RelativePath?: Result<Directory, FileError>] {
    var directories: [RelativePath?: Result<Directory, FileError>] = [:]
    for file in group where directories[file.path.parent] == nil {
      guard let parent = file.path.parent else { continue }
      do throws(FileError) {
        directories[parent] = .success(try folder.createDirectory(parent))
      } catch {
        directories[parent] = .failure(error)
      }
    }
    return directories
  }

  /// Something else has the name by now, or this file system has no such name.
  private func note(
    _ error: FileError, of file: ArrivedFile, in published: inout PublishedArrivals
  ) {
    published.unpublished.insert(file.path)
    published.findings.append(
      Finding(
        .notSynced, .error, path: file.path.description,
        message: "was not written: \(error.diagnostic.problem)",
        next: error.diagnostic.remedy ?? "run the command again"))
  }

  /// Writes a file under a temporary name, and reads it back.
  private func stage(
    _ file: ArrivedFile, in directory: Directory, of spool: FileSpool
  ) throws(FileError) -> StagedFile {
    guard let name = file.path.lastComponent else {
      throw .invalidPath(path: file.path.description)
    }
    try directory.requireSpace(for: Int64(file.content.byteCount))
    let writer = try directory.stageFile(as: name, replacing: .nothing)
    do throws(FileError) {
      try spool.forEachPiece(of: file) { (bytes) throws(FileError) in try writer.write(bytes) }
      let staged = try writer.finish()
      guard try directory.hash(of: staged.temporaryName) == file.content.hash else {
        throw .writtenBytesDiffer(path: writer.path)
      }
      return staged
    } catch {
      writer.discard()
      throw error
    }
  }
}
