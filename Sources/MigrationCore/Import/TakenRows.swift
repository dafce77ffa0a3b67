import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores
import Synchronization

/// The rows of stores as lines in a spool, which several threads put there, each with a connection of its
/// own.
struct TakenRows: Sendable {
  private(set) var taken = TakenLines()
  /// Whether the entities ascend by kind and place: those of one part do, by the numbers of their rows.
  private(set) var isSorted = true
  private(set) var lines: ByteSpool
  /// Values of rows that are in files of their own.
  private(set) var blobs: [StoreBlob] = []
  /// How many rows of kinds that nobody asked for were left out, by kind.
  private(set) var leftOut: [EntityKind: Int] = [:]

  /// What came of the rows of one part.
  private struct Part: Sendable {
    var taken: TakenLines
    /// What was found in rows of each store.
    var tallies: [StoreTally]
    var blobs: [StoreBlob]
  }

  /// What a thread reads rows with.
  private struct Worker {
    /// Opened for the first part.
    var stores: StoreSource?
    var reader: InterchangeLineReader
  }

  /// Reads all rows of stores.
  ///
  /// - Parameter withheld: the kinds of which only the number of rows is taken.
  init(
    of stores: StoreSource, rules: EntityRules, withholding withheld: Set<EntityKind>,
    into spool: ByteSpool, _ context: RunContext
  ) throws(MigrationError) {
    lines = spool
    let reader = InterchangeLineReader(
      stores.path, of: stores.kinds, rules: rules, namesPlaces: true)
    let (parts, others) = try Self.divide(stores, withholding: withheld)
    let shelf = Shelf(spool)
    // Last first: each is gone as soon as it is added.
    var outputs = [Part](
      try Self.take(parts, of: stores.shared, with: reader, to: shelf, context).reversed())
    var tallies = stores.stores.map { StoreTally(path: $0.store.files.path) }
    taken.entities.reserveCapacity(outputs.reduce(0) { $0 + $1.taken.entities.count })
    for number in parts.indices {
      guard let part = outputs.popLast() else { break }
      if !taken.add(part.taken, taking: number) { isSorted = false }
      blobs += part.blobs
      for index in tallies.indices { tallies[index].add(part.tallies[index]) }
    }
    // What is left are the app's preferences, and numbers of rows.
    let rest = StoreLines(stores, others, withholding: withheld, locating: true)
    var last = reader
    let end = try Self.take(rest, &last, to: shelf, context)
    if !taken.add(end.taken, taking: parts.count) || !others.isEmpty || stores.preferences != nil {
      isSorted = false
    }
    taken.findings += tallies.flatMap(\.findings) + rest.findings
    leftOut = rest.leftOut.filter { $0.value > 0 }
    lines = shelf.spool
  }

  /// Returns the rows to be taken, in parts for several threads, and those to be counted.
  private static func divide(
    _ stores: StoreSource, withholding withheld: Set<EntityKind>
  ) throws(MigrationError) -> (parts: [StorePart], others: [StorePart]) {
    var (parts, others): ([StorePart], [StorePart]) = ([], [])
    do throws(StoreError) {
      for part in stores.parts {
        if withheld.contains(stores.entity(of: part).kind) {
          others.append(part)
        } else {
          parts += try stores.divided(part)
        }
      }
    } catch {
      throw MigrationError(error)
    }
    return (parts, others)
  }

  /// Takes parts by several threads, and returns what came of each.
  private static func take(
    _ parts: [StorePart], of shared: SharedStores, with reader: InterchangeLineReader,
    to shelf: Shelf, _ context: RunContext
  ) throws(MigrationError) -> [Part] {
    var quiet = context
    // Progress is in entities, not in parts.
    quiet.reportProgress = nil
    return try Workers.map(
      parts.count, phase: .converting, context: quiet, makeState: { Worker(reader: reader) }
    ) { (item, worker) throws(MigrationError) -> Part in
      let stores: StoreSource
      if let opened = worker.stores { stores = opened } else { stores = try open(shared) }
      worker.stores = stores
      let lines = StoreLines(stores, [parts[item]], locating: true)
      return try take(lines, &worker.reader, to: shelf, context)
    }
  }

  private static func open(_ shared: SharedStores) throws(MigrationError) -> StoreSource {
    do throws(StoreError) { return try shared.open() } catch { throw MigrationError(error) }
  }

  private static func next(of lines: StoreLines) throws(MigrationError) -> StoreLines.Piece? {
    do throws(StoreError) {
      let piece = try lines.next()
      return piece.bytes.isEmpty ? nil : piece
    } catch {
      throw MigrationError(error)
    }
  }

  /// Takes lines to their end.
  private static func take(
    _ lines: StoreLines, _ reader: inout InterchangeLineReader, to shelf: Shelf,
    _ context: RunContext
  ) throws(MigrationError) -> Part {
    var taken = TakenLines()
    while let piece = try next(of: lines) {
      let start = try MigrationError.wrapping { () throws(FileError) in try shelf.put(piece.bytes) }
      let known = taken.entities.count
      do throws(FolderError) { try taken.take(piece, at: start, with: &reader) } catch {
        throw MigrationError(error)
      }
      if context.isInterrupted() { throw .interrupted }
      let completed = shelf.count(taken.entities.count - known)
      context.reportProgress?(RunProgress(.converting, completed: completed, total: 0))
    }
    return Part(taken: taken, tallies: lines.tallies, blobs: lines.blobs)
  }

  /// The spool, where one thread at a time puts lines.
  private final class Shelf: Sendable {
    private let content: Mutex<(spool: ByteSpool, count: Int)>

    init(_ spool: ByteSpool) { content = Mutex((spool, 0)) }

    var spool: ByteSpool { content.withLock { $0.spool } }

    /// Puts lines behind those that are there, and returns where they begin.
    func put(_ lines: [UInt8]) throws(FileError) -> Int {
      try content.withLock { content throws(FileError) in
        try content.spool.append(lines[...]).lowerBound
      }
    }

    /// Counts entities, and returns how many there are now.
    func count(_ more: Int) -> Int {
      content.withLock { content in
        content.count += more
        return content.count
      }
    }
  }
}
