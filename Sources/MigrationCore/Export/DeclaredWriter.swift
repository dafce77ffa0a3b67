import Backups
import Folders
import Runs
import SafeFiles

/// What an export makes of entities of declared kinds.
enum DeclaredForm: Sendable {
  /// The objects of the app's own files.
  case file
  /// The fields of lines of an interchange stream.
  case stream
}

/// An entity of a declared kind on its way out.
struct DeclaredEntity: Sendable {
  /// The identity as documents have it; of a key that is no entity the key.
  var identity: [UInt8]
  /// Where it was.
  var place: KnownFiles.Place?
  /// The file that it was in where that is known of no file that is there.
  var path: RelativePath?
  /// Its object; without the identity in a stream.
  var json: [UInt8]
  /// The types that the JSON does not show.
  var types: [(pointer: [UInt8], type: StreamType)] = []
  /// The document of a key that is no entity; nil of an entity.
  var otherOf: RelativePath?
}

/// Where entities of declared kinds go, group by group.
protocol DeclaredWriter {
  /// What is to be written of an entity.
  var form: DeclaredForm { get }
  /// Whether the app's files go to another folder than they come from.
  var isAnotherFolder: Bool { get }

  /// Adds an entity of a group that was begun, or begins it.
  ///
  /// - Parameter month: the month that its document says.
  /// - Returns: the path, if its name was made up.
  mutating func add(
    _ entity: DeclaredEntity, of group: EntityGroup, month: Month?, _ known: KnownFiles
  ) throws(PlaceDefect) -> RelativePath?

  /// Completes a group: nothing more comes of it.
  ///
  /// - Parameter files: the app's own files of the group.
  mutating func finish(
    _ group: EntityGroup, _ files: [KnownFiles.File], of known: KnownFiles
  ) throws(MigrationError)

  /// Prepares to write a file of a backup that an entity names; nil if there is nothing to write.
  mutating func stage(_ entry: BackupEntry) throws(MigrationError) -> FileWriter?

  /// Writes out what is ready.
  mutating func flush() throws(MigrationError)

  /// Writes what comes last, once all groups are complete.
  mutating func end() throws(MigrationError)

  /// Adds to a report what only the writer knows.
  func complete(_ report: inout ExportReport)
}
