import Diagnostics
import Folders
package import SafeFiles

/// Whose a backup is: it belongs to a folder by what it holds, and the path it was made at is only
/// told.
package struct FolderBond: Sendable {
  /// How a backup belongs to a folder.
  package enum Kind: Hashable, Sendable {
    /// It was made of this folder.
    case own
    /// It holds the same entities, or was made where the folder is, and may have been made of another
    /// copy: it is found, and never dropped.
    case related
  }

  /// What a comparison of contents says.
  package enum Comparison: Hashable, Sendable {
    /// Both hold one entity at least.
    case shared
    /// Both hold entities, and none of them in common.
    case different
    /// One of them holds no entity, or none that can be read.
    case unknown(backupHoldsEntities: Bool)
  }

  private let identifier: FolderIdentifier
  private let origin: String
  private let compare: @Sendable (BackupArchive) throws(BackupError) -> Comparison

  /// Creates the bond of a folder; `compare` looks into a backup, and is asked only where numbers say
  /// nothing.
  package init(
    of folder: Directory, _ identifier: FolderIdentifier,
    comparing compare: @escaping @Sendable (BackupArchive) throws(BackupError) -> Comparison
  ) throws(BackupError) {
    self.identifier = identifier
    self.compare = compare
    do throws(FileError) {
      origin = DisplayText.escaping(try folder.canonicalPath())
    } catch {
      throw .file(error)
    }
  }

  /// Creates the bond of a store: backups of the store at this path are its own, and those of one with
  /// its identifier related.
  package init(storeAt path: [UInt8], uuid: String) {
    self.init(storeAt: path) { !uuid.isEmpty && $0.uuid == uuid }
  }

  /// Creates the bond of a store likewise; `isAlike` says of which others backups are related.
  package init(storeAt path: [UInt8], isAlike: @escaping @Sendable (StoreSummary) -> Bool) {
    identifier = FolderIdentifier()
    origin = DisplayText.escaping(path)
    compare = { archive throws(BackupError) in
      let isSame = try archive.summary().store.map(isAlike) ?? false
      return isSame ? .shared : .unknown(backupHoldsEntities: false)
    }
  }

  /// Returns how a backup belongs to the folder, nil if it does not.
  ///
  /// One under the name of another folder is not looked into if that folder is where it was.
  func kind(
    of archive: BackupArchive, _ summary: BackupSummary, hasNameOfFolder: Bool
  ) throws(BackupError) -> Kind? {
    if let number = summary.folderNumber {
      if identifier.own.contains(number) { return .own }
      if identifier.others.contains(number) { return .related }
    }
    let isMadeHere = summary.origin == origin
    guard hasNameOfFolder || isMadeHere || !isOfFolderAtItsOrigin(summary) else { return nil }
    let isUnnumbered = summary.folderNumber == nil
    switch try comparison(with: archive) {
    case .shared: return isUnnumbered && isMadeHere ? .own : .related
    case .different: return nil
    case .unknown(let backupHoldsEntities):
      guard isMadeHere else { return nil }
      return isUnnumbered && !backupHoldsEntities ? .own : .related
    }
  }

  private func comparison(with archive: BackupArchive) throws(BackupError) -> Comparison {
    do throws(BackupError) { return try compare(archive) } catch {
      switch error {
      case .interrupted, .file: throw error
      // A damaged backup says nothing about whose it is.
      default: return .unknown(backupHoldsEntities: true)
      }
    }
  }

  /// Whether the folder that a backup was made of is still where it was.
  private func isOfFolderAtItsOrigin(_ summary: BackupSummary) -> Bool {
    // What cannot be opened or read is not known to be there: then the backup is looked into.
    guard let number = summary.folderNumber, let there = try? Directory.open(path: summary.origin),
      let identifier = try? FolderIdentifier(of: there)
    else { return false }
    return identifier.own.contains(number)
  }
}

/// Which folder this is, whatever its path and its name: what its backups carry.
///
/// The number stands in the name of a file of the folder's own state, `folder-INODE-NUMBER.id`, with
/// that of the state's directory: a folder that moves or is renamed keeps both, a copy of it has
/// another directory, and so gets a number of its own. What is known of the folder it was copied from
/// stays with it.
package struct FolderIdentifier: Sendable {
  private static let prefix = Array("folder-".utf8)
  private static let suffix: StaticString = ".id"
  private static let digits = 32

  /// The numbers of this folder: one, or two if two runs gave it one at the same instant.
  package private(set) var own: Set<String> = []
  /// The numbers of folders that this one is a copy of.
  package private(set) var others: Set<String> = []

  /// A folder of which nothing is known.
  package init() {}

  /// Reads what is known about a folder.
  package init(of folder: Directory) throws(BackupError) {
    do throws(FileError) {
      guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
        return
      }
      let inode = try state.state().inode
      for entry in try state.entries() {
        guard let (number, place) = Self.parse(entry.name) else { continue }
        if place == inode { own.insert(number) } else { others.insert(number) }
      }
    } catch {
      throw .file(error)
    }
  }

  /// Whether a number is the folder's, or that of one it was copied from.
  package func isKnown(_ number: String?) -> Bool {
    number.map { own.contains($0) || others.contains($0) } ?? false
  }

  /// The number that backups of the folder get; nil if it has none.
  package var number: String? { own.min() }

  /// Gives a folder a number if it has none, and returns its number; nil where no command has kept
  /// anything yet, or nothing can be written: then its backups are known by their content alone.
  ///
  /// Throws `BackupError.file` if what is known cannot be looked at.
  package static func ensure(in folder: Directory) throws(BackupError) -> String? {
    if let number = try FolderIdentifier(of: folder).number { return number }
    do throws(FileError) {
      guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
        return nil
      }
      let number = String(decoding: Entropy.hexDigits(digits), as: UTF8.self)
      let inode = try state.state().inode
      guard let name = FileName(prefix + Array("\(inode)-\(number)\(suffix)".utf8)) else {
        return nil
      }
      let note = "Backups of this folder carry this number, wherever they and it are.\n"
      // A folder on a read-only disk can be backed up all the same.
      guard (try? state.publish(Array(note.utf8), as: name)) != nil else { return nil }
      try state.sweepTemporaries { parse($0) != nil }
    } catch {
      throw .file(error)
    }
    return try FolderIdentifier(of: folder).number
  }

  private static func parse(_ name: FileName) -> (number: String, inode: UInt64)? {
    guard name.bytes.starts(with: prefix), name.hasSuffix(suffix) else { return nil }
    let parts = name.bytes.dropFirst(prefix.count).dropLast(suffix.utf8CodeUnitCount)
      .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == digits,
      let inode = UInt64(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    return (String(decoding: parts[1], as: UTF8.self), inode)
  }
}
