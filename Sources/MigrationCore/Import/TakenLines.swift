import Diagnostics
import Folders

/// An entity whose line is in a spool.
struct SpooledEntity: Sendable {
  var located: LocatedLine
  private let start: Int
  private let byteCount: UInt32
  /// Which of several takings it came in: none knows where the others put their lines.
  fileprivate(set) var taking: UInt32 = 0

  fileprivate init(_ located: LocatedLine, at line: Range<Int>) {
    self.located = located
    (start, byteCount) = (line.lowerBound, UInt32(truncatingIfNeeded: line.count))
  }

  /// What it is, and the month whose document it belongs to.
  var group: EntityGroup { EntityGroup(located.kind, month: located.month) }
  var identity: Identity { located.identity }
  /// Where it belongs.
  var place: EntityPlace { located.place }
  /// Where its line is.
  var line: Range<Int> { start..<start + Int(byteCount) }

  /// Whether it is by kind, place and line before another.
  func precedes(_ other: SpooledEntity) -> Bool {
    if located.kind != other.located.kind { return located.kind < other.located.kind }
    if place != other.place { return place < other.place }
    return (taking, start) < (other.taking, other.start)
  }
}

/// What was taken out of lines, in their order.
struct TakenLines: Sendable {
  var entities: [SpooledEntity] = []
  /// What was found in lines that hold no entity, or one that nobody can tell from others.
  var findings: [Finding] = []
  /// How many entities were refused because nobody can tell them from others, by kind.
  private(set) var rejected: [EntityKind: Int] = [:]

  mutating func add(_ located: LocatedLine, at line: Range<Int>) {
    entities.append(SpooledEntity(located, at: line))
  }

  /// Takes lines of rows that are in a spool; only those that do not say whose they are need to be read.
  ///
  /// - Parameter start: where they begin there.
  mutating func take(
    _ piece: StoreLines.Piece, at start: Int, with reader: inout InterchangeLineReader
  ) throws(FolderError) {
    for line in piece.lines {
      var located = line.located
      if located == nil {
        try reader.locate(piece.bytes[line.range])
        located = reader.located
      }
      if let located {
        add(located, at: start + line.range.lowerBound..<start + line.range.upperBound)
      } else {
        leave(reader.batch, kind: reader.kind, at: reader.place)
      }
    }
  }

  /// Adds what somebody else took from behind.
  ///
  /// - Parameter taking: the number of that taking; they ascend.
  /// - Returns: whether its first entity is not by kind and place before the last one here.
  mutating func add(_ other: consuming TakenLines, taking: Int) -> Bool {
    var isBehind = true
    if let last = entities.last, let first = other.entities.first {
      isBehind = !first.precedes(last)
    }
    for index in other.entities.indices {
      other.entities[index].taking = UInt32(truncatingIfNeeded: taking)
    }
    entities += other.entities
    findings += other.findings
    rejected.merge(other.rejected, uniquingKeysWith: +)
    return isBehind
  }

  /// Tells of a line that holds no entity which could be imported.
  mutating func leave(_ batch: EntityBatch, kind own: EntityKind, at place: EntityPlace) {
    findings.append(contentsOf: batch.findings)
    // What is no entity counts where its place says whose document it was in.
    let kind = own == .other ? batch.kinds.kind(at: place) : own
    if batch.entities.isEmpty, let kind { rejected[kind, default: 0] += 1 }
    for entity in batch.entities {
      findings.append(
        Finding(
          .otherKey, .warning,
          message:
            "\"\(batch.tape.displayedString(at: entity.idNode))\" is no entity and is not imported",
          next: "copy the document it came from if it matters"))
    }
  }
}
