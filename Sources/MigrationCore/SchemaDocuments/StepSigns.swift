import Automerge
import FolderDocuments
import Folders
import SchemaMigrations

/// What shows in an entity of a document that a step has not seen it: a property is there that the step
/// takes away, or none is of those that it gives.
struct StepSigns: Sendable {
  private struct Sign: Sendable {
    var removed: [[UInt8]] = []
    var given: [[UInt8]] = []
  }

  /// By the step's number, then by the kind's.
  private let signs: [[Sign]]

  /// Looks at steps. What a later one gives again, or takes away, says nothing of an earlier one.
  init(_ steps: [EntityStep], of kinds: EntityKinds) {
    let names = kinds.all.map { kinds.name(of: $0) }
    signs = steps.indices.map { number in
      let later = steps[(number + 1)...]
      return names.map { kind in
        var sign = Sign()
        // What is put together of many needs all of them.
        guard steps[number].folds.isEmpty else { return sign }
        for name in steps[number].removedProperties(of: kind)
        where !steps[number...].contains(where: { $0.gives(name, to: kind) }) {
          sign.removed.append(Array(name.utf8))
        }
        for name in steps[number].givenProperties(of: kind)
        where !later.contains(where: { $0.removedProperties(of: kind).contains(name) }) {
          sign.given.append(Array(name.utf8))
        }
        return sign
      }
    }
  }

  /// Whether an entity shows that a step has not seen it.
  ///
  /// - Parameter isMade: whether a step has made it, which gave it what it has.
  func show(
    _ map: OpID, of kind: EntityKind, notSeenBy step: Int, isMade: Bool,
    in document: DocumentState
  ) -> Bool {
    let sign = signs[step][Int(kind.index)]
    if shows(sign.removed, map, document) { return true }
    return !isMade && !sign.given.isEmpty
      && !sign.given.contains { document.value(of: map, key: $0) != nil }
  }

  /// Whether an entity of a file shows that a step has not seen it.
  func show(_ entity: ChangingEntity, notSeenBy step: Int) -> Bool {
    let sign = signs[step][Int(entity.kind.index)]
    let isOld = sign.removed.contains { name in
      entity.fields.value(named: name, of: entity.tape).map { $0 != .null } ?? false
    }
    if isOld { return true }
    return !sign.given.isEmpty
      && !sign.given.contains { entity.fields.value(named: $0, of: entity.tape) != nil }
  }

  /// Whether an entity has a property that a step takes away.
  func show(_ map: OpID, of kind: EntityKind, whatIsGoneAfter step: Int, in document: DocumentState)
    -> Bool
  {
    shows(signs[step][Int(kind.index)].removed, map, document)
  }

  private func shows(_ names: [[UInt8]], _ map: OpID, _ document: DocumentState) -> Bool {
    names.contains { name in
      document.value(of: map, key: name).map { !$0.isNull } ?? false
    }
  }
}
