import FolderDocuments
import Folders
import SafeFiles

/// The documents of a folder that cannot be read, by what has to wait for them.
struct DocumentBlockers: Sendable {
  private var ofGroups: [EntityGroup: RelativePath] = [:]
  private var ofRecords: [Month: [(stem: [UInt8], path: RelativePath)]] = [:]

  /// Takes a document that cannot be read.
  mutating func add(_ file: Int, of inventory: FolderInventory) {
    let path = inventory.path(of: file)
    if inventory.nominalClass(of: file) == .entityDocument {
      if let month = inventory.month(of: file) {
        ofRecords[month, default: []].append((Self.stem(of: file, in: inventory), path))
      }
    } else if let group = inventory.entityGroup(ofDocument: file) {
      // A copy under a name of its own may hold anything its base may hold. An entity stays where its
      // date once put it, so that one of another month may hold it.
      ofGroups[inventory.kinds.isDated(group.kind) ? EntityGroup(group.kind) : group] = path
    }
  }

  /// Returns the path of one that an entity has to wait for, if there is any.
  ///
  /// - Parameter stem: the name of the entity's file, without its extension.
  func path(of group: EntityGroup, stem: () -> [UInt8]) -> RelativePath? {
    if !ofGroups.isEmpty, let path = ofGroups[group] ?? ofGroups[EntityGroup(group.kind)] {
      return path
    }
    guard !ofRecords.isEmpty, let month = group.month, let blockers = ofRecords[month] else {
      return nil
    }
    let kept = DocumentLayout.keptName(stem())
    return blockers.first { $0.stem.starts(with: kept) }?.path
  }

  /// The name without extension; of a placeholder `.NAME.automerge.icloud` that of the document.
  private static func stem(of file: Int, in inventory: FolderInventory) -> [UInt8] {
    var name = inventory.nameBytes(of: file)
    if let target = FolderNames.placeholderTarget(Array(name).span) {
      name = name[name.startIndex + target.lowerBound..<name.startIndex + target.upperBound]
    }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return Array(name)
    }
    return Array(name[..<dot])
  }
}
