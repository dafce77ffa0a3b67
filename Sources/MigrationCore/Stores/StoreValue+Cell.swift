import SwiftDataStores

extension StoreValue {
  /// The value as a cell; nil for what is no value of a cell.
  var cell: StoreCell? {
    switch self {
    case .null: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .double(let value), .decimal(let value), .date(let value): .real(value)
    case .text(let bytes): .text(bytes)
    case .uuid(let bytes), .bytes(let bytes): .blob(bytes)
    case .unexpected(let cell): cell
    case .external, .reference, .parts: nil
    }
  }

  /// Whether the store's own model says that it is a UUID.
  var isUUID: Bool { if case .uuid = self { true } else { false } }
}

extension StoreCell {
  /// What it holds, for a message: of bytes the first sixteen, in hexadecimal digits.
  var shown: String {
    switch self {
    case .null: "nothing"
    case .integer(let value): String(value)
    case .real(let value): value.description
    case .text(let bytes), .blob(let bytes):
      bytes.prefix(16).reduce("0x") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
        + (bytes.count > 16 ? "..." : "")
    }
  }
}
