import Diagnostics
import SafeFiles
package import SampleFolders
package import SwiftDataStores

/// The stores of a sample app, file by file: the databases, their logs, and the hidden folders of what
/// is too large for them.
///
/// All of a store is in memory while it is made.
package struct SampleStore: SampleFiles {
  private let files: [SampleFile]

  /// Makes the stores of a plan whose `problem` is nil.
  ///
  /// - Throws: what SQLite says, which is that there is no memory.
  package init(_ plan: StorePlan) throws(StoreError) {
    var files: [SampleFile] = []
    for file in plan.app.files where file.versions.contains(plan.version.number) {
      var writer = try StoreWriter(plan, file)
      let content = try writer.write()
      files.append(Self.file(file.name, content.database))
      if let log = content.log { files.append(Self.file(file.name + "-wal", log)) }
      if let journal = content.journal {
        files.append(Self.file(file.name + "-journal", journal))
      }
      let stem = file.name.split(separator: ".").first.map(String.init) ?? file.name
      for (name, bytes) in content.external {
        files.append(Self.file(".\(stem)_SUPPORT/_EXTERNAL_DATA/\(name)", bytes))
      }
    }
    self.files = files
  }

  package func forEachFile<Failure>(
    _ body: (SampleFile) throws(Failure) -> Void
  ) throws(Failure) {
    for file in files { try body(file) }
  }

  private static func file(_ path: String, _ bytes: [UInt8]) -> SampleFile {
    guard let path = RelativePath(Array(path.utf8)) else {
      preconditionFailure("a path made of checked parts")
    }
    return SampleFile(path: path, bytes: bytes, modified: FileTime(seconds: 1_767_225_600))
  }
}
