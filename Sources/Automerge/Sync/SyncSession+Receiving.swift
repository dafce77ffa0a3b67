extension SyncSession {
  /// Applies what a message brings and takes note of what it says (format.md 7.5).
  ///
  /// All or nothing: when a chunk is bad or a change does not fit, the document and the session
  /// stay as they were.
  mutating func receive(
    _ message: SyncMessage, into document: inout DocumentState
  ) throws(FormatError) {
    let before = document.heads
    if message.hasChanges {
      try document.apply(message)
      let now = document.heads
      let isShared = Set(sharedHeads).union(Set(now).subtracting(before))
      sharedHeads = now.filter(isShared.contains)
    }
    // From here on nothing fails.
    isInFlight = false
    if message.flags != nil { peerReadsVersion2 = message.offersVersion2 }
    let heads = message.heads.sortedWithoutDuplicates()
    let known = heads.filter(document.contains)
    forgetSent(coveredBy: known, in: document.history)
    if !message.hasChanges, heads == before { lastSentHeads = heads }
    if known.count == heads.count {
      sharedHeads = heads
      if heads.isEmpty {
        // The peer lost everything, or never had anything.
        lastSentHeads = []
        sentHashes = []
      }
    } else {
      sharedHeads = (sharedHeads + known).sortedWithoutDuplicates()
    }
    theirHave = message.have
    theirHeads = heads
    theirNeed = message.need.sortedWithoutDuplicates()
  }

  /// What the peer has confirmed may be sent again, should it get lost there.
  private mutating func forgetSent(coveredBy heads: [ChangeHash], in history: History) {
    guard !sentHashes.isEmpty, !heads.isEmpty else { return }
    let unconfirmed = history.rows(notCoveredBy: heads).lazy.map { history.changes[$0].hash }
    sentHashes = Set(unconfirmed.filter(sentHashes.contains))
  }
}

extension DocumentState {
  /// Applies the chunks of a message, all of which must be good.
  fileprivate mutating func apply(_ message: SyncMessage) throws(FormatError) {
    let isNew = changeCount == 0 && queue.isEmpty
    var parser = ChangeParser(limits: .standard, inputByteCount: message.bytes.count)
    var batch = ChangeBatch()
    for item in message.items {
      var reader = ByteReader(message.bytes, item)
      while !reader.isAtEnd {
        let start = reader
        let header = try ChunkHeader(&reader)
        switch header.kind {
        case .change, .compressedChange:
          try parser.parse(header, in: message.bytes, into: &batch)
        case .document:
          let document = try Self(
            header, in: message.bytes, budget: &parser.budget, operations.textEncoding)
          if isNew, batch.isEmpty, message.items == [start.position..<reader.position] {
            self = document
            return
          }
          for row in 0..<document.changeCount
          where !contains(document.history.changes[row].hash) {
            try batch.append(parsing: document.chunk(ofChange: row), with: &parser)
          }
        case .bundle:
          throw start.error(.bundleUnsupported)
        }
      }
    }
    try apply(batch)
  }
}
