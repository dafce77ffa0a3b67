package import SafeFiles

/// The names that mean something in a data folder.
package enum FolderNames {
  /// The app's own lock; writers hold it, nobody ever removes or moves it.
  package static let writeLock: FileName = ".minuta.writelock.nosync"
  /// The directory of our own state.
  package static let state: FileName = ".automerge-migrate.nosync"
  /// Below the state directory: where files go instead of being deleted, one directory a run.
  package static let quarantine: FileName = "quarantine"
  /// Below the state directory: where a restore is staged, one directory a run.
  package static let restore: FileName = "restore"
  /// Below the state directory: the log of runs, one JSON line each.
  package static let history: FileName = "history.jsonl"
  /// Below the state directory: what the log was before it grew too long.
  package static let olderHistory: FileName = "history.1.jsonl"
  /// Below the state directory: the run that is writing at the moment, or was when it died.
  package static let currentRun: FileName = "run.json"
  /// Below a restore's run: what the backup holds, verified.
  package static let restoredContent: FileName = "new"
  /// Below a restore's run: what was in the folder before.
  package static let replacedContent: FileName = "old"
  /// Below a restore's run: what others wrote to the folder while entries moved, or what was in it when
  /// the restore was undone.
  package static let arrivedContent: FileName = "arrived"
  /// What is appended to a folder's name to get the place of its backups, beside it.
  package static let backupsSuffix = "-backups"

  /// The legacy file of all tags.
  package static let tagsFile: FileName = "tags.json"
  /// The document of all tags.
  package static let tagsDocument: FileName = "tags.automerge"
  /// The directory of records, their images and their documents.
  package static let records: FileName = "records"
  /// The other place where images lie.
  package static let images: FileName = "images"
  /// The extension of legacy files, with its dot.
  package static let legacyExtension = ".json"
  /// The extension of documents, with its dot.
  package static let documentExtension = ".automerge"

  /// Returns whether a name is one of our unfinished files: `.NAME.RANDOM.tmp.nosync`, or one that was
  /// to change places with another: `.NAME.RANDOM.NEW.OLD.swap.tmp.nosync`.
  package static func isOwnTemporary(_ name: Span<UInt8>) -> Bool {
    name.count > 12 && name[0] == UInt8(ascii: ".") && NameText.hasSuffix(name, ".tmp.nosync")
  }

  /// Returns where in a name the real one stands if it is an iCloud placeholder: `.NAME.icloud`.
  package static func placeholderTarget(_ name: Span<UInt8>) -> Range<Int>? {
    guard name.count > 8, name[0] == UInt8(ascii: "."), NameText.hasSuffix(name, ".icloud") else {
      return nil
    }
    return 1..<name.count - 7
  }
}
