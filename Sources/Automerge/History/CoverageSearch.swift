/// Finds the changes that some known ones do not cover: neither these themselves nor ancestors.
///
/// Goes from the youngest row down until all that is left is covered: the cost is in what is new,
/// not in the whole history. One search serves again and again without clearing its marks.
struct CoverageSearch {
  /// For each row twice the number of the last search that came by, plus one if it is covered.
  private var marks: [UInt32] = []
  private var search: UInt32 = 0
  /// The rows and edges that all searches so far looked at.
  private(set) var stepCount = 0

  init() {}

  /// Returns the rows below `count` that nothing of `known` covers, ascending.
  ///
  /// - Parameters:
  ///   - heads: the rows nobody depends on; every other is an ancestor of one of them.
  ///   - dependenciesOf: what a row builds on, all of it smaller rows.
  mutating func rows(
    below count: Int, heads: some Sequence<UInt32>, notCoveredBy known: some Sequence<UInt32>,
    dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) -> [UInt32] {
    if marks.count < count {
      marks += [UInt32](repeating: 0, count: max(count, 2 * marks.count) - marks.count)
    }
    search += 1
    let (open, covered) = (search * 2, search * 2 + 1)
    // The rows still to come that something above leads to and nothing known covers. Every change
    // below is an ancestor of a row marked so far, so none open means all covered.
    var openCount = 0
    for row in heads {
      marks[Int(row)] = open
      openCount += 1
      stepCount += 1
    }
    for row in known {
      if marks[Int(row)] == open { openCount -= 1 }
      marks[Int(row)] = covered
    }
    var rows: [UInt32] = []
    var row = UInt32(count)
    while openCount > 0, row > 0 {
      row -= 1
      // Dependencies are smaller rows: when a row's turn comes, its mark is final.
      let mark = marks[Int(row)]
      stepCount += 1
      guard mark >= open else { continue }
      if mark == open {
        rows.append(row)
        openCount -= 1
      }
      let dependencies = dependenciesOf(row)
      stepCount += dependencies.count
      for dependency in dependencies {
        let other = marks[Int(dependency)]
        if mark == covered {
          if other == open { openCount -= 1 }
          marks[Int(dependency)] = covered
        } else if other < open {
          marks[Int(dependency)] = open
          openCount += 1
        }
      }
    }
    rows.reverse()
    return rows
  }
}

extension History {
  /// Returns the rows of the changes that are not ancestors of `hashes`, nor these themselves,
  /// ascending; unknown hashes do not count (format.md 6.8).
  func rows(notCoveredBy hashes: some Sequence<ChangeHash>) -> [Int] {
    var search = CoverageSearch()
    return search.rows(
      below: count, heads: headRows.lazy.map { UInt32($0) },
      notCoveredBy: hashes.compactMap { row(of: $0).map { UInt32($0) } },
      dependenciesOf: { dependencies(of: Int($0)) }
    ).map { Int($0) }
  }
}
