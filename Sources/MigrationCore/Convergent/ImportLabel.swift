/// What an import change is, as its author's derivation spells it (design.md, section 6).
///
/// A label is part of version 1 of the mapping and frozen by the golden vectors: any other mapping
/// needs other labels.
enum ImportLabel {
  static let skeleton: StaticString = "skeleton"
  static let content: StaticString = "content"
  static let images: StaticString = "images"
  static let join: StaticString = "join"
  static let plain: StaticString = "plain"
}
