import Diagnostics
import Runs
import SafeFiles
import SwiftDataStores

/// The preferences of an app: a property list, binary or XML, that is a dictionary.
struct AppPreferences {
  let root: PropertyListValue

  /// Reads a file; it is bounded as every property list is.
  static func read(_ path: String, context: RunContext) throws(MigrationError) -> AppPreferences {
    let (directory, name) = try FolderAccess.openParent(ofPath: path, context: context)
    let bytes = try MigrationError.wrapping { () throws(FileError) in
      try directory.contents(of: name, limit: PropertyList.maximumByteCount)
    }
    do throws(PropertyListError) {
      let root = try PropertyList(bytes).root
      guard root.members != nil else {
        throw PropertyListError(.unexpected("dictionary"), at: root.offset)
      }
      return AppPreferences(root: root)
    } catch {
      throw .underlying(
        Diagnostic(
          .damagedInput, subject: path, problem: "cannot be read as preferences: \(error.text)",
          remedy: "give the property list that the app keeps its preferences in"))
    }
  }
}
