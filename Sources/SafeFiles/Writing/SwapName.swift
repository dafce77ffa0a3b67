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
    longest: Int = TemporaryName.longestName
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
