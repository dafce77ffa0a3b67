/// What stands in a document for what its store says and does not have. It is no value: it says that
/// there is one somewhere else.
package enum LostValue: Hashable, Sendable {
  /// `missing:UUID`, in the place of bytes whose file is gone.
  case file
  /// `Entity/pN`, in the place of the identity of a row that is gone.
  case row

  /// Reads what a text stands for; nil if it is a value.
  ///
  /// - Parameter type: what the text's property holds; nil if no profile says that.
  package init?(_ text: Span<UInt8>, of type: PropertyType?, in profile: Profile) {
    switch type {
    case .bytes: if Self.isFile(text) { self = .file } else { return nil }
    case .reference, .links:
      guard Self.isRow(text, in: profile) else { return nil }
      self = .row
    case .json, nil:
      if Self.isFile(text) {
        self = .file
      } else if Self.isRow(text, in: profile) {
        self = .row
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Whether properties of a type may hold something that stands for a value.
  package static func mayBe(_ type: PropertyType) -> Bool {
    switch type {
    case .bytes, .json, .reference, .links: true
    default: false
    }
  }

  /// Whether a text is `missing:UUID`.
  static func isFile(_ text: Span<UInt8>) -> Bool {
    guard text.count == 44 else { return false }
    let prefix = Array("missing:".utf8)
    return Array(text.extracting(first: prefix.count)) == prefix
      && Identity(text.extracting(prefix.count..<44)) != nil
  }

  /// Whether a text is `Entity/pN` with an entity of a kind.
  static func isRow(_ text: Span<UInt8>, of rows: StoreRows?) -> Bool {
    guard let rows, let name = entity(of: text) else { return false }
    return rows.holds(name)
  }

  /// Whether a text is `Entity/pN` with any entity: rows of one that inherits from another are
  /// called by the name of that.
  private static func isRow(_ text: Span<UInt8>, in profile: Profile) -> Bool {
    guard let name = entity(of: text) else { return false }
    return profile.kinds.contains { $0.home?.rows?.holds(name) ?? false }
  }

  private static func entity(of text: Span<UInt8>) -> String? {
    guard text.count < 128, let slash = text.position(of: UInt8(ascii: "/")),
      text.count > slash + 2, text[slash + 1] == UInt8(ascii: "p"),
      Int64(String(decoding: Array(text.extracting(slash + 2..<text.count)), as: UTF8.self)) != nil
    else { return nil }
    return String(decoding: Array(text.extracting(0..<slash)), as: UTF8.self)
  }
}
