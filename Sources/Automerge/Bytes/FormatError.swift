/// What is wrong with a document, a change or one of their parts, and where.
package struct FormatError: Error, Hashable, Sendable {
  /// The fact that was found.
  package enum Fact: Hashable, Sendable {
    // Bytes
    case truncated(missing: Int)
    case overlongInteger
    case integerTooLarge
    case invalidUTF8
    case leftoverBytes(count: Int)
    case limitExceeded(Limit, UInt64)

    // Chunks
    case invalidMagic
    case checksumMismatch(stored: UInt32, computed: UInt32)
    case unknownChunkType(UInt8)
    case bundleUnsupported
    case corruptDeflate

    // Columns
    case columnsOutOfOrder
    case duplicateColumn(UInt32)
    case unknownColumn(UInt32)
    case missingColumn(UInt32)
    case strayValueColumn(UInt32)
    case deflatedColumnInChange(UInt32)
    case columnTooShort(UInt32)
    case columnTooLong(UInt32)
    case unexpectedNull(UInt32)
    case invalidKey
    case invalidObject
    case counterOutOfRange
    case unknownAction(UInt64)
    case invalidValue(typeCode: UInt8)

    // Changes
    case notCanonical
    case actorsNotAscending
    case unknownActor(UInt64)
    case unusedActor
    case startCounterZero
    case sequenceZero
    case predecessorsNotAscending
    case insertWithPredecessors
    case deleteWithoutPredecessor
    case deleteWithContent
    /// Only marks have a mark's name and expand.
    case strayMarkContent
    case unknownPredecessor
    case operationOutsidePast
    case unknownObject
    case unknownElement
    case wrongObjectKind
    case objectFromTheFuture

    // Documents and histories
    case changesOutOfOrder
    case maxCounterDecreases
    case dependencyOutOfRange
    case operationsOutOfOrder
    case operationWithoutChange
    case duplicateOperation
    case missingOperations
    case deleteInDocument
    case headsMismatch
    case duplicateSequence
    case sequenceGap
    case ownHistoryNotInDependencies
    case startCounterNotAfterDependencies
    case missingDependencies(count: Int, first: String)

    // Synchronisation
    case notSyncMessage(tag: UInt8)
    case notSyncState(tag: UInt8)
    case malformedBloomFilter
    case hashesNotAscending
    case unknownHashNumber(UInt64)
  }

  /// The bounds of `LoadLimits` that an input can run into.
  package enum Limit: String, Hashable, Sendable {
    case operations
    case changes
    case actors
    case actorByteCount
    case dependencies
    case inflatedByteCount
    case memoryByteCount
    case nameByteCount
    case ancestors
    case poolByteCount
    case syncSummaries
  }

  package let fact: Fact

  /// Bytes from the start of the input to the defect; inside a deflated column, to that column.
  package let offset: Int

  package init(_ fact: Fact, at offset: Int) {
    self.fact = fact
    self.offset = offset
  }
}

extension FormatError: CustomStringConvertible {
  /// The problem in a few words, without the offset: "checksum is 4f0c11de, expected 91ab07c2".
  package var problem: String {
    switch fact {
    case .truncated(let missing):
      "the input ends \(missing) \(missing == 1 ? "byte" : "bytes") too early"
    case .overlongInteger:
      "an integer is not in its shortest form"
    case .integerTooLarge:
      "an integer does not fit"
    case .invalidUTF8:
      "a string is not valid UTF-8"
    case .leftoverBytes(let count):
      count == 1 ? "1 byte is left over" : "\(count) bytes are left over"
    case .limitExceeded(.memoryByteCount, let bound):
      "it unfolds to more than \(bound >> 20) MB of memory, which no honest document of its size "
        + "needs"
    case .limitExceeded(let limit, let bound):
      "\(limit.problem), the limit is \(bound)"
    case .invalidMagic:
      "this is no Automerge chunk: it does not start with 85 6f 4a 83"
    case .checksumMismatch(let stored, let computed):
      "checksum is \(hex(computed)), expected \(hex(stored))"
    case .unknownChunkType(let type):
      "chunk type \(type) is unknown; a newer version may have written it"
    case .bundleUnsupported:
      "bundle chunks are not supported"
    case .corruptDeflate:
      "compressed data is corrupt"
    case .columnsOutOfOrder:
      "columns are out of order"
    case .duplicateColumn(let column):
      "column \(column) appears twice"
    case .unknownColumn(let column):
      "column \(column) is unknown; a newer version may have written it"
    case .missingColumn(let column):
      "column \(column) is missing"
    case .strayValueColumn(let column):
      "value column \(column) does not follow its metadata"
    case .deflatedColumnInChange(let column):
      "column \(column) of a change is compressed"
    case .columnTooShort(let column):
      "column \(column) has too few rows"
    case .columnTooLong(let column):
      "column \(column) has too many rows or bytes"
    case .unexpectedNull(let column):
      "column \(column) has a null where a value is needed"
    case .invalidKey:
      "an operation has no valid key"
    case .invalidObject:
      "an operation has half an object id"
    case .counterOutOfRange:
      "an operation counter is outside 0 to 4294967295"
    case .unknownAction(let action):
      "action \(action) is unknown; a newer version may have written it"
    case .invalidValue(let typeCode):
      "a value of type \(typeCode) has the wrong bytes"
    case .notCanonical:
      "a change is not in canonical form, saving it would lose it"
    case .actorsNotAscending:
      "actors are not in ascending order"
    case .unknownActor(let index):
      "actor \(index) is not in the list of actors"
    case .unusedActor:
      "a listed actor is not used"
    case .startCounterZero:
      "a change starts at operation 0"
    case .sequenceZero:
      "a change has sequence number 0"
    case .predecessorsNotAscending:
      "predecessors are not in ascending order"
    case .insertWithPredecessors:
      "an insert names predecessors"
    case .deleteWithContent:
      "a delete carries a value, which no document could keep"
    case .operationOutsidePast:
      "a change names an operation that it does not build on"
    case .strayMarkContent:
      "an operation that is no mark has the name or the growth of one"
    case .deleteWithoutPredecessor:
      "a delete names no predecessor"
    case .unknownPredecessor:
      "a predecessor is no operation on the same key"
    case .unknownObject:
      "an operation is on an object that does not exist"
    case .unknownElement:
      "an operation refers to a list element that does not exist"
    case .wrongObjectKind:
      "an operation does not fit the kind of its object"
    case .objectFromTheFuture:
      "an operation refers to a later one"
    case .changesOutOfOrder:
      "the sequence numbers of an actor are out of order"
    case .maxCounterDecreases:
      "the greatest operation counter of an actor decreases"
    case .dependencyOutOfRange:
      "a change depends on a later one"
    case .operationsOutOfOrder:
      "operations are out of order"
    case .operationWithoutChange:
      "an operation belongs to no change"
    case .duplicateOperation:
      "an operation id appears twice"
    case .missingOperations:
      "operations of a change are missing"
    case .deleteInDocument:
      "a document lists a delete operation"
    case .headsMismatch:
      "the changes do not lead to the stored heads"
    case .duplicateSequence:
      "two different changes have the same actor and sequence number"
    case .sequenceGap:
      "the sequence numbers of an actor have a gap"
    case .ownHistoryNotInDependencies:
      "a change does not build on its author's previous change"
    case .startCounterNotAfterDependencies:
      "a change starts before the operations it builds on end"
    case .missingDependencies(let count, let first):
      count == 1
        ? "change \(first), which others build on, is missing"
        : "\(count) changes that others build on are missing, the first is \(first)"
    case .notSyncMessage(let tag):
      "this is no sync message: it starts with \([tag].hexDigits), not with 42 or 43"
    case .notSyncState(let tag):
      "this is no sync state: it starts with \([tag].hexDigits), not with 43"
    case .malformedBloomFilter:
      "the numbers of a Bloom filter contradict each other"
    case .hashesNotAscending:
      "hashes are not in ascending order"
    case .unknownHashNumber(let number):
      "a hash is told by the number \(number), which none has"
    }
  }

  package var description: String { "\(problem) (offset \(offset))" }

  private func hex(_ word: UInt32) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension FormatError.Limit {
  fileprivate var problem: String {
    switch self {
    case .operations: "too many operations"
    case .changes: "too many changes"
    case .actors: "too many actors"
    case .actorByteCount: "an actor id is too long"
    case .dependencies: "a change has too many dependencies"
    case .inflatedByteCount: "compressed data grows too large"
    case .memoryByteCount: "it unfolds to too much memory"
    case .nameByteCount: "the keys and mark names of all operations are too long together"
    case .ancestors: "too many changes on too many branches to tell which build on which"
    case .poolByteCount: "keys and values are too large together"
    case .syncSummaries: "a sync message has too many summaries"
    }
  }
}
