/// What an import change is, as its author's derivation spells it (convergent-import.md).
///
/// A label is part of version 1 of the mapping and frozen by the golden vectors: any other mapping
/// needs other labels.
enum ImportLabel {
  static let skeleton: StaticString = "automerge-migrate/1/skeleton"
  static let content: StaticString = "automerge-migrate/1/content"
  static let images: StaticString = "automerge-migrate/1/images"
  static let join: StaticString = "automerge-migrate/1/join"
  static let update: StaticString = "automerge-migrate/1/update"
  static let plain: StaticString = "automerge-migrate/1/plain"
}
