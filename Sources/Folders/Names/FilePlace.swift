package import SafeFiles

/// Where an entity of an app that a profile describes lies: its file and, where a file holds several,
/// the value that a pointer names.
///
/// As text `notes/a.json`, `beds.json#/beds/south` or `log.json#/entries/12`; an element that no file
/// holds yet is `log.json#/entries/-` (RFC 6901). A row of a store is `Item/p12`, one whose number nobody
/// knows `Item`. `EntityKinds` parses and makes places, so that each is one of a file or a store's entity
/// of its kind: it cannot leave the folder and cannot name a hidden file.
package struct FilePlace: Hashable, Sendable {
  /// The file, relative to the folder; of a row the name of its entity.
  package let path: RelativePath
  /// The number of a store's row; nil elsewhere, and of one that no store holds.
  package let row: Int64?
  /// The value in the file; nil if the file holds one entity.
  package let pointer: JSONPointer?
  /// The month that the path says, if that decides about the document.
  package let month: Month?
  /// The index in an array; nil elsewhere, and of an element that is not there yet.
  package let element: Int?

  init(
    path: RelativePath, row: Int64? = nil, pointer: JSONPointer? = nil, month: Month? = nil,
    element: Int? = nil
  ) {
    self.path = path
    self.row = row
    self.pointer = pointer
    self.month = month
    self.element = element
  }

  /// The last token of a pointer to an element behind the last one.
  static let appended = [UInt8(ascii: "-")]

  /// Appends the place as the stream writes it.
  func append(to bytes: inout [UInt8]) {
    bytes += path.bytes
    if let row {
      bytes += [UInt8(ascii: "/"), UInt8(ascii: "p")]
      bytes += row.description.utf8
    }
    guard let pointer else { return }
    bytes.append(UInt8(ascii: "#"))
    bytes += pointer.text
  }
}

extension FilePlace: Comparable {
  /// By path; in one file elements by their indexes, those without one last, and members by name.
  package static func < (left: FilePlace, right: FilePlace) -> Bool {
    if left.path != right.path { return left.path < right.path }
    if left.row != right.row { return left.row ?? .max < right.row ?? .max }
    let (index, other) = (left.element ?? .max, right.element ?? .max)
    if index != other { return index < other }
    return ByteOrder.precedes(left.pointer?.text ?? [], right.pointer?.text ?? [])
  }
}
