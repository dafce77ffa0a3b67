import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What a document needs beyond its own changes: objects that were made separately under one key
/// become one, and no record lists an image twice (convergent-import.md).
///
/// All of it is one update change, which every device that holds the same history writes alike.
struct MergeEdits {
  /// Every value that loses where objects become one.
  var losing: LosingValues
  /// Entities of which readers see one of several objects, although the others hold more.
  private(set) var hiding: [Identity] = []
  /// Records that list an image more than once.
  var listingTwice: [Identity] = []

  /// Whether hidden objects are brought into those that readers see.
  let unifies: Bool

  let document: DocumentState
  let kind: EntityKind
  var change: UpdateChange
  var history: ImportHistory

  /// Finds out what there is to edit.
  init(_ document: DocumentState, kind: EntityKind, unifies: Bool) throws(MigrationError) {
    self.document = document
    self.kind = kind
    self.unifies = unifies
    history = ImportHistory(of: document)
    losing = LosingValues(of: document)
    do {
      change = try UpdateChange(onto: document)
    } catch {
      throw .brokenInvariant("no change fits the document: \(error.problem)")
    }
    let entities = DocumentRoot(document).entities.sorted { $0.identity < $1.identity }
    for entity in entities {
      guard let map = entity.map else { continue }
      // The one written last first.
      let hidden: [OpID] =
        entity.valueCount > 1 ? document.maps(of: entity).dropLast().reversed() : []
      if !hidden.isEmpty { try unify(entity.identity, map, with: hidden) }
      if kind == .record, hidden.isEmpty || !unifies { mendImages(of: map, entity.identity) }
    }
  }

  /// Whether there is anything to write.
  var isEmpty: Bool { change.isEmpty }

  /// Returns the document with the edits, and the change they are.
  func applied(
    at path: RelativePath
  ) throws(MigrationError) -> (document: DocumentState, change: ChangeHash) {
    var (document, change) = (document, change)
    do {
      _ = try change.apply(to: &document, as: .unify)
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil,
        problem: "does not accept the merge's own change: \(error.problem)")
    }
    return (document, change.draft.hash)
  }

  /// Brings hidden objects of an entity into the one that readers see, or only finds out whether
  /// they hold more.
  private mutating func unify(
    _ identity: Identity, _ map: OpID, with hidden: [OpID]
  ) throws(MigrationError) {
    let unedited = unifies ? nil : (change, losing, listingTwice)
    let before = change.draft.operationCount
    try unify(map, with: hidden, identity, path: [])
    var count = change.draft.operationCount - before
    if kind == .record { count += try joinImages(of: map, with: hidden, identity) }
    if count > 0 { hiding.append(identity) }
    if let unedited { (change, losing, listingTwice) = unedited }
  }
}

extension MergeEdits {
  /// Returns what is told about a document.
  ///
  /// - Parameters:
  ///   - isApplied: whether the edits are on disk.
  ///   - unify: the command that applies them.
  func findings(at path: RelativePath, isApplied: Bool, unify: NextCommand?) -> [Finding] {
    var findings: [Finding] = []
    if !hiding.isEmpty {
      let isApplied = isApplied && unifies
      findings.append(
        Finding(
          .hiddenObject, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "objects that were made separately became one: \(hiding.listed)"
            : "an object hides another that holds more: \(hiding.listed)",
          next: isApplied ? nil : "run merge-conflicts FOLDER --unify to bring both together",
          command: isApplied ? nil : unify))
    }
    if !listingTwice.isEmpty {
      findings.append(
        Finding(
          .duplicateImage, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "images listed twice are listed once now: \(listingTwice.listed)"
            : "images are listed twice: \(listingTwice.listed)",
          next: isApplied ? nil : "run merge-conflicts FOLDER --unify to list them once",
          command: isApplied ? nil : unify))
    }
    return findings
  }
}

extension MergeEdits {
  /// A field of an object that readers see.
  struct Field {
    let map: OpID
    let key: [UInt8]
    /// What was ever done to it; nil if nothing was.
    let group: ValueGroup?
    let identity: Identity
    /// The names of the maps it lies in, and its own.
    let path: [String]
  }

  /// A value that an object which nobody sees has for a field.
  struct Offer {
    let value: DocumentValue
    let group: ValueGroup
    let object: OpID
  }

  /// How deep maps are unified; below, a map is a value as any other.
  private static let deepestLevel = 100

  /// Brings the fields of hidden maps into the one that readers see; the images of a record are left
  /// out.
  mutating func unify(
    _ map: OpID, with hidden: [OpID], _ identity: Identity, path: [String]
  ) throws(MigrationError) {
    let isEntity = path.isEmpty
    for key in keys(of: hidden, isEntity: isEntity) {
      let field = Field(
        map: map, key: key, group: document.group(of: map, key: key), identity: identity,
        path: path + [String(decoding: key, as: UTF8.self)])
      let offers = offers(of: hidden, key).filter { !(isEntity && isAbsence($0.value, key)) }
      guard !offers.isEmpty else { continue }
      guard let seen = field.group.flatMap({ document.winner(in: $0) }) else {
        if field.group == nil {
          try take(offers, for: field)
        } else {
          // It was there and somebody deleted it.
          for offer in offers { try note(offer.value, besides: nil, field) }
        }
        continue
      }
      if isEntity, isAbsence(seen, key), !isEdited(seen, in: field.group, of: map) {
        try take(offers, for: field)
      } else if seen.content == .object(.map), path.count < Self.deepestLevel,
        offers.contains(where: { $0.value.content == .object(.map) })
      {
        for offer in offers where offer.value.content != .object(.map) {
          try note(offer.value, besides: seen, field)
        }
        let maps = offers.map(\.value).filter { $0.content == .object(.map) }.map(\.id)
        try unify(seen.id, with: maps, identity, path: field.path)
      } else {
        try settle(seen, offers, for: field)
      }
    }
  }

  /// All values that objects have for a key, those of one object the winning one first.
  func offers(of objects: [OpID], _ key: [UInt8]) -> [Offer] {
    objects.flatMap { object in
      guard let group = document.group(of: object, key: key) else { return [Offer]() }
      return document.values(in: group).reversed().map {
        Offer(value: $0, group: group, object: object)
      }
    }
  }

  /// Takes the first value that a user wrote, or else the first, for a field that has none.
  mutating func take(_ offers: [Offer], for field: Field) throws(MigrationError) {
    var chosen = offers[0].value
    for offer in offers where isEdited(offer) {
      chosen = offer.value
      break
    }
    try replace(field, by: chosen)
    for offer in offers where offer.value.id != chosen.id {
      try note(offer.value, besides: chosen, field)
    }
  }

  /// Decides between values that differ: a user's edit beats an imported value, else what readers
  /// see stays.
  mutating func settle(
    _ seen: DocumentValue, _ offers: [Offer], for field: Field
  ) throws(MigrationError) {
    let text = try document.typedJSON(of: seen)
    var chosen = seen
    if !isEdited(seen, in: field.group, of: field.map) {
      for offer in offers where isEdited(offer) {
        guard try document.typedJSON(of: offer.value) != text else { continue }
        chosen = offer.value
        break
      }
    }
    if chosen.id != seen.id { try replace(field, by: chosen) }
    for offer in offers where offer.value.id != chosen.id {
      try note(offer.value, besides: chosen, field)
    }
  }

  /// Writes a copy of a value in the place of all that readers could see of a field.
  private mutating func replace(
    _ field: Field, by value: DocumentValue
  ) throws(MigrationError) {
    let seen = change.predecessors(in: field.group, of: document)
    var copier = ValueCopier(
      change.draft, of: document, to: change.reference(to: field.map, of: document),
      key: field.key, replacing: seen)
    try StateWalk(document: document, view: nil).visit(value, with: &copier)
    change.draft = copier.draft
    for replaced in field.group.map({ document.values(in: $0) }) ?? []
    where !isAbsence(replaced, field.key) {
      try note(replaced, besides: value, field)
    }
    // A copy has what readers of the value would see.
    try losing.addAll(inside: value, of: field.identity.description, at: field.path)
  }

  /// Notes a value that is not what readers will see of a field.
  mutating func note(
    _ value: DocumentValue, besides kept: DocumentValue?, _ field: Field
  ) throws(MigrationError) {
    try losing.add(value, besides: kept, of: field.identity.description, at: field.path)
  }

  /// The keys that any of the maps holds: of an entity in the order in which an import writes them,
  /// else by their bytes.
  private func keys(of maps: [OpID], isEntity: Bool) -> [[UInt8]] {
    var keys: Set<[UInt8]> = []
    let pool = document.pool
    for map in maps {
      document.forEachKey(of: map) { name, group in
        if document.isVisible(group) { keys.insert(Array(pool[name])) }
      }
    }
    if isEntity, kind == .record { keys.remove(KnownField.imagesKey) }
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    guard isEntity else { return sorted }
    let last = kind.fields.map(\.memberBytes)
    return sorted.filter { !last.contains($0) } + last.filter(keys.contains)
  }

  /// Whether a value stands for nothing: the Null that imports write for a field that is absent.
  func isAbsence(_ value: DocumentValue, _ key: [UInt8]) -> Bool {
    guard case .scalar(let place) = value.content, place.type == .null else { return false }
    return kind.fields.contains { !$0.isRequired && $0.memberBytes == key }
  }

  // MARK: Edits of users

  mutating func isEdited(_ offer: Offer) -> Bool {
    isEdited(offer.value, in: offer.group, of: offer.object)
  }

  /// Whether somebody wrote a value, or anything in it, after the import.
  ///
  /// An import of ours shows by its author. That of an app shows by its object: it writes the object
  /// and what is in it in one change, and whoever writes into it later edits it.
  mutating func isEdited(
    _ value: DocumentValue, in group: ValueGroup?, of object: OpID
  ) -> Bool {
    let origin = document.row(ofChangeThatMade: object)
    return !FieldHistory(of: group, only: value.id, originRow: origin, in: &history).isOurs
  }
}
