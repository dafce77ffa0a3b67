package import ArgumentParser
import Fleets
import Runs

/// The options of every command that reads several folders, one after the other.
package struct FolderListOptions: ParsableArguments {
  /// The list of folders.
  @Option(
    help: ArgumentHelp(
      "Read the folders that this file lists, too, a line each; - is standard input.",
      valueName: "list"), completion: .file())
  package var foldersFrom: String?

  /// Whether zero bytes end its names.
  @Flag(name: .zeroSeparated, help: .zeroSeparated)
  package var isZeroSeparated = false

  /// Creates the options as they are without arguments.
  package init() {}

  /// Returns whether there may be several folders, of which each report has to say which it is of.
  package func areSeveral(besides folders: [String]) -> Bool {
    foldersFrom != nil || folders.count > 1
  }

  /// Refuses a list of which only its form is given, and to be told no folder at all.
  ///
  /// - Parameters:
  ///   - folders: those that are arguments.
  ///   - limit: what is said to whoever gives several to what takes one; nil where several are taken.
  package func require(besides folders: [String], unlessOne limit: String? = nil) throws {
    if isZeroSeparated && foldersFrom == nil {
      throw ValidationError("--null goes with --folders-from")
    }
    if folders.isEmpty && foldersFrom == nil {
      throw ValidationError("missing expected argument '<folder> ...'")
    }
    if let limit, areSeveral(besides: folders) { throw ValidationError(limit) }
  }

  /// Refuses a list.
  ///
  /// - Parameter reason: what is said to whoever gives one.
  package func requireNone(_ reason: String) throws {
    if foldersFrom != nil || isZeroSeparated { throw ValidationError(reason) }
  }

  /// Returns all of them, each once, with what is to be said of the list.
  func read(besides folders: [String]) throws(MigrationError) -> FolderList {
    var all = FolderList(folders)
    if let foldersFrom {
      all.append(try FolderList(at: foldersFrom, isZeroSeparated: isZeroSeparated))
    }
    return all
  }
}

extension ArgumentHelp {
  /// The flag of every command that takes a list of folders.
  package static var zeroSeparated: ArgumentHelp {
    "A zero byte ends each name of the list, not the end of its line."
  }
}

extension NameSpecification {
  /// The names of that flag.
  package static var zeroSeparated: NameSpecification { [.customShort("0"), .customLong("null")] }
}
