import Automerge
import Foundation

/// Two documents that exchange sync messages.
enum Conversation {
  /// Messages that two honest documents never need to agree.
  private static let greatestRoundCount = 40

  /// Lets a document hear messages that anybody may have made, then talk to an honest peer.
  static func hear(
    _ messages: [[UInt8]], _ document: Document, honest peer: Document
  ) throws(Oracle.Loss) {
    let before = document.heads()
    let state = SyncState()
    _ = document.generateSyncMessage(state: state)
    for message in messages {
      let heads = document.heads()
      let queuedCount = document.state.queuedCount
      let session = state.encode()
      do {
        try document.receiveSyncMessage(state: state, message: Data(message))
      } catch {
        try Oracle.require(document.heads() == heads, "a refused message changed the document")
        try Oracle.require(document.state.queuedCount == queuedCount, "a refused message waits")
        try Oracle.require(state.encode() == session, "a refused message changed the state")
      }
      _ = document.generateSyncMessage(state: state)
      let again = try Oracle.attempt("its own state is refused") {
        try SyncState(bytes: state.encode())
      }
      try Oracle.require(again.encode() == state.encode(), "the second state differs")
    }
    // The golden document by itself needs no oracle.
    if document.heads() != before || document.state.queuedCount > 0 { try Oracle.check(document) }
    // A forged change may have taken the place of an honest one, or wait to take it; those who have
    // the honest one refuse it.
    let isForged =
      document.state.queuedCount > 0
      || !Set(document.getHistory()).isSubset(of: peer.getHistory())
    let peer = isForged ? Document() : peer
    _ = try talk(document, peer)
    try Oracle.require(document.heads() == peer.heads(), "two honest documents disagree")
  }

  /// Lets two documents talk until both are silent and returns what the first one heard.
  static func talk(_ first: Document, _ second: Document) throws(Oracle.Loss) -> [[UInt8]] {
    let states = (SyncState(), SyncState())
    var heard: [[UInt8]] = []
    for _ in 0..<greatestRoundCount {
      let question = first.generateSyncMessage(state: states.0)
      if let question {
        try Oracle.attempt("an honest message is refused") {
          try second.receiveSyncMessage(state: states.1, message: question)
        }
      }
      let answer = second.generateSyncMessage(state: states.1)
      if let answer {
        heard.append([UInt8](answer))
        try Oracle.attempt("an honest message is refused") {
          try first.receiveSyncMessage(state: states.0, message: answer)
        }
      }
      if question == nil, answer == nil { return heard }
    }
    throw Oracle.Loss(description: "two honest documents never fall silent")
  }
}
