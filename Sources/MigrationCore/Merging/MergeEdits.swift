import Automerge
import Diagnostics
import Folders
import SafeFiles

/// What a document needs beyond its own changes: objects that were made separately under one key
/// become one, and no record lists an image twice (convergent-import.md).
///
/// All of it is one update change, which every device that holds the same history writes alike.
struct MergeEdits {
  /// Both values of every field where the two sides of a unification differ.
  private(set) var differences: [MergeReport.Difference] = []
  /// Entities of which readers see one of several objects, although the others hold more.
  private(set) var hiding: [Identity] = []
  /// Records that list an image more than once.
  private(set) var listingTwice: [Identity] = []

  /// Whether hidden objects are brought into those that readers see.
  let unifies: Bool

  private let document: DocumentState
  private let kind: EntityKind
  private var change: UpdateChange
  private var origin: ValueOrigin

  /// How deep maps are unified; below, a map is a value as any other.
  private static let deepestLevel = 100

  /// Finds out what there is to edit.
  init(_ document: DocumentState, kind: EntityKind, unifies: Bool) throws(MigrationError) {
    self.document = document
    self.kind = kind
    self.unifies = unifies
    origin = ValueOrigin(of: document)
    do {
      change = try UpdateChange(onto: document)
    } catch {
      throw .brokenInvariant("no change fits the document: \(error.problem)")
    }
    let entities = DocumentRoot(document).entities.sorted { $0.identity < $1.identity }
    for entity in entities {
      guard let map = entity.map else { continue }
      let before = change.draft.operationCount
      var hidden: [OpID] = []
      if entity.valueCount > 1 { hidden = hiddenMaps(of: entity) }
      if !hidden.isEmpty {
        let unedited = unifies ? nil : (change, differences)
        try unify(map, with: hidden, entity.identity, path: [])
        if change.draft.operationCount > before { hiding.append(entity.identity) }
        if let unedited { (change, differences) = unedited }
      }
      if kind == .record { mendImages(of: map, hidden: unifies ? hidden : [], entity.identity) }
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

  /// The maps under an entity's key that readers do not see, the one written last first.
  private func hiddenMaps(of entity: DocumentRoot.Entity) -> [OpID] {
    guard let key = entity.key,
      let group = document.group(of: .root, key: Array(document.pool[key]))
    else { return [] }
    return document.values(in: group).dropLast().reversed()
      .filter { $0.content == .object(.map) }.map(\.id)
  }

  // MARK: Fields

  /// Brings the fields of hidden maps into the one that readers see.
  private mutating func unify(
    _ map: OpID, with hidden: [OpID], _ identity: Identity, path: [[UInt8]]
  ) throws(MigrationError) {
    for key in keys(of: hidden, isEntity: path.isEmpty) {
      let field = path + [key]
      let offers = hidden.compactMap { object in
        document.value(of: object, key: key).map { (value: $0, object: object) }
      }.filter { !(path.isEmpty && isAbsence($0.value, key)) }
      guard !offers.isEmpty else { continue }
      let group = document.group(of: map, key: key)
      guard let seen = group.flatMap({ document.winner(in: $0) }) else {
        if group == nil {
          try take(offers, into: map, key, group, identity, field)
        } else {
          // It was there and somebody deleted it.
          for offer in offers { try note(nil, offer.value, identity, field) }
        }
        continue
      }
      if path.isEmpty, isAbsence(seen, key), !origin.isEdited(seen, of: map) {
        try take(offers, into: map, key, group, identity, field)
      } else if seen.content == .object(.map), path.count < Self.deepestLevel,
        offers.contains(where: { $0.value.content == .object(.map) })
      {
        let maps = offers.filter { $0.value.content == .object(.map) }
        for offer in offers where offer.value.content != .object(.map) {
          try note(seen, offer.value, identity, field)
        }
        try unify(seen.id, with: maps.map(\.value.id), identity, path: field)
      } else if path.isEmpty, kind == .record, key == KnownField.imagesKey,
        seen.content == .object(.list), offers.allSatisfy({ $0.value.content == .object(.list) })
      {
        continue
      } else {
        try settle(seen, offers, map, key, group, identity, field)
      }
    }
  }

  /// Takes the first value that a user wrote, or else the first, for a field that has none.
  private mutating func take(
    _ offers: [(value: DocumentValue, object: OpID)], into map: OpID, _ key: [UInt8],
    _ group: ValueGroup?, _ identity: Identity, _ field: [[UInt8]]
  ) throws(MigrationError) {
    var chosen = offers[0].value
    for offer in offers where origin.isEdited(offer.value, of: offer.object) {
      chosen = offer.value
      break
    }
    try copy(chosen, to: map, key, group)
    for offer in offers where offer.value.id != chosen.id {
      try note(chosen, offer.value, identity, field)
    }
  }

  /// Decides between values that differ: a user's edit beats an imported value, else what readers
  /// see stays.
  private mutating func settle(
    _ seen: DocumentValue, _ offers: [(value: DocumentValue, object: OpID)], _ map: OpID,
    _ key: [UInt8], _ group: ValueGroup?, _ identity: Identity, _ field: [[UInt8]]
  ) throws(MigrationError) {
    let text = try document.typedJSON(of: seen)
    var others: [(value: DocumentValue, object: OpID)] = []
    for offer in offers where try document.typedJSON(of: offer.value) != text {
      others.append(offer)
    }
    guard !others.isEmpty else { return }
    var chosen = seen
    if !origin.isEdited(seen, of: map) {
      for offer in others where origin.isEdited(offer.value, of: offer.object) {
        chosen = offer.value
        break
      }
    }
    if chosen.id != seen.id {
      try copy(chosen, to: map, key, group)
      // What else readers could see of the field is replaced, too.
      for value in group.map({ document.values(in: $0) }) ?? [] {
        try note(chosen, value, identity, field)
      }
    }
    for offer in others where offer.value.id != chosen.id {
      try note(chosen, offer.value, identity, field)
    }
  }

  private mutating func copy(
    _ value: DocumentValue, to map: OpID, _ key: [UInt8], _ group: ValueGroup?
  ) throws(MigrationError) {
    let seen = change.predecessors(in: group, of: document)
    var copier = ValueCopier(
      change.draft, of: document, to: change.reference(to: map, of: document), key: key,
      replacing: seen)
    try StateWalk(document: document, view: nil).visit(value, with: &copier)
    change.draft = copier.draft
  }

  /// The keys that any of the maps holds: of an entity in the order in which an import writes them,
  /// the images last; else by their bytes.
  private func keys(of maps: [OpID], isEntity: Bool) -> [[UInt8]] {
    var keys: Set<[UInt8]> = []
    let pool = document.pool
    for map in maps {
      document.forEachKey(of: map) { name, group in
        if document.isVisible(group) { keys.insert(Array(pool[name])) }
      }
    }
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    guard isEntity else { return sorted }
    let last = kind.fields.map(\.memberBytes) + (kind == .record ? [KnownField.imagesKey] : [])
    return sorted.filter { !last.contains($0) } + last.filter(keys.contains)
  }

  /// Whether a value stands for nothing: the Null that imports write for a field that is absent.
  private func isAbsence(_ value: DocumentValue, _ key: [UInt8]) -> Bool {
    guard case .scalar(let place) = value.content, place.type == .null else { return false }
    return kind.fields.contains { !$0.isRequired && $0.memberBytes == key }
  }

  private mutating func note(
    _ kept: DocumentValue?, _ other: DocumentValue, _ identity: Identity, _ field: [[UInt8]]
  ) throws(MigrationError) {
    let keptValue = try kept.map { value throws(MigrationError) in
      try document.reportValue(of: value)
    }
    let otherValue = try document.reportValue(of: other)
    guard keptValue != otherValue else { return }
    differences.append(
      MergeReport.Difference(
        identity: identity.description,
        field: field.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "."),
        kept: keptValue ?? .null, other: otherValue,
        source: "change of \(document.author(of: other.id).bytes.hexadecimal)"))
  }

  // MARK: Images

  /// Takes repeated names out of a record's list of images and appends those that only lists of
  /// hidden objects hold.
  ///
  /// The first of equal names stays. All devices see the elements in one order, so whatever two of
  /// them take out, the very first is never among it.
  private mutating func mendImages(of map: OpID, hidden: [OpID], _ identity: Identity) {
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return }
    var seen: Set<[UInt8]> = []
    var last: OpID?
    var isRepeating = false
    document.forEachElement(of: list.id) { element, group in
      last = element
      guard let name = document.winner(in: group).flatMap(imageName) else { return }
      if seen.insert(name).inserted { return }
      // Another value of the same element is another image.
      guard document.values(in: group).allSatisfy({ imageName($0) == name }) else { return }
      isRepeating = true
      change.delete(element: element, in: list.id, group, of: document)
    }
    if isRepeating { listingTwice.append(identity) }
    appendImages(of: hidden, to: list.id, after: last, besides: seen)
  }

  private mutating func appendImages(
    of hidden: [OpID], to list: OpID, after last: OpID?, besides seen: Set<[UInt8]>
  ) {
    var known = seen
    // A name that was taken out of the list is not put back.
    document.forEachGroup(in: list) { _, group in
      for value in document.everyValue(in: group) {
        if let name = imageName(value) { known.insert(name) }
      }
    }
    var previous = last.map { change.reference(to: $0, of: document) } ?? .root
    for object in hidden {
      guard let other = document.value(of: object, key: KnownField.imagesKey),
        other.content == .object(.list)
      else { continue }
      document.forEachElement(of: other.id) { _, group in
        guard let name = document.winner(in: group).flatMap(imageName),
          known.insert(name).inserted
        else { return }
        previous = change.draft.insert(
          .string, name.span, in: change.reference(to: list, of: document), after: previous)
      }
    }
  }

  private func imageName(_ value: DocumentValue) -> [UInt8]? {
    guard case .scalar(let place) = value.content, place.type == .string else { return nil }
    return document.bytes(place)
  }
}
