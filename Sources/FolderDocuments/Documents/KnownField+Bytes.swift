import Folders

extension KnownField {
  /// The bytes of the member's name.
  package var memberBytes: [UInt8] { Self.names[Int(rawValue)] }

  /// The key of a record's images: a list of its own and no field.
  package static let imagesKey = Array("images".utf8)

  private static let names = allCases.map { Array($0.memberName.description.utf8) }
}
