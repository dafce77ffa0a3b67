import Folders
import Runs
import SafeFiles

/// The version that a folder was taken for by the last run with a baseline that changed it, so that the same
/// command finds nothing to do, wherever that run was stopped. Nothing else trusts it.
enum TakenVersion {
  private static let path = RelativePath(FolderNames.state).appending(FolderNames.baseline)
  /// A number and the end of its line.
  private static let longest = 32

  /// Returns the version; nil if none is noted, or what lies there is no note of ours.
  static func noted(in folder: Directory) throws(MigrationError) -> Int? {
    let bytes = try MigrationError.wrapping { () throws(FileError) in
      try folder.stateIfPresent(of: path).map { $0.size <= longest } ?? false
        ? try folder.contentsIfPresent(of: path, limit: longest) : nil
    }
    return bytes.flatMap { Int(String(decoding: $0.dropLast(), as: UTF8.self)) }
  }

  /// Notes a version, before a run changes anything.
  static func note(_ version: Int, in folder: Directory) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.createDirectory(FolderNames.state).publish(
        Array("\(version)\n".utf8), as: FolderNames.baseline)
    }
  }
}
