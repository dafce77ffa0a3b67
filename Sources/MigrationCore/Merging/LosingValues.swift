import Automerge
import FolderDocuments
import Folders
import Runs

/// The values of a document that readers do not see although nobody replaced or deleted them, as a
/// report lists them.
struct LosingValues {
  /// What readers see and what they do not, for each losing value.
  private(set) var differences: [MergeReport.Difference] = []
  /// How many more places there are, at most, than are listed.
  private(set) var omittedCount = 0

  /// How deep values are listed: a value is listed with all it holds, so without an end a
  /// document that does nothing but nest would make a list as long as the square of its depth.
  private static let deepest = 128

  private let document: DocumentState
  private let limit: Int
  /// What was asked for last: a value wins against many.
  private var kept: (id: OpID, value: ReportValue)?

  /// Creates an empty list.
  init(of document: DocumentState, limit: Int = .max) {
    self.document = document
    self.limit = limit
  }

  /// Adds a value that loses against another, or against an absence, and all that loses inside it.
  mutating func add(
    _ value: DocumentValue, besides kept: DocumentValue?, of entity: MergeReport.Entity,
    at path: [String]
  ) throws(MigrationError) {
    try note(value, besides: kept, of: entity, at: path)
    try addAll(inside: value, of: entity, at: path)
  }

  /// Adds every losing value inside a value; those that lie too deep are counted.
  mutating func addAll(
    inside value: DocumentValue, of entity: MergeReport.Entity, at path: [String]
  ) throws(MigrationError) {
    // Steps refer to the one before instead of holding whole paths: documents nest as deep as they
    // like, and most places have one value.
    var steps: [(name: String, parent: Int?)] = []
    var pending: [(value: DocumentValue, step: Int?, depth: Int)] = [(value, nil, 0)]
    while let (object, parent, depth) = pending.popLast() {
      for (name, values) in document.members(of: object, unlessSole: { !$0.holdsValues }) {
        steps.append((name, parent))
        let step = steps.count - 1
        if depth >= Self.deepest { omittedCount += values.count - 1 }
        for other in values.dropLast() where depth < Self.deepest {
          var names: [String] = []
          var next: Int? = step
          while let index = next {
            names.append(steps[index].name)
            next = steps[index].parent
          }
          try note(other, besides: values.last, of: entity, at: path + names.reversed())
        }
        for value in values where value.holdsValues { pending.append((value, step, depth + 1)) }
      }
    }
  }

  private mutating func note(
    _ other: DocumentValue, besides kept: DocumentValue?, of entity: MergeReport.Entity,
    at path: [String]
  ) throws(MigrationError) {
    guard differences.count < limit else {
      omittedCount += 1
      return
    }
    var keptValue = try reportValue(ofKept: kept)
    var otherValue = try document.reportValue(of: other)
    if keptValue == otherValue {
      // A string may look like a date.
      let (one, two) = (try kept.map(typedJSON), try typedJSON(other))
      guard one != two else { return }
      keptValue = one.map { .string($0) } ?? .null
      otherValue = .string(two)
    }
    differences.append(
      MergeReport.Difference(
        entity: entity, field: path.joined(separator: "."), kept: keptValue,
        other: otherValue,
        source: "change of \(document.author(of: other.id).bytes.hexDigits)"))
  }

  private mutating func reportValue(
    ofKept value: DocumentValue?
  ) throws(MigrationError) -> ReportValue {
    guard let value else { return .null }
    if let kept, kept.id == value.id { return kept.value }
    let found = try document.reportValue(of: value)
    kept = (value.id, found)
    return found
  }

  private func typedJSON(_ value: DocumentValue) throws(MigrationError) -> String {
    String(decoding: try document.typedJSON(of: value), as: UTF8.self)
  }
}

extension DocumentValue {
  /// Whether it is a map or a list, which have values of their own.
  fileprivate var holdsValues: Bool { content == .object(.map) || content == .object(.list) }
}

/// What concurrent changes left with several values, in everything that readers of a document see.
enum FieldConflicts {
  /// How many are listed of one document; `inspect-crdt --conflicts` knows no limit.
  static let most = 1000

  /// Returns every value that loses against one that readers see.
  static func losing(
    in document: DocumentState, _ kind: EntityKind, of kinds: EntityKinds
  ) throws(MigrationError) -> LosingValues {
    var losing = LosingValues(of: document, limit: most)
    let root = DocumentRoot(document, of: kind, kinds)
    for entity in root.entities {
      guard let map = entity.map else { continue }
      let name = kinds.reported(kind, entity.identity)
      let seen = DocumentValue(id: map, content: .object(.map))
      for value in document.values(of: entity).dropLast() where value.content != seen.content {
        try losing.add(value, besides: seen, of: name, at: [])
      }
      try losing.addAll(inside: seen, of: name, at: [])
    }
    for other in root.others {
      let values = document.values(in: other.group)
      let path = [String(decoding: document.pool[other.key], as: UTF8.self)]
      for value in values.dropLast() {
        try losing.add(value, besides: values.last, of: MergeReport.Entity(), at: path)
      }
      if let seen = values.last {
        try losing.addAll(inside: seen, of: MergeReport.Entity(), at: path)
      }
    }
    return losing
  }
}
