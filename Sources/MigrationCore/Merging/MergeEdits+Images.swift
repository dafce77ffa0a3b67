import Automerge
import FolderDocuments
import Folders
import Runs

extension MergeEdits {
  /// Takes repeated names out of a record's list of images; returns the names it has, and its last
  /// element.
  ///
  /// The first of equal names stays. All devices see the elements in one order, so whatever two of
  /// them take out, the very first is never among it.
  @discardableResult
  mutating func mendImages(
    of map: OpID, _ identity: Identity
  ) -> (list: OpID, names: Set<[UInt8]>, last: OpID?)? {
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return nil }
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
    return (list.id, seen, last)
  }

  /// Brings the images of hidden objects into those of the record that readers see; returns how many
  /// operations that takes.
  ///
  /// A list is never put in the place of another: all that is in it would go with it. Where readers
  /// see no list one is made, and the names of all hidden lists come into it.
  mutating func joinImages(
    of map: OpID, with hidden: [OpID], _ identity: Identity
  ) throws(MigrationError) -> Int {
    let key = KnownField.imagesKey
    let field = Field(
      map: map, key: key, group: document.group(of: map, key: key), identity: identity,
      path: [String(decoding: key, as: UTF8.self)])
    let mended = mendImages(of: map, identity)
    let before = change.draft.operationCount
    let offers = offers(of: hidden, key)
    let lists = offers.filter { $0.value.content == .object(.list) }
    let seen = field.group.flatMap { document.winner(in: $0) }
    if let mended {
      for offer in offers where offer.value.content != .object(.list) && !isNull(offer.value) {
        try note(offer.value, besides: seen, field)
      }
      let last = mended.last.map { change.reference(to: $0, of: document) } ?? .root
      try append(
        lists, to: change.reference(to: mended.list, of: document), after: last,
        besides: mended.names, removed: names(everIn: mended.list).subtracting(mended.names), field)
    } else if !lists.isEmpty, givesWay(seen, to: lists, field) {
      let list = change.draft.makeObject(
        .list, in: change.reference(to: map, of: document), key: key.span,
        predecessors: change.predecessors(in: field.group, of: document))
      for value in (field.group.map { document.values(in: $0) } ?? []) + offers.map(\.value)
      where value.content != .object(.list) && !isNull(value) {
        try note(value, besides: nil, field)
      }
      try append(lists, to: list, after: .root, besides: [], removed: [], field)
    } else if let seen {
      if lists.isEmpty {
        try settle(seen, offers, for: field)
      } else {
        for offer in offers { try note(offer.value, besides: seen, field) }
      }
    } else if field.group == nil {
      if !offers.isEmpty { try take(offers, for: field) }
    } else {
      for offer in offers { try note(offer.value, besides: nil, field) }
    }
    return change.draft.operationCount - before
  }

  /// Whether what readers see in the place of a list makes room for one: nothing that anybody
  /// deleted, and no edit.
  private mutating func givesWay(
    _ seen: DocumentValue?, to lists: [Offer], _ field: Field
  ) -> Bool {
    guard let seen else { return field.group == nil }
    if isEdited(seen, in: field.group, of: field.map) { return false }
    if isNull(seen) { return true }
    for list in lists where isEdited(list) { return true }
    return false
  }

  /// Appends the names in hidden lists that a list does not have; one that was taken out of it is not
  /// put back.
  private mutating func append(
    _ lists: [Offer], to list: ChangeDraft.LocalID, after last: ChangeDraft.LocalID,
    besides seen: Set<[UInt8]>, removed: Set<[UInt8]>, _ field: Field
  ) throws(MigrationError) {
    var known = seen
    var previous = last
    for offer in lists {
      var elements: [[DocumentValue]] = []
      document.forEachElement(of: offer.value.id) { _, group in
        elements.append(document.values(in: group))
      }
      for values in elements {
        guard let winner = values.last else { continue }
        for other in values.dropLast() { try note(other, besides: winner, field) }
        guard let name = imageName(winner), !removed.contains(name) else {
          try note(winner, besides: nil, field)
          continue
        }
        guard known.insert(name).inserted else { continue }
        previous = change.draft.insert(.string, name.span, in: list, after: previous)
      }
    }
  }

  /// The names that any element of a list ever had.
  private func names(everIn list: OpID) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    document.forEachGroup(in: list) { _, group in
      for value in document.everyValue(in: group) {
        if let name = imageName(value) { names.insert(name) }
      }
    }
    return names
  }

  private func isNull(_ value: DocumentValue) -> Bool {
    guard case .scalar(let place) = value.content else { return false }
    return place.type == .null
  }

  private func imageName(_ value: DocumentValue) -> [UInt8]? {
    guard case .scalar(let place) = value.content, place.type == .string else { return nil }
    return document.bytes(place)
  }
}
