/// What a change says before its operations (format.md 3.1).
struct ChangeHeader {
  var dependencies: [ChangeHash] = []
  var author: ActorId
  var sequence: UInt32
  var startCounter: UInt32
  /// Seconds since 1970 by convention; 0 means not given.
  var time: Int64 = 0
  /// Empty means no message.
  var message: [UInt8] = []
  /// The other actors the operations name, ascending.
  var otherActors: [ActorId] = []
  /// Bytes after the operations, kept as they are.
  var extra: [UInt8] = []
}
