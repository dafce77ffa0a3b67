package import Folders

/// The dates that were numbers in the JSON which documents were made from, as their literals.
///
/// A document holds the moment, not how the app wrote it, and an app reads only what it writes.
package struct NumericDateTable: Sendable {
  private struct Key: Hashable, Sendable {
    var kind: EntityKind
    var identity: Identity
    var field: KnownField
  }

  /// What the numbers count, if somebody has said so.
  package let unit: NumericDates?
  private var literals: [Key: [UInt8]] = [:]
  private var holdsText = false

  /// Creates an empty table.
  package init(unit: NumericDates?) {
    self.unit = unit
  }

  /// Whether no date was a number.
  package var isEmpty: Bool { literals.isEmpty }

  /// What entities are read by to be added. Which unit numbers count does not matter here, and this one
  /// takes all numbers for dates that any of them does.
  package static let rules = EntityRules(numericDates: .unixMilliseconds)

  /// Adds the dates of a batch; what was added before stays.
  package mutating func add(_ batch: EntityBatch) {
    let tape = batch.tape
    for entity in batch.entities where entity.kind != .other {
      for field in entity.kind.fields where field.valueType == .date {
        guard let node = entity.node(of: field) else { continue }
        switch tape.kind(of: node) {
        case .number:
          let key = Key(kind: entity.kind, identity: entity.identity, field: field)
          if literals[key] == nil { literals[key] = Array(tape.text[tape.range(of: node)]) }
        case .string: holdsText = true
        default: break
        }
      }
    }
  }

  /// Returns the literal that a date was, if there was one.
  package func literal(
    of field: KnownField, _ kind: EntityKind, _ identity: Identity
  ) -> [UInt8]? {
    literals[Key(kind: kind, identity: identity, field: field)]
  }

  /// Returns a date as the app wrote it: the very literal if the moment is the same; a number of the
  /// unit if the app wrote no date as text; else nil.
  package func number(
    for milliseconds: Int64, _ field: KnownField, _ kind: EntityKind, _ identity: Identity
  ) -> [UInt8]? {
    guard let unit else { return nil }
    if let literal = literal(of: field, kind, identity),
      unit.moment(literal.span)?.milliseconds == milliseconds
    {
      return literal
    }
    return holdsText ? nil : unit.literal(of: milliseconds)
  }
}

/// Dates that were numbers and are written as text, and the units in which all of them are the moments
/// that documents hold.
package struct ConvertedDates: Sendable {
  package private(set) var count = 0
  package private(set) var units = NumericDates.allCases

  package init() {}

  /// Notes a date; one that was edited since says nothing about units.
  package mutating func note(_ literal: [UInt8], as milliseconds: Int64) {
    count += 1
    let fitting = units.filter { $0.moment(literal.span)?.milliseconds == milliseconds }
    if !fitting.isEmpty { units = fitting }
  }

  /// Adds those of a part.
  package mutating func add(_ other: Self) {
    count += other.count
    let common = units.filter { other.units.contains($0) }
    if !common.isEmpty { units = common }
  }
}
