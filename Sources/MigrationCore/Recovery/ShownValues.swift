import Automerge
import FolderDocuments
import Folders
import Runs

/// What readers see in a document: its entities, and each of their values.
///
/// Two documents are compared by what they show, whatever made it: their histories need not be related.
struct ShownValues: Equatable {
  /// An entity, or one of its values with the names that lead to it.
  struct Line: Hashable, Comparable {
    /// The key of the entity; of a value at ROOT the whole line.
    var entity: String
    /// The value; nil for the entity itself.
    var value: String?

    /// The line for people.
    var text: String { value.map { "\(entity) \($0)" } ?? entity }

    static func < (left: Line, right: Line) -> Bool {
      if left.entity != right.entity {
        return left.entity.utf8.lexicographicallyPrecedes(right.entity.utf8)
      }
      return (left.value ?? "").utf8.lexicographicallyPrecedes((right.value ?? "").utf8)
    }
  }

  private(set) var lines: Set<Line> = []

  /// What is shown by a document that does not load.
  init() {}

  init(of document: DocumentState) throws(MigrationError) {
    var visitor = Visitor(document: document)
    try StateWalk(document: document, view: nil).visit(with: &visitor)
    lines = visitor.lines
  }

  /// What a document shows; nothing if the bytes are none that loads.
  init(of bytes: [UInt8]) throws(MigrationError) {
    // What does not load shows nothing.
    guard !bytes.isEmpty, let document = try? DocumentState(loading: bytes) else {
      self.init()
      return
    }
    try self.init(of: document)
  }

  /// Returns what these show and others do not, then the entities that only the others show. Of an
  /// entity that both show, what only the others have was lost with the rest.
  func differences(from others: ShownValues) -> [String] {
    lines.subtracting(others.lines).sorted().map(\.text)
      + others.lines.subtracting(lines).filter { $0.value == nil }.sorted().map {
        "\($0.text) is only in the folder: deleted, or not read"
      }
  }
}

extension ShownValues {
  /// Collects the values of a document; those that are absent count as null does.
  private struct Visitor: StateVisitor {
    let document: DocumentState
    var lines: Set<Line> = []
    /// The names that lead to the next value, that of the entity first.
    private var names: [String] = []
    private var next = ""
    private var isInRoot = false

    init(document: DocumentState) { self.document = document }

    mutating func begin(_ kind: ObjectKind, count: Int) {
      guard isInRoot else {
        isInRoot = true
        return
      }
      if names.isEmpty { lines.insert(Line(entity: next)) }
      names.append(next)
    }

    mutating func end(_ kind: ObjectKind) { if !names.isEmpty { names.removeLast() } }

    mutating func key(_ name: Range<Int>, valueCount: Int) {
      next = StateText.quoted(document.pool[name], isName: true)
    }

    mutating func index(_ index: Int, valueCount: Int) { next = "[\(index)]" }

    mutating func scalar(_ place: ScalarPlace) {
      if place.type != .null { add(StateText.scalar(place, of: document)) }
    }

    mutating func text(_ utf8: [UInt8]) { add("text " + StateText.quoted(utf8[...])) }

    mutating func pause() throws(MigrationError) {}

    private mutating func add(_ value: String) {
      guard let entity = names.first else {
        lines.insert(Line(entity: "\(next): \(value)"))
        return
      }
      let path = (names.dropFirst() + [next]).joined(separator: " ")
      lines.insert(Line(entity: entity, value: "\(path): \(value)"))
    }
  }
}
