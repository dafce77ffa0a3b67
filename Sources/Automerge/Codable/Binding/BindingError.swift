#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A text or counter that cannot be bound to a place in a document.
public enum BindingError: LocalizedError, Equatable {
  /// A path that leads to no key or index.
  case InvalidPath(String)
  case NotText
  case NotCounter
  case Unbound

  public var errorDescription: String? {
    switch self {
    case .InvalidPath(let path): "\"\(path)\" is no path to a key or index of a document"
    case .NotText: "the object is not a text of this document"
    case .NotCounter: "there is no counter at this place of the document"
    case .Unbound: "the value is not bound to a document"
    }
  }
}
