/// Tells which changes an author cannot have seen, as changes come in one after another.
///
/// A change may name only operations of its ancestors. One that names others would be taken where
/// these happen to be and refused where they are not, and two replicas could never agree.
struct CausalPast {
  /// For each row that was there before whether another depended on it then.
  private let isFollowed: [Bool]
  /// The heads of the history that later changes build on.
  private var overtaken: Set<UInt32> = []
  /// For each later row whether another depends on it.
  private var isLaterFollowed: [Bool] = []
  /// The number of rows nobody depends on so far.
  private var headCount: Int
  private var count: UInt32
  private var search = CoverageSearch()
  /// What the change at `answeredRow` has not seen, ascending; its author's next one has seen neither
  /// these nor what came between.
  private var answer: [UInt32] = []
  private var answeredRow: UInt32?
  private var answersNext = false
  /// What was searched for last. Thousands may come back to the same state one after another.
  private var memory: (dependencies: [UInt32], count: UInt32, unseen: [UInt32])?

  /// The rows that all searches may look at. Branches that are many and long and name each other
  /// would make each change cost as much as all before it.
  private static let mostSteps = 1 << 27

  init(after history: History) {
    isFollowed = history.isFollowed
    headCount = history.headCount
    count = UInt32(history.count)
  }

  /// The rows nobody depends on so far. Linear in the history's, so only for a search.
  private var heads: [UInt32] { (0..<count).filter(isHead) }

  @inline(__always)
  private func isHead(_ row: UInt32) -> Bool {
    row < isFollowed.count
      ? !isFollowed[Int(row)] && !overtaken.contains(row)
      : !isLaterFollowed[Int(row) - isFollowed.count]
  }

  /// Whether all changes so far are dependencies or their ancestors.
  @inline(__always)
  func isWhole(under dependencies: ArraySlice<UInt32>) -> Bool {
    var known = 0
    for row in dependencies where isHead(row) { known += 1 }
    guard known >= headCount else { return false }
    // A dependency may be named twice.
    return headCount <= 1 || Set(dependencies).count(where: isHead) == headCount
  }

  /// Whether the next change, with these dependencies, builds on the change at `row`.
  ///
  /// - Parameters:
  ///   - rows: the changes of the same author, ascending. They build on one another.
  ///   - offset: where the change is, for the error that so much cannot be searched.
  mutating func includes(
    _ row: UInt32, of rows: [UInt32], under dependencies: ArraySlice<UInt32>, at offset: Int,
    dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) throws(FormatError) -> Bool {
    let isCovered = dependencies.contains { dependency in
      // Mostly an author goes on from where it was.
      guard dependency > row else { return dependency == row }
      let index = rows.firstIndex(reaching: dependency) { $0 }
      return index < rows.count && rows[index] == dependency
    }
    if isCovered || isWhole(under: dependencies) { return true }
    if let isNear = isNear(row, dependencies, dependenciesOf) { return isNear }
    if let answeredRow, continuesAnswer(dependencies) {
      return row <= answeredRow && !answer.ascendingContains(row)
    }
    if let memory, memory.dependencies.elementsEqual(dependencies) {
      return row < memory.count && !memory.unseen.ascendingContains(row)
    }
    answer = search.rows(
      below: Int(count), heads: heads, notCoveredBy: dependencies, dependenciesOf: dependenciesOf)
    guard search.stepCount <= Self.mostSteps else {
      throw FormatError(.limitExceeded(.ancestors, UInt64(Self.mostSteps)), at: offset)
    }
    answersNext = true
    memory = (Array(dependencies), count, answer)
    return !answer.ascendingContains(row)
  }

  /// Looks a few steps around; nil where that does not tell.
  private func isNear(
    _ row: UInt32, _ dependencies: ArraySlice<UInt32>,
    _ dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) -> Bool? {
    var pending: [UInt32] = []
    var visited: [UInt32] = []
    var next = dependencies
    while true {
      guard next.count <= Self.nearCount else { return nil }
      for dependency in next where dependency >= row && !visited.contains(dependency) {
        if dependency == row { return true }
        visited.append(dependency)
        pending.append(dependency)
      }
      guard visited.count <= Self.nearCount else { return nil }
      guard let other = pending.popLast() else { return false }
      next = dependenciesOf(other)
    }
  }

  private static let nearCount = 16

  /// Takes note of the next change.
  mutating func append(dependencies: ArraySlice<UInt32>) {
    if !answersNext, let answeredRow, continuesAnswer(dependencies) {
      // Nor has it seen what came between.
      answer.append(contentsOf: answeredRow + 1..<count)
      answersNext = true
    }
    answeredRow = answersNext ? count : nil
    answersNext = false
    for row in dependencies where isHead(row) {
      if row < isFollowed.count {
        overtaken.insert(row)
      } else {
        isLaterFollowed[Int(row) - isFollowed.count] = true
      }
      headCount -= 1
    }
    isLaterFollowed.append(false)
    headCount += 1
    count += 1
  }

  private func continuesAnswer(_ dependencies: ArraySlice<UInt32>) -> Bool {
    dependencies.count == 1 && dependencies.first == answeredRow
  }
}

extension [UInt32] {
  /// Whether an array that ascends has an element.
  fileprivate func ascendingContains(_ element: UInt32) -> Bool {
    let index = firstIndex(reaching: element) { $0 }
    return index < count && self[index] == element
  }

  /// Returns the first index whose element's value is at least `target`; values must ascend.
  @inline(__always)
  func firstIndex(reaching target: UInt32, _ value: (UInt32) -> UInt32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) >> 1
      if value(self[middle]) < target { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
