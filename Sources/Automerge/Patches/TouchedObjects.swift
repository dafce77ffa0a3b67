/// What the changes between two points in history were on: where a difference has to look.
struct TouchedObjects {
  /// The keys of maps that were touched, each once, in document order.
  private(set) var keys: [OpID: [[UInt8]]] = [:]
  /// Lists and texts that were touched.
  private(set) var sequences: Set<OpID> = []
  /// For each object the objects in it that were touched or hold one that was.
  private(set) var children: [OpID: [OpID]] = [:]

  /// - Parameter rows: the changes, as rows of the history.
  init(_ rows: [Int], of document: DocumentState) throws(FormatError) {
    let batch = try document.batch(rows)
    let actors = batch.actors.map { UInt32(document.actors.index(of: $0) ?? 0) }
    for operation in batch.operations {
      let object = operation.object.renumbered(actors)
      if operation.isMapOperation {
        keys[object, default: []].append([UInt8](batch.pool[operation.name.range]))
      } else {
        sequences.insert(object)
      }
    }
    for (object, names) in keys {
      keys[object] = Array(Set(names)).sorted { $0.lexicographicallyPrecedes($1) }
    }
    noteAncestors(in: document)
  }

  private mutating func noteAncestors(in document: DocumentState) {
    var noted: Set<OpID> = [.root]
    for object in Set(keys.keys).union(sequences) {
      var id = object
      while noted.insert(id).inserted, let entry = document.operations.objects[id] {
        children[entry.parent, default: []].append(id)
        id = entry.parent
      }
    }
    for (object, ids) in children {
      children[object] = ids.sorted { document.operations.precedes($0, $1) }
    }
  }
}
