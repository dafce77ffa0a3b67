#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A call that does not fit the document: an object of another document or of the wrong kind.
public struct DocError: LocalizedError, Equatable {
  enum Reason: Equatable {
    case unknownObject
    case wrongObjectType
    case unknownHeads
    case unapplicable(FormatError)
    /// What precedes the defect was applied.
    case stopped(FormatError)
    case indexOutOfRange
    case invalidRange
    case missingCounter
    case invalidCursor
    case invalidValue
    case tooLarge
  }

  let reason: Reason

  /// Whether the call did a part of its work: the changes that stand before a defect, or that do not
  /// build on a change that fits nowhere, are applied.
  public var isPartlyApplied: Bool { if case .stopped = reason { true } else { false } }

  public var errorDescription: String? {
    switch reason {
    case .unknownObject: "the object is not in this document"
    case .wrongObjectType: "wrong object type"
    case .unknownHeads: "a head is not in this document"
    case .unapplicable(let error): error.problem
    case .stopped(let error): "not all changes were applied: \(error.problem)"
    case .indexOutOfRange: "the index is beyond the end"
    case .invalidRange: "the end of the range is before its start"
    case .missingCounter: "there is no counter to increment"
    case .invalidCursor: "the cursor is not of this object"
    case .invalidValue: "no document can hold the value"
    case .tooLarge: "the document cannot hold more operations or bytes"
    }
  }
}

/// A file that is no document, or a damaged one.
public struct LoadError: LocalizedError, Equatable {
  let defect: FormatError

  /// Bytes from the start of the file to the defect.
  public var offset: Int { defect.offset }

  public var errorDescription: String? { "Error loading a document: \(defect.description)" }
}

/// A persisted sync state that is none, or a damaged one.
public struct DecodeSyncStateError: LocalizedError, Equatable {
  let defect: FormatError

  public var errorDescription: String? { "Error decoding sync state: \(defect.description)" }
}

/// A sync message that is none, is damaged, or carries changes that do not fit the document.
public struct ReceiveSyncError: LocalizedError, Equatable {
  enum Reason: Equatable {
    case malformed(FormatError)
    case unapplicable(FormatError)
  }

  let reason: Reason

  public var errorDescription: String? {
    switch reason {
    case .malformed(let error): "Invalid message: \(error.description)"
    case .unapplicable(let error): "ReceiveSyncError: \(error.description)"
    }
  }
}
