import SafeFiles

/// What a cell holds whose value is in a file beside the store: `[02][36 characters of a UUID][00]`.
struct ExternalReference {
  /// The directory of these files in the hidden folder of a store.
  static let folder: FileName = "_EXTERNAL_DATA"
  /// How many bytes such a cell has.
  static let cellSize = 38

  /// The name of the file.
  let uuid: String

  /// Reads a cell; nil for one that holds its bytes itself.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.cellSize, bytes.first == 2, bytes.last == 0 else { return nil }
    let text = bytes[1..<Self.cellSize - 1]
    let isUUID = text.enumerated().allSatisfy { position, byte in
      switch position {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default:
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte & 0xdf)
      }
    }
    guard isUUID else { return nil }
    uuid = String(decoding: text, as: UTF8.self)
  }
}
