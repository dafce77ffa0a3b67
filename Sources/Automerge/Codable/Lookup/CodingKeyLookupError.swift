#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A path that does not lead to what a coder needs. The text says where and why.
public enum CodingKeyLookupError: LocalizedError {
  case UnexpectedLookupFailure(String)
  case InvalidPathElement(String)
  case EmptyListIndex(String)
  /// An index that even appending to the list would not reach.
  case IndexOutOfBounds(String)
  case InvalidValueLookup(String)
  /// The root, which is a map, where a list or a value is asked for.
  case InvalidIndexLookup(String)
  case PathExtendsThroughText(String)
  case PathExtendsThroughScalar(String)
  /// An object or scalar of another kind.
  case MismatchedSchema(String)
  /// Nothing there, and nothing may be made.
  case SchemaMissing(String)
  case NoPathForSingleValue(String)
  /// An error of the document, for example a key where there is a list.
  case AutomergeDocError(any Error)

  public var errorDescription: String? {
    switch self {
    case .UnexpectedLookupFailure(let text), .InvalidPathElement(let text),
      .EmptyListIndex(let text), .IndexOutOfBounds(let text), .InvalidValueLookup(let text),
      .InvalidIndexLookup(let text), .PathExtendsThroughText(let text),
      .PathExtendsThroughScalar(let text), .MismatchedSchema(let text), .SchemaMissing(let text),
      .NoPathForSingleValue(let text):
      text
    case .AutomergeDocError(let error):
      "the document refuses: " + ((error as? any LocalizedError)?.errorDescription ?? "\(error)")
    }
  }

  public var failureReason: String? { nil }
}

extension CodingKeyLookupError: Equatable {
  /// Errors are equal if they read the same.
  public static func == (left: CodingKeyLookupError, right: CodingKeyLookupError) -> Bool {
    left.errorDescription == right.errorDescription
  }
}
