/// What a peer knows of another while they exchange changes (format.md 7.3).
///
/// Lists from messages are kept ascending and without duplicates, whatever the peer sent.
struct SyncSession: Equatable, Sendable {
  /// The first byte of a persisted session; a message of version 2 begins alike.
  private static let tag: UInt8 = 0x43

  /// What both have. Alone outlives the connection.
  var sharedHeads: [ChangeHash] = []
  /// The heads in our last message.
  var lastSentHeads: [ChangeHash] = []
  var theirHeads: [ChangeHash]?
  var theirNeed: [ChangeHash]?
  var theirHave: [SyncMessage.Have]?
  /// The changes that were sent and that no heads of theirs have confirmed.
  var sentHashes: Set<ChangeHash> = []
  /// Whether a message of ours waits for an answer.
  var isInFlight = false
  /// Whether we sent anything yet.
  var hasResponded = false
  /// Whether the peer said that it reads messages of version 2.
  var peerReadsVersion2 = false

  /// Begins with a peer nothing is known of.
  init() {}

  /// Goes on from the persisted form.
  init(parsing bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes)
    let tag = try reader.readByte()
    guard tag == Self.tag else { throw FormatError(.notSyncState(tag: tag), at: 0) }
    self.init(resumingFrom: try reader.readHashes())
  }

  /// Goes on from what both had when they last met.
  init(resumingFrom sharedHeads: [ChangeHash]) {
    self.sharedHeads = sharedHeads.sortedWithoutDuplicates()
    theirHave = []
  }

  /// The persisted form.
  var encoded: [UInt8] {
    var output = [Self.tag]
    output.appendHashes(sharedHeads)
    return output
  }
}
