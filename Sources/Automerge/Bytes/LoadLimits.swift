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

  /// Returns the memory that reading an input of `byteCount` bytes may take.
  func memoryByteCount(forInputOf byteCount: Int) -> Int {
    let (product, overflow) = max(0, byteCount - 1 << 20)
      .multipliedReportingOverflow(by: memoryPerByte)
    let (sum, isOver) = memoryByteCount.addingReportingOverflow(product)
    return overflow || isOver ? .max : sum
  }
}
