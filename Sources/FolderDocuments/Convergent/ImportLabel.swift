import Automerge

/// What an import or an update writes, as the derivation of a change's author spells it
/// (convergent-import.md).
///
/// A label is part of version 1 of the mapping and frozen by the golden vectors: any other mapping
/// needs other labels.
package enum ImportLabel: CaseIterable, Hashable, Sendable {
  case content
  case images
  case skeleton
  case update
  /// What brings objects together that were made separately: it copies what users wrote.
  case unify
  case plain
  case join

  /// The label as it is hashed.
  package var text: StaticString {
    switch self {
    case .content: "automerge-migrate/1/content"
    case .images: "automerge-migrate/1/images"
    case .skeleton: "automerge-migrate/1/skeleton"
    case .update: "automerge-migrate/1/update"
    case .unify: "automerge-migrate/1/unify"
    case .plain: "automerge-migrate/1/plain"
    case .join: "automerge-migrate/1/join"
    }
  }
}

extension ChangeDraft {
  /// Completes the change with the author its label derives.
  package mutating func finish(as label: ImportLabel) { finish(deriving: label.text) }
}
