#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is complete and synchronized under a temporary name, ready to get its own.
package struct StagedFile: Sendable {
  /// The directory it is in.
  package let directory: Directory
  /// The name it gets.
  package let name: FileName
  /// The name it has now.
  package let temporaryName: FileName
  /// What may be there.
  package let replacement: Replacement

  /// Gives the file its name. It lasts once the directory is synchronized.
  ///
  /// Throws `alreadyExists` or `changedSince` if `replacement` does not allow it; the temporary
  /// file is then gone.
  package func publish() throws(FileError) {
    if case .unchanged(let state) = replacement {
      guard let now = try directory.stateIfPresent(of: name), now.isUnchanged(since: state) else {
        discard()
        throw .changedSince(path: directory.path(of: name))
      }
    }
    let (operations, place) = (directory.operations, directory.descriptor)
    var isInPlace = true
    do throws(SystemCallError) {
      switch replacement {
      case .nothing: try operations.move(temporaryName, in: place, to: name, in: place)
      case .anything: try operations.rename(temporaryName, in: place, to: name, in: place)
      case .unchanged(let state): isInPlace = try exchange(ifUnchangedSince: state)
      }
    } catch {
      discard()
      throw FileError(error, .rename, directory.path(of: name))
    }
    guard isInPlace else { throw .changedSince(path: directory.path(of: name)) }
  }

  /// Puts the file in the place of another, and looks only then what that was: a program that takes
  /// no lock may have put a third one there at the last moment, which goes back.
  ///
  /// Throws before anything has changed.
  private func exchange(ifUnchangedSince state: FileState) throws(SystemCallError) -> Bool {
    let (operations, place) = (directory.operations, directory.descriptor)
    let own = try operations.state(of: temporaryName, in: place)
    do throws(SystemCallError) {
      try operations.exchange(temporaryName, in: place, with: name)
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { throw error }
      // The look before was the best there is here.
      try operations.rename(temporaryName, in: place, to: name, in: place)
      return true
    }
    do throws(SystemCallError) {
      if try operations.state(of: temporaryName, in: place).isUnchanged(since: state) {
        discard()
        return true
      }
      try operations.exchange(temporaryName, in: place, with: name)
      if try operations.state(of: temporaryName, in: place).isSameFile(as: own) {
        discard()
      } else {
        // Somebody wrote once more, over ours; that is the newest, and gets its name back.
        try operations.exchange(temporaryName, in: place, with: name)
      }
    } catch {
      // Nobody can tell which of the two is whose, so neither is removed.
    }
    return false
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

  /// Removes the file unpublished. A failure leaves a temporary for the next sweep.
  package func discard() {
    // The next sweep of the directory removes what stays behind.
    try? directory.operations.unlink(
      temporaryName, in: directory.descriptor, flags: 0)
  }

  /// Reads the staged bytes back from the disk into `buffer`.
  package func readBack(into buffer: inout [UInt8]) throws(FileError) {
    try directory.read(temporaryName, into: &buffer)
  }

  /// Publishes files in the order given, then synchronizes each of their directories once.
  ///
  /// Stops at the first failure, discards what is not published yet, and synchronizes what is.
  package static func publish(_ files: [StagedFile]) throws(FileError) {
    var failure: FileError?
    var directories: [Directory] = []
    for file in files {
      guard failure == nil else {
        file.discard()
        continue
      }
      do throws(FileError) {
        try file.publish()
        if !directories.contains(where: { $0 === file.directory }) {
          directories.append(file.directory)
        }
      } catch {
        failure = error
      }
    }
    for directory in directories { try directory.synchronize() }
    if let failure { throw failure }
  }
}
