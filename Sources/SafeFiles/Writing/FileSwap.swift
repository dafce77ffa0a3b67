#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new file takes the place of the one that was read before, and of no other.
///
/// Programs that take no lock may put a third file there at any moment. So the two change names in
/// one step, and what comes out is looked at before it goes. Until then it lies under a name that no
/// sweep removes and that says what it should be: whoever finds it later can tell whose it is.
struct FileSwap {
  /// How a swap ended.
  enum Outcome {
    /// The new file is in place, the one that was read is gone.
    case replaced
    /// What was read, or what somebody else wrote, is in place, and the new file is gone.
    case undone
    /// Under the name of the swap lies something that somebody else wrote.
    case displaced
  }

  /// What lies under one of the two names.
  private enum Content {
    case new
    case old
    case foreign
    case missing
  }

  let directory: Directory
  let name: SwapName

  /// Lets the file `staged` take the place.
  ///
  /// Once this throws, the new file is gone or, if nobody can tell what lies where, everything is
  /// left for `finish()`.
  func perform(with staged: FileName) throws(SystemCallError) -> Outcome {
    let (operations, place) = (directory.operations, directory.descriptor)
    try operations.rename(staged, in: place, to: name.name, in: place)
    do throws(SystemCallError) {
      try operations.exchange(name.name, in: place, with: name.target)
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else {
        // Nothing happened, or it did and the answer was lost.
        _ = try end()
        throw error
      }
      return try replace()
    }
    return try end()
  }

  /// For file systems where names cannot be exchanged: a look, then a rename. The gap is as small as
  /// it gets there.
  private func replace() throws(SystemCallError) -> Outcome {
    let (operations, place) = (directory.operations, directory.descriptor)
    guard content(of: name.target) == .old else { return try end() }
    do throws(SystemCallError) {
      try operations.rename(name.name, in: place, to: name.target, in: place)
    } catch {
      _ = try end()
      throw error
    }
    return .replaced
  }

  /// Ends the swap of a run that is alive: what somebody wrote right before it gets its place back.
  private func end() throws(SystemCallError) -> Outcome {
    let (operations, place) = (directory.operations, directory.descriptor)
    let outcome = try finish()
    guard outcome == .displaced, content(of: name.target) == .new else { return outcome }
    try operations.exchange(name.name, in: place, with: name.target)
    guard content(of: name.name) == .new else {
      // Somebody wrote once more, over the new file; his is the newest and gets its name back.
      try operations.exchange(name.name, in: place, with: name.target)
      return .displaced
    }
    // The other's name must last before the only other name that leads to the swap goes.
    try operations.synchronize(place)
    try remove()
    return .undone
  }

  /// Removes what a swap left under its name, from wherever it stopped; done again it changes
  /// nothing more.
  ///
  /// Only what holds the new bytes or those that were read is ever unlinked. The file in place stays
  /// there: a swap that died may be another device's, or an old one that a sync service brought.
  func finish() throws(SystemCallError) -> Outcome {
    switch content(of: name.name) {
    case .missing: return .undone
    case .old:
      try remove()
      return .replaced
    case .new:
      try remove()
      return .undone
    case .foreign: return .displaced
    }
  }

  /// Removes what lies under the name of the swap, which was looked at.
  private func remove() throws(SystemCallError) {
    try directory.operations.unlink(name.name, in: directory.descriptor, flags: 0)
  }

  /// Whatever cannot be read is taken for somebody else's.
  private func content(of name: FileName) -> Content {
    do throws(FileError) {
      let hash = try directory.hash(of: name)
      return self.name.isOld(hash) ? .old : self.name.isNew(hash) ? .new : .foreign
    } catch {
      if case .missing = error { return .missing }
      return .foreign
    }
  }
}
