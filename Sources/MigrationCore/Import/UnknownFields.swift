import Diagnostics
import Folders

/// The fields of imported entities that the schema does not name: they are carried as they are, and
/// told once each.
struct UnknownFields: Sendable {
  private struct Field: Hashable, Sendable {
    var kind: EntityKind
    /// As people read it.
    var name: String
  }

  /// How many fields are told by their names.
  private static let mostNames = 64

  /// How many entities have each field.
  private var counts: [Field: Int] = [:]
  /// How many times a field was met that is not told by its name.
  private var unnamedCount = 0
  private var members: [UInt32] = []

  /// Notes the fields of an entity; nearly all have none.
  mutating func note(_ entity: LegacyEntity, of batch: EntityBatch) {
    guard entity.unknownMemberCount > 0 else { return }
    members.removeAll(keepingCapacity: true)
    batch.appendUnknownMembers(of: entity, to: &members)
    for member in members {
      add(Field(kind: entity.kind, name: batch.tape.displayedString(at: Int(member))), 1)
    }
  }

  /// Adds those of a part.
  mutating func add(_ other: UnknownFields) {
    for (field, count) in other.counts.sorted(by: { Self.precedes($0.key, $1.key) }) {
      add(field, count)
    }
    unnamedCount += other.unnamedCount
  }

  private mutating func add(_ field: Field, _ count: Int) {
    if counts[field] == nil, counts.count >= Self.mostNames {
      unnamedCount += count
    } else {
      counts[field, default: 0] += count
    }
  }

  /// One finding for each field.
  var findings: [Finding] {
    var findings = counts.sorted { Self.precedes($0.key, $1.key) }.map { field, count in
      let entities = count.counted(field.kind.rawValue)
      return Finding(
        .unknownField, .info,
        message: "\(entities) with the field \"\(field.name)\", which this version does not know: "
          + "it is carried as it is")
    }
    if unnamedCount > 0 {
      findings.append(
        Finding(
          .unknownField, .info,
          message: "\(unnamedCount.counted("value")) of further fields that this version does not "
            + "know are carried as they are"))
    }
    return findings
  }

  private static func precedes(_ left: Field, _ right: Field) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }
}
