#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is complete and synchronized under a temporary name, ready to get its own.
///
/// Until the last copy of the value goes it is locked, so that no sweep takes it for what a dead run
/// left.
package struct StagedFile: Sendable {
  /// The directory it is in.
  package let directory: Directory
  /// The name it gets.
  package let name: FileName
  /// The name it has now.
  package let temporaryName: FileName
  /// What may be there.
  package let replacement: Replacement
  /// Keeps the file open and so the lock on it.
  var writer: FileWriter?
  /// The hash of its bytes, if they were read back.
  private var hash: ContentHash?

  init(
    directory: Directory, name: FileName, temporaryName: FileName, replacement: Replacement
  ) {
    self.directory = directory
    self.name = name
    self.temporaryName = temporaryName
    self.replacement = replacement
  }

  /// The same file without the lock on it.
  ///
  /// For many files at once, which would take more descriptors than there are, in places where no
  /// sweep can be under way: it is the lock of the folder that keeps others out.
  package var unlocked: StagedFile {
    var file = self
    file.writer = nil
    return file
  }

  /// What tells the file, once it is unlocked, from all others that are to get its name: a hundred
  /// thousand of them wait at once. Nil if that is not enough: it replaces something, or its file
  /// system does not take the usual temporary names.
  package var number: UInt64? {
    guard writer == nil, replacement == .nothing else { return nil }
    return TemporaryName.number(of: temporaryName, for: name)
  }

  /// Creates the value again of which only the name and the number were kept.
  package init(_ name: FileName, in directory: Directory, number: UInt64) {
    self.init(
      directory: directory, name: name,
      temporaryName: TemporaryName.make(for: name, number: number), replacement: .nothing)
  }

  /// Gives the file its name. It lasts once the directory is synchronized.
  ///
  /// Throws `alreadyExists` or `changedSince` if `replacement` does not allow it; the temporary
  /// file is then gone.
  package func publish() throws(FileError) {
    let (operations, place) = (directory.operations, directory.descriptor)
    if case .unchanged(let version) = replacement { return try takePlace(of: version) }
    do throws(SystemCallError) {
      if replacement == .nothing {
        try operations.move(temporaryName, in: place, to: name, in: place)
      } else {
        try operations.rename(temporaryName, in: place, to: name, in: place)
      }
    } catch {
      discard()
      throw FileError(error, .rename, directory.path(of: name))
    }
  }

  private func takePlace(of version: FileVersion) throws(FileError) {
    do throws(FileError) {
      // Most of what others do in between is seen without touching anything.
      guard let now = try directory.stateIfPresent(of: name),
        now.isUnchanged(since: version.state), try swap(with: version) == .replaced
      else { throw .changedSince(path: directory.path(of: name)) }
    } catch {
      discard()
      throw error
    }
  }

  private func swap(with version: FileVersion) throws(FileError) -> FileSwap.Outcome {
    let new = if let hash { hash } else { try directory.hash(of: temporaryName) }
    func swap(_ longest: Int) throws(SystemCallError) -> FileSwap.Outcome {
      let name = SwapName(for: name, new: new, old: version.hash, longest: longest)
      return try FileSwap(directory: directory, name: name).perform(with: temporaryName)
    }
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        return try swap(FileName.longest)
      } catch {
        // Encrypting file systems take shorter names than the usual 255 bytes.
        guard error.number == ENAMETOOLONG else { throw error }
        return try swap(SwapName.shortestLength)
      }
    } catch {
      throw FileError(error, .rename, directory.path(of: name))
    }
  }

  /// Gives the file the first of these names that is free, and returns it; nil if none is.
  ///
  /// The staged file is then still there.
  package func publish(asFirstFreeOf names: some Sequence<FileName>) throws(FileError) -> FileName?
  {
    let (operations, place) = (directory.operations, directory.descriptor)
    for name in names {
      do throws(SystemCallError) {
        try operations.move(temporaryName, in: place, to: name, in: place)
        return name
      } catch {
        if error.number == EEXIST { continue }
        throw FileError(error, .rename, directory.path(of: name))
      }
    }
    return nil
  }

  /// Holds the file under the name it got, without an instant in which somebody could remove it.
  package func held(as name: FileName) throws(FileError) -> HeldFile {
    writer?.share()
    return try HeldFile.acquire(name, in: directory, timeoutSeconds: 1)
  }

  /// Removes the file unpublished. A failure leaves a temporary for the next sweep.
  package func discard() {
    // The next sweep of the directory removes what stays behind.
    try? directory.operations.unlink(
      temporaryName, in: directory.descriptor, flags: 0)
  }

  /// Reads the file back from the disk and remembers its hash; throws `writtenBytesDiffer` if
  /// that is not the hash of what was written.
  mutating func prove(_ expected: ContentHash) throws(FileError) {
    let written = try directory.hash(of: temporaryName)
    guard written == expected else {
      throw .writtenBytesDiffer(path: directory.path(of: name))
    }
    hash = written
  }

  /// Publishes files in the order given, then synchronizes each of their directories once.
  ///
  /// Stops at the first failure, discards what is not published yet, and synchronizes what is.
  package static func publish(_ files: [StagedFile]) throws(FileError) {
    var publication = Publication()
    for file in files { publication.publish(file) }
    try publication.finish()
  }

  /// Publishes files one by one, for those of which there are too many to have them all at once.
  package struct Publication {
    private var failure: FileError?
    private var directories: [Directory] = []

    package init() {}

    /// Gives a file its name; discards it if one before could not get its own.
    package mutating func publish(_ file: StagedFile) {
      guard failure == nil else { return file.discard() }
      do throws(FileError) {
        try file.publish()
        if !directories.reversed().contains(where: { $0 === file.directory }) {
          directories.append(file.directory)
        }
      } catch {
        failure = error
      }
    }

    /// Synchronizes the directory of each file that has its name, then throws the first failure.
    package consuming func finish() throws(FileError) {
      for directory in directories { try directory.synchronize() }
      if let failure { throw failure }
    }
  }
}

/// What may be at the place where a file is published.
package enum Replacement: Hashable, Sendable {
  /// Another file, which is replaced, or nothing.
  case anything
  /// Nothing: an existing file is never replaced.
  case nothing
  /// The file that was read before, unchanged; anything else is left alone.
  ///
  /// Out of line: a hundred thousand new documents that wait for their names have none.
  indirect case unchanged(FileVersion)
}
