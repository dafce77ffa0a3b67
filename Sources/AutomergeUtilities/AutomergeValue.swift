public import Automerge

/// The content of a document, or of a part of it, as a tree without history.
public enum AutomergeValue: Hashable, Sendable {
  case dict([String: AutomergeValue])
  case array([AutomergeValue])
  case text(String)
  case scalar(ScalarValue)
}

extension AutomergeValue: CustomStringConvertible {
  /// The tree on one line, keys ascending: `{["done": Boolean(true), "title": T{Milk}]}`.
  public var description: String {
    switch self {
    case .dict(let members):
      let lines = members.sorted { $0.key < $1.key }
        .map { "\($0.key.debugDescription): \($0.value)" }
      return "{[" + (lines.isEmpty ? ":" : lines.joined(separator: ", ")) + "]}"
    case .array(let elements):
      return "[[" + elements.map(\.description).joined(separator: ", ") + "]]"
    case .text(let text): return "T{\(text)}"
    case .scalar(let scalar): return scalar.description
    }
  }
}
