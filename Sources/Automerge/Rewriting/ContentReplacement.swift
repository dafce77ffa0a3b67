/// What stands in for the content of a document when its structure alone is to be shown.
///
/// Equal content must get equal replacements where they name something: actors, keys and changes.
package protocol ContentReplacement {
  /// Returns the replacements of a document's actors, which are ascending; so must these be.
  mutating func actors(_ actors: [ActorId]) -> [ActorId]
  /// Returns the replacement of a key or of a mark's name.
  mutating func name(_ name: [UInt8]) -> [UInt8]
  /// Returns the bytes of another value of the same type.
  ///
  /// - Parameter element: the operation that wrote the value, if it is a piece of a text.
  mutating func value(_ type: ValueType, _ bytes: [UInt8], element: OpID?) -> [UInt8]
  /// Returns the replacement of a change's message.
  mutating func message(_ message: [UInt8]) -> [UInt8]
  /// Returns the replacement of a change's time; 0 stands for none.
  mutating func time(_ time: Int64) -> Int64
  /// Returns as many other bytes.
  mutating func extra(_ bytes: [UInt8]) -> [UInt8]
  /// Returns the name of a change that is not in the file.
  mutating func missingChange(_ hash: ChangeHash) -> ChangeHash
}
