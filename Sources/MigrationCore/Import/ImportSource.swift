import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// Where the entities of an import come from.
enum ImportSource: Sendable {
  /// The legacy files of a folder.
  case folder(Directory, FolderInventory, EntityRules)
  /// The entities of a stream that was read to its end.
  case stream(StreamSpool)

  /// The groups that hold entities, in their order.
  var groups: [EntityGroup] {
    switch self {
    case .folder(_, let inventory, _): inventory.legacyGroups
    case .stream(let spool): spool.groups
    }
  }

  /// Whether several places of one identity may be there; false only where all identities are known.
  var mayHoldVariants: Bool {
    switch self {
    case .folder: true
    case .stream(let spool): spool.hasVariants
    }
  }

  /// Returns the items of a group, ascending by path: files of a folder, entities of a stream.
  func items(of group: EntityGroup) -> [UInt32] {
    switch self {
    case .folder(_, let inventory, _): inventory.legacyFiles(of: group).map { UInt32($0) }
    case .stream(let spool): spool.items(of: group)
    }
  }

  /// Returns how many entities there may be for a document of the target, by its place; where only
  /// reading would tell, as many as can be.
  func entityCount(forDocument file: Int, of target: FolderInventory) -> Int {
    switch (target.fileClass(of: file), self) {
    case (.fixedDocument, .folder(_, let inventory, _)):
      inventory.legacyFiles(of: EntityGroup(target.kind(of: file))).isEmpty ? 0 : .max
    case (.fixedDocument, .stream): items(of: EntityGroup(target.kind(of: file))).count
    case (.monthDocument, _):
      target.entityGroup(ofDocument: file).map { items(of: $0).count } ?? 0
    default: 0
    }
  }

  /// Returns the name of an item without its extension.
  func stem(of item: UInt32) -> [UInt8] {
    switch self {
    case .folder(_, let inventory, _): inventory.stem(of: Int(item))
    case .stream(let spool):
      spool.entities[Int(item)].place.name ?? []
    }
  }

  /// Returns the name that the document of an entity gets: that of its first place, or that of what
  /// the first place is a conflict copy of if the entity is there, too. `X 2.json` sorts before
  /// `X.json`.
  func baseStem(of first: SourcePosition, among positions: [SourcePosition]) -> [UInt8] {
    guard positions.count > 1, case .folder(_, let inventory, _) = self else {
      return stem(of: first.item)
    }
    var item = first.item
    while let base = inventory.copies[Int(item)]?.baseFile,
      positions.contains(where: { Int($0.item) == base })
    { item = UInt32(truncatingIfNeeded: base) }
    return stem(of: item)
  }

  /// Returns the path of an item for a message.
  func path(of item: UInt32) -> String {
    switch self {
    case .folder(_, let inventory, _):
      return inventory.path(of: Int(item)).description
    case .stream(let spool):
      return spool.entities[Int(item)].place.description
    }
  }
}

extension EntityPlace: CustomStringConvertible {
  /// The place as a stream writes it, in display form.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return DisplayText.escaping(bytes)
  }
}
