import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// The rows of stores as an interchange stream, piece by piece: so a store is read as a stream is.
///
/// Entities come store by store, in the order of the profile's kinds, by the numbers of their rows.
final class StoreLines {
  /// What was found in the rows; whole once the stream was read to its end.
  var findings: [Finding] {
    writers.flatMap(\.tally.findings) + (preferences?.findings ?? [])
  }
  /// The values that are in files of their own.
  var blobs: [StoreBlob] { writers.flatMap(\.blobs) }
  /// How many rows of each kind were written.
  var counts: [EntityKind: Int] {
    var counts = finished
    if let current { counts[current.entity.kind, default: 0] += current.count }
    return counts
  }
  private var finished: [EntityKind: Int] = [:]
  /// How many rows there are of kinds that nobody asked for.
  private(set) var leftOut: [EntityKind: Int] = [:]

  private let source: StoreSource
  private let withheld: Set<EntityKind>
  private let settled: SettledRows
  private var writers: [RowWriter]
  private var writer: InterchangeWriter
  /// What is still to be read, last first.
  private var rest: [(store: Int, entity: StoreEntity)] = []
  private var current: Reading?
  private var preferences: PreferenceEntities?
  /// How many entities of preferences were written, or left out.
  private var preferenceCount = 0
  private var nested = NestedJSON()
  private var isEnded = false

  /// A piece ends behind the row that makes it so long.
  private static let pieceByteCount = 1 << 16

  /// An entity that is being read.
  private final class Reading {
    let store: Int
    let entity: StoreEntity
    let rows: RowReader
    var links: [Links]
    /// The rows that need no line, from the next one on.
    var settled: ArraySlice<Int64>
    /// How many rows were written.
    var count = 0

    init(
      store: Int, _ entity: StoreEntity, _ rows: RowReader, _ links: [Links],
      besides settled: [Int64]
    ) {
      (self.store, self.entity, self.rows, self.links) = (store, entity, rows, links)
      self.settled = settled[...]
    }

    /// Goes to the next row that needs a line; nil behind the last.
    func advance() throws(StoreError) -> Int64? {
      while let row = try rows.advance() {
        guard settled.first == row else { return row }
        settled.removeFirst()
      }
      return nil
    }
  }

  /// The pairs of one property, in the order of the rows that they lead from.
  fileprivate struct Links {
    let reader: LinkReader?
    var next: (source: StoreCell, target: StoreCell)?
  }

  /// Creates a stream of all rows but those of some kinds, which are counted.
  ///
  /// - Parameter settled: rows that need no line.
  init(
    _ source: StoreSource, withholding withheld: Set<EntityKind> = [],
    besides settled: SettledRows = SettledRows()
  ) {
    self.source = source
    self.settled = settled
    preferences = source.preferences
    self.withheld = withheld
    writer = InterchangeWriter(
      source.kinds,
      stores: source.stores.map {
        InterchangeWriter.Store(
          name: $0.name, uuid: $0.store.uuid, version: $0.version)
      })
    writers = source.stores.indices.map { number in
      RowWriter(
        source.stores[number].store, number: number,
        RowIdentities(source.stores[number].store, source.stores[number].entities),
        of: source.kinds)
    }
    for (number, store) in source.stores.enumerated() {
      rest += store.entities.sorted { $0.kind < $1.kind }.map { (number, $0) }
    }
    rest.reverse()
  }

  /// Returns the next bytes; none behind the last.
  func next() throws(StoreError) -> [UInt8] {
    while !isEnded, writer.json.bytes.count < Self.pieceByteCount {
      if current == nil, !(try beginNext()) {
        if try writePreference() { continue }
        writer.end()
        isEnded = true
        break
      }
      guard let reading = current else { continue }
      let isRead = try Self.writeRows(of: reading, with: &writers[reading.store], to: &writer)
      if isRead { (finished, current) = (counts, nil) }
    }
    let piece = writer.json.bytes
    writer.json.removeAll()
    return piece
  }

  /// Begins the next entity that has rows to be written; false if there is none.
  private func beginNext() throws(StoreError) -> Bool {
    while let (number, entity) = rest.popLast() {
      let store = source.stores[number].store
      guard !withheld.contains(entity.kind) else {
        let counts = try store.rowCounts(ofTable: entity.layout.table)
        let own = counts.first { $0.entity == entity.layout.number }?.count ?? 0
        leftOut[entity.kind, default: 0] += Int(own)
        continue
      }
      let known = settled.part(of: entity.layout, inStore: number)
      if known?.areAll == true { continue }
      var links: [Links] = []
      for column in entity.links {
        let reader = try store.links(of: column.layout)
        links.append(Links(reader: reader, next: try reader?.next()))
      }
      current = Reading(
        store: number, entity, try store.rows(of: entity.layout), links,
        besides: known?.rows ?? [])
      return true
    }
    return false
  }

  /// Writes the next entity of the preferences, or leaves it out; false if there is none.
  private func writePreference() throws(StoreError) -> Bool {
    guard let entries = preferences?.entries, preferenceCount < entries.count else { return false }
    let entry = entries[preferenceCount]
    preferenceCount += 1
    if withheld.contains(entry.kind) {
      leftOut[entry.kind, default: 0] += 1
    } else if try preferences?.write(
      entry, number: preferenceCount, of: source.kinds, &nested, to: &writer) ?? false
    {
      finished[entry.kind, default: 0] += 1
    }
    return true
  }

  /// Writes rows until a piece is long enough, or all are written; whether they are.
  private static func writeRows(
    of reading: Reading, with rows: inout RowWriter, to writer: inout InterchangeWriter
  ) throws(StoreError) -> Bool {
    while writer.json.bytes.count < pieceByteCount {
      guard let row = try reading.advance() else { return true }
      var targets: [[StoreCell]] = []
      for index in reading.links.indices {
        targets.append(try reading.links[index].targets(of: row))
      }
      try rows.write(
        try reading.rows.row(), of: reading.entity, links: targets, to: &writer)
      reading.count += 1
    }
    return false
  }
}

extension StoreLines.Links {
  /// Returns what a row leads to; rows come ascending, and so do pairs.
  mutating func targets(of row: Int64) throws(StoreError) -> [StoreCell] {
    var targets: [StoreCell] = []
    while let pair = next {
      if case .integer(let source) = pair.source {
        guard source <= row else { break }
        if source == row { targets.append(pair.target) }
      }
      next = try reader?.next()
    }
    return targets
  }
}

extension StoreLines {
  /// Begins to read the lines.
  func reader(rules: EntityRules) throws(FolderError) -> InterchangeReader {
    let pieces = pieces
    return try reader(of: pieces, rules: rules)
  }

  /// The lines, to be made while others are read.
  var pieces: PiecesAhead<[UInt8], FolderError> {
    PiecesAhead { () throws(FolderError) in
      do throws(StoreError) {
        let piece = try self.next()
        return piece.isEmpty ? nil : piece
      } catch {
        throw .source(error.diagnostic)
      }
    }
  }

  /// Begins to read lines from their pieces.
  func reader(
    of pieces: PiecesAhead<[UInt8], FolderError>, rules: EntityRules
  ) throws(FolderError) -> InterchangeReader {
    try InterchangeReader(
      { () throws(FolderError) in try pieces.next() ?? [] }, name: source.path, of: source.kinds,
      rules: rules)
  }
}
