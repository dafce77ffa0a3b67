import Foundation

@testable import Automerge

extension Session {
  /// A change arrives that another program made on top of what a replica has: with objects and
  /// numbers in texts, elements of many scalars, tables, increments that name no counter, nothing at
  /// all, or a gap in the counters.
  mutating func receiveForeign(_ index: Int) throws {
    try settle(index)
    var author = replicas[index].model.fork(at: replicas[index].model.heads, actor: newActor())
    author.isForeign = true
    let count = generator.below(5)
    if count > 0, generator.oneIn(4) {
      author.counterFloor = author.nextID.counter + UInt64(generator.below(9))
    }
    for _ in 0..<count { foreignEdit(&author) }
    // Without operations there is nothing to have a gap in front of.
    if author.pending.isEmpty { author.counterFloor = 0 }
    guard let change = author.commit(time: 7, allowingEmpty: true) else { return }
    note("\(index): receive \(change)")

    let forged = ForgedChange(change) { hashes[$0]?.bytes ?? [] }
    let hash = ChangeHash(bytes: forged.hash)
    names[hash] = change.id
    hashes[change.id] = hash
    for operation in change.operations where operation.action.madeKind != nil {
      let (counter, actor) = (UInt32(operation.id.counter), operation.id.actor)
      learn(operation.id, ObjId(counter: counter, actor: actor, actorHint: 0))
    }
    try replicas[index].document.applyEncodedChanges(encoded: Data(forged.bytes))
    replicas[index].model.receive([change])
    try compareHeads(index)
    let bytes = replicas[index].document.change(hash: hash)?.bytes ?? Data()
    try SessionFailure.require(
      try ChunkList.inflated(Array(bytes)) == forged.bytes, "\(change.id) has other bytes")
    chunks[change.id] = bytes
  }

  /// An edit of the model alone; one that cannot be made is left out.
  private mutating func foreignEdit(_ author: inout ModelReplica) {
    let view = author.view
    let object = generator.pick(view.objects)
    let value = ModelScalar(generator.oneIn(2) ? .String(generator.string()) : generator.scalar())
    var place = ModelPlace.key(generator.key())
    var length = 0
    if let kind = view.kind(of: object), kind != .Map {
      let unit = kind == .Text ? author.encoding : nil
      length = view.sequence(of: object).length(in: unit)
      place = .index(generator.below(length + 1))
    }
    // What cannot be done is as good as nothing; the edits are random.
    switch (generator.below(9), place) {
    case (0, _): _ = try? author.putObject(object, place, generator.objectKind())
    case (1, _): try? author.delete(object, place)
    case (2, _): try? author.increment(object, place, by: Int64(generator.below(9)))
    case (8, _):
      guard var target = try? author.target(of: object, at: place) else { return }
      target.values = []
      author.overwrite(
        object, target, .increment, ModelScalar(.Int(Int64(generator.below(9)))))
    case (3, .index(let index)):
      _ = try? author.insertObject(object, at: index, generator.objectKind())
    case (4...6, .index(let index)): try? author.insert(object, at: index, value)
    case (4...5, .key):
      if let target = try? author.target(of: object, at: place) {
        author.overwrite(object, target, .makeTable)
      }
    default: try? author.put(object, place, value)
    }
  }
}
