import Automerge
import Foundation

extension ModelChange {
  /// Reads a change chunk, compressed or not, without the engine (format.md 3).
  ///
  /// - Parameter name: names the changes it builds on, which the chunk knows by their hashes.
  init(
    decoding chunk: ForgedChunk, naming name: ([UInt8]) -> ID?
  ) throws {
    let parts = try ForgedChange.Parts(parsing: chunk.inflated.body)
    let actors = ([parts.author] + parts.otherActors).compactMap { ActorId(data: Data($0)) }
    guard actors.count == parts.otherActors.count + 1 else { throw PlainReader.Malformed() }
    let dependencies = parts.dependencies.compactMap(name)
    guard dependencies.count == parts.dependencies.count else { throw PlainReader.Malformed() }
    var reader = ModelColumnReader(parts.startCounter)
    let startCounter = UInt64(try reader.unsigned())
    reader = ModelColumnReader(parts.sequence)
    let sequence = UInt64(try reader.unsigned())
    reader = ModelColumnReader(parts.time)
    let time = Int64(try reader.signed())
    var columns = try ModelOperationColumns(parts.columns, actors: actors)
    let operations = try columns.operations(from: startCounter)
    self.init(
      id: ID(actor: actors[0], sequence: sequence), dependencies: Set(dependencies),
      startCounter: startCounter, time: time,
      message: String(decoding: parts.message, as: UTF8.self), operations: operations)
  }
}

/// The columns of a change's operations, read row by row.
private struct ModelOperationColumns {
  private let actors: [ActorId]
  private let actions: [Int?]
  private let objectActors: [Int?]
  private let objectCounters: [Int?]
  private let keyActors: [Int?]
  private let keyCounters: [Int?]
  private let keyNames: [[UInt8]?]
  private let inserts: [Bool]
  private let metadata: [Int?]
  private var values: PlainReader
  private let predecessorCounts: [Int?]
  private let predecessorActors: [Int?]
  private let predecessorCounters: [Int?]
  private var nextPredecessor = 0
  private let expands: [Bool]
  private let markNames: [[UInt8]?]

  init(_ columns: ForgedColumnList, actors: [ActorId]) throws {
    func reader(_ column: UInt64) -> ModelColumnReader { ModelColumnReader(columns[column] ?? []) }
    self.actors = actors
    actions = try reader(ColumnNumber.action).numbers()
    objectActors = try reader(ColumnNumber.objectActor).numbers()
    objectCounters = try reader(ColumnNumber.objectCounter).numbers()
    keyActors = try reader(ColumnNumber.keyActor).numbers()
    keyCounters = try reader(ColumnNumber.keyCounter).sums()
    keyNames = try reader(ColumnNumber.keyName).strings()
    inserts = try reader(ColumnNumber.insert).booleans()
    metadata = try reader(ColumnNumber.valueMetadata).numbers()
    values = PlainReader(columns[ColumnNumber.value] ?? [])
    predecessorCounts = try reader(ColumnNumber.predecessorGroup).numbers()
    predecessorActors = try reader(ColumnNumber.predecessorActor).numbers()
    predecessorCounters = try reader(ColumnNumber.predecessorCounter).sums()
    expands = try reader(ColumnNumber.expand).booleans()
    markNames = try reader(ColumnNumber.markName).strings()
  }

  mutating func operations(from start: UInt64) throws -> [ModelOperation] {
    try actions.indices.map { try operation(at: $0, from: start) }
  }

  private mutating func operation(at row: Int, from start: UInt64) throws -> ModelOperation {
    guard let action = actions[row].flatMap({ ModelOperation.Action(rawValue: UInt8($0)) }),
      let metadata = item(metadata, row)
    else { throw PlainReader.Malformed() }
    var operation = ModelOperation(
      id: ModelOperation.ID(counter: start + UInt64(row), actor: actors[0]),
      object: id(item(objectCounters, row), item(objectActors, row)), key: .element(nil),
      action: action)
    if let name = item(keyNames, row) {
      operation.key = .name(name)
    } else {
      operation.key = .element(id(item(keyCounters, row), item(keyActors, row)))
    }
    operation.isInsert = row < inserts.count && inserts[row]
    operation.value = ModelScalar(
      typeCode: UInt8(metadata & 15), bytes: try values.take(metadata >> 4))
    for _ in 0..<(item(predecessorCounts, row) ?? 0) {
      guard
        let id = id(
          item(predecessorCounters, nextPredecessor), item(predecessorActors, nextPredecessor))
      else { throw PlainReader.Malformed() }
      operation.predecessors.append(id)
      nextPredecessor += 1
    }
    operation.expands = row < expands.count && expands[row]
    operation.markName = item(markNames, row)
    return operation
  }

  private func item<Item>(_ column: [Item?], _ row: Int) -> Item? {
    row < column.count ? column[row] : nil
  }

  private func id(_ counter: Int?, _ actor: Int?) -> ModelOperation.ID? {
    guard let counter, let actor, actors.indices.contains(actor) else { return nil }
    return ModelOperation.ID(counter: UInt64(counter), actor: actors[actor])
  }
}
