package import Diagnostics
package import Runs
import SafeFiles

/// The folders of a fleet, as a list names them.
package struct FleetList: Sendable {
  /// Each folder once, in the order of the list, as a word that is no option of a command.
  package private(set) var folders: [String] = []
  /// What the list holds besides.
  package private(set) var findings: [Finding] = []

  /// Reads a list.
  ///
  /// - Parameters:
  ///   - path: a file, or `-` for standard input.
  ///   - isZeroSeparated: whether a zero byte ends each name, and not the end of its line.
  package init(at path: String, isZeroSeparated: Bool) throws(MigrationError) {
    self.init(try Self.contents(of: path), isZeroSeparated: isZeroSeparated)
  }

  /// Takes the bytes of a list.
  package init(_ bytes: [UInt8], isZeroSeparated: Bool) {
    var known: Set<String> = []
    let separator: UInt8 = isZeroSeparated ? 0 : UInt8(ascii: "\n")
    for (index, entry) in bytes.split(separator: separator, omittingEmptySubsequences: false)
      .enumerated() where !entry.isEmpty
    {
      guard let folder = Self.word(entry) else {
        findings.append(
          Finding(
            .notLookedAt, .error, path: DisplayText.escaping(entry),
            message: "is no name that a command takes (entry \((index + 1).grouped) of the list)",
            next: "make a link to it with a name that is UTF-8, and list that"))
        continue
      }
      if known.insert(folder).inserted {
        folders.append(folder)
      } else {
        findings.append(
          Finding(
            .duplicateEntity, .info, path: DisplayText.escaping(folder.utf8),
            message: "is in the list more than once"))
      }
    }
  }

  /// A list of so many bytes names as many folders as anybody has.
  private static let longest = 1 << 30

  private static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    let file = try MigrationError.wrapping { () throws(FileError) in
      path == "-" ? nil : try FileReader.open(path: path)
    }
    let source =
      file.map { ByteSource(name: $0.path, descriptor: $0.descriptor) } ?? .standardInput
    var bytes: [UInt8] = []
    while try source.appendNext(&bytes) {
      guard bytes.count <= longest else {
        throw MigrationError(
          FileError.tooLarge(
            path: source.name, size: Int64(bytes.count), limit: Int64(longest)))
      }
    }
    // The source only borrows it.
    withExtendedLifetime(file) {}
    return bytes
  }

  /// The name of a folder without slashes behind it, told from an option; nil if it is none.
  private static func word(_ entry: ArraySlice<UInt8>) -> String? {
    guard !entry.contains(0), var name = String(validating: entry, as: UTF8.self) else {
      return nil
    }
    while name.utf8.count > 1, name.utf8.last == UInt8(ascii: "/") { name.removeLast() }
    return name.hasPrefix("-") ? "./" + name : name
  }
}
