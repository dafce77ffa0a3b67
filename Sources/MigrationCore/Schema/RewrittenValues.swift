import Folders
import SchemaMigrations

/// What a step would make of properties of an entity that it rewrites in their places.
enum Rewriting: Hashable {
  /// Nothing, or something else each time.
  case none
  /// Other values of these, which then stay; one of those that are there it has not written.
  case values([[UInt8]])
  /// Likewise values of another type.
  case types
  /// Other values of these, but it may have written all that are there: they show nothing.
  case own([[UInt8]])

  /// The properties that would have other values, and then keep them; nil if there are none, or one would be of
  /// another type.
  var names: [[UInt8]]? {
    switch self {
    case .none, .types: nil
    case .values(let names), .own(let names): names
    }
  }
}

extension StepSigns {
  /// Returns what a step would make of properties of an entity that it rewrites.
  ///
  /// Where it changes one, and once it has, changes nothing more, the entity is as before the step, if the value
  /// is none that the step can write, nor one behind it that was done: a table that leads from a to b and from b
  /// to c makes b of one entity and changes it in another.
  func rewriting(of entity: ChangingEntity, by step: Int, _ stage: StepStage) -> Rewriting {
    let properties = rewritten(of: entity.kind, by: step)
    if properties.isEmpty { return .none }
    var changed = entity
    do throws(StepDefect) {
      try stage.apply(to: &changed)
      let count = changed.fields.changeCount
      if count == 0 { return .none }
      let touched = changed.fields.touched(of: entity.tape)
      let names = properties.filter(touched.contains)
      try stage.apply(to: &changed)
      guard !names.isEmpty, changed.fields.changeCount == count else { return .none }
      var (hasForeign, hasOtherType) = (false, false)
      for name in names {
        let before = entity.fields.value(named: name, of: entity.tape)
        let after = changed.fields.value(named: name, of: entity.tape)
        // What is the same in JSON is so by a type that JSON does not show, and the step gives it one type.
        let isSame = before == after
        if let before, !isSame, mayHaveWritten(before, to: name, of: entity.kind, by: step) {
          continue
        }
        hasForeign = true
        if isSame || before?.kind.description != after?.kind.description { hasOtherType = true }
      }
      if !hasForeign { return .own(names) }
      return hasOtherType ? .types : .values(names)
    } catch {
      // What nothing can be made of shows no more than that.
      return .none
    }
  }
}
