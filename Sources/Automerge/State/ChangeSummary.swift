/// What a change says about itself, without its operations.
package struct ChangeSummary: Sendable {
  package let hash: ChangeHash
  package let actor: ActorId
  /// 1, 2, 3, ... per actor.
  package let sequence: UInt32
  package let startCounter: UInt32
  package let operationCount: Int
  /// Seconds since 1970 by convention, 0 for not given.
  package let time: Int64
  /// UTF-8; empty for no message.
  package let message: [UInt8]
  package let dependencies: [ChangeHash]

  /// The greatest operation counter; one less than the start if there are no operations.
  package var maxCounter: UInt32 { startCounter &- 1 &+ UInt32(operationCount) }
}
