/// One change as a test wants it, encoded without the engine.
struct ForgedChange {
  static let author: [UInt8] = [UInt8](repeating: 0xab, count: 16)

  var dependencies: [[UInt8]] = []
  var author = ForgedChange.author
  var sequence: UInt64 = 1
  var startCounter: UInt64 = 1
  var time: Int64 = 0
  var message: [UInt8] = []
  var operations: [ForgedOperation] = []
  var extra: [UInt8] = []

  init(_ operations: ForgedOperation...) { self.operations = operations }

  init(operations: [ForgedOperation]) { self.operations = operations }

  /// Returns a change by the same author that builds on this one.
  func followed(by operations: ForgedOperation...) -> ForgedChange {
    var next = ForgedChange(operations: operations)
    next.dependencies = [hash]
    next.author = author
    next.sequence = sequence + 1
    next.startCounter = startCounter + UInt64(self.operations.count)
    return next
  }

  /// Returns a first change by `author` that builds on this one.
  func followed(by author: [UInt8], _ operations: ForgedOperation...) -> ForgedChange {
    var next = ForgedChange(operations: operations)
    next.dependencies = [hash]
    next.author = author
    next.startCounter = startCounter + UInt64(self.operations.count)
    return next
  }

  /// The id of the operation at `index`.
  func id(_ index: Int) -> ForgedOperation.ID {
    ForgedOperation.ID(counter: startCounter + UInt64(index), actor: author)
  }

  var otherActors: [[UInt8]] {
    var actors: Set<[UInt8]> = []
    for operation in operations {
      if let object = operation.object { actors.insert(object.actor) }
      if case .element(let id) = operation.key { actors.insert(id.actor) }
      actors.formUnion(operation.predecessors.map(\.actor))
    }
    actors.remove(author)
    return actors.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The pieces of the body, for a test to bend before they are joined.
  var parts: Parts {
    let actors = [author] + otherActors
    return Parts(
      dependencies: dependencies, author: author, sequence: ForgedNumber.uleb(sequence),
      startCounter: ForgedNumber.uleb(startCounter), time: ForgedNumber.sleb(time),
      message: message, otherActors: otherActors,
      columns: ForgedColumnList(
        operations: operations,
        index: { actor in actors.firstIndex(of: actor).map(UInt64.init) }),
      extra: extra)
  }

  var chunk: ForgedChunk { parts.chunk }
  var bytes: [UInt8] { chunk.bytes }
  var hash: [UInt8] { chunk.hash }

  struct Parts {
    var dependencies: [[UInt8]]
    var author: [UInt8]
    var sequence: [UInt8]
    var startCounter: [UInt8]
    var time: [UInt8]
    var message: [UInt8]
    var otherActors: [[UInt8]]
    var columns: ForgedColumnList
    var extra: [UInt8]

    var body: [UInt8] {
      ForgedNumber.uleb(UInt64(dependencies.count)) + dependencies.joined()
        + ForgedNumber.prefixed(author) + sequence + startCounter + time
        + ForgedNumber.prefixed(message)
        + ForgedNumber.uleb(UInt64(otherActors.count))
        + otherActors.flatMap(ForgedNumber.prefixed)
        + columns.metadata + columns.data + extra
    }

    var chunk: ForgedChunk { ForgedChunk(type: 1, body: body) }
    var bytes: [UInt8] { chunk.bytes }
  }
}
