/// Tells which changes an author cannot have seen, as changes come in one after another.
///
/// A change may name only operations of its ancestors. One that names others would be taken where
/// these happen to be and refused where they are not, and two replicas could never agree.
struct CausalPast {
  /// The rows nobody depends on so far.
  private var heads: Set<UInt32>
  private var count: UInt32
  /// For each row twice the number of the last search that came by, plus one if it is in the past.
  private var marks: [UInt32] = []
  private var search: UInt32 = 0
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
    return known >= heads.count
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
  ///
  /// Goes down from the youngest, so the cost is in what is concurrent.
  mutating func unseen(
    by dependencies: ArraySlice<UInt32>, dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) -> Set<UInt32> {
    if let answeredRow, continuesAnswer(dependencies) {
      // Nor has it seen what came between.
      return answeredRow + 1 < count ? answer.union(answeredRow + 1..<count) : answer
    }
    if marks.count < count {
      marks += [UInt32](repeating: 0, count: Int(count) * 2 - marks.count)
    }
    search += 1
    let (open, past) = (search * 2, search * 2 + 1)
    var openCount = 0
    for row in heads {
      marks[Int(row)] = open
      openCount += 1
    }
    for row in dependencies {
      if marks[Int(row)] == open { openCount -= 1 }
      marks[Int(row)] = past
    }
    var unseen: Set<UInt32> = []
    var row = count
    while openCount > 0, row > 0 {
      row -= 1
      let mark = marks[Int(row)]
      guard mark >= open else { continue }
      if mark == open {
        unseen.insert(row)
        openCount -= 1
      }
      for dependency in dependenciesOf(row) {
        let other = marks[Int(dependency)]
        if mark == past {
          if other == open { openCount -= 1 }
          marks[Int(dependency)] = past
        } else if other < open {
          marks[Int(dependency)] = open
          openCount += 1
        }
      }
    }
    answer = unseen
    answersNext = true
    return unseen
  }
}
