package import Automerge
package import Diagnostics
package import Folders
import SafeFiles

/// What the root of a document holds.
///
/// Two shapes exist: a map from identities to entities, and a root that is itself one record with
/// its identity under `id`. The content decides, never the path.
package struct DocumentRoot {
  /// One entity of a document.
  package struct Entity {
    /// The identity its key, or its `id`, names.
    package var identity: Identity
    /// The map that holds the fields, nil if no reader sees the entity any more.
    package var map: OpID?
    /// Where the key lies in the document's pool; nil for a root that is itself the record.
    package var key: Range<Int>?
    /// How many values reads of the key find; more than one is a conflict of whole objects.
    package var valueCount: Int
  }

  /// A key that is no entity.
  package struct Other {
    /// Where the key lies in the document's pool.
    package var key: Range<Int>
    /// What was ever done to it.
    package var group: ValueGroup
  }

  /// Every identity the document ever held, visible or not, in the order of the keys.
  package private(set) var entities: [Entity] = []
  /// Visible keys that are no entities.
  package private(set) var others: [Other] = []
  /// Whether the root is itself a record.
  package private(set) var isRecord = false

  /// - Parameter kind: what the entities of the document are, if that is known; keys that can be no
  ///   identity of it are other keys.
  package init(
    _ document: DocumentState, of kind: EntityKind = .other, _ kinds: EntityKinds = .minuta
  ) {
    let pool = document.pool
    document.forEachKey(of: .root) { key, group in
      if let identity = kinds.identity(pool.span.extracting(key), of: kind) {
        let values = document.values(in: group)
        var map: OpID?
        if let winner = values.last, winner.content == .object(.map) { map = winner.id }
        if map == nil, !values.isEmpty { others.append(Other(key: key, group: group)) }
        entities.append(
          Entity(identity: identity, map: map, key: key, valueCount: values.count))
      } else if document.isVisible(group) {
        others.append(Other(key: key, group: group))
      }
    }
    if kinds.hasLayouts, entities.isEmpty, let identity = document.rootIdentity {
      entities = [Entity(identity: identity, map: .root, key: nil, valueCount: 1)]
      others = []
      isRecord = true
    }
  }
}

extension DocumentState {
  /// Returns everything under an entity's key that nobody replaced or deleted; the last one is what
  /// readers see.
  package func values(of entity: DocumentRoot.Entity) -> [DocumentValue] {
    guard let key = entity.key else {
      return entity.map.map { [DocumentValue(id: $0, content: .object(.map))] } ?? []
    }
    return group(of: .root, key: Array(pool[key])).map { values(in: $0) } ?? []
  }

  /// Returns the maps under an entity's key: the one that readers see comes after those it hides.
  package func maps(of entity: DocumentRoot.Entity) -> [OpID] {
    values(of: entity).filter { $0.content == .object(.map) }.map(\.id)
  }

  /// The identity that a root with an `id` has, nil for any other root.
  fileprivate var rootIdentity: Identity? {
    guard let value = value(of: .root, key: Array("id".utf8)),
      case .scalar(let place) = value.content, place.type == .string
    else { return nil }
    return Identity(pool.span.extracting(place.range))
  }
}

/// Compares entities that several documents of a group show, such as those of an import that was made
/// in each of the two layouts.
package struct RepeatedEntities {
  private struct Pair: Hashable {
    var first: Int
    var second: Int
  }

  private let documents: GroupDocuments
  /// Whether the first document of a pair holds every change of the second.
  private var holds: [Pair: Bool] = [:]

  package init(in documents: GroupDocuments) {
    self.documents = documents
  }

  /// Whether nothing is lost if nobody looks at the second place: the document of the first one holds
  /// every change of the other that does anything, and shows the same values.
  package mutating func differ(_ first: GroupDocuments.Place, _ second: GroupDocuments.Place)
    -> Bool
  {
    guard let one = documents.entity(at: first).map, let two = documents.entity(at: second).map
    else { return true }
    let (read, other) = (
      documents.documents[first.document].document, documents.documents[second.document].document
    )
    let pair = Pair(first: first.document, second: second.document)
    let isHeld = holds[pair] ?? read.holdsOperations(of: other)
    holds[pair] = isHeld
    guard isHeld else { return true }
    do {
      return try read.typedJSON(of: DocumentValue(id: one, content: .object(.map)))
        != other.typedJSON(of: DocumentValue(id: two, content: .object(.map)))
    } catch {
      // What cannot be compared may differ.
      return true
    }
  }
}

extension DocumentState {
  /// Whether every change of another document that has operations is here, and none waits there.
  fileprivate func holdsOperations(of other: DocumentState) -> Bool {
    other.queuedCount == 0
      && (0..<other.changeCount).allSatisfy { row in
        contains(other.hash(ofChange: row)) || other.change(at: row).operationCount == 0
      }
  }
}

extension FolderInventory {
  /// Returns what brings together an entity that two documents of one group show.
  package func remedy(for file: Int, besides other: Int) -> String {
    if areCopies(file, other) { return "run \(merging())" }
    let files = [file, other]
    if let misnamed = files.first(where: { nominalClass(of: $0) == .otherDocument }) {
      return remedy(for: misnamed)
    }
    if Set(files.map(nominalClass(of:))) == [.monthDocument, .entityDocument] {
      return "run merge-conflicts FOLDER --unify: the document of the month takes in the other"
    }
    guard kinds.hasLayouts else {
      // Of two months, say: each holds others, too.
      return "look at both with inspect-crdt, and delete it in one of them with the app"
    }
    return "name one like a copy of the other, as in \"\(nameOfCopy(of: other))\", and run "
      + "merge-conflicts"
  }

  /// Returns the command that `remedy(for:besides:)` tells of; nil if somebody has to do something
  /// else first.
  package func command(for file: Int, besides other: Int) -> NextCommand? {
    if areCopies(file, other) { return command(.mergeConflicts) }
    let files = [file, other]
    if let misnamed = files.first(where: { nominalClass(of: $0) == .otherDocument }) {
      return command(for: misnamed)
    }
    return Set(files.map(nominalClass(of:))) == [.monthDocument, .entityDocument]
      ? command(.mergeConflicts, ["--unify"]) : nil
  }

  private func nameOfCopy(of file: Int) -> String {
    String(decoding: stem(of: file), as: UTF8.self) + " 2" + FolderNames.documentExtension
  }
}

extension KnownField {
  /// The bytes of the member's name.
  package var memberBytes: [UInt8] { Self.names[Int(rawValue)] }

  /// The key of a record's images: a list of its own and no field.
  package static let imagesKey = Array("images".utf8)

  private static let names = allCases.map { Array($0.memberName.description.utf8) }
}
