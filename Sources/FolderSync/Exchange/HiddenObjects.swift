import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What readers of a document lose from sight because changes of both sides come together: of objects
/// that were made apart in one place they see one, and nothing of the others.
///
/// Told is what this merge hides and nobody hid before: an object of either side behind one of the other
/// side, or news of the other side inside an object that was hidden already. One that holds the same as
/// what readers see hides nothing.
struct HiddenObjects {
  /// Entities of which readers see one of several objects.
  private(set) var entities: [Identity] = []
  /// Places inside of entities, or beside them, where that is so.
  private(set) var places: [String] = []

  private let document: DocumentState
  /// The changes before this row were here; those from there on came from the other side.
  private let oldCount: Int

  /// Looks at everything that readers see. Linear in the operations of the document.
  init(in document: DocumentState, since oldCount: Int, _ kind: EntityKind, _ kinds: EntityKinds) {
    (self.document, self.oldCount) = (document, oldCount)
    let root = DocumentRoot(document, of: kind, kinds)
    for entity in root.entities {
      guard let map = entity.map else { continue }
      if entity.valueCount > 1, isHiding(document.values(of: entity)) {
        entities.append(entity.identity)
      }
      places += fields(inside: DocumentValue(id: map, content: .object(.map))).map {
        "\($0) of \(kinds.title(kind, entity.identity))"
      }
    }
    for other in root.others {
      let values = document.values(in: other.group)
      let name = String(decoding: document.pool[other.key], as: UTF8.self)
      if isHiding(values) || values.last.map({ !fields(inside: $0).isEmpty }) == true {
        places.append(name)
      }
    }
    entities.sort { kinds.precedes($0, $1) }
  }

  /// Returns the fields of an object in which, at any depth, something is hidden.
  private func fields(inside value: DocumentValue) -> [String] {
    var fields: [String] = []
    var pending: [(value: DocumentValue, field: String?)] = [(value, nil)]
    while let (value, field) = pending.popLast() {
      forEachGroup(in: value) { name, group in
        guard let (seen, count) = document.winnerAndCount(in: group) else { return }
        let field = field ?? name.map { String(decoding: document.pool[$0], as: UTF8.self) } ?? ""
        if count > 1, !fields.contains(field), isHiding(document.values(in: group)) {
          fields.append(field)
        }
        if case .object = seen.content { pending.append((seen, field)) }
      }
    }
    return fields.sorted()
  }

  /// Calls `body` with each key of a map or element of a list; the letters of a text hide nothing.
  private func forEachGroup(
    in value: DocumentValue, _ body: (_ name: Range<Int>?, _ group: ValueGroup) -> Void
  ) {
    switch value.content {
    case .object(.map): document.forEachKey(of: value.id, body)
    case .object(.list): document.forEachElement(of: value.id) { _, group in body(nil, group) }
    default: return
    }
  }

  /// Whether one of some values, of which readers see the last, is hidden by this merge.
  private func isHiding(_ values: [DocumentValue]) -> Bool {
    guard let seen = values.last else { return false }
    return values.dropLast().contains { value in
      guard case .object = value.content else { return false }
      let isFromOneSide = isOld(value.id) == isOld(seen.id)
      if isFromOneSide, !isOld(value.id) || !hasNews(value) { return false }
      do throws(MigrationError) {
        return try document.typedJSON(of: value, enteringTexts: true)
          != document.typedJSON(of: seen, enteringTexts: true)
      } catch {
        // What cannot be compared may differ.
        return true
      }
    }
  }

  private func isOld(_ id: OpID) -> Bool {
    document.row(ofChangeThatMade: id).map { $0 < oldCount } ?? true
  }

  /// Whether changes of the other side wrote anything inside of an object.
  private func hasNews(_ value: DocumentValue) -> Bool {
    var pending = [value]
    while let value = pending.popLast() {
      var isNew = false
      document.forEachGroup(in: value.id) { _, group in
        document.forEachOperation(in: group) { id, _, successors in
          isNew = isNew || !isOld(id) || successors.contains { !isOld($0) }
        }
        for inner in document.everyValue(in: group) {
          if case .object = inner.content { pending.append(inner) }
        }
      }
      if isNew { return true }
    }
    return false
  }

  /// Returns what is told about a document.
  func findings(at path: RelativePath, in inventory: FolderInventory) -> [Finding] {
    let kinds = inventory.kinds
    let kind = kinds.kind(ofDocumentIn: path)
    var findings: [Finding] = []
    if !entities.isEmpty {
      findings.append(
        Finding(
          .hiddenObject, .warning, path: path.description,
          message: "both sides made an object of their own, and readers see one of them: "
            + Self.listed(entities.map { kinds.title(kind, $0) }),
          next: "run \(inventory.merging(["--unify"])) to bring both together",
          command: inventory.command(.mergeConflicts, ["--unify"])))
    }
    if !places.isEmpty {
      findings.append(
        Finding(
          .hiddenObject, .warning, path: path.description,
          message: "both sides wrote something of their own, and readers see one of them: "
            + Self.listed(places),
          next: "see both with inspect-crdt --conflicts, and decide with merge-conflicts --resolve"
        ))
    }
    return findings
  }

  private static func listed(_ names: [String]) -> String {
    let shown = names.prefix(5).joined(separator: ", ")
    return names.count > 5 ? "\(shown) and \((names.count - 5).grouped) more" : shown
  }
}
