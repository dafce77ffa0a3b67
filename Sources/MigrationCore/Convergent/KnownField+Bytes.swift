import Folders

extension KnownField {
  /// The bytes of the member's name.
  var memberBytes: [UInt8] { Self.names[Int(rawValue)] }

  private static let names = allCases.map { Array($0.memberName.description.utf8) }
}
