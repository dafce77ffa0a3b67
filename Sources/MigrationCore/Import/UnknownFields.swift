import Diagnostics
import Folders

/// The fields of imported entities that the schema does not name: they are carried as they are, and
/// told once each.
struct UnknownFields: Sendable {
  private struct Field: Hashable, Sendable {
    var kind: String
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
  /// Who does not know the fields.
  private var knower = "this version"

  /// Notes the fields of an entity; nearly all have none.
  mutating func note(_ entity: LegacyEntity, of batch: EntityBatch) {
    guard entity.unknownMemberCount > 0 else { return }
    knower = batch.kinds.words.knower
    members.removeAll(keepingCapacity: true)
    batch.appendUnknownMembers(of: entity, to: &members)
    for member in members {
      add(
        Field(
          kind: batch.kinds.name(of: entity.kind), name: batch.tape.displayedString(at: Int(member))
        ), 1)
    }
  }

  /// Adds those of a part.
  mutating func add(_ other: UnknownFields) {
    if !other.counts.isEmpty { knower = other.knower }
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
      let entities = EntityKinds.counted(count, field.kind)
      return Finding(
        .unknownField, .info,
        message: "\(entities) with the field \"\(field.name)\", which \(knower) does not know: "
          + "it is carried as it is")
    }
    if unnamedCount > 0 {
      findings.append(
        Finding(
          .unknownField, .info,
          message: "\(unnamedCount.counted("value")) of further fields that \(knower) does not "
            + "know are carried as they are"))
    }
    return findings
  }

  private static func precedes(_ left: Field, _ right: Field) -> Bool {
    (left.kind, left.name) < (right.kind, right.name)
  }
}
