#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A file goes elsewhere while other bytes take its place, in one step for whoever reads it.
//
// First the file gets a second name where it goes, which lasts; then the other bytes change places with
// it. So its bytes have a name at every instant, and a program that still writes into the file writes to
// where it went. Dying in between leaves the second name behind, which harms nobody.
extension Directory {
  /// Moves a file that was read to another directory, and leaves other bytes in its place.
  ///
  /// - Returns: the state of the file in the other directory; nil, and nothing has moved, if it is not
  ///   what was read any more. The move lasts once this directory is synchronized.
  package func move(
    _ name: FileName, ifStill version: FileVersion, to target: Directory, leaving rest: [UInt8]
  ) throws(FileError) -> FileState? {
    do throws(FileError) {
      let staged = try stage(rest, as: name, replacing: .unchanged(version))
      do throws(FileError) {
        try addName(name, in: target)
      } catch {
        staged.discard()
        throw error
      }
      do throws(FileError) {
        try target.synchronize()
        let state = try target.state(of: name)
        try staged.publish()
        return state
      } catch {
        staged.discard()
        removeSecondName(name, in: target, unlessLeft: ContentHash(of: rest))
        throw error
      }
    } catch {
      switch error {
      case .missing, .inTheWay, .changedSince, .changedWhileRead: return nil
      default: throw error
      }
    }
  }

  /// Takes the second name off again; a file whose place has the other bytes already keeps it, for it
  /// may be its only one, and so does one of which nobody can tell.
  private func removeSecondName(
    _ name: FileName, in target: Directory, unlessLeft rest: ContentHash
  ) {
    // The error that led here is told; a name too many harms nobody.
    guard let there = try? hash(of: name), there != rest else { return }
    try? target.unlink(name, flags: 0)
  }

  /// Moves a file back over what was left in its place.
  ///
  /// - Returns: whether it is back; if not, the place has other bytes, and nothing has moved. It lasts
  ///   once this directory is synchronized, too.
  package func move(
    _ name: FileName, to target: Directory, over rest: ContentHash
  ) throws(FileError) -> Bool {
    let there: FileVersion
    do throws(FileError) { there = try target.version(of: name) } catch {
      switch error {
      case .wrongKind, .changedWhileRead: return false
      default: throw error
      }
    }
    if there.hash == rest {
      do throws(FileError) {
        try stage(name, for: target, replacing: .unchanged(there)).publish()
      } catch {
        guard case .changedSince = error else { throw error }
        return false
      }
    } else if try there.hash != hash(of: name) {
      return false
    }
    // Who died here has put it back: only the name that it had in the meantime is left.
    try target.synchronize()
    try unlink(name, flags: 0)
    return true
  }

  /// Prepares a file to get its name in another directory, too.
  private func stage(
    _ name: FileName, for target: Directory, replacing replacement: Replacement
  ) throws(FileError) -> StagedFile {
    var temporary = TemporaryName.make(for: name)
    do throws(FileError) {
      try addName(name, in: target, as: temporary)
    } catch {
      // Encrypting file systems take shorter names than the usual 255 bytes.
      guard case .system(_, _, ENAMETOOLONG) = error else { throw error }
      temporary = TemporaryName.make(for: "t")
      try addName(name, in: target, as: temporary)
    }
    return StagedFile(
      directory: target, name: name, temporaryName: temporary, replacement: replacement)
  }

  /// Gives a file a second name, never replacing anything; where there are none, a copy gets it.
  private func addName(
    _ name: FileName, in target: Directory, as newName: FileName? = nil
  ) throws(FileError) {
    let newName = newName ?? name
    guard try !addSecondName(name, in: target, as: newName) else { return }
    try copyFile(name, to: target, as: newName)
  }
}
