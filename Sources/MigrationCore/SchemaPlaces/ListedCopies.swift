import Diagnostics
import Folders
import SafeFiles
import Synchronization

/// The copies that sync services have put beside files, because two devices wrote them: each directory is
/// listed once, when somebody first asks about a file in it.
final class ListedCopies: Sendable {
  /// By directory and by the name of the file, the name of the first copy.
  private let copies = Mutex<[RelativePath: [[UInt8]: FileName]]>([:])

  /// Returns the name of a copy of a file, to be shown; nil if there is none.
  func copy(of path: RelativePath, in folder: Directory) throws(FileError) -> String? {
    guard let name = path.lastComponent, let parent = path.parent else { return nil }
    if let known = copies.withLock({ $0[parent] }) { return known[name.bytes].map(Self.shown) }
    var found: [[UInt8]: FileName] = [:]
    for entry in try folder.openDirectoryIfPresent(parent)?.entries() ?? []
    where entry.kind == .regular {
      for reading in ConflictCopyName.readings(of: entry.name.bytes.span)
      // Half of all names with a hyphen look like those of one service.
      where reading.strength == .strong || reading.service != .oneDrive {
        if found[reading.base] == nil { found[reading.base] = entry.name }
      }
    }
    copies.withLock { $0[parent] = found }
    return found[name.bytes].map(Self.shown)
  }

  private static func shown(_ name: FileName) -> String { DisplayText.escaping(name.bytes) }
}
