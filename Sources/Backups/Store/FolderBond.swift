import Diagnostics
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
