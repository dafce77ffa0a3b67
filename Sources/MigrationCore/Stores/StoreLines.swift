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
  var findings: [Finding] { tallies.flatMap(\.findings) + (preferences?.findings ?? []) }
  /// What was found in the rows of each store.
  var tallies: [StoreTally] { writers.map(\.tally) }
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

  /// A part of the stream: whole lines.
  struct Piece: Sendable {
    /// None behind the last.
    var bytes: [UInt8] = []
    /// The lines of entities among them, if whoever reads has asked for them.
    var lines: [Line] = []

    /// A line of an entity.
    struct Line: Sendable {
      /// Where it is in the bytes, without its line feed.
      let range: Range<Int>
      /// Who the entity is and where it belongs; nil if only a reader can tell.
      let located: LocatedLine?
    }
  }

  private let source: StoreSource
  private let locates: Bool
  private var located: [Piece.Line] = []
  private let withheld: Set<EntityKind>
  private let settled: SettledRows
  private var writers: [RowWriter]
  private var writer: InterchangeWriter
  /// What is still to be read, last first.
  private var rest: [StorePart]
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

  /// Creates a stream of rows, those of some kinds apart, which are counted.
  ///
  /// - Parameters:
  ///   - parts: which rows.
  ///   - settled: rows that need no line.
  ///   - locates: whether pieces say whose their lines are.
  init(
    _ source: StoreSource, _ parts: [StorePart], withholding withheld: Set<EntityKind> = [],
    besides settled: SettledRows = SettledRows(), locating locates: Bool = false
  ) {
    self.source = source
    self.settled = settled
    self.locates = locates
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
    rest = parts.reversed()
  }

  /// Returns the next lines; none behind the last.
  func next() throws(StoreError) -> Piece {
    while !isEnded, writer.json.bytes.count < Self.pieceByteCount {
      if current == nil, !(try beginNext()) {
        if try writePreference() { continue }
        writer.end()
        isEnded = true
        break
      }
      guard let reading = current else { continue }
      if try writeRows(of: reading) { (finished, current) = (counts, nil) }
    }
    let piece = Piece(bytes: writer.json.bytes, lines: located)
    writer.json.removeAll()
    located.removeAll()
    return piece
  }

  /// Begins the next entity that has rows to be written; false if there is none.
  private func beginNext() throws(StoreError) -> Bool {
    while let part = rest.popLast() {
      let (number, entity) = (part.store, source.entity(of: part))
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
        store: number, entity, try store.rows(of: entity.layout, in: part.rows), links,
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
    let start = writer.json.bytes.count
    if withheld.contains(entry.kind) {
      leftOut[entry.kind, default: 0] += 1
    } else if try preferences?.write(
      entry, number: preferenceCount, of: source.kinds, &nested, to: &writer) ?? false
    {
      finished[entry.kind, default: 0] += 1
      noteLine(from: start, nil)
    }
    return true
  }

  /// Writes rows until a piece is long enough, or all are written; whether they are.
  private func writeRows(of reading: Reading) throws(StoreError) -> Bool {
    while writer.json.bytes.count < Self.pieceByteCount {
      guard let number = try reading.advance() else { return true }
      var targets: [[StoreCell]] = []
      for index in reading.links.indices {
        targets.append(try reading.links[index].targets(of: number))
      }
      let (row, start) = (try reading.rows.row(), writer.json.bytes.count)
      let located = try writers[reading.store].write(
        row, of: reading.entity, links: targets, to: &writer, locating: locates)
      noteLine(from: start, located)
      reading.count += 1
    }
    return false
  }

  /// Notes the line that was just written, unless there is none.
  private func noteLine(from start: Int, _ located: LocatedLine?) {
    let end = writer.json.bytes.count - 1
    if locates, start < end {
      self.located.append(Piece.Line(range: start..<end, located: located))
    }
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
    try InterchangeReader(
      { () throws(FolderError) in
        do throws(StoreError) { return try self.next().bytes } catch {
          throw .source(error.diagnostic)
        }
      }, name: source.path, of: source.kinds, rules: rules)
  }
}
