package import Diagnostics
package import Runs
import SafeFiles

/// The folders that a list names.
package struct FolderList: Sendable {
  /// Each folder once, in the order of the list, as a word that is no option of a command.
  package private(set) var folders: [String] = []
  /// What the list holds besides.
  package private(set) var findings: [Finding] = []
  private var known: Set<String> = []

  /// Reads a list; one that names no folder is refused, because nobody meant that.
  ///
  /// - Parameters:
  ///   - path: a file, or `-` for standard input.
  ///   - isZeroSeparated: whether a zero byte ends each name, and not the end of its line.
  package init(at path: String, isZeroSeparated: Bool) throws(MigrationError) {
    self.init(try Self.contents(of: path), isZeroSeparated: isZeroSeparated)
    guard folders.isEmpty && findings.isEmpty else { return }
    throw .underlying(
      Diagnostic(
        .missingInput, subject: path == "-" ? ByteSource.standardInput.name : path,
        problem: "names no folder",
        remedy: isZeroSeparated
          ? "a zero byte ends each name; leave -0 out if lines do" : "give each folder a line"))
  }

  /// Takes the bytes of a list.
  package init(_ bytes: [UInt8], isZeroSeparated: Bool) {
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
      append(folder)
    }
  }

  /// Takes names that were given one by one.
  package init(_ names: [String]) {
    for name in names { append(name) }
  }

  /// Adds the folders of another list, and what it holds besides.
  package mutating func append(_ other: FolderList) {
    for folder in other.folders { append(folder) }
    findings += other.findings
  }

  private mutating func append(_ folder: String) {
    guard known.insert(folder).inserted else {
      findings.append(
        Finding(
          .duplicateEntity, .info, path: DisplayText.escaping(folder.utf8),
          message: "is in the list more than once"))
      return
    }
    folders.append(folder)
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
