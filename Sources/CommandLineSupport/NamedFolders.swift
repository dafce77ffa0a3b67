package import ArgumentParser
import Fleets
import Runs

/// The folders that a reading command is told: as arguments, and in a list.
package struct NamedFolders {
  private let arguments: [String]
  private let list: String?
  private let isZeroed: Bool

  /// Takes what a command was told; nothing is read yet.
  ///
  /// - Parameters:
  ///   - list: a file that lists folders, or `-` for standard input.
  ///   - isZeroed: whether zero bytes end its names.
  package init(_ arguments: [String], from list: String?, isZeroed: Bool) {
    (self.arguments, self.list) = (arguments, list)
    self.isZeroed = isZeroed
  }

  /// Whether there may be several, of which each report has to say which it is of.
  package var areSeveral: Bool { list != nil || arguments.count > 1 }

  /// The folder if there is one only.
  var only: String? { areSeveral ? nil : arguments.first }

  /// The arguments if they are two, and nothing is besides.
  var pair: (String, String)? {
    list == nil && arguments.count == 2 ? (arguments[0], arguments[1]) : nil
  }

  /// Refuses a list of which only its form is given, and to be told no folder at all.
  ///
  /// - Parameter limit: what is said to whoever gives several to what takes one; nil where several are
  ///   taken.
  package func require(unlessOne limit: String? = nil) throws {
    if isZeroed && list == nil { throw ValidationError("--null goes with --folders-from") }
    if arguments.isEmpty && list == nil {
      throw ValidationError("missing expected argument '<folder> ...'")
    }
    if let limit, areSeveral { throw ValidationError(limit) }
  }

  /// Refuses a list.
  ///
  /// - Parameter reason: what is said to whoever gives one.
  package func requireNoList(_ reason: String) throws {
    if list != nil || isZeroed { throw ValidationError(reason) }
  }

  /// Returns all of them, each once, with what is to be said of the list.
  func read() throws(MigrationError) -> FolderList {
    var all = FolderList(arguments)
    if let list { all.append(try FolderList(at: list, isZeroSeparated: isZeroed)) }
    return all
  }
}

extension ArgumentHelp {
  /// The option of every command that reads several folders.
  package static var foldersFrom: ArgumentHelp {
    ArgumentHelp(
      "Read the folders that this file lists, too, a line each; - is standard input.",
      valueName: "list")
  }

  /// The flag of every command that takes a list of folders.
  package static var zeroSeparated: ArgumentHelp {
    "A zero byte ends each name of the list, not the end of its line."
  }
}

extension NameSpecification {
  /// The names of that flag.
  package static var zeroSeparated: NameSpecification { [.customShort("0"), .customLong("null")] }
}
