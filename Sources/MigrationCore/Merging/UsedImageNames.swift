import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// The names by which entities know the files beside the data, such as records their images, in
/// documents and in legacy files.
struct UsedImageNames {
  /// By month where files go by month; else an entity may name a file anywhere.
  private var names: [Month?: Set<[UInt8]>] = [:]
  /// Months in which something cannot be read: there every name counts as used.
  private var unreadable: Set<Month?> = []

  init() {}

  /// Whether an entity uses the name of a file, or may use it.
  mutating func contains(
    _ name: [UInt8], of file: Int, in folder: Directory, _ inventory: FolderInventory
  ) -> Bool {
    let isByMonth = inventory.kinds.namesFilesByMonth
    let month = isByMonth ? inventory.month(of: file) : nil
    if isByMonth, month == nil { return false }
    if names[month] == nil { read(month, of: folder, inventory) }
    return unreadable.contains(month) || names[month]?.contains(name) == true
  }

  private mutating func read(
    _ month: Month?, of folder: Directory, _ inventory: FolderInventory
  ) {
    var found: Set<[UInt8]> = []
    let (documents, others) = GroupDocuments.files(of: inventory)
    let isByMonth = inventory.kinds.namesFilesByMonth
    let kinds = inventory.kinds
    let groups =
      isByMonth
      ? kinds.all.filter(kinds.hasMonths).map { EntityGroup($0, month: month) }
      : Set(documents.keys).union(inventory.legacyGroups).sorted()
    // Of a document of no kind nobody knows what its entities name.
    if !isByMonth, !others.isEmpty { unreadable.insert(month) }
    var loader = DocumentLoader(folder, inventory)
    var reader = LegacyReader(folder, inventory)
    for group in groups {
      let keys = kinds.attachmentKeys(of: group.kind)
      if keys.isEmpty { continue }
      let loaded = GroupDocuments(documents[group] ?? [], with: &loader)
      if !loaded.defects.isEmpty { unreadable.insert(month) }
      for loaded in loaded.documents {
        for entity in loaded.root.entities {
          // What an object that nobody sees names may be seen once it is brought together.
          for map in loaded.document.maps(of: entity) {
            loaded.document.addNames(at: keys, of: map, to: &found)
          }
        }
      }
      for file in inventory.legacyFiles(of: group) + inventory.unreadCopies(of: group) {
        reader.read(file)
        if reader.batch.findings.contains(where: { $0.severity == .error }) {
          unreadable.insert(month)
        }
        for entity in reader.batch.entities {
          reader.batch.addNames(at: keys, of: entity, to: &found)
        }
      }
    }
    names[month] = found
  }
}

extension FolderInventory {
  /// The copies of legacy files of a group that are none by their own names: a merge may take in what
  /// they hold.
  fileprivate func unreadCopies(of group: EntityGroup) -> [Int] {
    copies.values.filter {
      fileClass(of: $0.file) == .conflictCopy && $0.baseClass.isLegacy && $0.kind == group.kind
    }.map(\.file).sorted()
  }
}

extension DocumentState {
  /// Adds every name that was ever in one of the fields of an entity, or in the list that is there.
  fileprivate func addNames(at keys: [[UInt8]], of map: OpID, to names: inout Set<[UInt8]>) {
    for key in keys {
      guard let group = group(of: map, key: key) else { continue }
      for value in everyValue(in: group) {
        addName(value, to: &names)
        guard case .object(.list) = value.content else { continue }
        forEachGroup(in: value.id) { _, group in
          for value in everyValue(in: group) { addName(value, to: &names) }
        }
      }
    }
  }

  private func addName(_ value: DocumentValue, to names: inout Set<[UInt8]>) {
    guard case .scalar(let place) = value.content, place.type == .string else { return }
    names.insert(bytes(place))
  }
}

extension EntityBatch {
  fileprivate func addNames(
    at keys: [[UInt8]], of entity: LegacyEntity, to names: inout Set<[UInt8]>
  ) {
    for key in keys {
      guard let value = tape.member(key, of: entity.node) else { continue }
      if tape.kind(of: value) == .string { names.insert(tape.bytes(of: value)) }
      guard tape.kind(of: value) == .array else { continue }
      var element = value + 1
      while element < tape.node(after: value) {
        if tape.kind(of: element) == .string { names.insert(tape.bytes(of: element)) }
        element = tape.node(after: element)
      }
    }
  }
}
