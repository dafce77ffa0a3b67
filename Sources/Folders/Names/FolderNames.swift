package import SafeFiles

/// The names that mean something in a data folder.
package enum FolderNames {
  /// The app's own lock; writers hold it, nobody ever removes or moves it.
  package static let writeLock: FileName = ".minuta.writelock.nosync"
  /// Below the state directory: the lock that runs of every profile look for.
  package static let stateLock: FileName = "lock"
  /// The directory of our own state.
  package static let state: FileName = ".automerge-migrate.nosync"
  /// Below the state directory: where files go instead of being deleted, one directory a run.
  package static let quarantine: FileName = "quarantine"
  /// Below the state directory: where files go that steps of plans have used, one directory a step.
  package static let schema: FileName = "schema"
  /// Below the state directory: what steps of plans did, one JSON line each.
  package static let schemaLog: FileName = "schema.jsonl"
  /// Below the state directory: what a run of steps is about to add to documents, until it has.
  package static let stepJournal: FileName = "step-journal.jsonl"
  /// Where that is in a folder.
  package static let stepJournalPath = RelativePath(state).appending(stepJournal)
  /// Below the state directory: what is remembered of the folders that this one was synced with.
  package static let sync: FileName = "sync"
  /// The version at which steps took the data last, because a command said so.
  package static let baseline: FileName = "baseline"
  /// Below the state directory: where a restore is staged, one directory a run.
  package static let restore: FileName = "restore"
  /// Below the state directory: the log of runs, one JSON line each.
  package static let history: FileName = "history.jsonl"
  /// Below the state directory: what the log was before it grew too long.
  package static let olderHistory: FileName = "history.1.jsonl"
  /// Below the state directory: the run that is writing at the moment, or was when it died.
  package static let currentRun: FileName = "run.json"
  /// What a purge relied on.
  package static let purged: FileName = "purged.json"
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

  /// Returns the name of the iCloud placeholder that stands for a file of a name.
  package static func placeholder(for name: Span<UInt8>) -> [UInt8] {
    var placeholder = Array(".".utf8)
    for index in name.indices { placeholder.append(name[index]) }
    return placeholder + Array(".icloud".utf8)
  }
}

/// Names of files that sync programs keep for themselves: never data, never a conflict copy.
enum IgnoredName {
  /// Returns whether a name is a temporary or an old version of a sync program.
  ///
  /// Those of Unison (`.unison.NAME.unison.tmp`), ownCloud (`.NAME.~1f2e3d4c`) and Syncthing's
  /// directories begin with a dot and are never looked at anyway.
  static func matches(_ name: Span<UInt8>) -> Bool {
    if name.count == 0 || name[0] == UInt8(ascii: ".") { return true }
    if name[0] == UInt8(ascii: "~"), NameText.hasSuffix(name, ignoringCaseOf: ".tmp") {
      return true
    }
    return isVersion(name)
  }

  /// `NAME~YYYYMMDD-HHMMSS.EXTENSION`, as Syncthing names old versions.
  private static func isVersion(_ name: Span<UInt8>) -> Bool {
    guard name.indices.contains(where: { name[$0] == UInt8(ascii: "~") }) else { return false }
    var tail = NameTail(NameTail(Array(name)).stem)
    return tail.takeDigits(6...6) && tail.take("-") && tail.takeDigits(8...8) && tail.take("~")
  }
}

/// Names of image files.
package enum ImageName {
  private static let extensions = [
    ".jpg", ".jpeg", ".png", ".heic", ".heif", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".avif",
  ]

  /// Returns whether a name is the app's `UUID_INDEX.EXTENSION`, or ends as images do.
  package static func isImage(_ name: Span<UInt8>) -> Bool {
    owner(name) != nil || extensions.contains { NameText.hasSuffix(name, ignoringCaseOf: $0) }
  }

  /// Returns the identity in a name of the form `UUID_INDEX.EXTENSION`, whatever the extension.
  package static func owner(_ name: Span<UInt8>) -> Identity? {
    guard name.count >= 40, name[36] == UInt8(ascii: "_"),
      let identity = Identity(name.extracting(0..<36))
    else { return nil }
    var position = 37
    while position < name.count, name[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    guard position > 37, position + 1 < name.count, name[position] == UInt8(ascii: ".") else {
      return nil
    }
    return identity
  }
}

/// What the name of a directory below `records` or `images` means.
///
/// iCloud renames the loser of a conflict, directories included, by appending a space and a number
/// from 2: `records 2/2024 3/01 2` is overlaid on `records/2024/01`.
package enum DirectoryName {
  /// Returns whether a name is `base` or `base N`.
  package static func isBase(_ base: String, _ name: Span<UInt8>) -> Bool {
    NameText.isEqual(name.extracting(0..<lengthWithoutCopyNumber(name)), base)
  }

  /// Returns the year of `YYYY` or `YYYY N`.
  package static func year(_ name: Span<UInt8>) -> Int? {
    let length = lengthWithoutCopyNumber(name)
    return length == 4 ? NameText.number(name, 0..<4) : nil
  }

  /// Returns the month of `M`, `MM`, `M N` or `MM N`.
  package static func month(_ name: Span<UInt8>) -> Int? {
    let length = lengthWithoutCopyNumber(name)
    guard length == 1 || length == 2, let month = NameText.number(name, 0..<length),
      1...12 ~= month
    else { return nil }
    return month
  }

  /// Returns the length of a name without the ` N` of a copy, N being 2 to 999 without zeros in front.
  package static func lengthWithoutCopyNumber(_ name: Span<UInt8>) -> Int {
    var digits = 0
    while digits < name.count, name[name.count - 1 - digits] &- UInt8(ascii: "0") < 10 {
      digits += 1
    }
    let space = name.count - 1 - digits
    guard 1...3 ~= digits, space > 0, name[space] == UInt8(ascii: " "),
      name[space + 1] != UInt8(ascii: "0"),
      let number = NameText.number(name, space + 1..<name.count), number >= 2
    else { return name.count }
    return space
  }
}

/// Comparing names with ASCII text, byte by byte.
package enum NameText {
  /// Returns whether the name is exactly this text.
  static func isEqual(_ name: Span<UInt8>, _ text: String) -> Bool {
    name.count == text.utf8.count && hasSuffix(name, text)
  }

  /// Returns whether the name ends with this text, which is in lower case, in any ASCII case.
  package static func hasSuffix(_ name: Span<UInt8>, ignoringCaseOf text: String) -> Bool {
    matchesSuffix(name, text) { lowerCase($0) == $1 }
  }

  /// Returns whether the name ends with exactly this text.
  static func hasSuffix(_ name: Span<UInt8>, _ text: String) -> Bool {
    matchesSuffix(name, text) { $0 == $1 }
  }

  private static func matchesSuffix(
    _ name: Span<UInt8>, _ text: String, _ isMatch: (UInt8, UInt8) -> Bool
  ) -> Bool {
    var position = name.count - text.utf8.count
    guard position >= 0 else { return false }
    for byte in text.utf8 {
      guard isMatch(name[position], byte) else { return false }
      position += 1
    }
    return true
  }

  /// Returns whether exactly this text is somewhere in the name, or in a path.
  static func contains(_ name: Span<UInt8>, _ text: String) -> Bool {
    let length = text.utf8.count
    guard name.count >= length else { return false }
    return (length...name.count).contains { hasSuffix(name.extracting(0..<$0), text) }
  }

  /// Returns whether this text, which is in lower case, is somewhere in the name in any ASCII case.
  static func contains(_ name: Span<UInt8>, ignoringCaseOf text: String) -> Bool {
    let length = text.utf8.count
    guard name.count >= length else { return false }
    return (length...name.count).contains {
      hasSuffix(name.extracting(0..<$0), ignoringCaseOf: text)
    }
  }

  /// Returns the number that a run of digits names, or `nil` for anything else.
  static func number(_ name: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 9 else { return nil }
    var value = 0
    for position in range {
      let digit = name[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  static func lowerCase(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }
}
