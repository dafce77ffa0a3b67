import Automerge

extension Document {
  /// Whether every operation names only what changes before its own made (format.md 1.4).
  ///
  /// The engine takes other changes as long as what they name is there, so that it depends on the
  /// order of arrival whether it does. Written without the engine.
  var namesOnlyThePast: Bool {
    var pasts: [[UInt8]: Set<Int>] = [:]
    var makers: [ForgedOperation.ID: Int] = [:]
    for (row, hash) in getHistory().enumerated() {
      guard let bytes = change(hash: hash)?.bytes,
        let chunk = try? ChunkList(Array(bytes)).chunks.first?.inflated,
        let parts = try? ForgedChange.Parts(parsing: chunk.body),
        let change = try? ForgedChange(parts)
      else { return true }
      for index in change.operations.indices { makers[change.id(index)] = row }
      let past = change.dependencies.reduce(into: Set([row])) { past, dependency in
        past.formUnion(pasts[dependency] ?? [])
      }
      pasts[chunk.hash] = past
      for operation in change.operations {
        var named = operation.predecessors
        if let object = operation.object { named.append(object) }
        if case .element(let element) = operation.key { named.append(element) }
        guard named.allSatisfy({ makers[$0].map(past.contains) ?? false }) else { return false }
      }
    }
    return true
  }
}
