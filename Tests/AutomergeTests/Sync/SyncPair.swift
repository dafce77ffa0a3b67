@testable import Automerge
import Foundation

/// Two documents and what each knows of the other, with the messages carried by hand.
struct SyncPair {
  enum Delivery: CaseIterable {
    /// One side speaks, the other answers.
    case alternating
    /// Both speak, then both listen.
    case simultaneous
  }

  /// A session that does not end.
  struct Endless: Error {}

  let left: Document
  let right: Document
  var leftState = SyncState()
  var rightState = SyncState()
  var delivery = Delivery.alternating
  /// What becomes of a message on its way.
  var carrying: (SyncMessage) -> SyncMessage = { $0 }
  private(set) var messages: [Data] = []

  init(_ left: Document, _ right: Document) {
    self.left = left
    self.right = right
  }

  /// Takes what a peer of the first version would not send out of every message.
  mutating func speakVersion1() {
    carrying = { message in
      var message = message
      message.flags = nil
      return message
    }
  }

  /// Exchanges messages until both sides have nothing to say.
  ///
  /// - Returns: the number of rounds in which somebody spoke; each side speaks once in a round.
  @discardableResult
  mutating func converge(within limit: Int = 10) throws -> Int {
    messages = []
    for round in 0...limit {
      let spoken = messages.count
      switch delivery {
      case .alternating:
        try carry(left.generateSyncMessage(state: leftState), to: right, rightState)
        try carry(right.generateSyncMessage(state: rightState), to: left, leftState)
      case .simultaneous:
        let fromLeft = left.generateSyncMessage(state: leftState)
        let fromRight = right.generateSyncMessage(state: rightState)
        try carry(fromLeft, to: right, rightState)
        try carry(fromRight, to: left, leftState)
      }
      if messages.count == spoken { return round }
    }
    throw Endless()
  }

  private mutating func carry(_ data: Data?, to document: Document, _ state: SyncState) throws {
    guard let data else { return }
    let carried = carrying(try SyncMessage(parsing: Array(data)))
    messages.append(Data(carried.encoded))
    try document.receiveSyncMessage(state: state, message: Data(carried.encoded))
  }

  /// Whether both have the same history and know it.
  var isInStep: Bool {
    let heads = left.heads()
    return heads == right.heads() && leftState.encode() == rightState.encode()
      && leftState.theirHeads == heads && rightState.theirHeads == heads
  }
}
