package import Automerge
package import Folders
package import SafeFiles

/// Where in a source an entity stands: comparing positions is comparing relative paths, and inside
/// the tags file the places in its array.
package struct SourcePosition: Hashable, Comparable, Sendable {
  /// The file's number in the inventory, or the line's in a stream.
  package var item: UInt32
  /// The position in the tags array, 0 for a record.
  package var element: UInt32

  package init(item: UInt32, element: UInt32) {
    self.item = item
    self.element = element
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.item, left.element) < (right.item, right.element)
  }
}

/// The documents that hold the entities of one group, loaded and verified.
///
/// Usually one; in the per-record layout one for each record; with conflict copies more.
package struct GroupDocuments {
  /// One loaded document. Whoever looks at an entity of it shares it, and copies none of its parts.
  package final class Loaded {
    /// Its number in the inventory.
    package let file: Int
    package let document: DocumentState
    package let root: DocumentRoot
    /// The size of its file.
    package let byteCount: Int

    init(file: Int, document: DocumentState, root: DocumentRoot, byteCount: Int) {
      (self.file, self.document, self.root) = (file, document, root)
      self.byteCount = byteCount
    }
  }

  /// Where an entity was found.
  package struct Place: Hashable {
    /// The index in `documents`.
    package var document: Int
    /// The index in the document's root.
    package var entity: Int

    package init(document: Int, entity: Int) {
      self.document = document
      self.entity = entity
    }
  }

  package private(set) var documents: [Loaded] = []
  /// Copies of which every byte is in one of the documents: they are not loaded.
  package private(set) var equals: [(file: Int, other: Int)] = []
  /// What is wrong with documents that could not be loaded.
  package private(set) var defects: [DocumentDefect] = []
  /// Where each identity is first; hardly any is anywhere else.
  private var firstPlaces: [Identity: Place] = [:]
  private var furtherPlaces: [Identity: [Place]] = [:]

  /// An empty group.
  package init() {}

  /// Loads the documents of a group; copies come after what they are copies of.
  package init(_ files: [Int], with loader: inout DocumentLoader) {
    var copies = loader.copies(among: files)
    for file in files {
      do throws(DocumentDefect) {
        let document: DocumentState
        let (outcome, state) = try loader.load(file, besides: &copies)
        switch outcome {
        case .new(let loaded): document = loaded
        case .equal(let other):
          equals.append((file, other))
          continue
        }
        let root = DocumentRoot(
          document, of: loader.inventory.kind(of: file), loader.inventory.kinds)
        firstPlaces.reserveCapacity(firstPlaces.count + root.entities.count)
        for index in root.entities.indices {
          let (identity, place) = (
            root.entities[index].identity, Place(document: documents.count, entity: index)
          )
          guard let first = firstPlaces.updateValue(place, forKey: identity) else { continue }
          firstPlaces[identity] = first
          furtherPlaces[identity, default: []].append(place)
        }
        documents.append(
          Loaded(
            file: file, document: document, root: root, byteCount: Int(clamping: state.size)))
      } catch {
        defects.append(error)
      }
    }
  }

  /// Returns everywhere an identity is, or ever was.
  package func places(of identity: Identity) -> [Place] {
    guard let first = firstPlaces[identity] else { return [] }
    return furtherPlaces.isEmpty ? [first] : [first] + (furtherPlaces[identity] ?? [])
  }

  /// Returns the entity at a place.
  package func entity(at place: Place) -> DocumentRoot.Entity {
    documents[place.document].root.entities[place.entity]
  }

  /// Returns the documents of each group of a folder, and those that belong to none.
  ///
  /// A document comes before its copies: `01.automerge` before `01 2.automerge`.
  package static func files(
    of inventory: FolderInventory
  ) -> (groups: [EntityGroup: [Int]], others: [Int]) {
    var groups: [EntityGroup: [Int]] = [:]
    var others: [Int] = []
    for file in inventory.documents.map(Int.init) {
      if let group = inventory.entityGroup(ofDocument: file) {
        groups[group, default: []].append(file)
      } else {
        others.append(file)
      }
    }
    for (group, files) in groups where files.count > 1 {
      groups[group] = inventory.basesFirst(files)
    }
    return (groups, others)
  }
}

extension FolderInventory {
  /// Returns what puts a name before every longer name that starts with it.
  package func baseFirstKey(of file: Int) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let directory = directoryPath(directory(of: file)).bytes
    return directory.map { $0 == slash ? 0 : $0 } + [0] + stem(of: file)
  }

  /// Returns files with each one in front of its copies.
  package func basesFirst(_ files: [Int]) -> [Int] {
    let keys = files.map { baseFirstKey(of: $0) }
    let isInOrder = zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    if isInOrder { return files }
    return zip(keys, files).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }

  /// Returns files, which come before their copies, each together with its copies.
  package func withCopies(_ files: [Int]) -> [[Int]] {
    var places: [RelativePath: Int] = [:]
    var groups: [[Int]] = []
    for file in files {
      let base = basePath(of: file)
      if let place = places[base] {
        groups[place].append(file)
      } else {
        places[base] = groups.count
        groups.append([file])
      }
    }
    return groups
  }

  /// Returns the group a document belongs to by its place and name; a conflict copy belongs to the
  /// group of its base.
  package func entityGroup(ofDocument file: Int) -> EntityGroup? {
    guard kinds.hasDirectoryRoles else { return declaredGroup(ofDocument: file) }
    if let month = month(of: file) { return EntityGroup(month: month) }
    let kind = kind(of: file)
    if kind != .other, !kinds.hasMonths(kind) { return EntityGroup(kind) }
    guard case .recordsYear(let year) = directoryRole(directory(of: file)) else { return nil }
    var name = nameBytes(of: file)
    // A placeholder stands for what it will be when it is downloaded.
    if FolderNames.placeholderTarget(Array(name).span) != nil { name = name.dropFirst() }
    let digits = name.prefix { $0 &- UInt8(ascii: "0") < 10 }
    guard let number = Int(String(decoding: digits, as: UTF8.self)),
      let month = Month(year: year, month: number)
    else { return nil }
    return EntityGroup(month: month)
  }

  private func declaredGroup(ofDocument file: Int) -> EntityGroup? {
    let kind = kind(of: file)
    guard kind != .other else { return nil }
    return EntityGroup(kind, month: groupMonth(ofDocument: file))
  }

  /// Whether two documents are copies of one, or one is a copy of the other, by their names: so
  /// `merge-conflicts` looks at them together.
  package func areCopies(_ file: Int, _ other: Int) -> Bool {
    (copies[file] != nil || copies[other] != nil) && basePath(of: file) == basePath(of: other)
  }
}

extension RelativePath {
  /// Whether the name is that of a document.
  package var isDocument: Bool {
    bytes.suffix(FolderNames.documentExtension.utf8.count)
      .elementsEqual(FolderNames.documentExtension.utf8)
  }
}
