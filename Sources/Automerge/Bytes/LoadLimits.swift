/// The ceilings a reader keeps, so that hostile input costs bounded memory and time
/// (format.md 8.3: run lengths and deflate streams can claim more than any machine has).
package struct LoadLimits: Sendable {
  /// The operations a document may hold, whatever its size.
  package var operationCount = 100_000_000

  /// The operations any input may claim, before its size is taken into account.
  package var baseOperationCount = 2_000_000

  /// The operations that each byte of input may stand for; run-length and deflate coding reach
  /// about a thousand in honest documents.
  package var operationsPerByte = 1_024

  package var changeCount = 20_000_000
  package var actorCount = 10_000_000
  package var actorByteCount = 1_024
  package var dependencyCount = 1_000_000

  /// The bytes all compressed parts of one input may grow to.
  package var inflatedByteCount = 1 << 30

  /// The memory that reading an input of up to 1 MiB may take besides the input.
  package var memoryByteCount = 160 << 20

  /// The memory that each further byte of input may take.
  package var memoryPerByte = 192

  package static let standard = LoadLimits()

  /// For what was read before and lies in memory.
  package static let none: LoadLimits = {
    var limits = LoadLimits()
    limits.operationCount = Int(Int32.max)
    limits.baseOperationCount = limits.operationCount
    limits.changeCount = .max
    limits.actorCount = .max
    limits.actorByteCount = .max
    limits.dependencyCount = .max
    limits.inflatedByteCount = .max
    limits.memoryByteCount = .max
    return limits
  }()

  package init() {}

  /// Returns the most operations an input of `byteCount` bytes may claim.
  func operationCount(forInputOf byteCount: Int) -> Int {
    let (product, overflow) = byteCount.multipliedReportingOverflow(by: operationsPerByte)
    guard !overflow, product <= operationCount else { return operationCount }
    return min(operationCount, baseOperationCount + product)
  }

  /// Whether reading an input may take a good part of the memory that it may take.
  ///
  /// - Parameters:
  ///   - byteCount: the bytes of the input.
  ///   - poolByteCount: the bytes of its keys and values.
  func mayBeReached(
    byteCount: Int, operationCount: Int, changeCount: Int, poolByteCount: Int
  ) -> Bool {
    typealias Cost = LoadBudget.Cost
    let memory =
      operationCount * (Cost.documentOperation + 2 * Cost.predecessor)
      + changeCount * (Cost.change + Cost.dependency + Cost.actor)
      + poolByteCount * (Cost.inflatedByte + Cost.nameByte)
    return memory > memoryByteCount(forInputOf: byteCount) / 3
  }

  /// Returns the memory that reading an input of `byteCount` bytes may take.
  func memoryByteCount(forInputOf byteCount: Int) -> Int {
    let (product, overflow) = max(0, byteCount - 1 << 20)
      .multipliedReportingOverflow(by: memoryPerByte)
    let (sum, isOver) = memoryByteCount.addingReportingOverflow(product)
    return overflow || isOver ? .max : sum
  }
}

/// What reading one input may still cost, shared by all its chunks.
///
/// Run lengths and deflate let a few bytes stand for any number of operations, changes and letters.
/// Each takes memory while it is read and afterwards, about as much as is written here, and time in
/// proportion. So one sum bounds both, whatever a file is full of.
struct LoadBudget: Sendable {
  /// The bytes that one of each takes at the peak.
  enum Cost {
    /// A row of a document, its slot while changes are rebuilt, and the elements it descends from.
    static let documentOperation = 160
    /// An operation of a change that was parsed, and its row, and where the row is.
    static let changeOperation = 160
    static let predecessor = 24
    /// An operation that was read without proof, what it follows, and its row.
    static let looseOperation = 256
    /// What is known of a change besides its chunk.
    static let change = 360
    /// Its row and its hash in the chunk.
    static let dependency = 48
    static let actor = 160
    /// Its column, the pool, the change it is in, and that encoded again.
    static let inflatedByte = 4
    /// Of a key or a mark's name, each time it is used: a change may spell it out again.
    static let nameByte = 4
    /// Of a change that was rebuilt.
    static let chunkByte = 2
  }

  let limits: LoadLimits
  /// The operations, and predecessors or successors, that may still come.
  private(set) var operationCount: Int
  private(set) var relatedCount: Int
  private var inflatedByteCount: Int
  private var memory: Int
  private let wholeMemory: Int

  /// - Parameter memory: the most memory to take, where less is left than an input of the size may.
  init(_ limits: LoadLimits, inputByteCount: Int, memory: Int = .max) {
    self.limits = limits
    operationCount = limits.operationCount(forInputOf: inputByteCount)
    relatedCount = operationCount
    inflatedByteCount = limits.inflatedByteCount
    wholeMemory = min(memory, limits.memoryByteCount(forInputOf: inputByteCount))
    self.memory = wholeMemory
  }

  /// The memory that was spent.
  var spentMemory: Int { wholeMemory - memory }

  /// The most of something that there is memory for.
  func count(of cost: Int) -> Int { memory / cost }

  /// The most bytes that what comes next may inflate to.
  var inflationRoom: Int { min(inflatedByteCount, count(of: Cost.inflatedByte)) }

  /// Takes what something costs that is in memory already or is next.
  mutating func spend(_ count: Int, _ cost: Int, at offset: Int) throws(FormatError) {
    guard count <= memory / cost else {
      throw FormatError(.limitExceeded(.memoryByteCount, UInt64(wholeMemory)), at: offset)
    }
    memory -= count * cost
  }

  mutating func spendOperations(
    _ count: Int, _ cost: Int, related: Int, at offset: Int
  ) throws(FormatError) {
    operationCount -= count
    relatedCount -= related
    try spend(count, cost, at: offset)
    try spend(related, Cost.predecessor, at: offset)
  }

  mutating func spendInflated(_ count: Int, at offset: Int) throws(FormatError) {
    inflatedByteCount -= count
    try spend(count, Cost.inflatedByte, at: offset)
  }
}
