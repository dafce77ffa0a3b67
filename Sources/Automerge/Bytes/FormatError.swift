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
