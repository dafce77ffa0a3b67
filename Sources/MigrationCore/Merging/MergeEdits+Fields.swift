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

  /// A value that readers do not see of a field: one of an object that nobody sees, or one beside the
  /// value they see.
  struct Offer {
    let value: DocumentValue
    let group: ValueGroup
    let object: OpID
  }

  /// How deep maps are unified; below, a map is a value as any other.
  private static let deepestLevel = 100

  /// Brings the fields of hidden maps, and what was made separately in the one that readers see, into
  /// that one; the images of a record are left out.
  mutating func unify(
    _ map: OpID, with hidden: [OpID], _ identity: Identity, path: [String]
  ) throws(MigrationError) {
    let isEntity = path.isEmpty
    for key in keys(of: hidden, besides: map, isEntity: isEntity) {
      let field = Field(
        map: map, key: key, group: document.group(of: map, key: key), identity: identity,
        path: path + [String(decoding: key, as: UTF8.self)])
      let offers =
        (offersBesideSeen(of: field) + offers(of: hidden, key))
        .filter { !(isEntity && isAbsence($0.value, key)) }
      guard let seen = field.group.flatMap({ document.winner(in: $0) }) else {
        if offers.isEmpty { continue }
        if field.group == nil {
          try take(offers, for: field)
        } else {
          // It was there and somebody deleted it.
          for offer in offers { try note(offer.value, besides: nil, field) }
        }
        continue
      }
      try unify(seen, with: offers, field, isEntity: isEntity)
    }
  }

  private mutating func unify(
    _ seen: DocumentValue, with offers: [Offer], _ field: Field, isEntity: Bool
  ) throws(MigrationError) {
    let maps = offers.filter { $0.value.content == .object(.map) }.map(\.value.id)
    if isEntity, !offers.isEmpty, isAbsence(seen, field.key),
      !isEdited(seen, in: field.group, of: field.map)
    {
      try take(offers, for: field)
    } else if seen.content == .object(.map), field.path.count <= Self.deepestLevel,
      !maps.isEmpty || offers.isEmpty
    {
      for offer in offers where offer.value.content != .object(.map) {
        try note(offer.value, besides: seen, field)
      }
      try unify(seen.id, with: maps, field.identity, path: field.path)
    } else if !offers.isEmpty {
      try settle(seen, offers, for: field)
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

  /// The values of a field beside the one that readers see, the newest first, where lists, maps or
  /// texts are among them. Of scalars readers see what was written last, and there is nothing to do.
  private func offersBesideSeen(of field: Field) -> [Offer] {
    guard fields.conflictWhole, let group = field.group, !document.isUnchanged(group) else {
      return []
    }
    let values = document.values(in: group)
    guard values.count > 1, values.contains(where: \.isObject) else { return [] }
    return values.dropLast().reversed().map {
      Offer(value: $0, group: group, object: field.map)
    }
  }

  /// Takes the first value that a user wrote, or else the first, for a field that has none.
  mutating func take(_ offers: [Offer], for field: Field) throws(MigrationError) {
    var chosen = offers[0]
    for offer in offers where isEdited(offer) {
      chosen = offer
      break
    }
    try replace(field, by: chosen)
    for offer in offers where offer.value.id != chosen.value.id {
      try note(offer.value, besides: chosen.value, field)
    }
  }

  /// Decides between values that differ: a user's edit beats an imported value, else what readers
  /// see stays.
  mutating func settle(
    _ seen: DocumentValue, _ offers: [Offer], for field: Field
  ) throws(MigrationError) {
    let text = try document.typedJSON(of: seen)
    var chosen: Offer?
    if !isEdited(seen, in: field.group, of: field.map) {
      for offer in offers where isEdited(offer) {
        guard try document.typedJSON(of: offer.value) != text else { continue }
        chosen = offer
        break
      }
    }
    if let chosen { try replace(field, by: chosen) }
    let kept = chosen?.value ?? seen
    for offer in offers where offer.value.id != kept.id {
      try note(offer.value, besides: kept, field)
    }
  }

  /// Lets readers see an offer in the place of what they see of a field: what stands beside that stays
  /// the value it is, so that edits of it still come in, another one is copied.
  private mutating func replace(_ field: Field, by offer: Offer) throws(MigrationError) {
    let value = offer.value
    var replaced = field.group.map { document.values(in: $0) } ?? []
    let map = change.reference(to: field.map, of: document)
    if offer.object == field.map {
      replaced = Array(replaced.drop { $0.id != value.id }.dropFirst())
      let above = replaced.map { change.reference(to: $0.id, of: document) }
      change.draft.delete(in: map, key: field.key.span, predecessors: above)
    } else {
      let seen = change.predecessors(in: field.group, of: document)
      var copier = ValueCopier(
        change.draft, of: document, to: map, at: .key(field.key), replacing: seen)
      try StateWalk(document: document, view: nil).visit(value, with: &copier)
      change.draft = copier.draft
      if let loss = CopyLoss.first(in: value, of: document, countsValues: false) {
        apart[field.identity] = "\(field.path.joined(separator: ".")) \(loss.problem)"
      }
      // A copy has what readers of the value would see.
      try losing.addAll(inside: value, of: fields.reported(field.identity), at: field.path)
    }
    for other in replaced where !isAbsence(other, field.key) {
      try note(other, besides: value, field)
    }
  }

  /// Notes a value that is not what readers will see of a field.
  mutating func note(
    _ value: DocumentValue, besides kept: DocumentValue?, _ field: Field
  ) throws(MigrationError) {
    try losing.add(value, besides: kept, of: fields.reported(field.identity), at: field.path)
  }

  /// The keys that any of the hidden maps holds, and those of the map that readers see under which
  /// something may have been made separately: of an entity in the order in which a merge writes them,
  /// else by their bytes.
  private func keys(of hidden: [OpID], besides map: OpID, isEntity: Bool) -> [[UInt8]] {
    var keys: Set<[UInt8]> = []
    let pool = document.pool
    for map in hidden {
      document.forEachKey(of: map) { name, group in
        if document.isVisible(group) { keys.insert(Array(pool[name])) }
      }
    }
    if fields.conflictWhole {
      document.forEachKey(of: map) { name, group in
        if document.winner(in: group)?.content == .object(.map) || !document.isUnchanged(group) {
          keys.insert(Array(pool[name]))
        }
      }
    }
    return isEntity ? fields.inOrder(keys) : keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether a value stands for nothing: the Null that imports write for a field that is absent.
  func isAbsence(_ value: DocumentValue, _ key: [UInt8]) -> Bool {
    guard case .scalar(let place) = value.content, place.type == .null else { return false }
    return fields.isOptional(key)
  }

  // MARK: Edits of users

  mutating func isEdited(_ offer: Offer) -> Bool {
    isEdited(offer.value, in: offer.group, of: offer.object)
  }

  /// Whether somebody wrote a value, or anything in it, after the import.
  ///
  /// An import of ours shows by its author. That of an app shows by its object: it writes the object
  /// and what is in it in one change, and whoever writes into it later edits it. An object that a merge
  /// copied holds what users wrote.
  mutating func isEdited(
    _ value: DocumentValue, in group: ValueGroup?, of object: OpID
  ) -> Bool {
    let origin = document.row(ofChangeThatMade: object).flatMap {
      document.label(ofChange: $0) == .unify ? nil : $0
    }
    return !FieldHistory(of: group, only: value.id, originRow: origin, in: &history).isOurs
  }
}

extension DocumentValue {
  /// Whether it is a list, a map or a text.
  fileprivate var isObject: Bool { if case .object = content { true } else { false } }
}
