import Automerge
import Foundation

extension Session {
  /// Patches lead from any point of the past to any other, and from nothing to everything.
  mutating func checkPatches() throws {
    let replica = replicas[0]
    // What was loaded counts scalars.
    let document = try load(replica.document.save(), "replica 0")
    let points = [[], replica.model.heads] + memories.map(\.heads)
    for _ in 0..<3 {
      let (before, after) = (generator.pick(points), generator.pick(points))
      note("patches from \(before) to \(after)")
      var followed = FollowedPatches()
      try followed.apply(document.difference(from: [], to: known(before)))
      try compare(followed, replica.model.view(at: before))
      try followed.apply(document.difference(from: known(before), to: known(after)))
      try compare(followed, replica.model.view(at: after))
    }

    var followed = FollowedPatches()
    let pieces = Document()
    for chunk in chunks.values.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      try followed.apply(pieces.applyEncodedChangesWithPatches(encoded: chunk))
    }
    try compare(followed, replica.model.view)
    let other = replicas[generator.below(replicas.count)].document
    try SessionFailure.require(
      try pieces.mergeWithPatches(other: other).isEmpty, "patches of a merge of nothing new")
  }

  private func known(_ heads: Set<ModelChange.ID>) -> Set<ChangeHash> {
    Set(heads.compactMap { hashes[$0] })
  }

  /// A document as its patches tell it.
  private struct FollowedPatches {
    private(set) var tree = PatchedTree()
    private(set) var marks = PatchedMarks()

    mutating func apply(_ patches: [Patch]) throws {
      try tree.apply(patches)
      try marks.apply(patches)
    }
  }

  private func compare(_ followed: FollowedPatches, _ view: ModelView) throws {
    let expected = ModelRendering(view: view).state()
    if let difference = followed.tree.state().firstDifference(from: expected) {
      throw SessionFailure(description: "patches lead elsewhere: \(difference)")
    }
    var rest: [ModelOperation.ID?] = [nil]
    while let object = rest.popLast() {
      let elements = view.present(in: object)
      let winners =
        view.entries(of: object).compactMap(\.values.last) + elements.compactMap(\.values.last)
      rest += winners.filter { $0.action.madeKind != nil }.map(\.id)
      // What is inserted in a text without being text is told without its marks, and a patch has
      // one place for names that look alike.
      let sequence = view.sequence(of: object)
      let names = Set(sequence.compactMap(\.insert.markName))
      guard view.kind(of: object) == .Text, winners.allSatisfy({ $0.value.isString }),
        Set(names.map { String(decoding: $0, as: UTF8.self) }).count == names.count
      else { continue }
      let units = (0..<sequence.length(in: .unicodeScalar)).map {
        sequence.marks(at: $0, in: .unicodeScalar)
      }
      let found = followed.marks.units(of: try reference(object))
      try SessionFailure.require(
        found == units,
        "patches of \(name(object)) mark \(found ?? []), expected \(units)")
    }
  }
}
