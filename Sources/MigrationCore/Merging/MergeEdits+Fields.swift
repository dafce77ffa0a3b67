import Automerge
import FolderDocuments
import Folders
import Runs

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
