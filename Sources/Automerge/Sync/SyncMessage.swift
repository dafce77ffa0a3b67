/// What one peer tells another about a document (format.md 7.1):
/// `[1 version][heads][need][have][changes][flags]`.
package struct SyncMessage: Sendable {
  /// How changes are packed; its raw value is the first byte of a message.
  enum Version: UInt8, Sendable {
    /// Each item is one change chunk.
    case v1 = 0x42
    /// There is one item at most: change chunks one after another, or a whole document.
    case v2 = 0x43
  }

  /// A summary of what the sender has, and by that a request for the rest.
  struct Have: Hashable, Sendable {
    /// What both had when they last met.
    var lastSync: [ChangeHash] = []
    /// What the sender got since.
    var bloom = BloomFilter()
  }

  /// What a peer tells it can read in the first message of a session: both versions.
  static let ownFlags: [UInt8] = [1, 2]

  var version: Version
  /// The sender's heads.
  var heads: [ChangeHash] = []
  /// Changes the sender asks for by name.
  var need: [ChangeHash] = []
  var have: [Have] = []
  /// What the peer can read, nil if it does not say.
  var flags: [UInt8]?
  /// The items with changes, each a range of `bytes`.
  private(set) var items: [Range<Int>] = []
  /// Of a message that was read, all of it, so that defects of items have their offset in it.
  private(set) var bytes: [UInt8] = []

  init(_ version: Version) { self.version = version }

  /// Whether there are changes for the receiver.
  package var hasChanges: Bool { !items.isEmpty }

  /// Whether the flags say that the sender reads `v2`; a byte of 80 and more is a field of bits,
  /// which say other things.
  var offersVersion2: Bool { flags?.contains(Version.v2.capability) ?? false }

  /// Appends an item with changes that `write` appends to the array it is given.
  mutating func appendItem(_ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    items.append(start..<bytes.count)
  }

  // MARK: Bytes

  /// Reads a message. Bytes behind the flags are a newer version's and not looked at.
  init(parsing bytes: [UInt8]) throws(FormatError) {
    var lists = PlainHashLists()
    try self.init(parsing: bytes, &lists)
  }

  /// Reads a message whose lists of hashes are in a form of their own.
  init(parsing bytes: [UInt8], _ lists: inout some HashListForm) throws(FormatError) {
    var reader = ByteReader(bytes)
    let tag = try reader.readByte()
    guard let version = Version(rawValue: tag) else {
      throw FormatError(.notSyncMessage(tag: tag), at: 0)
    }
    self.version = version
    self.bytes = bytes
    heads = try lists.read(&reader)
    need = try lists.read(&reader)
    let start = reader
    let summaryCount = try reader.readCount(unit: 2)
    guard summaryCount <= Self.greatestSummaryCount else {
      throw start.error(.limitExceeded(.syncSummaries, UInt64(Self.greatestSummaryCount)))
    }
    for _ in 0..<summaryCount {
      let lastSync = try lists.read(&reader)
      let bloom = try BloomFilter(reader.readPart(try reader.readCount()))
      have.append(Have(lastSync: lastSync, bloom: bloom))
    }
    for _ in 0..<(try reader.readCount()) { items.append(try reader.readPrefixedRange()) }
    if !reader.isAtEnd { flags = [UInt8](bytes[try reader.readPrefixedRange()]) }
  }

  /// Writers send one summary at most; every further one is work for each change we have.
  private static let greatestSummaryCount = 16

  var encoded: [UInt8] {
    var lists = PlainHashLists()
    return encoded(&lists)
  }

  /// Returns the bytes of the message, its lists of hashes in a form of their own.
  func encoded(_ lists: inout some HashListForm) -> [UInt8] {
    var output: [UInt8] = []
    output.append(version.rawValue)
    lists.append(heads, to: &output)
    lists.append(need, to: &output)
    output.appendULEB(have.count)
    for summary in have {
      lists.append(summary.lastSync, to: &output)
      output.appendPrefixed(summary.bloom.encoded)
    }
    output.appendULEB(items.count)
    for item in items {
      output.appendULEB(item.count)
      output.append(from: bytes, item)
    }
    if let flags { output.appendPrefixed(flags) }
    return output
  }
}

extension SyncMessage.Version {
  /// The flag that says a peer reads this version.
  fileprivate var capability: UInt8 {
    switch self {
    case .v1: 1
    case .v2: 2
    }
  }
}
