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
