import Folders

/// Where in a value something is: a JSON Pointer (RFC 6901). The empty one is the value itself.
public struct ValuePath: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  private let names: [String]
  /// The first name in UTF-8; empty if there is none.
  let firstBytes: [UInt8]

  /// Parses a pointer such as `/name/first`; nil for what is none.
  public init?(_ text: String) {
    guard let pointer = JSONPointer(Array(text.utf8)) else { return nil }
    self.init(names: pointer.tokens.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Creates the path of a pointer, or of a member with this name if it does not begin with `/`.
  public init(stringLiteral value: String) {
    self = ValuePath(value) ?? ValuePath(names: [value])
  }

  /// Creates a path of the names of members and the numbers of elements, the outermost first.
  public init(names: [String]) {
    self.names = names
    firstBytes = names.first.map { Array($0.utf8) } ?? []
  }

  /// The first name, if there is one.
  public var first: String? { names.first }

  /// The pointer.
  public var description: String {
    String(decoding: JSONPointer(tokens: names.map { Array($0.utf8) }).text, as: UTF8.self)
  }

  /// The path without its first name.
  package var rest: ValuePath { ValuePath(names: Array(names.dropFirst())) }

  /// Whether it has one name only.
  package var isMember: Bool { names.count == 1 }

  /// Returns what is there; nil if nothing is.
  public func value(in value: MigrationValue) -> MigrationValue? {
    var value = value
    for name in names {
      switch value {
      case .object(let object):
        guard let member = object[name] else { return nil }
        value = member
      case .list(let elements):
        guard let index = Int(name), name == index.description, elements.indices.contains(index)
        else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }
}
