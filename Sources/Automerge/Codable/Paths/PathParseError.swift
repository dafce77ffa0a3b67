#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A part of a path that is neither a key nor an index.
public enum PathParseError: LocalizedError {
  /// A part that begins neither with an ASCII letter nor is in brackets.
  case InvalidPathElement(String)
  /// Brackets that hold no index.
  case EmptyListIndex(String)

  public var errorDescription: String? {
    switch self {
    case .InvalidPathElement(let part):
      "\"\(part)\" is neither a key that begins with a letter nor an index in brackets"
    case .EmptyListIndex(let part): "\"\(part)\" holds no index"
    }
  }
}
