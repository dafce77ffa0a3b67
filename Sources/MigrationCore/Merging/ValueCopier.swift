import Automerge
import FolderDocuments

/// Writes a value of a document, with everything below it that readers see, once more: under a key of a
/// map of the document or in the place of an element of a list, each container followed depth-first by its
/// content.
struct ValueCopier: StateVisitor {
  /// Where in its map or list the copy goes.
  enum Place {
    case key([UInt8])
    case element(ChangeDraft.LocalID)
  }

  /// The change that the copy is part of.
  var draft: ChangeDraft

  private struct Container {
    var id: ChangeDraft.LocalID
    /// The last element of a list.
    var last = ChangeDraft.LocalID.root
    var isMap: Bool
  }

  private let document: DocumentState
  private let object: ChangeDraft.LocalID
  private let place: Place
  private let predecessors: [ChangeDraft.LocalID]
  /// The key of the value that comes next, below the place.
  private var key: [UInt8] = []
  private var containers: [Container] = []

  /// Creates a copier to a place in a map or list, whose values `predecessors` it replaces.
  init(
    _ draft: ChangeDraft, of document: DocumentState, to object: ChangeDraft.LocalID,
    at place: Place, replacing predecessors: [ChangeDraft.LocalID]
  ) {
    self.draft = draft
    self.document = document
    self.object = object
    self.place = place
    self.predecessors = predecessors
  }

  mutating func begin(_ kind: ObjectKind, count: Int) {
    containers.append(Container(id: make(kind), isMap: kind == .map))
  }

  mutating func end(_ kind: ObjectKind) { containers.removeLast() }

  mutating func key(_ name: Range<Int>, valueCount: Int) { key = Array(document.pool[name]) }

  mutating func index(_ index: Int, valueCount: Int) {}

  mutating func pause() {}

  mutating func text(_ utf8: [UInt8]) {
    let text = make(.text)
    var previous = ChangeDraft.LocalID.root
    for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      previous = draft.insert(.string, bytes.span, in: text, after: previous)
    }
  }

  mutating func scalar(_ place: ScalarPlace) {
    // Copies, because a span of them borrows what the draft is part of.
    let (document, key) = (document, key)
    let value = document.draftValue(place)
    let pool = document.pool
    let bytes = pool.span.extracting(place.range)
    guard let last = containers.indices.last else {
      switch (self.place, value) {
      case (.key(let key), let value?):
        draft.set(value, in: object, key: key.span, predecessors: predecessors)
      case (.key(let key), nil):
        draft.set(place.type, bytes, in: object, key: key.span, predecessors: predecessors)
      case (.element(let id), let value?):
        draft.set(value, in: object, element: id, predecessors: predecessors)
      case (.element(let id), nil):
        draft.set(place.type, bytes, in: object, element: id, predecessors: predecessors)
      }
      return
    }
    let container = containers[last]
    switch (container.isMap, value) {
    case (true, let value?): draft.set(value, in: container.id, key: key.span)
    case (true, nil): draft.set(place.type, bytes, in: container.id, key: key.span)
    case (false, let value?):
      containers[last].last = draft.insert(value, in: container.id, after: container.last)
    case (false, nil):
      containers[last].last = draft.insert(
        place.type, bytes, in: container.id, after: container.last)
    }
  }

  private mutating func make(_ kind: ObjectKind) -> ChangeDraft.LocalID {
    let key = key
    guard let last = containers.indices.last else {
      return switch place {
      case .key(let key):
        draft.makeObject(kind, in: object, key: key.span, predecessors: predecessors)
      case .element(let id):
        draft.makeObject(kind, in: object, element: id, predecessors: predecessors)
      }
    }
    let container = containers[last]
    guard !container.isMap else { return draft.makeObject(kind, in: container.id, key: key.span) }
    let id = draft.insertObject(kind, in: container.id, after: container.last)
    containers[last].last = id
    return id
  }
}

/// Insertions and replacements in a text, which leave all other bytes as they are.
struct TextEdits {
  private struct Edit {
    var range: Range<Int>
    var bytes: [UInt8]
  }

  private var edits: [Edit] = []

  init() {}

  /// Whether the edits leave a text as it is.
  var isEmpty: Bool { edits.isEmpty }

  /// Inserts bytes in front of an offset, behind what is inserted there already.
  mutating func insert(_ bytes: [UInt8], at offset: Int) {
    edits.append(Edit(range: offset..<offset, bytes: bytes))
  }

  /// Replaces bytes.
  mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
    edits.append(Edit(range: range, bytes: bytes))
  }

  /// Returns a text with the edits, which do not overlap.
  func applied(to text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var position = 0
    // A stable order: insertions at one offset stay in the order they came.
    let sorted = edits.enumerated().sorted { left, right in
      let (one, other) = (left.element.range, right.element.range)
      if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
      if one.isEmpty != other.isEmpty { return one.isEmpty }
      return left.offset < right.offset
    }
    for (_, edit) in sorted {
      output += text[position..<edit.range.lowerBound]
      output += edit.bytes
      position = edit.range.upperBound
    }
    return output + text[position...]
  }
}
