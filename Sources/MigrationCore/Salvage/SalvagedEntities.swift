import Automerge
import Diagnostics
import FolderDocuments
import Folders

/// What a salvaged document says about each entity, and how far that can be trusted.
struct SalvagedEntities {
  private(set) var entities: [RepairReport.Entity] = []
  /// The maps of entities of which nothing could be read: written to a new document, they would
  /// look like entities that hold nothing.
  private(set) var lost: Set<OpID> = []

  private let salvage: SalvagedDocument
  private let kinds: EntityKinds
  /// What all entities are, where a document has one kind and it is known.
  private var kind: EntityKind?
  private var lostFields: [OpID: [String]] = [:]

  /// - Parameter path: the path of the document, by whose end its kind may be known.
  init(_ salvage: SalvagedDocument, of kinds: EntityKinds = .minuta, in path: String = "") {
    self.salvage = salvage
    self.kinds = kinds
    kind = kinds.kind(ofDocumentAt: path) ?? kinds.likelyKind(of: salvage.state)
    for value in salvage.lostValues {
      let name = value.key.map { DisplayText.escaping($0) } ?? "an element"
      lostFields[value.object, default: []].append(name)
    }
    let document = salvage.state
    let root = DocumentRoot(document, of: kind ?? .other, kinds)
    if root.isRecord, let record = root.entities.first {
      add(record.identity.description, isEntity: true, StateWalk.root, group: nil)
      return
    }
    document.forEachKey(of: .root) { name, group in
      guard let winner = document.winner(in: group) else { return }
      let identity = identity(document.pool.span.extracting(name))
      add(
        identity.map { kinds.text(of: $0) } ?? DisplayText.escaping(document.pool[name]),
        isEntity: identity != nil, winner, group: group)
    }
    addLostKeys()
  }

  private func identity(_ key: Span<UInt8>) -> Identity? {
    kinds.identity(key, of: kind ?? .other)
  }

  /// Adds keys of the root of which nothing but the name is known.
  private mutating func addLostKeys() {
    let known = Set(entities.map(\.id))
    for key in Set(lostFields[.root] ?? []).subtracting(known).sorted() {
      let kind = identity(Array(key.utf8).span) == nil ? "other" : "entity"
      entities.append(
        RepairReport.Entity(
          id: key, kind: kind, certainty: .lost, valueCount: 0, lostFields: []))
    }
  }

  private mutating func add(
    _ id: String, isEntity: Bool, _ value: DocumentValue, group: ValueGroup?
  ) {
    var examination = Examination(salvage, lostFields)
    if let group { examination.note(group) }
    examination.examine(value)
    let kind = isEntity ? kind(of: value) : .other
    let kindName = isEntity && kind == .other ? "entity" : kinds.name(of: kind)
    var missing = examination.lostFields
    if !salvage.isWhole, examination.valueCount > 0 {
      for field in kinds.requiredFields(of: kind) {
        let name = DisplayText.escaping(field)
        guard salvage.state.value(of: value.id, key: field) == nil,
          !examination.lostFields.contains(name)
        else { continue }
        missing.append(name)
      }
    }
    let certainty: RepairReport.Certainty
    if salvage.isWhole {
      certainty = .verified
    } else if examination.valueCount == 0 {
      certainty = .lost
      lost.insert(value.id)
    } else {
      certainty = examination.isVerified && missing.isEmpty ? .verified : .readable
    }
    entities.append(
      RepairReport.Entity(
        id: id, kind: kindName, certainty: certainty, valueCount: examination.valueCount,
        lostFields: missing))
  }

  /// The kind of all entities, or where the fields of each tell it, which may be none, the kind of one.
  private func kind(of value: DocumentValue) -> EntityKind {
    guard value.content == .object(.map) else { return .other }
    return kind ?? kinds.kind { salvage.state.value(of: value.id, key: $0) != nil } ?? .other
  }
}

extension EntityKinds {
  /// Returns the kind whose fields most maps of a document have; nil if two have as many, or if entities
  /// are told one by one.
  fileprivate func likelyKind(of document: DocumentState) -> EntityKind? {
    if areToldByFields { return nil }
    var counts = Array(repeating: 0, count: all.count)
    let pool = document.pool
    document.forEachKey(of: .root) { key, group in
      guard let map = document.winner(in: group), map.content == .object(.map) else { return }
      document.forEachKey(of: map.id) { name, _ in
        for (index, kind) in all.enumerated()
        where identity(pool.span.extracting(key), of: kind) != nil
          && self[kind]?.properties.index(of: pool.span.extracting(name)) != nil
        {
          counts[index] += 1
        }
      }
    }
    guard let most = counts.max(), most > 0, counts.count(where: { $0 == most }) == 1 else {
      return nil
    }
    return counts.firstIndex(of: most).map { all[$0] }
  }
}

/// A look at everything below one value, with a stack of its own: documents nest as deep as they
/// like.
private struct Examination {
  private let salvage: SalvagedDocument
  private let lostFieldsOfObject: [OpID: [String]]

  /// The number of scalars and texts.
  private(set) var valueCount = 0
  /// Whether every operation on any of it belongs to a change that verifies.
  private(set) var isVerified = true
  private(set) var lostFields: [String] = []
  /// The same, to be asked: a damaged file may name as many as it has bytes.
  private var lostNames: Set<String> = []

  init(_ salvage: SalvagedDocument, _ lostFields: [OpID: [String]]) {
    self.salvage = salvage
    lostFieldsOfObject = lostFields
  }

  /// Looks at what was ever done to a key or an element.
  mutating func note(_ group: ValueGroup) {
    guard isVerified else { return }
    salvage.state.forEachOperation(in: group) { id, _, successors in
      guard !salvage.isVerified(id) || !successors.allSatisfy(salvage.isVerified) else { return }
      isVerified = false
    }
  }

  mutating func examine(_ value: DocumentValue) {
    var pending = [value]
    while let value = pending.popLast() {
      guard case .object(let kind) = value.content else {
        valueCount += 1
        continue
      }
      if let fields = lostFieldsOfObject[value.id] {
        for field in fields { noteLost(field) }
      }
      let document = salvage.state
      if kind == .map {
        document.forEachKey(of: value.id) { _, group in
          note(group)
          if let winner = document.winner(in: group) { pending.append(winner) }
        }
      } else {
        var count = 0
        document.forEachElement(of: value.id) { _, group in
          note(group)
          count += 1
          guard kind == .list, let winner = document.winner(in: group) else { return }
          pending.append(winner)
        }
        if kind == .text {
          noteMarks(of: value.id)
          if count > 0 || isVerified { valueCount += 1 }
        }
      }
    }
  }

  /// Marks are copied whole: of one whose begin or end could not be read nobody knows where it was.
  private mutating func noteMarks(of text: OpID) {
    let (marks, unpairedCount) = salvage.state.placedMarks(of: text)
    for mark in marks where !salvage.isVerified(mark.begin.id) || !salvage.isVerified(mark.end.id) {
      isVerified = false
    }
    if unpairedCount > 0 { noteLost("a mark") }
  }

  private mutating func noteLost(_ field: String) {
    if lostNames.insert(field).inserted { lostFields.append(field) }
  }
}
