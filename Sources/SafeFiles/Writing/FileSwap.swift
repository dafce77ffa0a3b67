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
      try operations.exchange(name.name, in: place, with: name.target, in: place)
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
    try operations.exchange(name.name, in: place, with: name.target, in: place)
    guard content(of: name.name) == .new else {
      // Somebody wrote once more, over the new file; his is the newest and gets its name back.
      try operations.exchange(name.name, in: place, with: name.target, in: place)
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

/// The name of a file that is about to change places with another:
/// `.NAME.RANDOM.NEW.OLD.swap.tmp.nosync`.
///
/// `NEW` and `OLD` are the first halves of the hashes of what is to be in the place and of what was
/// read there. So whoever finds the name after a crash, on whatever disk, can tell whose bytes they
/// are. Anything else under it is somebody else's, and no sweep removes it.
package struct SwapName: Hashable {
  private static let suffix: StaticString = ".swap.tmp.nosync"
  private static let digits = 32
  /// The length of a name that leaves room for a few bytes of the other's.
  static let shortestLength = 128

  /// The name itself.
  let name: FileName
  /// The name of the other file; one that is too long for a file system was cut.
  let target: FileName
  private let new: ArraySlice<UInt8>
  private let old: ArraySlice<UInt8>

  /// Makes a name of at most `longest` bytes for a new file that is to replace `target`.
  init(
    for target: FileName, new: ContentHash, old: ContentHash,
    longest: Int = FileName.longest
  ) {
    let dot = [UInt8(ascii: ".")]
    self.target = target
    self.new = Self.digits(of: new)
    self.old = Self.digits(of: old)
    let tail =
      dot + Entropy.hexDigits(TemporaryName.randomDigits) + dot + self.new + dot + self.old
      + Self.suffix.description.utf8
    name = FileName(trusted: dot + target.prefix(longest - tail.count - 1) + tail)
  }

  /// Takes a name apart; nil if it is none of ours.
  init?(_ name: FileName) {
    let dot = UInt8(ascii: ".")
    guard name.hasSuffix(Self.suffix), name.bytes.first == dot else { return nil }
    let parts = name.bytes.dropLast(Self.suffix.utf8CodeUnitCount)
      .split(separator: dot, omittingEmptySubsequences: false)
    guard parts.count > 4, let old = parts.last, let random = parts.dropLast(2).last,
      let new = parts.dropLast().last, random.count == TemporaryName.randomDigits,
      new.count == Self.digits, old.count == Self.digits
    else { return nil }
    guard (random + new + old).allSatisfy(TemporaryName.isDigit) else { return nil }
    let tail = Self.suffix.utf8CodeUnitCount + old.count + new.count + random.count + 3
    guard let target = FileName(Array(name.bytes.dropFirst().dropLast(tail))) else { return nil }
    self.name = name
    self.target = target
    self.new = new
    self.old = old
  }

  /// Whether a name is that of a file that changed places with another, or was about to.
  package static func matches(_ name: FileName) -> Bool { SwapName(name) != nil }

  /// Whether these are the bytes that are to be in the place.
  func isNew(_ hash: ContentHash) -> Bool { Self.digits(of: hash) == new }

  /// Whether these are the bytes that were read there.
  func isOld(_ hash: ContentHash) -> Bool { Self.digits(of: hash) == old }

  private static func digits(of hash: ContentHash) -> ArraySlice<UInt8> {
    Array(hash.description.utf8)[..<digits]
  }

  package static func == (left: SwapName, right: SwapName) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What somebody wrote into the place of a file that was being replaced, and what nobody can put
/// back because another file has its place by now.
package struct DisplacedFile: Hashable, Sendable {
  /// The name it has in its directory.
  package let name: FileName
  /// The name it had.
  package let originalName: FileName
}
