import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// The names by which records of a month know their images, in documents and in legacy files.
struct UsedImageNames {
  private var names: [Month: Set<[UInt8]>] = [:]
  /// Months in which something cannot be read: there every name counts as used.
  private var unreadable: Set<Month> = []

  init() {}

  /// Whether a record of the month uses a name, or may use it.
  mutating func contains(
    _ name: [UInt8], in month: Month, of folder: Directory, _ inventory: FolderInventory
  ) throws(MigrationError) -> Bool {
    if names[month] == nil { read(month, of: folder, inventory) }
    return unreadable.contains(month) || names[month]?.contains(name) == true
  }

  private mutating func read(
    _ month: Month, of folder: Directory, _ inventory: FolderInventory
  ) {
    var found: Set<[UInt8]> = []
    var loader = DocumentLoader(folder, inventory)
    let files = GroupDocuments.files(of: inventory).groups[EntityGroup(month: month)] ?? []
    let group = GroupDocuments(files, with: &loader)
    if !group.defects.isEmpty { unreadable.insert(month) }
    for loaded in group.documents {
      for entity in loaded.root.entities {
        // What an object that nobody sees names may be seen once it is brought together.
        for map in loaded.document.maps(of: entity) {
          loaded.document.addImageNames(of: map, to: &found)
        }
      }
    }
    var reader = LegacyReader(folder, inventory)
    for file in inventory.legacyFiles(of: EntityGroup(month: month)) {
      reader.read(file)
      if !reader.batch.isComplete { unreadable.insert(month) }
      for entity in reader.batch.entities { reader.batch.addImageNames(of: entity, to: &found) }
    }
    names[month] = found
  }
}

extension DocumentState {
  /// Adds every name that was ever in a record's list of images.
  fileprivate func addImageNames(of map: OpID, to names: inout Set<[UInt8]>) {
    guard let group = group(of: map, key: KnownField.imagesKey) else { return }
    for list in values(in: group) {
      forEachGroup(in: list.id) { _, group in
        for value in everyValue(in: group) {
          guard case .scalar(let place) = value.content, place.type == .string else { continue }
          names.insert(bytes(place))
        }
      }
    }
  }
}

extension EntityBatch {
  fileprivate func addImageNames(of entity: LegacyEntity, to names: inout Set<[UInt8]>) {
    guard let list = entity.imagesNode else { return }
    var element = list + 1
    while element < tape.node(after: list) {
      names.insert(tape.bytes(of: element))
      element = tape.node(after: element)
    }
  }
}
