/// Tells which changes an author cannot have seen, as changes come in one after another.
///
/// A change may name only operations of its ancestors. One that names others would be taken where
/// these happen to be and refused where they are not, and two replicas could never agree.
struct CausalPast {
  /// The rows nobody depends on so far.
  private var heads: Set<UInt32>
  private var count: UInt32
  private var search = CoverageSearch()
  /// What the change at `answeredRow` has not seen, nor has its author's next one.
  private var answer: Set<UInt32> = []
  private var answeredRow: UInt32?
  private var answersNext = false

  init(heads: some Sequence<Int>, count: Int) {
    self.heads = Set(heads.map { UInt32($0) })
    self.count = UInt32(count)
  }

  /// Whether all changes so far are dependencies or their ancestors.
  @inline(__always)
  func isWhole(under dependencies: ArraySlice<UInt32>) -> Bool {
    var known = 0
    for row in dependencies where heads.contains(row) { known += 1 }
    guard known >= heads.count else { return false }
    // A dependency may be named twice.
    return heads.count <= 1 || Set(dependencies).isSuperset(of: heads)
  }

  /// Whether the next change, with these dependencies, builds on the change at `row`.
  ///
  /// - Parameter rows: the changes of the same author, ascending. They build on one another.
  mutating func includes(
    _ row: UInt32, of rows: [UInt32], under dependencies: ArraySlice<UInt32>,
    dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) -> Bool {
    let isCovered = dependencies.contains { dependency in
      guard dependency >= row else { return false }
      let index = rows.firstIndex(reaching: dependency) { $0 }
      return index < rows.count && rows[index] == dependency
    }
    return isCovered || !unseen(by: dependencies, dependenciesOf: dependenciesOf).contains(row)
  }

  /// Takes note of the next change.
  mutating func append(dependencies: ArraySlice<UInt32>) {
    if !answersNext, continuesAnswer(dependencies) {
      answer = unseen(by: dependencies) { _ in [] }
      answersNext = true
    }
    answeredRow = answersNext ? count : nil
    answersNext = false
    for row in dependencies { heads.remove(row) }
    heads.insert(count)
    count += 1
  }

  private func continuesAnswer(_ dependencies: ArraySlice<UInt32>) -> Bool {
    dependencies.count == 1 && dependencies.first == answeredRow
  }

  /// Returns the changes so far that the next one, with these dependencies, has not seen.
  private mutating func unseen(
    by dependencies: ArraySlice<UInt32>, dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) -> Set<UInt32> {
    if let answeredRow, continuesAnswer(dependencies) {
      // Nor has it seen what came between.
      return answeredRow + 1 < count ? answer.union(answeredRow + 1..<count) : answer
    }
    answer = Set(
      search.rows(
        below: Int(count), heads: heads, notCoveredBy: dependencies,
        dependenciesOf: dependenciesOf))
    answersNext = true
    return answer
  }
}

extension [UInt32] {
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
