/// Of which changes a document that was loaded keeps the bytes. What is not kept is made again out of the
/// operations when somebody asks for it (`DocumentState.history(withChunksOf:)`).
package enum KeptChunks: Sendable {
  case all
  /// Those that are handed on one by one. The change that an import has made may be as long as all that
  /// the document holds: mostly nobody asks for it, and to make it again takes as long as to load it.
  case allButGreat
  /// For whoever reads values and hashes alone: a fifth of the memory.
  case none

  /// A change is great from so many operations on, if their values have so many bytes; in tests so few that
  /// short documents have great changes.
  #if INTERNAL_CHECKS || SHORT_PAGES
    static let greatOperationCount = 3
    static let greatValueByteCount = 4
  #else
    static let greatOperationCount = 1 << 12
    static let greatValueByteCount = 1 << 20
  #endif
}
