/// Of which changes a document that was loaded keeps the bytes.
package enum KeptChunks: Sendable {
  case all
  /// Those that are handed on one by one. The change that an import has made may be as long as all that
  /// the document holds, and mostly nobody asks for it. Where somebody does, it is made again out of the
  /// operations, once (`GreatChunks`).
  case allButGreat
  /// For whoever reads values and hashes alone: that saves a fifth of the memory. The bytes of a change
  /// must not be asked for.
  case none

  /// A change is great from so many operations on, if their keys and values have about so many bytes; in
  /// tests so few that short documents have great changes.
  #if INTERNAL_CHECKS || SHORT_PAGES
    static let greatOperationCount = 3
    static let greatByteCount = 0
  #else
    static let greatOperationCount = 1 << 12
    static let greatByteCount = 1 << 20
  #endif
}
