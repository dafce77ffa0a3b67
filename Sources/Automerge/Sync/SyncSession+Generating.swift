extension SyncSession {
  /// Returns the next message for the peer, or nil if there is nothing to say or an answer has to
  /// come first (format.md 7.4).
  mutating func nextMessage(from document: DocumentState) -> SyncMessage? {
    let heads = document.heads
    if let first = theirHave?.first, !first.lastSync.allSatisfy(document.contains) {
      return Self.reset(heads)
    }
    let isRepetition = hasResponded && lastSentHeads == heads
    if isRepetition, isInFlight { return nil }
    let rows = rowsToSend(from: document.history)
    if isRepetition, theirHeads == heads, rows.isEmpty { return nil }

    var message = SyncMessage(peerReadsVersion2 ? .v2 : .v1)
    message.heads = heads
    message.need = document.missingChanges(towards: theirHeads ?? [])
    if message.need.isSubsetOfAscending(theirHeads ?? []) {
      message.have = [summary(of: document)]
    }
    // The reference of version 0.6 expects flags in the first message only; later ones take them
    // from any.
    if !hasResponded { message.flags = SyncMessage.ownFlags }
    appendChanges(rows, of: document, to: &message)

    hasResponded = true
    isInFlight = true
    lastSentHeads = heads
    return message
  }

  /// Tells a peer who builds on what we do not have, any more, that it has to begin anew.
  private static func reset(_ heads: [ChangeHash]) -> SyncMessage {
    var message = SyncMessage(.v1)
    message.heads = heads
    message.have = [SyncMessage.Have()]
    message.flags = SyncMessage.ownFlags
    return message
  }

  private func summary(of document: DocumentState) -> SyncMessage.Have {
    // What is shared may have been lost here; to claim it all the same would have the peer send
    // the rest of it change by change, as we find out what we need.
    let lastSync = sharedHeads.filter(document.contains)
    let history = document.history
    let hashes = history.rows(notCoveredBy: lastSync).lazy.map { history.changes[$0].hash }
    return SyncMessage.Have(lastSync: lastSync, bloom: BloomFilter(hashes))
  }

  /// Returns the rows of the changes the peer lacks or asks for and was not sent.
  private func rowsToSend(from history: History) -> [Int] {
    guard let theirHave, let theirNeed else { return [] }
    var rows = theirNeed.compactMap(history.row)
    if !theirHave.isEmpty {
      let candidates = history.rows(notCoveredBy: theirHave.lazy.flatMap(\.lastSync))
      let first = candidates.first ?? history.count
      var isMissing = [Bool](repeating: false, count: history.count - first)
      // Whoever lacks a change lacks all that build on it, whatever the filter claims.
      for row in candidates {
        let hash = history.changes[row].hash
        isMissing[row - first] =
          !theirHave.contains { $0.bloom.contains(hash) }
          || history.dependencies(of: row).contains { $0 >= first && isMissing[Int($0) - first] }
      }
      rows.removeAll { $0 >= first && isMissing[$0 - first] }
      rows += candidates.filter { isMissing[$0 - first] }
    }
    if !sentHashes.isEmpty {
      rows.removeAll { sentHashes.contains(history.changes[$0].hash) }
    }
    return rows
  }

  private mutating func appendChanges(
    _ rows: [Int], of document: DocumentState, to message: inout SyncMessage
  ) {
    let history = document.history
    switch message.version {
    case .v2 where isWorthWholeDocument(rows, history):
      message.appendItem { $0 = document.encoded() }
      sentHashes = Set(history.changes.lazy.map(\.hash))
    case .v2 where !rows.isEmpty:
      message.appendItem { bytes in
        for row in rows { document.appendChunk(of: row, to: &bytes) }
      }
      sentHashes.formUnion(rows.lazy.map { history.changes[$0].hash })
    case .v2:
      break
    case .v1:
      for row in rows { message.appendItem { document.appendChunk(of: row, to: &$0) } }
      sentHashes.formUnion(rows.lazy.map { history.changes[$0].hash })
    }
  }

  /// Whether a document chunk goes instead of changes: to a peer with nothing, and where more than
  /// a third of all there is would go. The reference counts changes, since version 0.11; counted
  /// here are bytes, for a document that began with one great change is not worth a thousand small
  /// ones.
  private func isWorthWholeDocument(_ rows: [Int], _ history: History) -> Bool {
    guard history.count > 0, let theirHeads else { return false }
    if theirHeads.isEmpty, !hasResponded { return true }
    let byteCount = rows.reduce(0) { $0 + Int(history.changes[$1].chunk.byteCount) }
    return byteCount > history.chunkByteCount / 3
  }
}

extension DocumentState {
  /// Returns the changes that are neither here nor waiting on the way to `heads`, ascending.
  ///
  /// What other waiting changes lack is not asked for: this peer may not have it, and would be
  /// asked for ever (format.md 7.4).
  fileprivate func missingChanges(towards heads: [ChangeHash]) -> [ChangeHash] {
    queue.missingDependencies(towards: heads, isApplied: contains)
  }
}
