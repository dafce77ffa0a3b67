package import Diagnostics

/// What is run for each folder of a fleet: a command and its options.
package struct FleetTask: Hashable, Sendable {
  /// The commands that can be run for each folder: those that need nothing but the folder.
  package static let commands: [NextCommand.Name] = [
    .cleanupLegacy, .importCRDT, .mergeConflicts, .migrateFolder, .migrateSchema, .packBackup,
    .recoverFolder, .rollbackFolder, .verifyCounts,
  ]

  /// The command.
  package let name: NextCommand.Name
  /// What it is told besides the folder, which comes last.
  package let options: [String]

  /// Creates a task.
  package init(_ name: NextCommand.Name, options: [String]) {
    self.name = name
    self.options = options
  }

  /// The command for one folder.
  package func command(for folder: String) -> NextCommand {
    NextCommand(name, options + [folder])
  }

  /// The words that all its results share.
  var words: [String] { [name.rawValue] + options }
}

// As one word that no shell and no scheduler reads anything into.
extension FleetTask {
  /// Letters, digits, and a percent sign before two digits for any other byte; commas between words.
  package var encoded: String {
    words.map { word in
      word.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      }.joined()
    }.joined(separator: ",")
  }

  /// Reads what `encoded` wrote; nil if it is not that.
  package init?(encoded: String) {
    var words: [String] = []
    for part in encoded.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      var bytes: [UInt8] = []
      var rest = part
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      }
      guard let word = String(validating: bytes, as: UTF8.self) else { return nil }
      words.append(word)
    }
    guard let name = words.first.flatMap({ NextCommand.Name(rawValue: $0) }),
      Self.commands.contains(name)
    else { return nil }
    self.init(name, options: Array(words.dropFirst()))
  }
}
