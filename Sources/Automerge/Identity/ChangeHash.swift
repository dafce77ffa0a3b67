#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The identity of a change: the SHA-256 of its canonical bytes (format.md 3.4).
public struct ChangeHash: Equatable, Hashable, Sendable {
  // Four big-endian words: no allocation, and comparing words is comparing bytes.
  private let word0: UInt64
  private let word1: UInt64
  private let word2: UInt64
  private let word3: UInt64

  package static let byteCount = 32

  /// Reads the 32 bytes from `offset` on; the caller has checked that they are there.
  package init(bytes: [UInt8], at offset: Int = 0) {
    func word(_ start: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in start..<start + 8 { value = value &<< 8 | UInt64(bytes[index]) }
      return value
    }
    word0 = word(offset)
    word1 = word(offset + 8)
    word2 = word(offset + 16)
    word3 = word(offset + 24)
  }

  /// Takes four big-endian words.
  init(words: (UInt64, UInt64, UInt64, UInt64)) {
    (word0, word1, word2, word3) = words
  }

  /// Parses 64 hexadecimal digits of either case; nil for anything else.
  public init?(hex: String) {
    guard let bytes = [UInt8](hexDigits: hex), bytes.count == Self.byteCount else { return nil }
    self.init(bytes: bytes)
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(Self.byteCount)
    append(to: &result)
    return result
  }

  /// The first eight bytes as a number, for tables that may be wrong once in a great while.
  package var leadingWord: UInt64 { word0 }

  /// The first 16 bytes, as an actor that is derived from what was hashed.
  var prefixActor: ActorId { ActorId(words: word0, word1) }

  /// 64 lower-case hexadecimal digits.
  public var hex: String { bytes.hexDigits }

  package func append(to output: inout [UInt8]) {
    output.appendBigEndian(word0, word1)
    output.appendBigEndian(word2, word3)
  }

  /// The first four bytes, which a chunk stores as its checksum (format.md 1.1).
  var checksum: UInt32 { UInt32(truncatingIfNeeded: word0 &>> 32) }

  /// The first twelve bytes as three little-endian numbers, which Bloom filters probe with
  /// (format.md 7.2).
  var leadingLittleEndianWords: (UInt32, UInt32, UInt32) {
    (
      UInt32(truncatingIfNeeded: word0 &>> 32).byteSwapped,
      UInt32(truncatingIfNeeded: word0).byteSwapped,
      UInt32(truncatingIfNeeded: word1 &>> 32).byteSwapped
    )
  }

  public func hash(into hasher: inout Hasher) {
    // All of it: heads and dependencies are named by whoever sends them, and named with one word
    // alike they would make every set of them a list.
    hasher.combine(word0)
    hasher.combine(word1)
    hasher.combine(word2)
    hasher.combine(word3)
  }
}

extension ChangeHash: Comparable {
  public static func < (left: ChangeHash, right: ChangeHash) -> Bool {
    if left.word0 != right.word0 { return left.word0 < right.word0 }
    if left.word1 != right.word1 { return left.word1 < right.word1 }
    if left.word2 != right.word2 { return left.word2 < right.word2 }
    return left.word3 < right.word3
  }
}

extension ChangeHash: CustomDebugStringConvertible {
  public var debugDescription: String { hex }
}

extension Set<ChangeHash> {
  /// Returns the hashes one after another in descending order, as one value to store.
  public func raw() -> Data {
    var bytes: [UInt8] = []
    for hash in sorted(by: >) { hash.append(to: &bytes) }
    return Data(bytes)
  }
}

extension Data {
  /// Returns the hashes that `Set<ChangeHash>.raw()` stored, or nil if the length is no multiple
  /// of 32 bytes.
  public func heads() -> Set<ChangeHash>? {
    guard count.isMultiple(of: ChangeHash.byteCount) else { return nil }
    let bytes = [UInt8](self)
    return Set(
      stride(from: 0, to: bytes.count, by: ChangeHash.byteCount).map {
        ChangeHash(bytes: bytes, at: $0)
      })
  }
}

extension Array where Element == ChangeHash {
  /// The hashes in ascending order, each once.
  ///
  /// Not by way of a set: peers and files choose the hashes they name, and could choose such that
  /// all of them collide.
  func sortedWithoutDuplicates() -> [ChangeHash] {
    var result: [ChangeHash] = []
    result.reserveCapacity(count)
    for hash in sorted() where hash != result.last { result.append(hash) }
    return result
  }

  /// Whether every hash is in `other`; both ascend.
  func isSubsetOfAscending(_ other: [ChangeHash]) -> Bool {
    var rest = other[...]
    for hash in self {
      rest = rest.drop { $0 < hash }
      guard rest.first == hash else { return false }
    }
    return true
  }
}

extension Array where Element == UInt8 {
  /// Appends hashes with their number in front.
  mutating func appendHashes(_ hashes: [ChangeHash]) {
    appendULEB(hashes.count)
    for hash in hashes { hash.append(to: &self) }
  }
}
