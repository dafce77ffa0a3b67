import Diagnostics

/// A path below a folder: names joined by `/`, never absolute, without `.` or `..`.
///
/// The empty path is the folder itself. Paths are compared by their bytes.
package struct RelativePath: Comparable, CustomStringConvertible, ExpressibleByStringLiteral,
  Hashable, Sendable
{
  /// The names joined by `/`; empty for the folder itself.
  package let bytes: [UInt8]

  /// The folder itself.
  package static let folder = RelativePath(trusted: [])

  /// Creates a path, or nil if the bytes are empty, absolute, hold a zero byte, or an empty, `.`
  /// or `..` component.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return nil }
    var start = 0
    for position in 0...bytes.count
    where position == bytes.count || bytes[position] == UInt8(ascii: "/") {
      guard RelativePath.isComponent(bytes[start..<position]) else { return nil }
      start = position + 1
    }
    self.bytes = bytes
  }

  /// Creates a path from the UTF-8 bytes of a string, by the same rules.
  package init?(_ string: String) { self.init(Array(string.utf8)) }

  /// Creates a path of one name.
  package init(_ name: FileName) { bytes = name.bytes }

  package init(stringLiteral value: StaticString) {
    guard let path = RelativePath(value.description) else {
      preconditionFailure("not a relative path: \(value)")
    }
    self = path
  }

  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// Whether this is the folder itself.
  package var isFolder: Bool { bytes.isEmpty }

  /// The path in display form; see `DisplayText`.
  package var description: String { isFolder ? "." : DisplayText.escaping(bytes) }

  /// Returns the path of `name` inside this one.
  package func appending(_ name: FileName) -> RelativePath {
    isFolder
      ? RelativePath(name) : RelativePath(trusted: bytes + [UInt8(ascii: "/")] + name.bytes)
  }

  /// Returns the path of `path` inside this one.
  package func appending(_ path: RelativePath) -> RelativePath {
    if isFolder { return path }
    if path.isFolder { return self }
    return RelativePath(trusted: bytes + [UInt8(ascii: "/")] + path.bytes)
  }

  /// The path without its last name; nil for the folder itself.
  package var parent: RelativePath? {
    if isFolder { return nil }
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return .folder }
    return RelativePath(trusted: Array(bytes[..<slash]))
  }

  /// The last name; nil for the folder itself.
  package var lastComponent: FileName? {
    if isFolder { return nil }
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return FileName(trusted: Array(bytes[start...]))
  }

  /// The names of the path, outermost first.
  package var components: [FileName] {
    bytes.split(separator: UInt8(ascii: "/")).map { FileName(trusted: Array($0)) }
  }

  /// Returns whether `path` is this one or lies below it.
  package func contains(_ path: RelativePath) -> Bool {
    if isFolder { return true }
    guard path.bytes.starts(with: bytes) else { return false }
    return path.bytes.count == bytes.count || path.bytes[bytes.count] == UInt8(ascii: "/")
  }

  package static func < (left: RelativePath, right: RelativePath) -> Bool {
    ByteOrder.precedes(left.bytes, right.bytes)
  }

  private static func isComponent(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch bytes.count {
    case 0: return false
    case 1 where bytes.allSatisfy { $0 == UInt8(ascii: ".") }: return false
    case 2 where bytes.allSatisfy { $0 == UInt8(ascii: ".") }: return false
    default: return !bytes.contains(0)
    }
  }
}
